// One booking that somebody made outside comes in; one appointment comes out, or a refusal where it was made. Read, decide, act, record:
// the record is stored under the fence of the claim after every step, and every step can be repeated after a death.
import type { MirrorTarget } from '../../ports/mirror-target.ts';
import { seenOf } from './seen.ts';
import { SERIES_LOOK_EVERY_MS } from './series-turn.ts';
import { BookingTurn } from './turn.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** The target of one entry of `bookings`. */
export function createBookingTarget(parts: BookingTurnParts): MirrorTarget {
  const { name } = parts.mapping;
  return {
    name,
    from: 'booking',
    async reconcile(claim) {
      const seen = seenOf(claim, name);
      return seen === undefined ? 'nothing' : new BookingTurn(parts, claim, seen).run();
    },
    nextTurnAtMs({ snapshot, links }, nowMs) {
      if (snapshot?.['mapping'] !== name || parts.mapping.kind !== 'calendar') return undefined;
      const isOfSeries = snapshot['recurrence'] !== undefined || links[name]?.booking?.series !== undefined;
      // As time goes by, events come within the horizon.
      return isOfSeries && parts.mapping.series && snapshot['state'] === 'live'
        ? nowMs + SERIES_LOOK_EVERY_MS
        : undefined;
    },
    // What the platform would say is known to the platform only.
    async preview() {
      return 'nothing';
    },
    // An outside booking is itself what stands outside.
    async expected() {
      return [];
    },
  };
}
