import { formatKey } from '../../domain/entity.ts';
import type { SeenBooking } from '../../domain/outside-booking.ts';
import type { Claim } from '../../domain/work.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OutsideVisit } from './decide.ts';
import type { HeldRecord } from './held-record.ts';
import type { BookingGuard } from './turn-parts.ts';

export interface DeletionParts {
  readonly guard: Pick<BookingGuard, 'deletionWaits' | 'deletionUndone' | 'deletionDecided'>;
  readonly clock: Clock;
  readonly held: HeldRecord;
  readonly seen: SeenBooking;
  readonly claim: Pick<Claim, 'key'>;
}

/** An event that is missing waits for its grace. */
export async function deletionWaits({ guard, clock, held, seen, claim }: DeletionParts): Promise<void> {
  if (seen.state !== 'gone' || seen.place !== 'calendar') return;
  if (held.current.goneSinceMs === undefined) await held.put({ ...held.current, goneSinceMs: clock.now() });
  // At every look: a death after the line above must not keep it from being counted.
  await guard.deletionWaits(seen.calendar_id, formatKey(claim.key));
}

/** A deletion that waited for its grace, and is none any more: the next one has a grace of its own. */
export async function deletionEnds(
  { guard, held, seen, claim }: DeletionParts,
  visit: OutsideVisit | undefined,
): Promise<void> {
  const { goneSinceMs, ...record } = held.current;
  if (goneSinceMs === undefined || seen.place !== 'calendar') return;
  const key = formatKey(claim.key);
  if (visit?.status === 'cancelled') await guard.deletionDecided(seen.calendar_id, key);
  else await guard.deletionUndone(seen.calendar_id, key);
  await held.put(record);
}
