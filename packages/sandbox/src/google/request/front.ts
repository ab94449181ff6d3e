// The front end: from an HTTP request to a method and back. In this order: route, token and scopes, quota, parameters,
// body, method, partial answer. A failed step is answered in Google's words.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admit } from '../auth/gate.ts';
import type { TokenDesk } from '../auth/tokens.ts';
import type { Counts } from '../counts.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Answer, Method } from '../method.ts';
import type { Quotas } from '../quotas.ts';
import { frontEndRefusal, Refusal, sheetsRefusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { Switches } from '../switches.ts';
import { type Mask, parseMask, select, unknownName } from './mask.ts';
import { badRequest, readQuery } from './query.ts';
import { Router } from './router.ts';
import { send } from './send.ts';
import { any, violations } from './shape.ts';

export interface FrontParts {
  methods: readonly Method[];
  desk: TokenDesk;
  quotas: Quotas;
  counts: Counts;
  switches: Switches;
  latencyMs: () => number;
  now: () => number;
}

export class Front {
  readonly #parts: FrontParts;
  readonly #router: Router;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#router = new Router(parts.methods);
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [pathname = '', search = ''] = splitUrl(request.raw.url ?? '');
    const routed = this.#router.find(request.method, pathname.slice(1));
    if (routed === undefined) return reply.code(404).type('text/html; charset=UTF-8').send(notFoundPage);
    this.#parts.counts.called(routed.method.id);
    let answer: { status: number; body: JsonObject | undefined; etag: string | undefined };
    try {
      const { status = 200, body, etag } = await this.#perform(routed, new URLSearchParams(search), request);
      answer = { status, body, etag };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer = { status: error.status, body: error.body, etag: undefined };
    }
    const latencyMs = this.#parts.latencyMs();
    if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false });
    this.#parts.counts.answered(answer.status);
    reply.header('date', new Date(this.#parts.now()).toUTCString());
    return send(reply, answer);
  }

  async #perform(
    routed: { method: Method; path: Record<string, string> },
    search: URLSearchParams,
    request: FastifyRequest,
  ): Promise<Answer> {
    const { method, path } = routed;
    const { desk, quotas, switches } = this.#parts;
    const principal = admit(request.headers.authorization, method, {
      desk,
      hasBackend401: switches.hasBackend401,
    });
    // `quotaUser` charges the call to the user it names instead of the token's user.
    const user = search.get('quotaUser') ?? principal.email;
    quotas.spend(method, { user, calendarId: path['calendarId'] }, switches.quotaForm);
    const query = readQuery(search, method.query, method.service);
    const body = readBody(method, request);
    const mask = readMask(method, query.text('fields'));
    const answer = await method.perform({
      methodId: method.id,
      principal,
      path,
      query,
      body,
      headers: request.headers,
    });
    if (mask === undefined || answer.body === undefined) return answer;
    return { ...answer, body: select(mask, answer.body) as JsonObject };
  }
}

function readBody(method: Method, request: FastifyRequest): JsonObject {
  const text = typeof request.body === 'string' ? request.body : '';
  if (method.body === undefined || text === '') return {};
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type)) throw badContent(method.service, type);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(method.service, [
      { field: '', description: 'Invalid JSON payload received. Unexpected token.' },
    ]);
  }
  if (!isObject(value)) {
    throw badRequest(method.service, [
      {
        field: '',
        description: 'Invalid JSON payload received. Unknown name "": Root element must be a message.',
      },
    ]);
  }
  const found = violations(method.body, value, method.bodyField);
  if (found.length > 0) throw badRequest(method.service, found);
  return value;
}

function readMask(method: Method, text: string | undefined): Mask | undefined {
  if (text === undefined) return undefined;
  const mask = parseMask(text);
  const unknown = mask === undefined ? text : unknownName(mask, method.answer ?? any);
  if (mask === undefined || unknown !== undefined) throw invalidMask(method.service, unknown ?? text);
  return mask;
}

function badContent(service: Service, type: string): Refusal {
  const message = `Unsupported content with type: ${type}`;
  return service === 'sheets'
    ? sheetsRefusal(400, message)
    : frontEndRefusal(400, { reason: 'badContent', message });
}

function invalidMask(service: Service, text: string): Refusal {
  const message = `Request contains an invalid argument. Invalid field selection ${text}`;
  if (service === 'sheets') return sheetsRefusal(400, message);
  return frontEndRefusal(400, {
    reason: 'invalidParameter',
    message,
    locationType: 'parameter',
    location: 'fields',
  });
}

function splitUrl(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

const notFoundPage =
  '<!DOCTYPE html><html lang=en><title>Error 404 (Not Found)!!1</title><p>The requested URL was not found on this server.</html>';
