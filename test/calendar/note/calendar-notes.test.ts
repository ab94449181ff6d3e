import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { busySpans } from '../../../src/calendar/block-poll.ts';
import { CalendarNotes } from '../../../src/calendar/calendar-notes.ts';
import { calendarPlaces } from '../../../src/calendar/route.ts';
import { noteEvents } from '../../../src/calendar/sighted.ts';
import { markedEvents } from '../../../src/calendar/wanted.ts';
import { DeferredError, RetryableError } from '../../../src/engine/errors.ts';
import { MARK } from '../../../src/engine/event-texts.ts';
import { appointmentOfEvent, isNoteId, noteIdOf } from '../../../src/engine/ids.ts';
import type { CalendarApi } from '../../../src/google/calendar-api.ts';
import type { CalendarEvent } from '../../../src/google/calendar-event.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';
import { ANNA, appointment, BORIS, mirror, openStand, type Stand } from '../stand.ts';

const MINUTE_MS = 60_000;
/** 08:00 in UTC: the day of the calendars, in Tokyo, has another seven hours. */
const TODAY = '2026-11-02';
const TOMORROW = '2026-11-03';
const TEXT = { summary: 'Not up to date', description: 'Changes may be missing.' };

let redis: TestRedis;
let store: TestStore;
let stand: Stand;
let behind: string[];
let shut: string[];
let mayBegin: boolean;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  stand = await openStand();
  [behind, shut, mayBegin] = [[], [], true];
});
afterEach(async () => {
  await stand.close();
  store.close();
});

const notes = (calendars: readonly string[] = [ANNA, BORIS], api: Partial<CalendarApi> = stand.api) =>
  new CalendarNotes({
    ...{ api: api as CalendarApi, installation: 'slotbridge', calendars },
    read: async () => ({
      behind: new Map(behind.map((id) => [id, (zone: string) => ({ ...TEXT, description: zone })])),
      shut: new Set(shut),
      mayBegin,
    }),
    ...{
      memory: store.memory,
      leases: store.leases,
      clock: stand.clock,
      steady: stand.clock,
      log: stand.log,
    },
  });
const look = (what = notes()) => what.look(new AbortController().signal);
async function lookLater(what = notes(), ms = MINUTE_MS) {
  stand.clock.advance(ms);
  await look(what);
}
const live = (calendarId = ANNA) => stand.google.truth.events(calendarId);
const days = (calendarId = ANNA) => live(calendarId).map(({ start }) => (start as { date?: string }).date);
const calls = () => Object.values(stand.calls()).reduce((sum, count) => sum + count, 0);
const id = (turn = 0, date = TODAY, calendarId = ANNA) =>
  noteIdOf({ installation: 'slotbridge', calendarId, date, turn });
const lose = { ...{ path: /\/events/, times: 1 }, fault: { kind: 'commit-then-reset' } } as const;

describe('a calendar that is behind', () => {
  it('gets a note of the day on its own clock, and loses it when it is current again', async () => {
    stand.clock.advance(8 * 3_600_000);
    behind = [ANNA];
    await look();
    expect(live()).toMatchObject([
      {
        ...{
          id: id(0, TOMORROW),
          summary: TEXT.summary,
          description: 'Asia/Tokyo',
          transparency: 'transparent',
        },
        ...{ start: { date: TOMORROW }, end: { date: '2026-11-04' }, reminders: { useDefault: false } },
      },
    ]);
    expect(live(BORIS)).toEqual([]);
    behind = [];
    await lookLater();
    expect(live()).toEqual([]);
  });

  it('costs nothing while nothing changes', async () => {
    behind = [ANNA];
    await look();
    const before = calls();
    for (let rounds = 0; rounds < 5; rounds += 1) await lookLater();
    expect(calls()).toBe(before);
  });

  it('is asked once an hour when the YAML names it no more and it refuses, and loses its note when it lets the worker in', async () => {
    behind = [ANNA];
    await look();
    behind = [];
    let asked = 0;
    let isShared = false;
    const get: CalendarApi['get'] = async (...about) => {
      asked += 1;
      if (isShared) return stand.api.get(...about);
      throw new DeferredError('calendar-forbidden', 'the calendar is not shared', { retryAfterMs: 1 });
    };
    const former = notes([], { ...withoutInsert(), get });
    for (let rounds = 0; rounds < 60; rounds += 1) await lookLater(former);
    expect(asked).toBe(1);
    await lookLater(former);
    expect(asked).toBe(2);
    isShared = true;
    await lookLater(former, 3_600_000);
    expect(live()).toEqual([]);
  });

  it('is written to at most once a minute', async () => {
    behind = [ANNA];
    await look();
    behind = [];
    await lookLater(notes(), MINUTE_MS - 1);
    expect(days()).toEqual([TODAY]);
    await lookLater(notes(), 1);
    expect(days()).toEqual([]);
  });

  it('has one note on each day for as long as it lasts, and again on the same day', async () => {
    behind = [ANNA];
    await look();
    await lookLater(notes(), 24 * 3_600_000);
    await lookLater();
    expect(days()).toEqual([TOMORROW]);
    behind = [];
    await lookLater();
    behind = [ANNA];
    await lookLater();
    expect(live().map((event) => event['id'])).toEqual([id(1, TOMORROW)]);
  });

  it('gets no note while it refuses everybody, nor from a worker that is still catching up', async () => {
    behind = [ANNA];
    await look();
    [behind, shut] = [[], [ANNA]];
    const before = calls();
    await lookLater();
    expect([days(), calls()]).toEqual([[TODAY], before]);
    [behind, shut, mayBegin] = [[BORIS], [], false];
    await lookLater();
    expect([days(), days(BORIS)]).toEqual([[], []]);
  });
});

