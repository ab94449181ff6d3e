// Turns one outside booking into one appointment, or into a refusal where it was made. Read, decide, act, record. The record is stored
// under the claim's fence after every step, and every step can be repeated after a death.

import { BookingTurn } from './booking-turn.ts';
import type { BookingTurnParts } from './booking-turn-parts.ts';
import { isOfNames } from './extract-booking.ts';
import type { Handler } from './handler.ts';
import type { Snapshot } from './object.ts';
import { seenBookingOf } from './origin.ts';
import type { BookingRecord } from './outside-booking.ts';
import { SERIES_LOOK_EVERY_MS } from './series-turn.ts';

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
