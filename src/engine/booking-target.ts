// Turns one outside booking into one appointment, or into a refusal where it was made. Read, decide, act, record. The record is stored
// under the claim's fence after every step, and every step can be repeated after a death.

import { BookingTurn } from './booking-turn.ts';
import type { BookingTurnParts } from './booking-turn-parts.ts';
import { isOfNames } from './extract-booking.ts';
import type { Handler, WorkQueue } from './handler.ts';
import { bookingIdOf, eventIdInOrigin, rowOfOrigin } from './ids.ts';
import { type EntityKey, formatKey, originOf, type Snapshot } from './object.ts';
import { seenBookingOf } from './origin.ts';

import type { BookingRecord } from './outside-booking.ts';
import { SERIES_LOOK_EVERY_MS } from './series-turn.ts';
import type { DirtyMarks } from './sweep.ts';

/** How often the platform's lists are read again for a refused name. */
export const NAMES_LOOK_EVERY_MS = 5 * 60_000;

/** The target of one entry of `bookings`. */
export function createBookingTarget(parts: BookingTurnParts): Handler {
  const { name } = parts.mapping;
  return {
    name,
    from: 'booking',
    async reconcile(claim) {
      const seen = seenBookingOf(claim, name);
      return seen === undefined ? 'nothing' : new BookingTurn(parts, claim, seen).run();
    },
    nextTurnAtMs({ snapshot, links }, nowMs) {
      if (snapshot?.['mapping'] !== name) return undefined;
      const record = links[name]?.booking;
      const isOfSeries = snapshot['recurrence'] !== undefined || record?.series !== undefined;
      if (!isOfSeries)
        return mayBeNamedLater(snapshot, record, nowMs) ? nowMs + NAMES_LOOK_EVERY_MS : undefined;
      // As time passes, more events come within the horizon.
      const isExpanded =
        parts.mapping.kind === 'calendar' && parts.mapping.series && snapshot['state'] === 'live';
      return isExpanded ? nowMs + SERIES_LOOK_EVERY_MS : undefined;
    },
  };
}

/** Also true before the first decision, so a booked one gets one turn that does nothing. */
function mayBeNamedLater(snapshot: Snapshot, record: BookingRecord | undefined, nowMs: number): boolean {
  const isUndecided = record === undefined || record.state === 'new';
  const isRefused = record?.state === 'refused' && isOfNames(record.code);
  return (isUndecided || isRefused) && Date.parse(String(snapshot['starts_at'])) > nowMs;
}

/** Gives a booking whose answer says what became of it a turn whenever its appointment changes. An event of staff shows it itself. */
export function createAnswerWaker(parts: {
  readonly dirtyMarks: DirtyMarks;
  readonly queue: WorkQueue;
  /** Outsiders may book by invitations. */
  readonly withInvitations?: boolean;
}): Handler {
  return {
    name: 'intake-rows',
    from: 'appointment',
    async reconcile({ snapshot }) {
      const origin = snapshot && originOf(snapshot);
      if (origin === undefined || (!parts.withInvitations && eventIdInOrigin(origin) !== undefined))
        return 'nothing';
      const id = rowOfOrigin(origin) ?? bookingIdOf(origin);
      const key: EntityKey = { kind: 'booking', id };
      const unknown = await parts.dirtyMarks.markDirty([key], { read: false });
      if (unknown.length === 0) parts.queue.add([formatKey(key)]);
      return 'nothing';
    },
  };
}
