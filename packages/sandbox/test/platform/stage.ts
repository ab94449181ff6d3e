// A sandbox with a small company, plain HTTP calls to it, and a customer's server that keeps what it receives.
// Everything is closed when the test that asked for it ends.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { SandboxClock } from '../../src/clock.ts';
import type { KeyOptions } from '../../src/platform/keys.ts';
import { PlatformSandbox, type PlatformSandboxOptions } from '../../src/platform/sandbox.ts';

export const DAY_MS = 86_400_000;
export const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // The body of an answer is whatever the server sent: tests look into it freely.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  readonly text: string;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  rawBody?: string;
  idempotencyKey?: string | null;
  headers?: Record<string, string>;
}

let keys = 0;

export class Stage {
  readonly sandbox: PlatformSandbox;
  readonly clock: SandboxClock;
  readonly key: string;
  readonly projectId: string;
  readonly branchId: string;
  readonly annaId: string;
  readonly borisId: string;
  readonly haircutId: string;

  constructor(sandbox: PlatformSandbox, clock: SandboxClock) {
    const { dashboard } = sandbox;
    this.sandbox = sandbox;
    this.clock = clock;
    this.key = sandbox.createKey();
    this.projectId = dashboard.createProject({ name: 'Clinic' });
    this.branchId = dashboard.createBranch({
      projectId: this.projectId,
      name: 'Centre',
      timezone: 'Europe/Moscow',
    });
    this.annaId = dashboard.createResource({ branchId: this.branchId, name: 'Anna' });
    this.borisId = dashboard.createResource({ branchId: this.branchId, name: 'Boris' });
    this.haircutId = dashboard.createService({
      projectId: this.projectId,
      name: 'Haircut',
      durationMin: 60,
      priceAmount: 150_000,
      resourceIds: [this.annaId, this.borisId],
    });
  }

  keyWith(options: KeyOptions): string {
    return this.sandbox.createKey(options);
  }

  /** One HTTP call. POSTs get a fresh Idempotency-Key unless told otherwise (null: none). */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { key = this.key, body, rawBody = body === undefined ? undefined : JSON.stringify(body) } = options;
    keys += 1;
    const idempotencyKey =
      options.idempotencyKey === undefined && method === 'POST' ? `test-${keys}` : options.idempotencyKey;
    const response = await fetch(`${this.sandbox.url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(rawBody === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {}),
        ...options.headers,
      },
      ...(rawBody === undefined ? {} : { body: rawBody }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }

  patch(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('PATCH', path, { ...options, body });
  }

  /** A moment `days` from today at the given hour of Moscow (UTC+3), as RFC 3339. */
  at(hour: number, days = 1): string {
    const midnight = Math.floor(this.clock.now() / DAY_MS) * DAY_MS;
    return new Date(midnight + days * DAY_MS + (hour - 3) * 3_600_000).toISOString();
  }

  /** The body of a valid booking of a haircut with Anna at ten tomorrow. */
  booking(changes: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      service_id: this.haircutId,
      resource_id: this.annaId,
      starts_at: this.at(10),
      customer_phone: '+79123456789',
      ...changes,
    };
  }

  book(changes: Record<string, unknown> = {}, options?: CallOptions): Promise<Answer> {
    return this.post('/appointments', this.booking(changes), options);
  }

  contact(changes: Record<string, unknown> = {}, options?: CallOptions): Promise<Answer> {
    return this.post('/contacts', { name: 'Maria', ...changes }, options);
  }

  endpoint(changes: Record<string, unknown> = {}, options?: CallOptions): Promise<Answer> {
    const body = { url: 'https://customer.example/hooks', enabled_events: ['*'], ...changes };
    return this.post('/webhook_endpoints', body, options);
  }

  /** Types of the feed, newest first. */
  async feedTypes(): Promise<string[]> {
    const { body } = await this.get('/events?limit=100');
    return body.data.map((event: { type: string }) => event.type);
  }
}

/** Events are formed at once unless `eventDelayMs` says otherwise. */
export async function openStage(options: PlatformSandboxOptions = {}): Promise<Stage> {
  const clock = options.clock ?? new SandboxClock();
  const sandbox = await PlatformSandbox.start({ seed: 7, eventDelayMs: [0, 0], ...options, clock });
  onTestFinished(() => sandbox.close());
  return new Stage(sandbox, clock);
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event's body, looked into freely by tests
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Decides the status of the next answers; null: no answer at all. */
  answer: (count: number) => number | null;
  arrived(count: number, timeoutMs?: number): Promise<void>;
}

/** A customer's server on loopback. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    received.push({ headers: request.headers, method: request.method ?? '', raw, body: JSON.parse(raw) });
    const status = receiver.answer(received.length);
    if (status !== null) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer: () => 204,
    arrived: async (count, timeoutMs = 5_000) => {
      const deadline = Date.now() + timeoutMs;
      while (received.length < count) {
        if (Date.now() > deadline) throw new Error(`${received.length} of ${count} webhooks arrived`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
  return receiver;
}

/** The last part of a problem's `type`. */
export function codeOf(answer: Answer): string {
  return String(answer.body?.type).split('/').at(-1) ?? '';
}
