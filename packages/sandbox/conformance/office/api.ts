/** Plain HTTP calls to the two APIs. This file knows nothing about the server's implementation. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // The body is whatever the server sent. Tests read it freely and fail where it differs from what they expect.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  readonly text: string;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Manners {
  /** Throw instead of sending any other method than GET. */
  readonly getsOnly?: boolean;
  /** When a quota is used up, wait for the next minute and retry. Off in tests about quotas. */
  readonly waitsForQuota?: boolean;
}

const PATIENT_TRIES_MAX = 4;
const QUOTA_WAIT_MS = 31_000;
const DEADLINE_MS = 60_000;

export class Api {
  readonly #place: Pick<Place, 'calendarUrl' | 'sheetsUrl'>;
  readonly #token: string | null;
  readonly #manners: Manners;
  readonly #onAnswer: (answer: Answer) => void;

  /** `token` null: no Authorization header. `onAnswer` receives every answer. */
  constructor(
    place: Pick<Place, 'calendarUrl' | 'sheetsUrl'>,
    token: string | null,
    given: { manners?: Manners; onAnswer?: (answer: Answer) => void } = {},
  ) {
    this.#place = place;
    this.#token = token;
    this.#manners = given.manners ?? {};
    this.#onAnswer = given.onAnswer ?? (() => {});
  }

  /** A client for the same server with another token. */
  withToken(token: string | null): Api {
    return new Api(this.#place, token, { manners: this.#manners, onAnswer: this.#onAnswer });
  }

  /** `path` after `/calendar/v3`. */
  calendar(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return this.#call(method, `${this.#place.calendarUrl}/calendar/v3${path}`, options);
  }

  /** `path` after `/v4/spreadsheets`. */
  sheets(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return this.#call(method, `${this.#place.sheetsUrl}/v4/spreadsheets${path}`, options);
  }

  async #call(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
    if (this.#manners.getsOnly && method !== 'GET') throw new Error(`read-only: no ${method} is sent`);
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#once(method, url + search(options.query), options);
      if (!this.#manners.waitsForQuota || !isQuota(answer) || tries >= PATIENT_TRIES_MAX) return answer;
      await sleep(QUOTA_WAIT_MS);
    }
  }

  async #once(method: string, url: string, options: CallOptions): Promise<Answer> {
    const rawBody =
      options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(url, {
      method,
      headers: {
        ...(this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` }),
        ...(rawBody === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      ...(rawBody === undefined ? {} : { body: rawBody }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const body = isJson && text !== '' ? JSON.parse(text) : undefined;
    const answer = { status: response.status, headers: response.headers, text, body };
    this.#onAnswer(answer);
    return answer;
  }
}

/** `404 notFound` for Calendar, `400 INVALID_ARGUMENT` for Sheets; for a success, only the status. */
export function verdict(answer: Answer): string {
  if (answer.status < 400) return String(answer.status);
  return `${answer.status} ${reasonOf(answer) ?? answer.body?.error?.status ?? answer.body?.error}`;
}

/** Calendar's reason. */
export function reasonOf(answer: Answer): string | undefined {
  return answer.body?.error?.errors?.[0]?.reason;
}

export function messageOf(answer: Answer): string {
  return String(answer.body?.error?.message);
}

function isQuota(answer: Answer): boolean {
  return (
    answer.status === 429 || ['userRateLimitExceeded', 'rateLimitExceeded'].includes(reasonOf(answer) ?? '')
  );
}

function search(query: Query | undefined): string {
  if (query === undefined) return '';
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((one: string): [string, string] => [name, one])
      : [[name, String(value)] as [string, string]],
  );
  return `?${new URLSearchParams(pairs)}`;
}
