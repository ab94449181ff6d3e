/**
 * Makes one request to the platform. In: an operation. Out: its parsed answer, or one of the three error families. It retries nothing but
 * what a command outlasts: the job layer does, and decides for how long. Nothing leaves while the key is refused or the request budget is spent.
 */

import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import {
  DeferredError,
  type FailureDetails,
  RetryableError,
  TerminalError,
  WorkerError,
} from '../engine/errors.ts';
import { IDEMPOTENCY_KEY } from '../engine/ids.ts';
import { LATE, within } from '../engine/object.ts';
import type { Page } from '../engine/platform.ts';
import { AnswerTooLarge, ProxyRefused } from '../engine/proxy.ts';
import { type Clock, type Runtime, steadyClock } from '../engine/runtime.ts';
import {
  type Answer,
  absentOn404,
  detailsOf,
  type Exchange,
  OPERATIONS,
  type Operation,
  pageOf,
  type Scope,
  type Sent,
  scopeProvedMissing,
} from './http-answer.ts';
import { type Rank, type RateGate, readRateFacts } from './http-rate.ts';
import { badAnswer, refusalOf } from './http-refusal.ts';

export interface Options {
  /** Priority when the request budget runs low. Default `live`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/**
 * For operations that are harmful to repeat. Store `body` and `idempotencyKey` together before calling: a retry with the same key and
 * another body is a 409 `idempotency-conflict` (platform API, Idempotency).
 */
export interface Create extends Options {
  readonly body: Readonly<Record<string, unknown>>;
  /** 1 to 64 letters, digits and `_ - : .`; see `idempotencyKey`. */
  readonly idempotencyKey: string;
  /** Called if the platform repeats an earlier answer to this key and performs nothing (platform API, Idempotency). */
  readonly onReplayed?: () => void;
}

/** Largest page, the platform's maximum (platform API, Limits): every page costs one request of the budget. */
const PAGE_LIMIT_MAX = 100;
/** Longest walk, enough for ten million objects; a longer list is assumed not to end. */
const PAGES_MAX = 100_000;

export interface ListRequest {
  /** The same on every page of a walk; named as in the platform API. */
  readonly filters?: Readonly<Record<string, string>>;
  /** 1 to 100; default 100. */
  readonly limit?: number;
  /** The id of the last object received; it may have been deleted since. */
  readonly startingAfter?: string;
  /** Priority when the request budget runs low; default `live` for a single page and `walk` for `pagesOf`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/**
 * Yields page after page, newest first, until `has_more` is false. To resume, set `startingAfter` to the id of the last object received. It
 * ends early only by throwing (on the signal: `DeferredError` `stopped`). So a walk that ended has seen everything, and the caller may
 * conclude deletions from it.
 */
async function* pagesOf<T extends { readonly id: string }>(
  list: (request: ListRequest) => Promise<Page<T>>,
  request: ListRequest,
): AsyncGenerator<Page<T>, void, void> {
  const fixed = { rank: 'walk', ...request } as const;
  let startingAfter = request.startingAfter;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const page = await list(startingAfter === undefined ? fixed : { ...fixed, startingAfter });
    yield page;
    if (!advancing(page, startingAfter).hasMore) return;
    startingAfter = page.data.at(-1)?.id;
  }
  throw endless(`a list has more than ${PAGES_MAX} pages`);
}

/** The page. Throws if it promises more but gives no new position: whoever went on would read it forever, or take it for the end. */
export function advancing<T extends { readonly id: string }>(page: Page<T>, startingAfter?: string): Page<T> {
  const last = page.data.at(-1)?.id;
  if (page.hasMore && (last === undefined || last === startingAfter))
    throw endless('a page promises more entries but does not advance');
  return page;
}

export function listQuery(request: ListRequest): Record<string, string> {
  const query: Record<string, string> = {
    limit: String(request.limit ?? PAGE_LIMIT_MAX),
    ...request.filters,
  };
  if (request.startingAfter !== undefined) query['starting_after'] = request.startingAfter;
  return query;
}

function endless(what: string): RetryableError {
  return new RetryableError('platform-bad-answer', what, { target: 'platform' });
}

// Notices that the platform answers nothing: errors of its own, time-outs, or no connection. One lost answer is no outage, and any answer of
// the API itself ends one, also a refusal.

/** How long nothing may be answered, and the failures it takes: about when a failing calendar is reported (`google/breaker.ts`). */
const FAILING_FOR_MS = 30_000;
const FAILURES_MIN = 2;
/** Shortest time between two reports of a lasting outage, which renew its Request-Id. */
const REPORTED_EVERY_MS = 15_000;

export interface Outage {
  /** Epoch milliseconds of the first failure. */
  readonly sinceMs: number;
  /** The newest failure. Its status is undefined for a time-out or a lost connection. */
  readonly error: RetryableError;
}

interface Run {
  readonly sinceMs: number;
  failures: number;
  error: RetryableError;
  reportedAtMs: number | undefined;
  readonly timer: NodeJS.Timeout;
}

export class OutageWatch {
  readonly #clock: Clock;
  readonly #failingForMs: number;
  readonly #listeners = new Set<(outage: Outage | undefined) => void>();
  #run: Run | undefined;
  /** At first, another process may have reported an outage and died. */
  #mayBeReported = true;

