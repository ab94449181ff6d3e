import type { AnswerHeaders } from './answer.ts';

/** The request budget as reported by one answer (platform API, Limits). */
export interface RateFacts {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Time until the window ends; `RateLimit-Reset` is in seconds. */
  readonly resetMs: number | undefined;
  readonly retryAfterMs: number | undefined;
}

export function readRateFacts(headers: AnswerHeaders, nowMs: number): RateFacts {
  const resetS = count(headers.get('ratelimit-reset'));
  return {
    limit: count(headers.get('ratelimit-limit')),
    remaining: count(headers.get('ratelimit-remaining')),
    resetMs: resetS === undefined ? undefined : resetS * 1000,
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

/** Seconds, or an HTTP date (RFC 9110): a gateway in front of the platform may send either. Never negative. */
function retryAfterMs(headers: AnswerHeaders, nowMs: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = count(value);
  if (seconds !== undefined) return seconds * 1000;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  // Relative to the sender's `Date` if present, so that a difference between the clocks does not matter.
  const sentAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(sentAt) ? nowMs : sentAt));
}

function count(value: string | null): number | undefined {
  return value !== null && /^\s*\d{1,9}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
