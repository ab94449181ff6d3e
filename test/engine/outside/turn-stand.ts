/** Turns of outside bookings over stand-ins for the platform, the store and the place where they were made. */

import { createBookingTarget } from '../../../src/engine/booking-turn.ts';
import type { BookingTurnParts } from '../../../src/engine/booking-turn-parts.ts';
import { carriedWish } from '../../../src/engine/decide-booking.ts';
import type { HoldVerdict } from '../../../src/engine/edit-guard.ts';
import { TerminalError } from '../../../src/engine/errors.ts';
import { type CalendarLink, linkTo, type MirrorLinks, type ObjectLinks } from '../../../src/engine/link.ts';
import type { Directory } from '../../../src/engine/mirror.ts';
import {
  contentHash,
  contentOf,
  type EntityKey,
  formatKey,
  type Snapshot,
} from '../../../src/engine/object.ts';
import type {
  BookingAnswer,
  BookingRecord,
  BookWish,
  CalendarBookings,
  OwnAppointment,
  SeenBooking,
  SeenEventBooking,
  SeenRowBooking,
  SheetBookings,
  Told,
  Verdict,
  Wish,
} from '../../../src/engine/outside-booking.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { double } from '../../stand/double.ts';

export const NOW = Date.parse('2026-03-02T09:00:00.000Z');
export const [MINUTE, HOUR] = [60_000, 3_600_000];
export const START = NOW + 24 * HOUR;
export const HALL = 'hall@x.example';
export const OTHER = 'other@x.example';
export const at = (ms: number) => new Date(ms).toISOString();
/** Ids of appointments have the form of the platform's. */
export const ONE = '11111111-1111-4111-8111-111111111111';
export const TWO = '22222222-2222-4222-8222-222222222222';
export const PHONE = '+49 170 1234567';

export const DESK: SheetBookings = {
  ...{ kind: 'sheet', name: 'desk', spreadsheetId: 's', tab: 'Bookings', everyMs: MINUTE },
  ...{ columns: { starts_at: 'Start', id: 'ID', status: 'Status', appointment: 'Appointment' } },
  ...{ service: 'service', resource: 'resource', comment: 'comment', notifyCustomer: false },
  ...{ customer: { name: 'name', phone: 'phone', create: true }, language: 'en', stillForMs: 30_000 },
};
export const ROOMS: CalendarBookings = {
  ...{ kind: 'calendar', name: 'rooms', calendars: [{ calendarId: HALL, mirror: 'staff' }] },
  ...{ when: { title: '#book *' }, service: 'location', notifyCustomer: false, language: 'en' },
  ...{ customer: { name: 'title', phone: 'description', create: true }, stillForMs: 30_000 },
  staffEdits: {
    staff: {
      ...{ moved: 'reschedule', deleted: 'cancel', conflict: 'platform', graceMs: 0, notifyCustomer: false },
    },
  },
};

export const row = (fields: Partial<SeenRowBooking> = {}): SeenRowBooking => ({
  ...{ id: 'b', origin: 'row/b', mapping: 'desk', seen_at: at(NOW - HOUR), state: 'live', place: 'row' },
  ...{ cells: { service: 'Yoga', name: 'Vera', phone: PHONE }, starts_at: at(START), ready: true },
  ...{ cancel: false, spreadsheet_id: 's', tab: 'Bookings', row_id: 'b' },
  ...fields,
});
export const event = (fields: Partial<SeenEventBooking> = {}): SeenEventBooking => ({
  ...{ id: 'b', origin: 'calendar/c/e', mapping: 'rooms', seen_at: at(NOW - HOUR), state: 'live' },
  ...{ place: 'calendar', calendar_id: HALL, event_id: 'e', title: 'Vera', description: PHONE },
  ...{ location: 'Yoga', starts_at: at(START), ends_at: at(START + HOUR), is_matching: true, is_copy: false },
  ...fields,
});
export const appointment = (id = ONE, startMs = START, fields: Partial<Snapshot> = {}): Snapshot => ({
  ...{ id, status: 'confirmed', starts_at: at(startMs), ends_at: at(startMs + HOUR) },
  ...{ resource_id: 'hall', customer_phone: PHONE },
  ...fields,
});

/** What a row or an event wishes, as it is sent. */
export const wishOf = (fields: Partial<BookWish> = {}): BookWish => ({
  ...{ op: 'book', serviceId: 'yoga', startsAt: at(START) },
  ...{ customer: { name: 'Vera', phone: PHONE, create: true }, notifyCustomer: false },
  ...fields,
});
export const hallWish = (fields: Partial<BookWish> = {}) => wishOf({ resourceId: 'hall', ...fields });
export const carried = (wish: BookWish = wishOf()) => ({ is: 'carried', wished: carriedWish(wish) }) as const;

