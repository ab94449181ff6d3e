import * as z from 'zod';
import { type FailureDetails, TerminalError } from '../engine/errors.ts';
import { isBounded, isId, isRecord } from '../engine/object.ts';
import type { Page } from '../engine/platform.ts';
import { exchange, proxyAgentFor } from '../engine/proxy.ts';

/**
 * Returns undefined only for a 404 in the platform's own format. A gateway's 404 is already `platform-bad-answer` here, and no other
 * failure counts as absence, because mirrors delete on it.
 */
export async function absentOn404<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404 && error.code === 'not-found')
      return undefined;
    throw error;
  }
}

export interface Sent {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** Header names are in lower case. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** Sends a request and reads its whole answer. Follows no redirect. Rejects when the connection fails or the body breaks off. */
export type Exchange = (request: Sent) => Promise<Answer>;

/**
 * Largest answer that is read. A page of the feed may carry 100 events of 256 KB (platform API, Limits); a larger answer is not the
 * platform's.
 */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Keeps connections, which do not keep a command running. */
export const nodeExchange: Exchange = async ({ url, headers: asked, body, ...sent }) => {
  const address = new URL(url);
  // A redirect is an answer: following it would turn a POST into a GET, and take an answer from a host that is not configured.
  const parts: Buffer[] = [];
  const { status, headers } = await exchange(address, {
    ...{ ...sent, body, headers: { 'accept-encoding': 'gzip', ...asked } },
    ...{ agent: proxyAgentFor(address), bytesMax: ANSWER_BYTES_MAX, into: parts },
  });
  // Listeners of the connection hold the list.
  return { status, headers, text: Buffer.concat(parts.splice(0)).toString('utf8') };
};

/**
 * Every operation that the platform's document shows, with the scope it needs (platform API, Authentication) and the possible meanings of a
 * 403. A 403 proves something about the whole key only where nothing but the scope can be missing.
 */
export type Scope =
  | 'contacts:read'
  | 'contacts:write'
  | 'conversations:read'
  | 'conversations:write'
  | 'appointments:read'
  | 'appointments:write'
  | 'webhooks:manage';

interface OperationFacts {
  readonly scope: Scope;
  /**
   * `scope`: the key lacks the scope for all requests. `request`: the 403 may also be about the project or the event group of this request.
   * A read counts as `request` when it filters by `project_id` or by event `type`.
   */
  readonly forbiddenMeans: 'scope' | 'request';
}

export const OPERATIONS = {
  'contacts.list': { scope: 'contacts:read', forbiddenMeans: 'scope' },
  'contacts.get': { scope: 'contacts:read', forbiddenMeans: 'scope' },
  // The worker creates contacts only in the project of a service that the key can see, so a 403 can only mean the scope.
  'contacts.create': { scope: 'contacts:write', forbiddenMeans: 'scope' },
  'contacts.change': { scope: 'contacts:write', forbiddenMeans: 'scope' },
  'conversations.list': { scope: 'conversations:read', forbiddenMeans: 'scope' },
  'conversations.get': { scope: 'conversations:read', forbiddenMeans: 'scope' },
  'conversations.messages': { scope: 'conversations:read', forbiddenMeans: 'scope' },
  'appointments.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'appointments.get': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  // An appointment belongs to the project of its service, and a foreign service is a 422, so a 403 can only mean the scope.
  'appointments.create': { scope: 'appointments:write', forbiddenMeans: 'scope' },
  'appointments.reschedule': { scope: 'appointments:write', forbiddenMeans: 'scope' },
  'appointments.cancel': { scope: 'appointments:write', forbiddenMeans: 'scope' },
  'slots.find': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'services.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'resources.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  'branches.list': { scope: 'appointments:read', forbiddenMeans: 'scope' },
  // Access to an endpoint also depends on its events and projects (platform API, Webhook endpoints).
  'webhook_endpoints.list': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.create': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.change': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.roll_secret': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'webhook_endpoints.test': { scope: 'webhooks:manage', forbiddenMeans: 'request' },
  'events.list': { scope: 'webhooks:manage', forbiddenMeans: 'scope' },
  'events.get': { scope: 'webhooks:manage', forbiddenMeans: 'scope' },
} as const satisfies Record<string, OperationFacts>;

export type Operation = keyof typeof OPERATIONS;

/** The scope that a 403 on this request proves missing; undefined when the 403 may be about the request instead. */
export function scopeProvedMissing(request: {
  operation: Operation;
  query?: Readonly<Record<string, string>>;
}): Scope | undefined {
  const facts = OPERATIONS[request.operation];
  const query = request.query ?? {};
  if (facts.forbiddenMeans === 'request' || 'project_id' in query || 'type' in query) return undefined;
  return facts.scope;
}

/** The details that every error about this answer carries. */
export function detailsOf(answer: Answer, problem?: Problem): FailureDetails {
  const requestId = readRequestId(answer.headers.get('request-id')) ?? problem?.requestId;
  return { target: 'platform', status: answer.status, ...(requestId === undefined ? {} : { requestId }) };
}

const REQUEST_ID = /^[\w.:-]{1,200}$/;

/** The id if it has a plausible form: whoever answered chose the text of the header. */
export function readRequestId(value: unknown): string | undefined {
  return typeof value === 'string' && REQUEST_ID.test(value) ? value : undefined;
}

/** The content of the platform's error body (platform API, Errors): RFC 7807, with the code as the last part of `type`. */
export interface Problem {
  /** Lower case and hyphenated, as listed in the document; the list may grow. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Names of the fields that a 422 rejects. The messages next to them may quote a customer's input and are dropped. */
  readonly fields: readonly string[];
}

/** Form of a code of the protocol. Any other text is not passed on, because it may come from anyone. */
const CODE = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Undefined when the body is not the platform's: a proxy's HTML, a truncated or empty body, or JSON of another service. */
export function readProblem(text: string): Problem | undefined {
  const body = objectIn(text);
  const code = body && (codeOfType(body['type']) ?? codeOfField(body['code']));
  if (!body || !code) return undefined;
  const errors = body['errors'];
  return {
    code,
    requestId: readRequestId(body['request_id']),
    fields: isRecord(errors) ? Object.keys(errors) : [],
  };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // A body that is not JSON is an answer too; the caller decides by the status. The parser's message would quote the body.
    return undefined;
  }
}

