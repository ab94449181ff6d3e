// The only rule by which a deleted event may cancel an appointment. Pure. The same rule distinguishes a deleted event from a dragged one
// before it is restored.

import { canHaveBeen } from '../domain/moments.ts';

/** Shortest wait, however short the grace: one calendar may show a move some seconds later than the other. */
export const SETTLED_MS = 5_000;
/** Age after which a calendar is asked again: the event may have arrived there since. */
export const LOOKS_FRESH_MS = 15 * 60_000;
/** How long calendars that do not answer can delay the restoring of a deleted event. */
export const RESTORED_WITHIN_MS = 2 * 60_000;

/** A calendar's answer when asked for the event by its id. No answer is no look. */
export interface Look {
  /** When it was asked; epoch milliseconds. */
  readonly atMs: number;
  readonly shows: 'nothing' | 'live';
}

export interface GoneInput {
  /** All calendars of every mirror that the worker writes to, and the one from which the event is gone. */
  readonly calendars: readonly string[];
  readonly looks: Readonly<Record<string, Look>>;
  /** When the event was first found missing; epoch milliseconds, on the clock of `nowMs`. */
  readonly seenAtMs: number;
  readonly graceMs: number;
  readonly nowMs: number;
}

export type Gone =
  | { readonly is: 'waiting'; readonly untilMs: number }
  /** The event is there, so it was not deleted. */
  | { readonly is: 'live'; readonly calendarId: string }
  | { readonly is: 'unread'; readonly calendars: readonly string[] }
  | { readonly is: 'gone' };

/** An event is gone when every calendar was asked for it after the grace and none shows it. */
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
