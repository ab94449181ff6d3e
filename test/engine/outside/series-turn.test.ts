/** The turn of a series over stand-ins: what it knows, waits for, hands over and takes. */

import { describe, expect, test } from 'vitest';
import type { GoneInstance, SeriesInstance } from '../../../src/engine/calendar-events.ts';
import { bookingIdOf, calendarOrigin } from '../../../src/engine/ids.ts';
import { linkTo, type ObjectLinks } from '../../../src/engine/link.ts';
import { type EntityKey, formatKey, type Snapshot } from '../../../src/engine/object.ts';
import type { BookingRecord, SeenEventBooking } from '../../../src/engine/outside-booking.ts';
import { expandSeries, hindranceOfPart, type SeriesRules } from '../../../src/engine/series-turn.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { HandClock } from '../../doubles/hand-clock.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const HOUR = 3_600_000;
const SOON = NOW + HOUR;
const HALL = 'hall@x.example';
const at = (ms: number) => new Date(ms).toISOString();
const bookingOf = (eventId: string): EntityKey => ({
  ...{ kind: 'booking', id: bookingIdOf(calendarOrigin(HALL, eventId)) },
});
const told = { told: { is: 'nothing' } } as const;
const own = (id: string, fields: object = {}): BookingRecord => ({
  ...{ state: 'booked', own: { id, wish: { is: 'unknown' }, ...fields }, ...told },
});
const asked: BookingRecord = { state: 'new', ...told, asked: { startsAt: at(SOON), rest: 'r' } };
const master = (series: Readonly<Record<string, number>>): ObjectLinks => ({
  ...{ empty: {}, other: { booking: { state: 'new', ...told } } },
  rooms: { booking: { state: 'ignored', ...told, code: 'series', series } as BookingRecord },
});

interface Stored {
  readonly key: EntityKey;
  readonly snapshot?: object;
  readonly links?: ObjectLinks;
}
const appointment = (id: string, startMs: number, fields: object = {}): Stored => ({
  ...{ key: { kind: 'appointment', id }, snapshot: { id, starts_at: at(startMs), status: 'confirmed' } },
  ...fields,
});

interface Given {
  readonly listed?: readonly [eventId: string, startMs: number | undefined][] | 'too-many';
  readonly known?: Readonly<Record<string, number>>;
  readonly gone?: readonly GoneInstance[];
  /** Event to the master that it has now. */
  readonly others?: Readonly<Record<string, string>>;
  readonly stored?: readonly Stored[];
  readonly rules?: Partial<SeriesRules>;
  readonly state?: 'live' | 'gone';
}

const viewOf = (stored: readonly Stored[]) => ({
  async peek(key: EntityKey): Promise<Claim | undefined> {
    const found = stored.find((each) => formatKey(each.key) === formatKey(key));
    if (found === undefined) return undefined;
    return {
      ...{ key, fence: 'f', desiredRev: 1, syncedRev: 0, deleted: false, verify: false },
      ...{ projectId: undefined, sightings: [], pendingSinceMs: NOW, links: found.links ?? {} },
      snapshot: found.snapshot as Snapshot | undefined,
    };
  },
});
const seenAs = (fields: Partial<SeenEventBooking> = {}): SeenEventBooking => ({
  ...{ id: 'b', origin: 'o', mapping: 'rooms', seen_at: at(NOW), state: 'live', place: 'calendar' },
  ...{ calendar_id: HALL, event_id: 'm', is_matching: true, is_copy: false },
  ...fields,
});

