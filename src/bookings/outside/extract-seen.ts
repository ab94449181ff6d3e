import type { SeenBooking } from '../../domain/outside-booking.ts';
import { type Extracted, extract } from './extract.ts';
import type { BookingTurnParts } from './turn-parts.ts';

/** What it wishes by the lists and the clock of this moment; nothing, once it is gone. */
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
