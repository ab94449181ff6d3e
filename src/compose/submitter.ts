import { createBookingDesk } from '../bookings/submit/submitter.ts';
import { createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import type { BookingDesk } from '../ports/booking-desk.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectorySource } from '../ports/directory-source.ts';
import type { Log } from '../ports/log.ts';
import type { Outside } from './remotes.ts';
import type { Store } from './stores.ts';

/** The desk over the store and the platform. Nothing is called yet. */
export function openBookingDesk(parts: {
  readonly store: Pick<Store, 'intents' | 'leases'>;
  readonly outside: Pick<Outside, 'platform'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  readonly log: Log;
}): BookingDesk {
  const { store, outside, directory, clock, log } = parts;
  return createBookingDesk({
    writer: createPlatformWriter(outside.platform),
    cards: createCustomerCards(outside.platform),
    intents: store.intents,
    leases: store.leases,
    directory,
    clock,
    log,
  });
}