function stand(given: Given = {}) {
  const { listed = [], known, gone = [], others = {}, stored = [], rules, state = 'live' } = given;
  const done: string[] = [];
  const parts = {
    ...{ clock: new HandClock(NOW), view: viewOf(stored) },
    instances: {
      async list(series: object, untilMs: number) {
        expect(series).toEqual({ calendarId: HALL, masterId: 'm' });
        done.push(`list until ${at(untilMs)}`);
        if (listed === 'too-many') return listed;
        return listed.map(([eventId, startMs]): SeriesInstance => {
          return { eventId, startMs, take: async () => void done.push(`take ${eventId}`) };
        });
      },
      async gone(
        calendarId: string,
        missing: readonly string[],
        how?: { onOther?: (eventId: string, masterId: string) => void },
      ) {
        expect(calendarId).toBe(HALL);
        done.push(`missing ${missing.join()}`);
        for (const [eventId, masterId] of Object.entries(others)) how?.onOther?.(eventId, masterId);
        return gone;
      },
      takeMaster: async (place: { calendarId: string; masterId: string }) =>
        void done.push(`take master ${place.calendarId} ${place.masterId}`),
    },
  };
  const record: BookingRecord = { state: 'new', ...told, ...(known && { series: known }) };
  const series = {
    ...{ record, seen: seenAs({ state }) },
    rules: { horizonMs: 24 * HOUR, cancelsDeleted: true, ...rules },
  };
  const put = async (all: object) => {
    expect(Object.values(all)).not.toContain(undefined);
    done.push(`know ${JSON.stringify(all)}`);
  };
  return { done, run: () => expandSeries(parts, series, put) };
}

/** What a turn does where `e` is gone, and whether it waits. */
async function turnWithGone(fields: object, stored: readonly Stored[], given: Given = {}) {
  const { done, run } = stand({
    ...{ known: { e: SOON }, listed: [['n', SOON + HOUR]], stored },
    ...{ gone: [{ eventId: 'e', bookingId: bookingOf('e').id, ...fields }], ...given },
  });
  const end = await run().catch((error) => error);
  return { done, end: typeof end === 'string' ? end : end.code, error: end };
}
const WAITS = [`list until ${at(NOW + 24 * HOUR)}`, 'missing e', `know {"e":${SOON}}`];
const GOES_ON = [...WAITS.slice(0, 2), `know {"n":${SOON + HOUR}}`, 'take n'];

describe('the events of a series', () => {
  test('are stored, and then taken one by one', async () => {
    const { done, run } = stand({
      listed: [
        ['b', SOON + HOUR],
        ['day', undefined],
        ['a', SOON],
      ],
    });
    expect(await run()).toBe('expanded');
    expect(done).toEqual([
      ...[`list until ${at(NOW + 24 * HOUR)}`, 'missing '],
      `know {"b":${SOON + HOUR},"a":${SOON}}`,
      ...['take b', 'take day', 'take a'],
    ]);
  });

  test('are not read where none is booked', async () => {
    const { done, run } = stand({
      listed: [['a', SOON]],
      known: { e: SOON },
      rules: { horizonMs: undefined },
    });
    expect(await run()).toBe('expanded');
    expect(done).toEqual(['missing e', `know {"e":${SOON}}`]);
  });

  test('that are too many are not taken, and the known ones stay', async () => {
    const { done, run } = stand({ listed: 'too-many', known: { e: SOON } });
    expect(await run()).toBe('too-many');
    expect(done).toEqual([...WAITS]);
  });

  test('that have begun are forgotten, and those that are listed are not missing', async () => {
    const known = { past: NOW - 1, begins: NOW, next: NOW + 1, a: SOON };
    const { done, run } = stand({ known, listed: [['a', SOON + HOUR]] });
    expect(await run()).toBe('expanded');
    expect(done.slice(1)).toEqual([
      ...['missing next', `know {"next":${NOW + 1},"a":${SOON + HOUR}}`, 'take a'],
    ]);
  });
});

