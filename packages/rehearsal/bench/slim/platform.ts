// The platform's lists and feed for hundreds of thousands of objects, computed on request. The sandbox would hold them all in
// memory and distort the measurement. Read-only, one key, no faults; every check of correctness uses the sandbox.
import { createServer, type ServerResponse } from 'node:http';
import { appointment, contact, directory, numberOf, PROJECT_ID, uuid } from './numbered.ts';

const REQUESTS_PER_MINUTE = 1_000_000;
const DAY_MS = 24 * 3_600_000;
/** Events in the feed before any are missed: more than the overlap of two walks. */
const KNOWN_EVENTS = 500;
const KNOWN_EVERY_MS = 10_000;
/** The missed events span this time: the endpoint was unreachable for three days. */
const AWAY_MS = 3 * DAY_MS;

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
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const name = url.pathname.replace('/v1/', '');
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

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'ratelimit-limit': String(REQUESTS_PER_MINUTE),
    'ratelimit-remaining': String(REQUESTS_PER_MINUTE - 1),
    'ratelimit-reset': '60',
  });
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
