import type { SeenBooking } from '../domain/outside-booking.ts';
import { type Extracted, extract } from './extract.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** Reads the wish with the current lists and clock. A booking that is gone has none. */
export function extractSeen(
  { mapping, templates, directory, resourceAt, clock }: BookingTurnParts,
  seen: SeenBooking,
): Extracted {
  if (seen.state === 'gone') return { as: 'none', code: 'empty' };
  return extract(seen, {
    ...{ mapping, templates, resourceAt },
    directory: directory.current(),
    nowMs: clock.now(),
  });
}