describe('an event that is gone from a series', () => {
  const booked = (record: BookingRecord): Stored => ({
    key: bookingOf('e'),
    links: { empty: {}, former: { booking: { state: 'new', ...told } }, rooms: { booking: record } },
  });

  test('is waited for while its appointment stands, and nothing else is taken', async () => {
    const { done, error } = await turnWithGone({}, [booked(own('1')), appointment('1', SOON)]);
    expect(error).toMatchObject({ code: 'series-held', family: 'deferred', retryAfterMs: 120_000 });
    expect(done).toEqual(WAITS);
  });

  test.each<[string, object, Stored[]]>([
    ['that its mirror names', { appointmentId: '2' }, [appointment('2', SOON)]],
    [
      'that its mirror names rather than its record',
      { appointmentId: '2' },
      [booked(own('1')), appointment('2', SOON)],
    ],
    ['that begins a moment later', {}, [booked(own('1')), appointment('1', NOW + 1)]],
    ['that may still come of a request', {}, [booked(asked)]],
    [
      'whose event a mirror still knows',
      {},
      [
        booked(own('1', { mirrored: true })),
        appointment('1', SOON, {
          links: {
            none: {},
            staff: { calendars: [linkTo({ calendarId: HALL, eventId: 'o' })] },
            rooms: {
              calendars: ['e', 'p'].map((eventId) => linkTo({ calendarId: HALL, eventId })),
            },
          },
        }),
      ],
    ],
  ])('is waited for: an appointment %s', async (_, fields, stored) => {
    expect(await turnWithGone(fields, stored)).toMatchObject({ end: 'series-held', done: WAITS });
  });

  test.each<[string, object, Stored[]]>([
    ['of which nothing is known', {}, []],
    ['that was never asked for', {}, [booked({ state: 'new', ...told })]],
    ['whose appointment is unknown', {}, [booked(own('1'))]],
    ['whose appointment has no state', {}, [booked(own('1')), { key: { kind: 'appointment', id: '1' } }]],
    ['whose appointment has begun', {}, [booked(own('1')), appointment('1', NOW)]],
    [
      'whose appointment was cancelled',
      {},
      [
        booked(own('1')),
        appointment('1', SOON, { snapshot: { id: '1', starts_at: at(SOON), status: 'cancelled' } }),
      ],
    ],
    ['that its mirror removed', {}, [booked(own('1', { mirrored: true })), appointment('1', SOON)]],
    [
      'that its mirror removed, of an appointment shown elsewhere',
      {},
      [
        booked(own('1', { mirrored: true })),
        appointment('1', SOON, {
          links: { rooms: { calendars: [linkTo({ calendarId: HALL, eventId: 'o' })] } },
        }),
      ],
    ],
  ])('is forgotten at once: one %s', async (_, fields, stored) => {
    expect(await turnWithGone(fields, stored)).toMatchObject({ end: 'expanded', done: GOES_ON });
  });

  test('does not hide the next one', async () => {
    const first = { eventId: 'f', bookingId: 'unknown' };
    const { done, run } = stand({
      ...{ known: { f: SOON, e: SOON }, stored: [appointment('1', SOON)] },
      gone: [first, { eventId: 'e', bookingId: 'unknown', appointmentId: '1' }],
    });
    await expect(run()).rejects.toMatchObject({ code: 'series-held' });
    expect(done.at(-1)).toBe(`know {"e":${SOON}}`);
  });

  test.each<[string, Given]>([
    ['where a deletion cancels nothing', { rules: { cancelsDeleted: false } }],
    ['where the whole series was deleted', { state: 'gone' }],
  ])('is not waited for %s, and stays known', async (_, given) => {
    const stored = [booked(own('1')), appointment('1', SOON)];
    const { done, end } = await turnWithGone({}, stored, given);
    expect(end).toBe('expanded');
    expect(done.slice(2)).toEqual([`know {"e":${SOON},"n":${SOON + HOUR}}`, 'take n']);
  });
});

