// Decides the next step for the note of one calendar from what is known about it. Pure.

import { distanceMs } from '../../../domain/moments.ts';

/**
 * | `is` | written by the worker | what its absence means |
 * |---|---|---|
 * | `none` | no | nothing |
 * | `sent` | perhaps: an insert left, and no answer came | it may still appear |
 * | `stands` | yes | people deleted it |
 * | `leaving` | yes; its deletion left, and no answer came | the deletion worked |
 * | `gone` | removed again | nothing |
 * | `left` | people deleted or rewrote it: theirs for that day | nothing |
 */
export interface KnownNote {
  readonly is: 'none' | 'sent' | 'stands' | 'leaving' | 'gone' | 'left';
  /** `2026-11-24` in the calendar's zone; empty for `none`. */
  readonly date: string;
  /** How many notes of that day were removed before. */
  readonly turn: number;
  /** When the worker last tried anything with it. */
  readonly atMs: number;
  /** When its insert was first sent. */
  readonly sentAtMs: number;
  /** IANA zone of the calendar. */
  readonly zone: string;
  /** The text that the worker gave it. */
  readonly summary: string;
  readonly description: string;
}

export type NoteStep = 'rest' | 'take-away' | 'forget' | { readonly insert: { readonly turn: number } };

/** Shortest time between two tries; people need no fresher note, and each write costs Google's budget. */
const TRY_EVERY_MS = 60_000;

export function decideNote(
  known: KnownNote,
  now: {
    /** People must learn that the calendar is behind. */
    readonly isBehind: boolean;
    /** False while a worker that has just started is still catching up. */
    readonly mayBegin: boolean;
    /** In the calendar's zone. */
    readonly today: string;
    readonly nowMs: number;
  },
): NoteStep {
  const { isBehind, mayBegin, today, nowMs } = now;
  if (distanceMs(known.atMs, nowMs) < TRY_EVERY_MS) return 'rest';
  const isToday = known.date === today;
  switch (known.is) {
    case 'sent':
      return isBehind && isToday ? { insert: { turn: known.turn } } : 'take-away';
    case 'stands':
      return isBehind && isToday ? 'rest' : 'take-away';
    case 'leaving':
      return 'take-away';
    case 'left':
      if (isToday) return 'rest';
      return isBehind && mayBegin ? { insert: { turn: 0 } } : 'forget';
    case 'gone':
      if (isBehind && mayBegin) return { insert: { turn: isToday ? known.turn + 1 : 0 } };
      return isToday ? 'rest' : 'forget';
    case 'none':
      return isBehind && mayBegin ? { insert: { turn: 0 } } : 'rest';
  }
}
