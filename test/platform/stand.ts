/** A server that answers as a test says, and a client with a clock that stands still until it is moved. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkerError as AnyWorkerError, type WorkerError } from '../../src/engine/errors.ts';
import type { Log } from '../../src/engine/runtime.ts';
import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from '../../src/platform/client.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Reply = Spoken | ((response: ServerResponse) => void);

export interface Spoken {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

export class TestClock {
  #now: number;

  constructor(startMs = Date.parse('2026-03-02T09:00:00Z')) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

export class LogBook implements Log {
  readonly lines: string[] = [];
  debug(fields: object, message: string): void {
    this.#write('debug', fields, message);
  }
  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }
  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }
  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }
  #write(level: string, fields: object, message: string): void {
    this.lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  }
}

export const quietMeter = { add: () => {}, observe: () => {} };

/** Stops every server that a test file has started. Call it in `afterEach`. */
export class Stands {
  readonly #closers: (() => Promise<void>)[] = [];

  async answering(reply: (seen: Seen) => Reply | Promise<Reply>): Promise<{ url: string; seen: Seen[] }> {
    const seen: Seen[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const url = new URL(request.url ?? '/', 'http://stand');
      const one = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body,
      };
      seen.push(one);
      const answer = await reply(one);
      if (typeof answer === 'function') return answer(response);
      const isJson = answer.text === undefined;
      response.writeHead(answer.status, {
        'content-type': isJson ? 'application/json' : 'text/html',
        ...answer.headers,
      });
      response.end(isJson ? JSON.stringify(answer.body ?? {}) : answer.text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#closers.push(
      () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    );
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
  }

  async close(): Promise<void> {
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }
}

export function clientFor(url: string, options: Partial<PlatformClientOptions> = {}): PlatformClient {
  const clock = options.clock ?? new TestClock();
  return createPlatformClient({
    baseUrl: url,
    apiKey: 'sk_test_1',
    timeoutMs: 5_000,
    clock,
    steady: clock,
    log: new LogBook(),
    meter: quietMeter,
    ...options,
  });
}

export function problem(status: number, code: string, more: object = {}): Spoken {
  return {
    status,
    body: {
      type: `https://errors.example/${code}`,
      title: 'Refused',
      status,
      detail: 'for people',
      request_id: 'req_b',
      ...more,
    },
    headers: { 'request-id': 'req_h' },
  };
}

export function list(data: readonly unknown[], hasMore = false): Spoken {
  return { status: 200, body: { object: 'list', data, has_more: hasMore } };
}

export const contact = (id: string, more: object = {}) => ({
  object: 'contact',
  id,
  project_id: 'p',
  ...more,
});

/** The error that a call ends with; fails the test when it does not end with one of the worker's. */
export async function failureOf(call: Promise<unknown>): Promise<WorkerError> {
  const ended = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in ended && ended.error instanceof AnyWorkerError) return ended.error;
  throw new Error(`the call did not end with an error of the worker: ${JSON.stringify(ended)}`, {
    cause: 'error' in ended ? ended.error : undefined,
  });
}
