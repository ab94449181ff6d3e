import type { Directory } from '../domain/directory.ts';
import type { SheetBookings } from '../domain/outside-booking.ts';
import type { BookingTemplates, RowTimes } from '../ports/bookings.ts';
import type { PlatformWriter } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import { nextFreeTimes } from '../submit/free-times.ts';
import { extractPlace } from './extract.ts';

export interface RowTimesParts {
  readonly writer: Pick<PlatformWriter, 'slots'>;
  readonly templatesOf: (mapping: SheetBookings) => BookingTemplates;
  readonly directory: { current(): Directory };
  readonly clock: Clock;
}

/** Reads rows the way their booking would. */
export function createRowTimes({ writer, templatesOf, directory, clock }: RowTimesParts): RowTimes {
  const known = new Map<SheetBookings, BookingTemplates>();
  const templatesFor = (mapping: SheetBookings) => {
    const templates = known.get(mapping) ?? templatesOf(mapping);
    known.set(mapping, templates);
    return templates;
  };
  return {
    placeOf: (mapping, seen) =>
      extractPlace(seen, {
        ...{ mapping, templates: templatesFor(mapping), directory: directory.current() },
        resourceAt: () => undefined,
        nowMs: clock.now(),
      }),
    free: (place, day) =>
      nextFreeTimes(writer, place, { nowMs: clock.now(), ...(day === undefined ? {} : { day }) }),
  };
}
