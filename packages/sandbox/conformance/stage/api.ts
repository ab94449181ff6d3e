/** Plain HTTP calls to the server under test. This file knows nothing about the server's implementation. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // The body is whatever the server sent. Tests read it freely and fail where it differs from what they
  // expect.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  readonly text: string;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly rawBody?: string;
  /** Absent: a fresh key on every POST. Null: no key. */
  readonly idempotencyKey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Manners {
  /** Throw instead of sending any other method than GET. */
  readonly getsOnly?: boolean;
  /** On 429, wait as the server says and retry. Off in tests about 429. */
  readonly waitsOn429?: boolean;
}

const PATIENT_TRIES_MAX = 5;
const DEADLINE_MS = 30_000;

let keysMade = 0;
const runId = Math.random().toString(36).slice(2, 10);

export function freshKey(): string {
  keysMade += 1;
  return `conformance-${runId}-${keysMade}`;
}

export class Api {
  readonly baseUrl: string;
  readonly #key: string | null;
  readonly #manners: Manners;
  readonly #onAnswer: (answer: Answer) => void;

  /** `key` null: no Authorization header. `onAnswer` receives every answer. */
  constructor(
    baseUrl: string,
    key: string | null,
    given: { manners?: Manners; onAnswer?: (answer: Answer) => void } = {},
  ) {
    this.baseUrl = baseUrl;
    this.#key = key;
    this.#manners = given.manners ?? {};
    this.#onAnswer = given.onAnswer ?? (() => {});
  }

  /** A client for the same server with another key. */
  withKey(key: string | null): Api {
    return new Api(this.baseUrl, key, { manners: this.#manners, onAnswer: this.#onAnswer });
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    if (this.#manners.getsOnly && method !== 'GET') throw new Error(`read-only: no ${method} is sent`);
    const request = this.#request(method, options);
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#once(path, request);
      if (answer.status !== 429 || !this.#manners.waitsOn429 || tries >= PATIENT_TRIES_MAX) return answer;
      await sleep(1000 * (Number(answer.headers.get('retry-after')) || 60));
    }
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.call('PATCH', path, { body });
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }

  #request(method: string, options: CallOptions): RequestInit {
    const { body, rawBody = body === undefined ? undefined : JSON.stringify(body) } = options;
    const key =
      options.idempotencyKey === undefined && method === 'POST' ? freshKey() : options.idempotencyKey;
    return {
      method,
      headers: {
        ...(this.#key === null ? {} : { Authorization: `Bearer ${this.#key}` }),
        ...(rawBody === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(typeof key === 'string' ? { 'Idempotency-Key': key } : {}),
        ...options.headers,
      },
      ...(rawBody === undefined ? {} : { body: rawBody }),
    };
  }

  async #once(path: string, request: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      ...request,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
    this.#onAnswer(answer);
    return answer;
  }
}

/** The error code: the last part of a problem's `type`. */
export function codeOf(answer: Answer): string {
  return String(answer.body?.type).split('/').at(-1) ?? '';
}

/** Status and error code together, as `409 slot-unavailable`; for a success, only the status. */
export function verdict(answer: Answer): string {
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${codeOf(answer)}`;
}