  constructor(parts: { readonly clock: Clock; readonly failingForMs?: number | undefined }) {
    this.#clock = parts.clock;
    this.#failingForMs = parts.failingForMs ?? FAILING_FOR_MS;
  }

  /** Called with each report of an outage, and with undefined when it is over. */
  onChange(listener: (outage: Outage | undefined) => void): void {
    this.#listeners.add(listener);
  }

  failed(error: RetryableError): void {
    this.#run ??= this.#begin(error);
    this.#run.failures += 1;
    this.#run.error = error;
    this.#look();
  }

  answered(): void {
    clearTimeout(this.#run?.timer);
    this.#run = undefined;
    if (!this.#mayBeReported) return;
    this.#mayBeReported = false;
    for (const listener of this.#listeners) listener(undefined);
  }

  #begin(error: RetryableError): Run {
    // An idle worker makes its next call much later.
    const timer = setTimeout(() => this.#look(true), this.#failingForMs).unref();
    return { sinceMs: this.#clock.now(), failures: 0, error, reportedAtMs: undefined, timer };
  }

  #look(isDue = false): void {
    const run = this.#run;
    if (run === undefined || run.failures < FAILURES_MIN) return;
    const nowMs = this.#clock.now();
    if (!isDue && run.reportedAtMs === undefined && nowMs - run.sinceMs < this.#failingForMs) return;
    if (run.reportedAtMs !== undefined && nowMs - run.reportedAtMs < REPORTED_EVERY_MS) return;
    run.reportedAtMs = nowMs;
    this.#mayBeReported = true;
    for (const listener of this.#listeners) listener({ sinceMs: run.sinceMs, error: run.error });
  }
}

/**
 * Stops calls when the platform refuses the key (401, 402) or a scope (403): "repeating with the same key is useless" (platform API,
 * Authentication). One call every 15 s tests whether it works again. A missing scope stops only the operations that need it.
 */

/** Time between two calls that test whether the platform accepts the key again. */
const PROBE_EVERY_MS = 15_000;

/** Whether the platform accepts the key, as last seen. */
export type PlatformState =
  | { readonly state: 'ok' }
  | {
      readonly state: 'refused';
      /** `platform-unauthenticated`, `platform-addon-required` or `platform-forbidden`. */
      readonly code: string;
      readonly message: string;
      readonly advice: string | undefined;
      readonly requestId: string | undefined;
      /** Epoch milliseconds. */
      readonly sinceMs: number;
      /** The missing scopes; empty when the whole key is refused. */
      readonly scopes: readonly Scope[];
    };

/** Permission for one call. Only a call that left after the refusal can prove that the refusal is over. */
interface Pass {
  readonly scope: Scope;
  readonly probes: ReadonlySet<Circuit>;
}

interface Circuit {
  readonly refusal: DeferredError;
  readonly sinceMs: number;
  /** On the monotonic clock. */
  probedAtMs: number;
}

type CircuitName = 'key' | Scope;

export class Breaker {
  readonly #clock: Clock;
  readonly #steady: Clock;
  readonly #circuits = new Map<CircuitName, Circuit>();
  readonly #listeners = new Set<(state: PlatformState) => void>();

  constructor(parts: { clock: Clock; steady: Clock }) {
    this.#clock = parts.clock;
    this.#steady = parts.steady;
  }

  /** Throws the current refusal, unless it is time to test whether it is over. */
  admit(scope: Scope): Pass {
    const open = new Set<Circuit>();
    const now = this.#steady.now();
    for (const name of ['key', scope] as const) {
      const circuit = this.#circuits.get(name);
      if (circuit === undefined) continue;
      if (now - circuit.probedAtMs < PROBE_EVERY_MS) throw again(circuit.refusal);
      open.add(circuit);
    }
    for (const circuit of open) circuit.probedAtMs = now;
    return { scope, probes: open };
  }

  /** Reports that the platform refused the key, or the scope if one is given. */
  refused(refusal: DeferredError, scope?: Scope): void {
    const name = scope ?? 'key';
    const known = this.#circuits.get(name);
    if (known?.refusal.code === refusal.code) return;
    this.#circuits.set(name, { refusal, sinceMs: this.#clock.now(), probedAtMs: this.#steady.now() });
    this.#tell();
  }

  /** Reports that the platform accepted the key, and also the scope unless `keyOnly`. */
  accepted(pass: Pass, keyOnly = false): void {
    const names: CircuitName[] = keyOnly ? ['key'] : ['key', pass.scope];
    let changed = false;
    for (const name of names) {
      const circuit = this.#circuits.get(name);
      if (circuit && pass.probes.has(circuit)) changed = this.#circuits.delete(name) || changed;
    }
    if (changed) this.#tell();
  }

  state(): PlatformState {
    const key = this.#circuits.get('key');
    const scopes = [...this.#circuits.keys()].filter((name) => name !== 'key');
    const worst = key ?? [...this.#circuits.values()][0];
    if (!worst) return { state: 'ok' };
    const { code, message, advice, requestId } = worst.refusal;
    return {
      state: 'refused',
      code,
      message,
      advice,
      requestId,
      sinceMs: worst.sinceMs,
      scopes: key ? [] : scopes,
    };
  }

  /** Called after every change, also when another scope is refused. Returns a function that removes the listener. */
  onState(listener: (state: PlatformState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    const state = this.state();
    for (const listener of this.#listeners) listener(state);
  }
}

/** Creates a new error, because the stack and cause of the first one belong to another call. */
function again(first: DeferredError): DeferredError {
  const { code, message, advice, requestId, target, status, retryAfterMs } = first;
  return new DeferredError(code, message, {
    retryAfterMs,
    ...(advice === undefined ? {} : { advice }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(target === undefined ? {} : { target }),
    ...(status === undefined ? {} : { status }),
  });
}

export interface Call<T> {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base URL, with encoded segments (`segment`). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  /** Called if the answer is one that the platform gave to this key before. */
  readonly onReplayed?: () => void;
  readonly answer: z.ZodType<T>;
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
  /** For operations in which the platform waits for another server; never shorter than the client's own deadline. */
  readonly timeoutMs?: number;
  /** The operation has its own request limit in addition to the common one. */
  readonly ownLimit?: boolean;
}

/** Codes of a platform that does not answer as itself. */
const OUTAGES: ReadonlySet<string> = new Set([
  ...['platform-unavailable', 'platform-timeout', 'platform-unreachable', 'platform-bad-answer'],
]);

export interface TransportParts extends Runtime {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly rate: RateGate;
  readonly breaker: Breaker;
  readonly outages: OutageWatch;
  readonly exchange: Exchange;
  /**
   * Repeats a request that the platform's limit held back, and a page of a walk that got no answer. Absent: the caller learns of either.
   */
  readonly outlast?: <T>(request: () => Promise<T>, about: { readonly isPage: boolean }) => Promise<T>;
}

export class Transport {
  readonly #parts: TransportParts;
  /** `https://host/v1`, without a final slash. */
  readonly #base: string;

  constructor(parts: TransportParts) {
    this.#parts = parts;
    this.#base = parts.baseUrl.href.replace(/(?<!\/)\/+$/, '');
  }

  request<T>(call: Call<T>): Promise<T> {
    const { outlast } = this.#parts;
    if (outlast === undefined) return this.#request(call);
    return outlast(() => this.#request(call), { isPage: call.rank === 'walk' && call.method === 'GET' });
  }

  async #request<T>(call: Call<T>): Promise<T> {
    if (call.idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(call.idempotencyKey)) {
      throw new TerminalError(
        'idempotency-key-invalid',
        `${call.operation}: the Idempotency-Key is not valid`,
      );
    }
    const pass = await this.#admit(call);
    const startedMs = steadyClock.now();
    let outcome = 'no-answer';
    try {
      const answer = await this.#exchange(call).finally(() => this.#parts.rate.ended());
      outcome = String(answer.status);
      const facts = readRateFacts(answer.headers, this.#parts.clock.now());
      await this.#parts.rate.learn(answer.status, facts, call.ownLimit ?? false);
      const judged = this.#judge({ call, pass, answer });
      this.#parts.outages.answered();
      return judged;
    } catch (error) {
      this.#noteOutage(error);
      throw error;
    } finally {
      const seconds = (steadyClock.now() - startedMs) / 1000;
      const labels = { operation: call.operation, status: outcome };
      this.#parts.meter.add('platform_requests_total', labels);
      this.#parts.meter.observe('platform_request_seconds', seconds, { operation: call.operation });
    }
  }

  #noteOutage(error: unknown): void {
    const { outages } = this.#parts;
    if (error instanceof RetryableError && OUTAGES.has(error.code)) outages.failed(error);
    else if (error instanceof WorkerError && error.status !== undefined) outages.answered();
  }

  /** Rejects immediately instead of waiting: a call held back here would hold a job's lock. */
  async #admit(call: Call<unknown>): Promise<Pass> {
    const { rate, breaker } = this.#parts;
    if (call.signal?.aborted) throw stopped(call);
    const pausedMs = await rate.pausedForMs();
    // No `await` from here to `take`, so that two calls cannot both take the last one.
    const waitMs = Math.max(pausedMs, rate.spentForMs(call.rank ?? 'live'));
    if (waitMs > 0) {
      this.#parts.meter.add('platform_held_back_total', { code: 'platform-rate-limited' });
      const message = `${call.operation}: held back until the platform's request limit resets`;
      throw new DeferredError('platform-rate-limited', message, { target: 'platform', retryAfterMs: waitMs });
    }
    try {
      const pass = breaker.admit(OPERATIONS[call.operation].scope);
      rate.take();
      return pass;
    } catch (error) {
      if (error instanceof DeferredError)
        this.#parts.meter.add('platform_held_back_total', { code: error.code });
      throw error;
    }
  }

  async #exchange(call: Call<unknown>): Promise<Answer> {
    const id = `sb-${randomUUID()}`;
    const timeoutMs = Math.max(call.timeoutMs ?? 0, this.#parts.timeoutMs);
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    call.signal?.addEventListener('abort', onAbort, { once: true });
    // The platform would name the request after our id, so its support can check whether the request arrived.
    const details = { target: 'platform', requestId: `req_${id}` };
    try {
      const exchange = this.#parts.exchange(this.#sent(call, { id, signal: stop.signal }));
      const answer = await within(timeoutMs, exchange);
      if (answer !== LATE) return answer;
    } catch (cause) {
      // Frees the socket of an answer that was not read to the end.
      stop.abort();
      if (call.signal?.aborted) throw stopped(call);
      if (cause instanceof AnswerTooLarge)
        throw badAnswer(call.operation, `answered ${cause.message}`, details);
      const failed = cause instanceof ProxyRefused ? cause.message : 'the connection failed';
      throw new RetryableError('platform-unreachable', `${call.operation}: ${failed}`, {
        ...details,
        cause,
        advice: 'If this continues, check the network, HTTPS_PROXY and platform.base_url.',
      });
    } finally {
      call.signal?.removeEventListener('abort', onAbort);
    }
    stop.abort();
    const message = `${call.operation}: no complete answer within ${timeoutMs} ms`;
    throw new RetryableError('platform-timeout', message, details);
  }

  #sent(call: Call<unknown>, { id, signal }: { id: string; signal: AbortSignal }): Sent {
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization: `Bearer ${this.#parts.apiKey}`,
      'user-agent': this.#parts.userAgent,
      'x-request-id': id,
    };
    if (call.body) headers['content-type'] = 'application/json';
    if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
    // URLSearchParams encodes `+` as %2B; the platform would read a bare `+` in a date-time as a space.
    const query = new URLSearchParams(call.query).toString();
    const url = `${this.#base}${call.path}${query === '' ? '' : `?${query}`}`;
    const sent = { url, method: call.method, headers, signal };
    return call.body ? { ...sent, body: JSON.stringify(call.body) } : sent;
  }

  #judge<T>({ call, pass, answer }: { call: Call<T>; pass: Pass; answer: Answer }): T {
    const { breaker, clock, log } = this.#parts;
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    if (replayed) call.onReplayed?.();
    if (answer.status >= 200 && answer.status < 300) {
      const details = detailsOf(answer);
      const value = parseWire(call.answer, json(call, answer), { operation: call.operation, details });
      breaker.accepted(pass);
      log.debug(
        { operation: call.operation, status: answer.status, requestId: details.requestId, replayed },
        'platform answered',
      );
      return value;
    }
    const { error, code } = refusalOf(call, answer, clock.now());
    const { status, requestId } = error;
    log.debug({ operation: call.operation, status, requestId, code: error.code }, 'platform refused');
    const isRefused = error instanceof DeferredError && status !== 429;
    if (isRefused) breaker.refused(error, status === 403 ? scopeProvedMissing(call) : undefined);
    // A 404, 409 or 422 in the platform's own format proves that key and scope are valid; a 403 proves only the key.
    const isOwnWord = code !== undefined && answer.status < 500 && ![401, 402, 429].includes(answer.status);
    if (isOwnWord) breaker.accepted(pass, status === 403);
    throw error;
  }
}

/** Paths of the API under which objects are listed. */
type Listed =
  | 'appointments'
  | 'branches'
  | 'contacts'
  | 'conversations'
  | 'events'
  | 'resources'
  | 'services'
  | 'webhook_endpoints';
/** Paths under which a single object can be read, too. */
type Readable = Exclude<Listed, 'branches' | 'resources' | 'services' | 'webhook_endpoints'>;

/** One section of the API: the objects listed under one path. */
export class ListedObjects<T extends { readonly id: string }> {
  protected readonly transport: Transport;
  readonly #of: Listed;
  readonly #page: z.ZodType<Page<T>>;

  constructor(transport: Transport, { of, one }: { readonly of: Listed; readonly one: z.ZodType<T> }) {
    this.transport = transport;
    this.#of = of;
    this.#page = pageOf(one);
  }

  list(request: ListRequest = {}): Promise<Page<T>> {
    return this.transport.request({
      ...request,
      operation: `${this.#of}.list`,
      method: 'GET',
      path: `/${this.#of}`,
      query: listQuery(request),
      answer: this.#page,
    });
  }

  pages(request: ListRequest = {}): AsyncGenerator<Page<T>, void, void> {
    return pagesOf((page) => this.list(page), request);
  }
}

/** A section whose objects can also be read by id. */
export class ReadableObjects<T extends { readonly id: string }> extends ListedObjects<T> {
  protected readonly one: z.ZodType<T>;
  readonly #of: Readable;

  constructor(transport: Transport, parts: { readonly of: Readable; readonly one: z.ZodType<T> }) {
    super(transport, parts);
    this.one = parts.one;
    this.#of = parts.of;
  }

  /**
   * Undefined when the platform answers 404 `not-found`: deleted, unknown, or in a project that the key does not cover. An event also when it
   * is older than 30 days, a test, or was sent to no endpoint.
   */
  async get(id: string, options: Options = {}): Promise<T | undefined> {
    return absentOn404(
      this.transport.request({
        ...options,
        operation: `${this.#of}.get`,
        method: 'GET',
        path: `/${this.#of}/${segment(id)}`,
        answer: this.one,
      }),
    );
  }
}

/** Encodes one path segment. A malformed id would name another resource: an empty one the list, `..` the level above. */
export function segment(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw new TerminalError('platform-id-malformed', 'the id is not valid on the platform', {
    target: 'platform',
  });
}

function json(call: Call<unknown>, answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    // No `cause`: the parser's message quotes the body.
    throw badAnswer(
      call.operation,
      `answered ${answer.status} with a body that is not JSON`,
      detailsOf(answer),
    );
  }
}

/** The caller asked to stop. This is not a failure and counts no attempt. */
function stopped(call: Call<unknown>): DeferredError {
  return new DeferredError('stopped', `${call.operation}: stopped on request`, {
    target: 'platform',
    retryAfterMs: 0,
    cause: call.signal?.reason,
  });
}

/** Largest number of wrong fields that an error names. */
const NAMED_MAX = 5;

/** The parsed value, or `RetryableError` `platform-bad-answer` that names the operation and the fields, never their contents. */
export function parseWire<T>(
  schema: z.ZodType<T>,
  value: unknown,
  from: { operation: Operation; details: FailureDetails },
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const named = issues.slice(0, NAMED_MAX).map(describe).join('; ');
  const more = issues.length > NAMED_MAX ? `; and ${issues.length - NAMED_MAX} more` : '';
  throw badAnswer(from.operation, `answered with an unexpected format: ${named}${more}`, from.details);
}

/** zod's own messages name only types today, but a later version might quote input, so the messages are our own. */
function describe(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'the body' : issue.path.map(String).join('.');
  if (issue.code === 'invalid_type') return `${field} is not of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `${field} is not ${issue.values.map(String).join(' or ')}`;
  if (issue.code === 'too_small') return `${field} is empty`;
  return `${field} has an unexpected format`;
}
