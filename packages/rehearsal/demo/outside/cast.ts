import type { Company } from '@slotbridge/sandbox/platform/company';
import { type Wire, wireText } from '../judge/company.ts';
import type { StaffCast } from '../staff/cast.ts';
import type { OutsideBooking } from './book.ts';

/** Staff who make bookings in their calendars and in the intake tab. */
export interface OutsideCast extends StaffCast {
  readonly company: Company;
  /** Resource id to calendar, where that is Google's. */
  readonly calendarOf: ReadonlyMap<string, string>;
  readonly bookings: OutsideBooking[];
}

/** A person who can be booked. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  /** Empty if it is not Google's. */
  readonly calendarId: string;
}

/** `ids`: those who may be meant. Default: everybody. */
export function somePerson(
  { company, platform, calendarOf, random }: OutsideCast,
  ids: readonly string[] = company.personIds,
): Person {
  const id = random.pick(ids);
  const resource = platform.truth.resources().find((one) => one['id'] === id);
  return {
    id,
    name: wireText(resource?.['name']),
    zone: wireText(resource?.['timezone']),
    calendarId: calendarOf.get(id) ?? '',
  };
}

export function someService({ platform, company, random }: OutsideCast): { name: string; minutes: number } {
  const id = random.pick(company.serviceIds);
  const service: Wire = platform.truth.services().find((one) => one['id'] === id) ?? {};
  return { name: wireText(service['name']), minutes: Number(service['duration_min'] ?? 30) };
}

/** A unique number, as people write it and as the platform stores it. */
export function nextPhone({ bookings }: OutsideCast): { written: string; e164: string } {
  const tail = String(7_700_000 + bookings.length);
  return {
    written: `8 495 ${tail.slice(0, 3)}-${tail.slice(3, 5)}-${tail.slice(5)}`,
    e164: `+7495${tail}`,
  };
}

/** A future moment at which the person is already busy, if any. */
export function busyMoment({ platform, random }: OutsideCast, person: Person): string | undefined {
  const appointments = platform.truth
    .appointments()
    .filter((one) => one['resource_id'] === person.id && one['status'] === 'confirmed')
    .map((one) => wireText(one['starts_at']))
    .filter((startsAt) => Date.parse(startsAt) > Date.now() + 3_600_000);
  return appointments.length === 0 ? undefined : random.pick(appointments);
}
