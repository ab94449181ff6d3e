// Computes the next book from the current one and the present conditions. Pure. A condition must last before it is raised, and must be gone
// for a while before it is cleared. A condition that comes and goes is reported once.
import type { AlertBook, AlertCondition, AlertNotice, StandingAlert } from '../../domain/alert.ts';
import { agoMs, startedBy } from '../../domain/moments.ts';

export interface AlertDamping {
  readonly raiseAfterMs: number;
  readonly clearAfterMs: number;
}

/** Largest number of unsent notices, so that a webhook that is unavailable for days does not fill Redis. */
const UNSENT_MAX = 200;

export function step(
  book: AlertBook,
  seen: readonly AlertCondition[],
  now: AlertDamping & { readonly nowMs: number },
): AlertBook {
  const seenByKey = new Map(seen.map((condition) => [conditionKey(condition), condition]));
  const known = new Map(book.standing.map((alert) => [conditionKey(alert), alert]));
  const standing: StandingAlert[] = [];
  const notices: AlertNotice[] = [];
  for (const [key, condition] of seenByKey) {
    const next = stands(condition, known.get(key), now);
    standing.push(next);
    if (next.isRaised && known.get(key)?.isRaised !== true) notices.push(notice('raised', next, now.nowMs));
  }
  for (const [key, alert] of known) {
    // A condition that was never raised needs no notice that it is over.
    if (seenByKey.has(key) || !alert.isRaised) continue;
    const goneSinceMs = startedBy(alert.goneSinceMs, now.nowMs);
    if (now.nowMs - goneSinceMs < now.clearAfterMs) standing.push({ ...alert, goneSinceMs });
    else notices.push(notice('cleared', alert, goneSinceMs));
  }
  const unsent = [...book.unsent, ...notices];
  const excess = Math.max(0, unsent.length - UNSENT_MAX);
  return { ...book, standing, unsent: unsent.slice(excess), dropped: book.dropped + excess };
}

function conditionKey({ alert, subject }: AlertCondition): string {
  return `${alert} ${subject}`;
}

function stands(
  condition: AlertCondition,
  before: StandingAlert | undefined,
  { nowMs, raiseAfterMs }: AlertDamping & { readonly nowMs: number },
): StandingAlert {
  const { toldAfterMs = 0 } = condition;
  const sinceMs = startedBy(before?.sinceMs, nowMs);
  return {
    ...condition,
    sinceMs,
    isRaised: before?.isRaised === true || nowMs - sinceMs >= Math.max(raiseAfterMs, toldAfterMs),
  };
}

function notice(what: AlertNotice['what'], alert: StandingAlert, atMs: number): AlertNotice {
  const { alert: name, subject, text, advice, sinceMs } = alert;
  const stoodMs = agoMs(sinceMs, atMs);
  return { what, alert: name, subject, text, advice, atMs, stoodMs, isLogged: false };
}
