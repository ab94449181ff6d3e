// The one rule by which a deleted event may cancel an appointment. Pure; nothing else in the program makes a cancellation of a deletion. By the
// same rule a deleted event is told from one that was dragged elsewhere before it is restored.

import { canHaveBeen } from '../../domain/moments.ts';

/** However short the grace: one calendar may show a move some seconds later than the other. */
export const SETTLED_MS = 5_000;
/** An event may have come into a calendar since: what was read longer ago is read again. */
export const LOOKS_FRESH_MS = 15 * 60_000;
/** How long a deleted event may be looked for in calendars that do not answer before it is restored all the same. */
export const RESTORED_WITHIN_MS = 2 * 60_000;

/** What a calendar answered when it was asked for the event by its id. No answer is no look. */
export interface Look {
  /** When it was asked; epoch milliseconds. */
  readonly atMs: number;
  readonly shows: 'nothing' | 'live';
}

export interface GoneInput {
  /** All that the worker writes to, of every mirror, and the one from which the event is gone. */
  readonly calendars: readonly string[];
  readonly looks: Readonly<Record<string, Look>>;
  /** When the event was first found missing; epoch milliseconds, by the clock that says `nowMs`. */
  readonly seenAtMs: number;
  readonly graceMs: number;
  readonly nowMs: number;
}

export type Gone =
  | { readonly is: 'waiting'; readonly untilMs: number }
  /** There it stands: it was deleted by nobody. */
  | { readonly is: 'live'; readonly calendarId: string }
  | { readonly is: 'unread'; readonly calendars: readonly string[] }
  | { readonly is: 'gone' };

/** Gone is what every calendar was asked for after the grace, and none of them shows. */
export function proveGone({ calendars, looks, seenAtMs, graceMs, nowMs }: GoneInput): Gone {
  const live = calendars.find((calendarId) => looks[calendarId]?.shows === 'live');
  if (live !== undefined) return { is: 'live', calendarId: live };
  const untilMs = seenAtMs + Math.max(graceMs, SETTLED_MS);
  if (nowMs < untilMs) return { is: 'waiting', untilMs };
  const counts = (look: Look | undefined) =>
    look !== undefined &&
    look.atMs >= untilMs &&
    look.atMs > nowMs - LOOKS_FRESH_MS &&
    canHaveBeen(look.atMs, nowMs);
  const unread = calendars.filter((calendarId) => !counts(looks[calendarId]));
  return unread.length > 0 ? { is: 'unread', calendars: unread } : { is: 'gone' };
}
