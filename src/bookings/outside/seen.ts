import type { SeenBooking } from '../../domain/outside-booking.ts';
import type { Claim } from '../../domain/work.ts';

/** What was last seen of the booking of a claim. Undefined when the entry of `bookings` is another one, or nothing is known. */
export function seenBookingOf(claim: Claim, mapping: string): SeenBooking | undefined {
  const { snapshot } = claim;
  // The worker's own sources wrote it: it is what its type says, or of another entry.
  return snapshot?.['mapping'] === mapping ? (snapshot as unknown as SeenBooking) : undefined;
}

/** What templates may name. */
export function fieldsOf(seen: SeenBooking): Readonly<Record<string, unknown>> {
  return seen.place === 'calendar' ? { ...seen } : { ...seen.cells, starts_at: seen.starts_at };
}