describe('whatever is lost or repeated, there is one note', () => {
  it.each([
    ['the answer to the insert', 'commit-then-reset'],
    ['the request', 'reset'],
  ] as const)('%s', async (_, kind) => {
    behind = [ANNA, BORIS];
    await look(notes([ANNA, BORIS], { ...withoutInsert(), insert: stand.api.insert.bind(stand.api) }));
    behind = [];
    await lookLater();
    stand.google.faults.add({ method: 'POST', path: /\/events/, times: 1, fault: { kind } });
    behind = [ANNA];
    await lookLater();
    await lookLater();
    await lookLater();
    expect(live().map((event) => event['id'])).toEqual([id(1)]);
  });

  it('two workers, and a kill between what is stored and what is written', async () => {
    behind = [ANNA];
    await look(notes([ANNA], { ...withoutInsert(), insert: () => Promise.reject(new Error('killed')) }));
    stand.clock.advance(MINUTE_MS);
    await Promise.all([look(), look(), look()]);
    expect(days()).toEqual([TODAY]);
  });

  it('an insert that is performed late is taken away, and one that never came is given up', async () => {
    behind = [ANNA];
    let late: (() => Promise<unknown>) | undefined;
    const insert: CalendarApi['insert'] = (...given) => {
      late = () => stand.api.insert(...given);
      return Promise.reject(new Error('no answer'));
    };
    await look(notes([ANNA], { ...withoutInsert(), insert }));
    behind = [];
    await lookLater();
    await late?.();
    expect(days()).toEqual([TODAY]);
    await lookLater();
    expect(days()).toEqual([]);
    behind = [ANNA];
    await lookLater(notes([ANNA], { ...withoutInsert(), insert }));
    behind = [];
    for (let minutes = 0; minutes < 16; minutes += 1) await lookLater();
    const before = calls();
    for (let minutes = 0; minutes < 5; minutes += 1) await lookLater();
    expect([calls(), days()]).toEqual([before, []]);
  });

  it('a deletion whose answer was lost is our own, so the next note of the day comes', async () => {
    behind = [ANNA];
    await look();
    behind = [];
    stand.google.faults.add({ ...lose, method: 'DELETE' });
    await lookLater();
    behind = [ANNA];
    await lookLater();
    await lookLater();
    expect(live().map((event) => event['id'])).toEqual([id(1)]);
  });

  it('Redis that was lost: the note is found by its mark', async () => {
    behind = [ANNA];
    await look();
    for (const calendarId of [ANNA, BORIS]) await store.memory.forget(`calendar-note ${calendarId}`);
    await lookLater();
    expect(live().map((event) => event['id'])).toEqual([id()]);
    for (const calendarId of [ANNA, BORIS]) await store.memory.forget(`calendar-note ${calendarId}`);
    behind = [];
    await lookLater();
    expect(days()).toEqual([]);
  });
});

describe('what people do to it', () => {
  it('they delete it: no other one comes on that day, however often the calendar is behind', async () => {
    behind = [ANNA];
    await look();
    stand.staff.remove({ calendarId: ANNA, eventId: id() });
    await lookLater();
    behind = [];
    await lookLater();
    behind = [ANNA];
    await lookLater();
    expect(days()).toEqual([]);
    await lookLater(notes(), 24 * 3_600_000);
    expect(days()).toEqual([TOMORROW]);
  });

  it('they delete it, and Redis is lost: still no other one on that day', async () => {
    behind = [ANNA];
    await look();
    stand.staff.remove({ calendarId: ANNA, eventId: id() });
    await store.memory.forget(`calendar-note ${ANNA}`);
    await lookLater();
    await lookLater();
    expect(days()).toEqual([]);
  });

  it.each<[string, (at: { calendarId: string; eventId: string }) => void]>([
    ['rewrite it', (at) => stand.staff.retitle({ ...at, summary: 'Call the doctor' })],
    ['move it to another day', (at) => stand.staff.makeAllDay({ ...at, date: '2026-11-20' })],
  ])('they %s: it is theirs and stays', async (_, change) => {
    behind = [ANNA];
    await look();
    change({ calendarId: ANNA, eventId: id() });
    behind = [];
    await lookLater();
    await lookLater();
    expect(live()).toHaveLength(1);
  });

  it('they colour it and add a reminder: it still goes', async () => {
    behind = [ANNA];
    await look();
    stand.staff.recolour({ calendarId: ANNA, eventId: id(), colorId: '4' });
    stand.staff.addReminder({ calendarId: ANNA, eventId: id(), minutes: 10 });
    behind = [];
    await lookLater();
    expect(days()).toEqual([]);
  });
});

