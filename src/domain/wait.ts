// Each place of an object has its own due time, so that a waiting place does not delay the others.

import { backoffMs, refusedBackoffMs } from './backoff.ts';
import { DeferredError, TerminalError, type WorkerError } from './errors.ts';
import { canHaveBeen } from './moments.ts';
import type { FailureReason, Wait, Waits } from './work.ts';

const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** Names one place among all mirrors of an object. Without a place: the mirror as a whole. */
export function placeKey(mirror: string, place = ''): string {
  return place === '' ? mirror : `${mirror} ${place}`;
}

/** For targets: skip the place in this turn. A target's claim carries only the waits that still hold. */
export function isResting(claim: { readonly waits?: Waits }, mirror: string, place = ''): boolean {
  return claim.waits?.[placeKey(mirror, place)] !== undefined;
}

/** The waits that still hold: not due yet, and nothing newer to bring. */
export function holding(waits: Waits, now: { readonly rev: number; readonly nowMs: number }): Waits {
  return Object.fromEntries(
    Object.entries(waits).filter(([, wait]) => wait.rev >= now.rev && !isDue(wait, now.nowMs)),
  );
}

/**
 * The wait after a failure. A place that was tried early, because something newer arrived, keeps its attempts and its time. Otherwise many
 * changes in a row would use up the attempts.
 */
export function waitAfter(
  before: Wait | undefined,
  failed: {
    readonly error: WorkerError;
    readonly reason: FailureReason;
    readonly rev: number;
    readonly nowMs: number;
  },
): Wait {
  const { error, reason, rev, nowMs } = failed;
  const attempts = before?.attempts ?? 0;
  const wait = { rev, sinceMs: nowMs, reason };
  if (error instanceof TerminalError)
    return { ...wait, family: 'terminal', attempts: attempts + 1, untilMs: NEVER_MS };
  if (error instanceof DeferredError) {
    const { quota, backsOff } = error;
    const refusals = (before?.refusals ?? 0) + (backsOff ? 1 : 0);
    const untilMs = nowMs + deferredForMs(error, refusals);
    return {
      ...wait,
      family: 'deferred',
      attempts,
      untilMs,
      ...(quota === undefined ? {} : { quota }),
      ...(refusals === 0 ? {} : { refusals }),
    };
  }
  if (before?.family === 'retryable' && !isDue(before, nowMs)) return { ...before, rev, reason };
  return {
    ...wait,
    family: 'retryable',
    attempts: attempts + 1,
    untilMs: nowMs + backoffMs(attempts + 1),
  };
}

/** How long a deferral waits; `refusals`: quota refusals in a row, this one included. */
export function deferredForMs({ retryAfterMs, backsOff }: DeferredError, refusals: number): number {
  return backsOff ? Math.max(retryAfterMs, refusedBackoffMs(refusals)) : retryAfterMs;
}

/** The place stays behind until a person acts. */
export function isHopeless(wait: Wait, attemptsMax: number): boolean {
  if (wait.family === 'deferred') return false;
  return wait.family === 'terminal' || wait.attempts >= attemptsMax;
}

function isDue({ sinceMs, untilMs }: Wait, nowMs: number): boolean {
  return nowMs >= untilMs || !canHaveBeen(sinceMs, nowMs);
}