/** `decided` of a record whose last decision was about this. */
export function hashOf(seen: SeenBooking, mapping: object = seen.place === 'row' ? DESK : ROOMS): string {
  const {
    mapping: _,
    tab: __,
    spreadsheet_id: ___,
    ...said
  } = contentOf('booking', seen as unknown as Snapshot);
  return `${contentHash(said)}/${contentHash(mapping)}`;
}
export const untold: Told = { is: 'nothing' };
export const booked = (own: Partial<OwnAppointment> = {}, more: object = {}): BookingRecord => ({
  ...{ state: 'booked', told: untold, own: { id: ONE, wish: carried(), ...own } },
  ...more,
});
export const cancelled = (own: Partial<OwnAppointment> = {}, more: object = {}) =>
  ({ ...booked(own, more), state: 'cancelled' }) as BookingRecord;
export const refusedFor = (code: string, more: object = {}): BookingRecord => ({
  ...{ state: 'refused', code, told: untold },
  ...more,
});

export interface Given {
  readonly seen?: SeenBooking;
  readonly mapping?: object;
  readonly record?: BookingRecord;
  readonly platform?: readonly Snapshot[];
  /** How the open request has ended, one turn of asking after the other. */
  readonly ended?: readonly unknown[];
  readonly made?: string;
  readonly found?: string;
  readonly hold?: HoldVerdict;
  readonly stops?: string;
  readonly answer?: (wish: Wish) => (Verdict & { earlier?: Wish }) | undefined;
  readonly stored?: Readonly<Record<string, ObjectLinks>>;
  readonly parts?: Partial<BookingTurnParts>;
  readonly onPut?: (record: BookingRecord) => void;
}

/** Without `seen`: nothing was read of it. */
export function claimOf(seen: SeenBooking | undefined, links: ObjectLinks = {}): Claim {
  return {
    ...{ key: { kind: 'booking', id: 'b' }, fence: 'f', desiredRev: 1, syncedRev: 0, deleted: false },
    ...{ verify: false, projectId: undefined, sightings: [], pendingSinceMs: NOW, links },
    snapshot: seen as unknown as Snapshot | undefined,
  };
}