describe('an event that has another master', () => {
  const known = { e: SOON, f: SOON };

  test('is handed over to the one that knows it', async () => {
    const { done, run } = stand({
      ...{ known, others: { e: 'm2', f: 'm2' } },
      stored: [{ key: bookingOf('m2'), snapshot: { state: 'live' }, links: master({ e: SOON }) }],
    });
    expect(await run()).toBe('expanded');
    expect(done.slice(2)).toEqual([`know {"f":${SOON}}`]);
  });

  test('stays where another one than its own knows it', async () => {
    const { done, run } = stand({
      ...{ known, others: { e: 'm2', f: 'm3' } },
      stored: [
        { key: bookingOf('m2'), snapshot: { state: 'live' }, links: master({ f: SOON }) },
        { key: bookingOf('m3'), snapshot: { state: 'live' } },
      ],
    });
    await run();
    expect(done.slice(2)).toEqual([`know {"e":${SOON},"f":${SOON}}`]);
  });

  test('stays until that one was noted, once for all its events', async () => {
    const { done, run } = stand({
      ...{ known: { ...known, g: SOON }, others: { e: 'm2', f: 'm2', g: 'm3' } },
      stored: [{ key: bookingOf('m3') }],
    });
    await run();
    expect(done.slice(2)).toEqual([
      ...['m2', 'm3'].map((each) => `take master ${HALL} ${each}`),
      `know {"e":${SOON},"f":${SOON},"g":${SOON}}`,
    ]);
  });

  test('is none if it is the same one', async () => {
    const { done, run } = stand({
      known,
      others: { e: 'm' },
      stored: [{ key: bookingOf('m'), links: master(known) }],
    });
    await run();
    expect(done.slice(2)).toEqual([`know ${JSON.stringify(known)}`]);
  });
});

describe('the second master of a series', () => {
  const UNTIL = NOW + 2 * HOUR;
  const ended = ['RRULE:FREQ=DAILY;UNTIL=20260302T110000Z'];
  const hindrance = (
    first: Omit<Stored, 'key'> | undefined,
    { seen = {}, cancelsDeleted = true }: { seen?: Partial<SeenEventBooking>; cancelsDeleted?: boolean } = {},
  ) => {
    const view = viewOf(first === undefined ? [] : [{ key: bookingOf('m1'), ...first }]);
    const parts = { view, clock: new HandClock(NOW) };
    return hindranceOfPart(parts, seenAs({ event_id: 'm2', continues: 'm1', ...seen }), { cancelsDeleted });
  };
  const goesOn = { snapshot: { state: 'live', recurrence: ['RRULE:FREQ=DAILY'] } };
  const standing = {
    ...{ snapshot: { state: 'live', recurrence: ended } },
    links: master({ before: NOW + HOUR, e: UNTIL + 1 }),
  };

  test('is a copy while the first one goes on', async () => {
    expect(await hindrance(goesOn)).toBe('copy');
  });

  test('is held while appointments after the end of the first one stand', async () => {
    expect(await hindrance(standing)).toBe('held');
    const gone = { snapshot: { state: 'gone', recurrence: goesOn.snapshot.recurrence } };
    expect(await hindrance({ ...gone, links: master({ e: NOW + 1 }) })).toBe('held');
  });

  test.each<[string, Parameters<typeof hindrance>]>([
    ['continues none', [goesOn, { seen: { continues: undefined } as never }]],
    ['has the start of the first one', [goesOn, { seen: { event_id: 'm1_R20260303T080000' } }]],
    ['continues one of which nothing is known', [undefined]],
    ['continues one of which only links are known', [{ links: master({ e: SOON }) }]],
    ['continues one that is no series', [{ snapshot: { state: 'live' } }]],
    ['cancels nothing', [standing, { cancelsDeleted: false }]],
    ['follows a deleted one', [{ snapshot: { ...goesOn.snapshot, state: 'gone' } }]],
    ['follows one whose events were before its end', [{ ...standing, links: master({ e: UNTIL }) }]],
    [
      'follows one whose events are over',
      [{ snapshot: { ...goesOn.snapshot, state: 'gone' }, links: master({ e: NOW }) }],
    ],
    ['follows one that knows no events', [{ ...standing, links: { none: {} } }]],
  ])('books if it %s', async (_, given) => {
    expect(await hindrance(...given)).toBeUndefined();
  });
});
