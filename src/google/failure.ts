import * as z from 'zod';

/** Google's two error envelopes: Calendar uses `errors[].reason`; Sheets and the front ends use `status` and `details[].reason`. */
const ENVELOPE = z.object({
  error: z.object({
    message: z.string().optional().catch(undefined),
    status: z.string().optional().catch(undefined),
    errors: z
      .array(z.object({ reason: z.string().optional(), location: z.string().optional() }).catch({}))
      .optional()
      .catch(undefined),
    details: z
      .array(z.object({ reason: z.string().optional() }).catch({}))
      .optional()
      .catch(undefined),
  }),
});
/** The token endpoint's error shape (RFC 6749, 5.2). */
const TOKEN_REFUSAL = z.object({ error: z.string() });

const THROWN = z.object({
  message: z.string().catch(''),
  name: z.string().catch(''),
  // A DOMException has a useless numeric code; its name is useful.
  code: z.string().optional().catch(undefined),
  // node-fetch's error types, such as `no-redirect` and `max-size`.
  cause: z.object({ type: z.string() }).optional().catch(undefined),
  response: z
    .object({ status: z.number(), data: z.unknown().optional(), headers: z.unknown().optional() })
    .optional()
    .catch(undefined),
});

/**
 * An error from Google or the network, without the request. Errors of the client library carry the request's body with personal data, which
 * must not get near a log. Google's message may quote that body, so it is not a property that a logger would print. Read it with `words()`,
 * and only to decide.
 */
export class GoogleFailure extends Error {
  /** HTTP status; undefined when Google did not answer. */
  readonly status: number | undefined;
  /** The most specific reason given: `rateLimitExceeded`, `RATE_LIMIT_EXCEEDED`, `invalid_grant`, `ECONNREFUSED`, `TimeoutError`. */
  readonly reason: string | undefined;
  /** The parameter or header that Google names as the cause. */
  readonly location: string | undefined;
  /** True when the token endpoint refused, not the API. */
  readonly ofToken: boolean;
  readonly retryAfterMs: number | undefined;
  readonly #words: string;

  constructor(thrown: unknown) {
    const { code, name, message, cause, response } = THROWN.catch({ message: '', name: '' }).parse(thrown);
    const answer = readAnswer(response?.data);
    const reason = answer.reason ?? (response === undefined ? (code ?? cause?.type ?? name) : undefined);
    super(['Google', response?.status, reason].filter((part) => part !== undefined).join(' '));
    this.name = 'GoogleFailure';
    this.status = response?.status;
    this.reason = reason;
    this.location = answer.location;
    this.ofToken = answer.ofToken;
    this.retryAfterMs = readRetryAfter(response?.headers);
    this.#words = answer.words ?? message;
  }

  /** Google's message, only for decisions; it may quote what people wrote. */
  words(): string {
    return this.#words;
  }

  /** Index of the refused request in a batch, from `Invalid requests[2].updateCells: …` or `… at 'requests[2].update_cells…'`. */
  refusedRequest(): number | undefined {
    const at = /requests\[(\d+)\]/.exec(this.#words)?.[1];
    return at === undefined ? undefined : Number(at);
  }
}

function readAnswer(data: unknown): {
  reason?: string | undefined;
  location?: string | undefined;
  words?: string | undefined;
  ofToken: boolean;
} {
  const token = TOKEN_REFUSAL.safeParse(data);
  if (token.success) return { reason: token.data.error, ofToken: true };
  const envelope = ENVELOPE.safeParse(data);
  if (!envelope.success) return { ofToken: false };
  const { errors, details, status, message } = envelope.data.error;
  const detail = details?.find((item) => item.reason !== undefined)?.reason;
  return {
    reason: errors?.[0]?.reason ?? detail ?? status,
    location: errors?.[0]?.location,
    words: message,
    ofToken: false,
  };
}

/** Seconds only. Calendar and Sheets are not known to send the header; proxies and front ends before them do. */
function readRetryAfter(headers: unknown): number | undefined {
  // The client library's Headers are node-fetch's, not an instance of the global class.
  if (typeof headers !== 'object' || headers === null || !('get' in headers)) return undefined;
  if (typeof headers.get !== 'function') return undefined;
  const said: unknown = headers.get('retry-after');
  const seconds = typeof said === 'string' ? Number.parseInt(said, 10) : Number.NaN;
  return seconds >= 0 ? seconds * 1000 : undefined;
}
