// The platform's lists and feed for hundreds of thousands of objects, computed on request. The sandbox would hold them all in
// memory and distort the measurement. Read-only, one key, no faults; every check of correctness uses the sandbox.
import { createServer, type ServerResponse } from 'node:http';
import { appointment, contact, directory, numberOf, PROJECT_ID, uuid } from './numbered.ts';

const UNLIMITED: RequestLimit = { requests: 1_000_000, windowMs: 60_000 };
const DAY_MS = 24 * 3_600_000;
/** Events in the feed before any are missed: more than the overlap of two walks. */
const KNOWN_EVENTS = 500;
const KNOWN_EVERY_MS = 10_000;
/** The missed events span this time: the endpoint was unreachable for three days. */
const AWAY_MS = 3 * DAY_MS;

/** So many requests in each window (platform API, Limits). */
export interface RequestLimit {
  readonly requests: number;
  readonly windowMs: number;
}

export interface SlimSize {
  readonly contacts: number;
  readonly appointments: number;
  /** Address of the worker's endpoint, which is enabled. */
  readonly endpoint: string;
}

export interface SlimPlatform {
  readonly url: string;
  /** Number of calls by path, without ids. */
  readonly requests: ReadonlyMap<string, number>;
  /** Adds this many events to the feed without delivering them. They change this many appointments in turn. */
  miss(events: number, appointments: number): void;
  /** From now on. */
  admit(limit: RequestLimit): void;
  close(): Promise<void>;
}

export async function startSlimPlatform(size: SlimSize): Promise<SlimPlatform> {
  const baseMs = Date.now();
  const awaySinceMs = baseMs - AWAY_MS;
  const requests = new Map<string, number>();
  let missed = { events: 0, appointments: 1 };

  /** Number 0 is the oldest. The known events are of a type that no mirror takes. */
  const event = (number: number) => {
    const nth = number - KNOWN_EVENTS;
    const atMs =
      nth < 0
        ? awaySinceMs + (nth + 1) * KNOWN_EVERY_MS
        : awaySinceMs + ((nth + 1) * AWAY_MS) / missed.events;
    const change = Math.floor(nth / missed.appointments);
    return {
      ...{ id: uuid('e', number), object: 'event', created_at: new Date(atMs).toISOString() },
      ...{ project_id: PROJECT_ID, test: false },
      ...(nth < 0
        ? { type: 'lead.created', data: { object: { object: 'lead', id: uuid('d', number) } } }
        : {
            type: 'appointment.rescheduled',
            data: { object: appointment(nth % missed.appointments, { changedAtMs: atMs, change, baseMs }) },
          }),
    };
  };
  const lists: Readonly<Record<string, () => { length: number; item: (number: number) => object }>> = {
    events: () => ({ length: KNOWN_EVENTS + missed.events, item: event }),
    contacts: () => ({ length: size.contacts, item: (number) => contact(number, baseMs) }),
    appointments: () => ({
      length: size.appointments,
      item: (number) => appointment(number, { changedAtMs: baseMs, change: 0, baseMs }),
    }),
  };
  let window = new Window(UNLIMITED);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const name = url.pathname.replace('/v1/', '');
    const { isAdmitted, headers } = window.take();
    response.setHeaders(headers);
    if (!isAdmitted) {
      response.writeHead(429, { 'content-type': 'application/json' });
      return response.end(REFUSED);
    }
    requests.set(name, (requests.get(name) ?? 0) + 1);
    const list = lists[name]?.();
    if (list !== undefined) return answer(response, pageOf(list, url.searchParams));
    if (name === 'webhook_endpoints') return answer(response, whole([endpoint(size.endpoint, baseMs)]));
    return answer(response, whole(directory[name as keyof typeof directory] ?? []));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    miss: (events, appointments) => {
      missed = { events, appointments };
    },
    admit: (limit) => {
      window = new Window(limit);
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Newest first, below the cursor (platform API, Common rules of list operations). */
function pageOf(list: { length: number; item: (number: number) => object }, query: URLSearchParams) {
  const after = query.get('starting_after');
  const from = after === null ? list.length : numberOf(after);
  const count = Math.min(from, Number(query.get('limit') ?? 20));
  const data = Array.from({ length: count }, (_, nth) => list.item(from - 1 - nth));
  return { object: 'list', data, has_more: from > count };
}

function whole(data: readonly object[]) {
  return { object: 'list', data, has_more: false };
}

const REFUSED = JSON.stringify({
  error: {
    type: 'rate_limit_error',
    code: 'rate_limited',
    message: 'Too many requests',
    request_id: 'req_slim',
  },
});

/** The requests of one window, which begins with its first. */
class Window {
  readonly #limit: RequestLimit;
  #endsAtMs = 0;
  #left = 0;

  constructor(limit: RequestLimit) {
    this.#limit = limit;
  }

  take(): { readonly isAdmitted: boolean; readonly headers: Map<string, string> } {
    const nowMs = performance.now();
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nowMs + this.#limit.windowMs;
      this.#left = this.#limit.requests;
    }
    const isAdmitted = this.#left > 0;
    if (isAdmitted) this.#left -= 1;
    const reset = String(Math.ceil((this.#endsAtMs - nowMs) / 1_000));
    return {
      isAdmitted,
      headers: new Map([
        ['ratelimit-limit', String(this.#limit.requests)],
        ['ratelimit-remaining', String(this.#left)],
        ['ratelimit-reset', reset],
        ...(isAdmitted ? [] : [['retry-after', reset] as const]),
      ]),
    };
  }
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function endpoint(url: string, atMs: number) {
  const at = new Date(atMs).toISOString();
  return {
    ...{ object: 'webhook_endpoint', id: uuid('f', 0), url, description: 'bench', enabled_events: ['*'] },
    ...{ project_ids: null, status: 'enabled', disabled_reason: null, disabled_at: null },
    ...{ created_at: at, updated_at: at },
  };
}
