/** Moves of a class over stand-ins for both sides. */

import { expect } from 'vitest';
import { ClassHandling } from '../../../src/calendar/class-edits.ts';
import type { Edit, EditedMirror } from '../../../src/calendar/edit-search.ts';
import { HeldClaim } from '../../../src/calendar/edit-search.ts';
import { NOTE_WORDS } from '../../../src/engine/booking-answer.ts';
import type { ClassMember, ClassMove } from '../../../src/engine/class-move.ts';
import { type ClassSlot, classIdOf, classNow, slotIn, slotOf } from '../../../src/engine/class-slot.ts';
import { type CalendarLink, linkTo } from '../../../src/engine/link.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import { appointmentState, type Snapshot } from '../../../src/engine/object.ts';
import type { FreeSlot, Refusal, SeenEvent, Verdict, Wish } from '../../../src/engine/outside-booking.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { MapMemory } from '../../doubles/map-memory.ts';
import { double } from '../../stand/double.ts';

export const NOW = Date.parse('2026-03-02T09:00:00.000Z');
export const [MINUTE, HOUR] = [60_000, 3_600_000];
export const FROM = NOW + 24 * HOUR;
export const TO = FROM + 3 * HOUR;
export const LATER = FROM + 6 * HOUR;
export const SLOT: ClassSlot = { serviceId: 'yoga', resourceId: 'hall', startMs: FROM };
export const KEY = { kind: 'class', id: classIdOf(SLOT) } as const;
export const MOVING = 'class-moving:';
export const announced = (toMs: number) => `${MOVING}${classIdOf({ ...SLOT, startMs: toMs })} ${KEY.id}`;
export const at = (ms: number) => new Date(ms).toISOString();

export function member(id: string, startMs = FROM, fields: Partial<Snapshot> = {}): Snapshot {
  return {
    ...{ id, status: 'confirmed', service_id: 'yoga', resource_id: 'hall', resource_ids: ['hall'] },
    ...{ starts_at: at(startMs), ends_at: at(startMs + HOUR), updated_at: at(NOW) },
    ...fields,
  };
}

export function seenAt(startMs: number | undefined, fields: Partial<SeenEvent> = {}): SeenEvent {
  return {
    ...{ etag: `"${startMs}"`, isLive: true, startMs, endMs: undefined, isAllDay: false },
    ...{ isRecurring: false, updatedMs: 5, isColoured: false, isGuestCopy: false, marks: {} },
    texts: {},
    ...fields,
  };
}

export interface Given {
  readonly members?: readonly Snapshot[];
  /** Where the event is when it is read, one read after the other; the last one stays. */
  readonly seen?: readonly (SeenEvent | 'absent')[];
  readonly link?: CalendarLink;
  readonly areAllShown?: boolean;
  readonly notifyCustomer?: boolean;
  /** How the service is booked; `unlisted`: no list has it. */
  readonly bookingMode?: string;
  readonly free?: readonly number[];
  readonly zone?: string;
  readonly erased?: readonly string[];
  /** What the platform says to a request. Without an answer it carries it out. */
  readonly answer?: (
    wish: Wish & { op: 'move' },
    world: World,
  ) => Partial<Verdict & { earlier: Wish }> | undefined;
  /** What is stored of another class. */
  readonly newest?: Pick<Claim, 'fence' | 'links'> | undefined;
  /** How an earlier request for the appointment has ended. */
  readonly ended?: Readonly<Record<string, unknown>>;
  readonly onPut?: (link: CalendarLink | undefined) => void;
}

/** A request that was refused, and what the move knew of its appointment. */
export interface Earlier {
  readonly is: ClassMember['is'];
  readonly fields?: object;
  readonly reason?: string;
}

export interface World {
  readonly platform: Map<string, Snapshot>;
  move(id: string, startMs: number, fields?: Partial<Snapshot>): Snapshot;
}

export const refused = (code: string) => ({ outcome: 'refused', refusal: { code, slots: [] } }) as const;