export function stand(given: Given = {}) {
  const { seen = row(), ended = [], hold = { verdict: 'pass', isParked: false } } = given;
  const mapping = {
    ...(seen.place === 'row' ? DESK : ROOMS),
    ...given.mapping,
  } as SheetBookings;
  const platform = new Map((given.platform ?? []).map((each) => [each.id, each]));
  const done: string[] = [];
  const puts: BookingRecord[] = [];
  const answers: BookingAnswer[] = [];
  const asked: { wish: Wish; about: Readonly<Record<string, unknown>> }[] = [];
  const judged: unknown[] = [];
  const adopted: CalendarLink[] = [];
  const observed: unknown[] = [];
  const notes: Readonly<Record<string, unknown>>[] = [];
  const logged: object[] = [];
  const counted: unknown[] = [];
  const clock = new HandClock(NOW);
  const services = new Map([['yoga', { id: 'yoga', projectId: 'p', name: 'Yoga', bookingMode: 'fixed' }]]);
  const resources = new Map([['hall', { id: 'hall', branchId: 'b', projectId: 'p', name: 'Hall' }]]);
  const branches = new Map([['b', { id: 'b', projectId: 'p', name: 'B', timezone: 'Europe/Berlin' }]]);
  const directory: Directory = { services, resources, branches };
  const links = given.record === undefined ? {} : { [mapping.name]: { booking: given.record } };
  const claim = claimOf(seen, links);
  const stop = (what: string) => {
    done.push(what);
    if (given.stops !== undefined && what.startsWith(given.stops)) throw new TerminalError('stopped', what);
  };
  let looks = 0;
  const carriedOut = (wish: Wish): Snapshot => {
    if (wish.op === 'book') return appointment(TWO, Date.parse(wish.startsAt));
    const before = platform.get(wish.appointmentId) ?? appointment(wish.appointmentId);
    if (wish.op === 'cancel') return { ...before, status: 'cancelled' };
    return { ...before, starts_at: wish.startsAt, ...(wish.resourceId && { resource_id: wish.resourceId }) };
  };
  const parts = double<BookingTurnParts>({
    ...{ mapping, entries: mapping.name === 'rooms' ? [mapping as unknown as CalendarBookings] : [], clock },
    templates: { text: (source, fields) => String(fields[source] ?? '') },
    place: {
      assertWritable: async () => stop('writable'),
      async answer(about, answer, of) {
        done.push(`answer ${answer.state}`);
        answers.push(answer);
        return about === seen && of === claim ? 'answered' : 'gone';
      },
      upcoming: async () => 7,
    },
    submitter: double({
      async submit(origin: string, wish: Wish, about: object = {}) {
        done.push(`submit ${wish.op}`);
        asked.push({ wish, about: { ...about, origin } });
        const answer = given.answer?.(wish);
        if (answer !== undefined) return answer;
        const made = carriedOut(wish);
        platform.set(made.id, made);
        return { outcome: 'done', appointment: made } as const;
      },
      async finish(origin: string) {
        if (origin !== seen.origin) throw new Error('another origin');
        looks += 1;
        return ended[looks - 1] as never;
      },
      withdraw: async (origin: string) => stop(`withdraw ${origin}`),
      made: async (origin: string) => (origin === seen.origin ? given.made : undefined),
      find: async (origin: string, wish: BookWish) => {
        done.push(`find ${wish.startsAt}`);
        return origin === seen.origin ? given.found : undefined;
      },
      freeTimes: async (wished: object, within: object) => {
        done.push(`free ${JSON.stringify({ wished, within })}`);
        return {
          slots: [{ startsAt: at(START), endsAt: at(START + HOUR), resourceId: 'hall' }],
          zone: 'UTC',
        };
      },
    }),
    guard: {
      assertNoLoop: async (key, mark, paceMs) => stop(`no loop ${key} ${mark} ${paceMs}`),
      assertMayMail: async (key, mark) => stop(`may mail ${key} ${mark}`),
      assertNoMassTicking: async (entry, key, upcoming) =>
        stop(`no ticking ${entry} ${key} ${await upcoming()}`),
      tickEnded: async (entry, key, { isCancelled }) =>
        void done.push(`tick ended ${entry} ${key} ${isCancelled}`),
      mayBeBooked: async (organizer) => {
        done.push(`may be booked ${organizer}`);
        return given.stops !== 'may be booked';
      },
    },
    holds: double({
      async judge(object: object, wish: object) {
        judged.push({ object, wish });
        return hold;
      },
      release: async (object: object) => void done.push(`release ${JSON.stringify(object)}`),
      discount: async (object: object) => void done.push(`discount ${JSON.stringify(object)}`),
    }),
    reader: { get: async ({ kind, id }) => (kind === 'appointment' ? platform.get(id) : undefined) },
    view: {
      async peek(key: EntityKey) {
        const known = given.stored?.[formatKey(key)];
        return known && { ...claimOf(undefined, known), key };
      },
    },
    links: double({
      async write(of: Claim, name: string, { booking }: MirrorLinks) {
        if (of !== claim || name !== mapping.name || booking === undefined) throw new Error('another record');
        puts.push(booking);
        given.onPut?.(booking);
      },
      async adopt(key: string, mirror: string, link: CalendarLink) {
        done.push(`adopt ${key} ${mirror}`);
        adopted.push(link);
        return true;
      },
    }),
    intake: { observe: async (about) => void observed.push(about) as never },
    directory: double({
      current: () => directory,
      readSince: async (ms: number) => void done.push(`lists since ${at(ms)}`) as never,
    }),
    resourceAt: (calendarId) => (calendarId === HALL ? 'hall' : undefined),
    history: double({ note: (key: string, entry: object) => void notes.push({ key, ...entry }) }),
    log: double({ info: (fields: object) => void logged.push(fields) }),
    meter: double({ add: (name: string, labels: object = {}) => void counted.push({ name, ...labels }) }),
    ...given.parts,
  });
  const target = createBookingTarget(parts);
  return {
    ...{ run: () => target.reconcile(claim), target, parts, claim, platform, mapping, done, puts, answers },
    ...{ asked, judged, adopted, observed, notes, logged, counted, directory },
    last: () => puts.at(-1),
  };
}

/** One turn, and what was left of it. */
export async function turn(given: Given = {}) {
  const world = stand(given);
  const end = await world.run().catch((error) => error);
  return { ...world, end: typeof end === 'string' ? end : end.code, error: end };
}
export const linked = (...places: [calendarId: string, eventId: string][]): ObjectLinks => ({
  staff: { calendars: places.map(([calendarId, eventId]) => linkTo({ calendarId, eventId })) },
});
export const refusal = (code: string) => ({ outcome: 'refused', refusal: { code, slots: [] } }) as const;
export const LOOP = `no loop booking/b ${hashOf(row())} ${at(NOW - HOUR)} ${MINUTE}`;
export const HELD = JSON.stringify({ kind: 'bookings', place: 'desk', key: 'booking/b' });
