/**
 * Whether the platform is already where a request wants it: returns the appointment, or nothing. This makes a request repeatable after its
 * key was forgotten, and after a loss of Redis.
 */

import type { Place } from '../domain/intent.ts';
import { appointmentState } from '../domain/mirror.ts';
import type { Appointment, Snapshot } from '../domain/object.ts';
import type { MoveWish } from '../domain/outside-booking.ts';
import type { IsFormer } from '../ports/bookings.ts';
import type { PlatformWriter } from '../ports/platform.ts';
import { type CustomerFields, ORIGIN_MARK, originMark, REQUEST_MARK } from './request.ts';

/** Pages of one customer's appointments that are searched: newest first, a hundred each. */
const LOOK_PAGES_MAX = 5;
/** Largest difference between two clocks before a booking counts as older than its request. */
const CLOCKS_APART_MS = 24 * 3_600_000;
const SECOND_MS = 1_000;

export interface Sought {
  readonly origin: string;
  /** Also finds the appointment that this request created, whatever its status. Without a key, only live ones of the origin count. */
  readonly key?: string;
  /** Earliest possible creation; epoch milliseconds. */
  readonly sinceMs?: number;
  readonly serviceId: string;
  readonly startsAt: string;
  readonly customer: CustomerFields;
}

/**
 * Finds the appointment that was created for the origin, first where it was booked and then among its customer's: it may have been moved
 * since. There is no filter by `metadata` (platform API, GET /v1/appointments).
 */
export async function findOwn(
  writer: PlatformWriter,
  sought: Sought,
  /** Collects live appointments of other origins, by their marks. */
  others = new Map<string, Appointment>(),
): Promise<Appointment | undefined> {
  for (const filters of placesOf(sought)) {
    const found = await walk(writer, filters, { ...sought, others });
    if (found) return found;
  }
  return undefined;
}

/** The first appointment of another origin that is surely the sought one, else the first that may be. */
export async function findFormer(
  others: ReadonlyMap<string, Appointment>,
  isFormer: IsFormer,
  customer: CustomerFields,
): Promise<{ readonly appointment: Appointment; readonly isSure: boolean } | undefined> {
  let perhaps: Appointment | undefined;
  for (const [mark, appointment] of others) {
    const is = await isFormer(mark, appointment, isOf(customer, appointment));
    if (is === true) return { appointment, isSure: true };
    if (is === 'perhaps') perhaps ??= appointment;
  }
  return perhaps && { appointment: perhaps, isSure: false };
}

function isOf(customer: CustomerFields, appointment: Appointment): boolean {
  if ('contact_id' in customer) return appointment['contact_id'] === customer.contact_id;
  return appointment['customer_phone'] === customer.customer_phone;
}

/** An unknown status counts as live: a second appointment does more harm than none. */
export function isLive(appointment: Snapshot): boolean {
  return appointment['status'] !== 'cancelled';
}

export function appointmentPlace(appointment: Appointment): Place {
  return {
    startsAt: appointment.starts_at,
    resourceId: appointment.resource_id ?? appointment.resource_ids[0] ?? null,
  };
}

/** Compares instants, never texts: the platform answers in UTC. */
export function isWhereWished(appointment: Appointment, wish: MoveWish): boolean {
  if (!isLive(appointment)) return false;
  const place = appointmentPlace(appointment);
  const sameTime = Date.parse(place.startsAt) === Date.parse(wish.startsAt);
  return sameTime && (wish.resourceId === undefined || wish.resourceId === place.resourceId);
}

export function isWhereItWas(appointment: Appointment, before: Place): boolean {
  const place = appointmentPlace(appointment);
  return Date.parse(place.startsAt) === Date.parse(before.startsAt) && place.resourceId === before.resourceId;
}

export function isAsSeen(appointment: Appointment, { seenAs }: MoveWish): boolean {
  return seenAs === undefined || seenAs === appointmentState(appointment);
}

function placesOf({ serviceId, startsAt, customer }: Sought): Readonly<Record<string, string>>[] {
  const startMs = Date.parse(startsAt);
  const byCustomer =
    'contact_id' in customer
      ? { contact_id: customer.contact_id }
      : { customer_phone: customer.customer_phone };
  if (Number.isNaN(startMs)) return [byCustomer];
  const from = new Date(startMs).toISOString();
  const before = new Date(startMs + SECOND_MS).toISOString();
  return [{ service_id: serviceId, 'starts_at[gte]': from, 'starts_at[lt]': before }, byCustomer];
}

async function walk(
  writer: PlatformWriter,
  filters: Readonly<Record<string, string>>,
  sought: Sought & { readonly others: Map<string, Appointment> },
): Promise<Appointment | undefined> {
  let after: string | undefined;
  for (let pages = 0; pages < LOOK_PAGES_MAX; pages += 1) {
    const page = await writer.list(filters, after);
    const found = page.data.find((one) => isSought(one, sought));
    if (found) return found;
    for (const one of page.data) {
      const mark = markOf(one, ORIGIN_MARK);
      if (typeof mark === 'string' && isLive(one)) sought.others.set(mark, one);
    }
    const last = page.data.at(-1);
    if (!page.hasMore || !last || isTooOld(last, sought.sinceMs)) return undefined;
    after = last.id;
  }
  return undefined;
}

function isSought(one: Appointment, { origin, key }: Sought): boolean {
  if (key !== undefined && markOf(one, REQUEST_MARK) === key) return true;
  return markOf(one, ORIGIN_MARK) === originMark(origin) && isLive(one);
}

function markOf(one: Appointment, name: string): unknown {
  return (one['metadata'] as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

function isTooOld(one: Appointment, sinceMs: number | undefined): boolean {
  const createdMs = Date.parse(String(one['created_at']));
  return sinceMs !== undefined && createdMs < sinceMs - CLOCKS_APART_MS;
}