export function stand(given: Given = {}) {
  const { members = [member('1'), member('2')], seen = [seenAt(TO)], notifyCustomer = true } = given;
  const platform = new Map(members.map((each) => [each.id, each]));
  let changes = 0;
  const world: World = {
    platform,
    move(id, startMs, fields = {}) {
      changes += 1;
      const updated_at = at(NOW + changes * 1_000);
      const moved = member(id, startMs, { ...platform.get(id), starts_at: at(startMs) });
      const next = { ...moved, ends_at: at(startMs + HOUR), updated_at, ...fields };
      platform.set(id, next);
      return next;
    },
  };
  const done: string[] = [];
  const wishes: unknown[] = [];
  const asked: unknown[] = [];
  const puts: (CalendarLink | undefined)[] = [];
  const notes: unknown[] = [];
  const [clock, memory] = [new HandClock(NOW), new MapMemory()];
  const link = given.link ?? linkTo({ calendarId: 'hall@x.example', eventId: 'e' }, { etag: '"0"' });
  const claim: Claim = {
    ...{ key: KEY, fence: 'f', desiredRev: 1, syncedRev: 0, deleted: false, verify: false },
    ...{ projectId: undefined, sightings: [], pendingSinceMs: NOW },
    ...{ links: { staff: { calendars: [link] } }, snapshot: classNow(SLOT, members) },
  };
  const held = new HeldClaim(
    {
      work: double({ newest: async () => given.newest as Claim | undefined }),
      links: {
        async write(_, mirror, known) {
          const [one] = known.calendars ?? [];
          if (mirror === 'staff') given.onPut?.(one);
          if (mirror === 'staff') puts.push(one);
        },
      } as ConstructorParameters<typeof HeldClaim>[0]['links'],
    },
    claim,
  );
  const mirror: EditedMirror = {
    ...{ name: 'staff', resolved: () => new Map(), calendars: [], takes: () => true, keeps: () => true },
    staffEdits: {
      ...{ moved: 'reschedule', deleted: 'restore', conflict: 'platform', graceMs: 0, notifyCustomer },
    },
    showsAll: async (_, startMs) => {
      done.push(`shows all at ${at(startMs)}`);
      return given.areAllShown ?? true;
    },
  };
  const services = new Map([
    ['yoga', { id: 'yoga', projectId: 'p', name: 'Yoga', bookingMode: given.bookingMode ?? 'fixed' }],
  ]);
  let reads = 0;
  const handling = new ClassHandling(
    {
      classes: {
        async read(of) {
          const slot = slotIn(of.snapshot?.['slot']) ?? expect.fail('no slot');
          done.push(`read ${at(slot.startMs)}${Object.keys(of.links).length === 0 ? ' alone' : ''}`);
          const listed = [...platform.values()].filter((each) => slotOf(each)?.startMs === slot.startMs);
          return { ...of, snapshot: classNow(slot, listed) };
        },
      },
      events: {
        async read(calendarId, eventId) {
          expect([calendarId, eventId]).toEqual(['hall@x.example', 'e']);
          reads += 1;
          return seen[Math.min(reads, seen.length) - 1] ?? 'absent';
        },
      },
      guard: {
        assertNoLoop: async (key, mark) => void done.push(`no loop ${key === `class/${KEY.id}`} ${mark}`),
        assertMayMail: async (key, mark) => void done.push(`may mail ${key} ${mark}`),
      },
      ...{ words: NOTE_WORDS.en, history: { note: (key, entry) => void notes.push({ key, ...entry }) } },
      ...{ memory, clock, refusalText },
      erased: double({
        among: async (all: readonly Snapshot[]) =>
          new Set(all.map(({ id }) => id).filter((id) => given.erased?.includes(id))),
      }),
      directory: {
        current: () => (given.bookingMode === 'unlisted' ? NO_DIRECTORY : { ...NO_DIRECTORY, services }),
      },
      reader: { get: async ({ kind, id }) => (kind === 'appointment' ? platform.get(id) : undefined) },
      submitter: {
        async submit(origin, wish, about) {
          if (wish.op !== 'move') throw new Error('no move');
          done.push(`${wish.appointmentId} to ${wish.startsAt}`);
          wishes.push({ origin, wish });
          expect(about?.claim?.key).toEqual(KEY);
          const before = platform.get(wish.appointmentId);
          const answer = given.answer?.(wish, world);
          if (answer !== undefined) return answer as Verdict;
          // The platform carries out what was decided about the state that is there.
          expect(wish.seenAs).toBe(before && appointmentState(before));
          const appointment = world.move(wish.appointmentId, Date.parse(wish.startsAt));
          return { outcome: 'done', appointment };
        },
        async finish(origin) {
          return given.ended?.[origin] as never;
        },
        async withdraw(origin) {
          done.push(`withdraw ${origin}`);
        },
        async freeTimes(wished, within) {
          asked.push({ wished, within });
          const slots = (given.free ?? []).filter((ms) => ms >= within.fromMs && ms < within.toMs);
          return { slots: slots.map(slotAt), ...(given.zone !== undefined && { zone: given.zone }) };
        },
      },
    },
    held,
  );
  const edit: Edit = { mirror, link };
  const current = () => held.links('staff')[0];
  const places = () => [...platform.values()].map(({ starts_at: startsAt }) => Date.parse(String(startsAt)));
  return {
    ...{ handling, edit, held, world, platform, done, wishes, asked, puts, notes, clock, memory },
    ...{ current, places, drag: (toMs = TO) => handling.move(edit, seenAt(toMs), toMs) },
  };
}

export const refusalText = ({ code, slots, zone }: Refusal) =>
  [code, ...slots.map(({ startsAt }) => startsAt), ...(zone === undefined ? [] : [zone])].join(' ');

export const slotAt = (ms: number): FreeSlot => ({
  ...{ startsAt: at(ms), endsAt: at(ms + HOUR), resourceId: 'hall' },
});
export const free = { free: [TO] };
export const crowd = (size: number) => Array.from({ length: size }, (_, n) => member(`m${n}`));

/** The link of a class whose move was stored. */
export function underWay(
  members: readonly ClassMember[],
  { refused: why, is = 'asked' }: { refused?: ClassMove['refused']; is?: 'asked' | 'dropped' } = {},
): CalendarLink {
  const classMove: ClassMove = {
    ...{ from: at(FROM), to: at(TO), resourceId: 'hall', notifyCustomer: false, members },
    ...(why && { refused: why }),
  };
  const wish = { for: at(TO), classMove };
  const link = linkTo({ calendarId: 'hall@x.example', eventId: 'e' }, { etag: '"0"' });
  const open = { sinceMs: NOW, missedSinceMs: {}, looks: {} };
  return { ...link, edit: is === 'asked' ? { is, ...open, wish } : { is, wish } };
}
export const as = (is: ClassMember['is'], snapshot: Snapshot): ClassMember => ({
  ...{ id: snapshot.id, is, state: appointmentState(snapshot) },
});
export const NO = { code: 'no', text: 'No.' };