/** `{error_type_base}/<error_code>`. `about:blank`, which RFC 7807 allows gateways to send, has no slash and no code. */
function codeOfType(type: unknown): string | undefined {
  if (typeof type !== 'string' || !type.includes('/')) return undefined;
  return wellFormed(type.slice(type.lastIndexOf('/') + 1));
}

/** Appointment errors also carry the code with underscores in `code`. */
function codeOfField(code: unknown): string | undefined {
  return typeof code === 'string' ? wellFormed(code.replaceAll('_', '-')) : undefined;
}

function wellFormed(code: string): string | undefined {
  return CODE.test(code) ? code : undefined;
}

/**
 * Parses the platform's answers into the worker's objects. Strict on what the worker depends on: object, id, arrays, has_more. Lenient on
 * everything else: unknown fields are kept, and values that may grow are strings (platform API, Versioning).
 */

export const text = z.string().min(1);

/** A field that identifies an object: it becomes a Redis key, part of a URL, and text on a terminal. */
export const identifier = z.string().refine(isId);

/** A wire object: `object` is its type and `id` identifies it. */
export function wireObject<Shape extends z.ZodRawShape>(object: string, shape: Shape) {
  return z.looseObject({ object: z.literal(object), id: identifier, ...shape }).refine(isBounded);
}

/**
 * Casts the schema to all of `T`. Fields beyond the schema are typed as in the platform's document. They are deliberately not checked: a
 * change in an unused field must not stop the work.
 */
export function described<T>(schema: z.ZodType): z.ZodType<T> {
  return schema as z.ZodType<T>;
}

/** The list envelope. It has no total count and no page numbers. */
export function pageOf<T>(item: z.ZodType<T>): z.ZodType<Page<T>> {
  return z
    .looseObject({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() })
    .transform((list) => ({ data: list.data, hasMore: list.has_more }));
}
