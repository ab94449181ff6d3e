// What a caller is told whose call may not leave now.
import { DeferredError } from '../engine/errors.ts';

/** How long a caller waits at most before it checks whether a stop is over. The check costs Google nothing. */
const WAIT_MS_MAX = 5 * 60_000;
/** Random share added to a wait, and its limit, so that callers come back apart from each other. */
const SPREAD_SHARE = 0.1;
const SPREAD_MS_MAX = 5_000;

/** A little longer, each time another. */
export function spread(waitMs: number): number {
  const ms = Math.min(waitMs, WAIT_MS_MAX);
  return Math.ceil(ms + Math.random() * Math.min(ms * SPREAD_SHARE, SPREAD_MS_MAX));
}

export function spent(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'the budget of one calendar';
  return new DeferredError('quota-spent', `${what} is spent for now`, {
    target: target ?? budget,
    quota,
    // SPEND has already given each caller its own moment.
    retryAfterMs: waitMs,
  });
}

export function paused(quota: string, waitMs: number): DeferredError {
  const { budget, target } = readQuotaName(quota);
  const what = target === undefined ? `the budget ${budget}` : 'one calendar';
  return new DeferredError('quota-paused', `Google has refused more requests of ${what} for now`, {
    target: target ?? budget,
    quota,
    retryAfterMs: spread(waitMs),
  });
}

/** A quota's name is that of its budget, or that of the budget and one target. */
export function readQuotaName(quota: string): {
  readonly budget: string;
  readonly target: string | undefined;
} {
  const at = quota.indexOf(' ');
  return at < 0
    ? { budget: quota, target: undefined }
    : { budget: quota.slice(0, at), target: quota.slice(at + 1) };
}
