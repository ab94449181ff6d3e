import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from './auth/principal.ts';
import type { JsonObject } from './json.ts';
import type { Query, QueryShape } from './request/query.ts';
import type { Shape } from './request/shape.ts';
import type { Service } from './service.ts';

/** One call that has passed authentication, quota and the checks of its parameters and body. */
export interface Call {
  methodId: string;
  principal: Principal;
  /** Decoded path parameters. */
  path: Readonly<Record<string, string>>;
  query: Query;
  body: JsonObject;
  headers: IncomingHttpHeaders;
}

/** The answer: 200 with a body unless another status is given. */
export interface Answer {
  status?: 200 | 204 | 304;
  body?: JsonObject;
  etag?: string;
}

/** One method of the discovery document. */
export interface Method {
  /** As in the document, without the service: `events.insert`, `spreadsheets.values.get`. */
  id: string;
  service: Service;
  http: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in the document's `flatPath`. */
  path: string;
  /** Which of Sheets' two quotas it counts against. */
  quota: 'read' | 'write';
  /** Any one of these scopes suffices. Without the https://www.googleapis.com/auth/ prefix. */
  scopes: readonly string[];
  query: QueryShape;
  /** Absent: the method takes no body. */
  body?: Shape;
  /** The body's field in the request message; appears in the messages of violations. */
  bodyField?: string;
  /** The fields of an answer. Field masks are checked against it. */
  answer?: Shape;
  perform(call: Call): Answer | Promise<Answer>;
}