describe('the mapping', () => {
  it('a calendar that left it, or a worker without the setting, ends with no note and asks for nothing more', async () => {
    behind = [ANNA, BORIS];
    await look();
    await lookLater(notes([ANNA]));
    expect([days(), days(BORIS)]).toEqual([[TODAY], []]);
    await lookLater(notes([]));
    expect(days()).toEqual([]);
    await lookLater(notes([]));
    const before = calls();
    await lookLater(notes([]));
    expect([calls(), await store.memory.all('calendar-note ')]).toEqual([before, new Map()]);
  });

  it('calendars whose search keeps failing keep no other one from its search, nor a known note from going', async () => {
    behind = [ANNA];
    await look(notes([ANNA]));
    expect(days()).toEqual([TODAY]);
    behind = [];
    const failing = Array.from({ length: 6 }, (_, at) => `failing-${at}@clinic.example`);
    const searched: string[] = [];
    const zone: CalendarApi['zone'] = async (calendarId) => {
      searched.push(calendarId);
      if (calendarId.startsWith('failing'))
        throw new RetryableError('google-unavailable', 'Google answers 503');
      return stand.api.zone(calendarId);
    };
    const all = notes([...failing, BORIS, ANNA], { ...withoutInsert(), zone });
    await lookLater(all);
    expect(live()).toEqual([]);
    expect(searched).toEqual(failing.slice(0, 5));
    await lookLater(all);
    expect(searched.slice(5)).toEqual([...failing.slice(0, 3), ...failing.slice(5), BORIS]);
  });

  it('of many calendars that are new, some are searched in each round', async () => {
    const many = Array.from({ length: 12 }, (_, at) => `c${at}@group.calendar.google.com`);
    let searches = 0;
    const zone = async () => {
      searches += 1;
      return 'UTC';
    };
    const marked = async function* (): AsyncGenerator<CalendarEvent> {};
    const all = notes(many, { ...withoutInsert(), zone, marked });
    const seen: number[] = [];
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await lookLater(all);
      seen.push(searches);
    }
    expect(seen).toEqual([5, 10, 12, 12]);
  });
});

describe('nobody takes it for anything else', () => {
  const shown = () => stand.api.get(ANNA, id()) as Promise<CalendarEvent>;
  beforeEach(async () => {
    behind = [ANNA];
    await look();
  });

  it('it names no appointment, is not counted as an event of the mirror, and adopted by nobody', async () => {
    expect([appointmentOfEvent(id()), isNoteId(id())]).toEqual([undefined, true]);
    expect(await stand.api.countUpcoming(ANNA, { property: MARK, fromMs: stand.clock.now() })).toBe(0);
    const adopted: unknown[] = [];
    for await (const event of markedEvents(stand.api, () => true).in(ANNA)) adopted.push(event);
    const { places, standing } = calendarPlaces(mirror, stand.api);
    for (const place of places) for await (const event of standing(place)) adopted.push(event);
    expect(adopted).toEqual([]);
  });

  it('it is no sighting, and takes nobody’s time', async () => {
    const event = await shown();
    const sightings = { linked: async () => new Map(), sight: () => expect.fail('sighted') };
    expect(await noteEvents({ sightings, clock: stand.clock } as never, ANNA, [event])).toEqual([]);
    const rule = { free: true, declined: true, tentative: true, unanswered: true, allDay: true };
    const about = { ...rule, outOfOffice: true, shortestMs: 0, paddingMs: 0 };
    const { id: eventId, start = {}, end = {} } = event;
    const busy = { id: eventId, start, end, type: 'default', isFree: false, isTentative: false };
    const spans = busySpans([{ ...busy, isInvitation: false, isMarked: false }], about, { zone: 'UTC' });
    expect(spans).toEqual([]);
  });

  it('it survives the appointment beside it, which it does not touch', async () => {
    await stand.mirror(appointment());
    expect(live()).toHaveLength(2);
    behind = [];
    await lookLater();
    expect(stand.titles(ANNA)).toEqual(['Haircut, Nina Weber']);
  });
});

function withoutInsert(): Partial<CalendarApi> {
  const { api } = stand;
  return {
    get: api.get.bind(api),
    remove: api.remove.bind(api),
    marked: api.marked.bind(api),
    zone: api.zone.bind(api),
  };
}
