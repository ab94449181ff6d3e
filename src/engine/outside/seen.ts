import type { SeenBooking } from '../domain/outside-booking.ts';
import type { Claim } from '../domain/work.ts';

/** The last sighting of the claim's booking. Undefined when it belongs to another entry of `bookings`, or nothing is known. */
export function seenBookingOf(claim: Claim, mapping: string): SeenBooking | undefined {
  const { snapshot } = claim;
  // The worker's own sources wrote it, so it has its declared type or belongs to another entry.
  return snapshot?.['mapping'] === mapping ? (snapshot as unknown as SeenBooking) : undefined;
}

/** The fields that templates may name. */
export function fieldsOf(seen: SeenBooking): Readonly<Record<string, unknown>> {
  return seen.place === 'calendar' ? { ...seen } : { ...seen.cells, starts_at: seen.starts_at };
}
