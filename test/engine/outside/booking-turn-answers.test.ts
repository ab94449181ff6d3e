/** Turns of outside bookings over stand-ins: series, answers, mirrors, and what is recorded of them. */

import { describe, expect, test } from 'vitest';
import { OUTSIDE_WORDS } from '../../../src/engine/booking-answer.ts';
import type { BookingTurnParts } from '../../../src/engine/booking-turn-parts.ts';
import type { SeriesInstance } from '../../../src/engine/calendar-events.ts';
import { carriedWish } from '../../../src/engine/decide-booking.ts';
import { bookingIdOf, calendarOrigin } from '../../../src/engine/ids.ts';
import {
  type BookingRecord,
  ownOf,
  type SeenEventBooking,
  type Told,
} from '../../../src/engine/outside-booking.ts';
import {
  appointment,
  at,
  booked,
  cancelled,
  carried,
  claimOf,
  event,
  type Given,
  HALL,
  HOUR,
  hallWish,
  hashOf,
  linked,
  NOW,
  ONE,
  OTHER,
  PHONE,
  ROOMS,
  refusal,
  refusedFor,
  row,
  START,
  TWO,
  turn,
  untold,
  wishOf,
} from './turn-stand.ts';

const LATER = START + 2 * HOUR;
const WORDS = OUTSIDE_WORDS.en;
const moved = (fields: object = {}) => row({ starts_at: at(LATER), ...fields });
const invitation = (fields: object = {}) =>
  event({ guest_copy: 'writable', organizer: 'g@y.example', ...fields });
const gone = (startMs = START) => appointment(ONE, startMs, { status: 'cancelled' });
const olga = (fields: object = {}) =>
  row({ cells: { service: 'Yoga', name: 'Olga', phone: '+49 170 7654321' }, ...fields });
const toldAt = (startMs: number, state: 'booked' | 'cancelled' = 'booked', text = 'x'): Told => ({
  ...{ is: 'due', answer: { state, text, startsAt: at(startMs) } },
});
const decided = (seen = row() as Parameters<typeof hashOf>[0]) => ({ decided: hashOf(seen) });

describe('a series', () => {
  const mapping = { series: { horizonMs: 48 * HOUR } };
  const master = (fields: Partial<SeenEventBooking> = {}) =>
    event({ recurrence: ['RRULE:FREQ=DAILY'], ...fields });
  const series = { e_1: START };

  async function seriesTurn({ is = 'listed', ...given }: Given & { is?: 'listed' | 'too-many' } = {}) {
    const done: string[] = [];
    const taken: SeriesInstance = {
      ...{ eventId: 'e_1', startMs: START, take: async () => void done.push('take e_1') },
    };
    const parts: Partial<BookingTurnParts> = {
      instances: {
        async list({ masterId }, untilMs) {
          done.push(`list ${masterId} until ${at(untilMs)}`);
          return is === 'too-many' ? is : [taken];
        },
        gone: async () => [],
        takeMaster: async () => undefined,
      },
    };
    const world = await turn({ seen: master(), mapping, parts, ...given });
    return { ...world, series: done };
  }
  const LIST = `list e until ${at(NOW + 48 * HOUR)}`;

  test('is expanded, and books nothing itself', async () => {
    const { end, series: steps, puts, last, logged, done } = await seriesTurn();
    expect([end, steps, done]).toEqual(['nothing', [LIST, 'take e_1'], []]);
    expect(puts[0]).toEqual({ state: 'new', told: untold, series });
    expect(last()).toMatchObject({ state: 'ignored', code: 'series', series });
    expect(logged).toMatchObject([{ code: 'expanded' }]);
    expect(logged[0]).not.toHaveProperty('reason');
  });

  test('that is too long is refused', async () => {
    const { last, logged, answers } = await seriesTurn({ is: 'too-many' });
    expect(last()).toMatchObject({ state: 'refused', code: 'series-too-long', series: {} });
    expect(logged).toMatchObject([{ code: 'refused', reason: 'series-too-long' }]);
    expect(answers.map(({ text }) => text)).toEqual([WORDS['series-too-long']]);
  });

  test('that has not changed is read again, decided no second time, and tells what is due', async () => {
    const seen = master();
    const answer = { state: 'refused', text: 'x' } as const;
    const record: BookingRecord = {
      ...{ ...refusedFor('series-too-long'), series, told: { is: 'due', answer } },
      decided: hashOf(seen, { ...ROOMS, ...mapping }),
    };
    const { end, series: steps, logged, answers, last } = await seriesTurn({ seen, record });
    expect([end, steps, logged]).toEqual(['nothing', [LIST, 'take e_1'], []]);
    expect(answers).toEqual([answer]);
    expect(last()).toMatchObject({ code: 'series-too-long', series });
  });

  test('that was refused is left alone while only the YAML changes', async () => {
    const seen = master();
    const record = refusedFor('recurring', decided(seen));
    const { end, series: steps, puts } = await seriesTurn({ seen, record });
    expect([end, steps, puts]).toEqual(['nothing', [], []]);
    const known = await seriesTurn({ seen, record: { ...record, series } });
    expect(known.series).toEqual([LIST, 'take e_1']);
    const changed = await seriesTurn({ seen, record: { ...record, decided: 'else/where' } });
    expect(changed.series).toEqual([LIST, 'take e_1']);
    const ignored: BookingRecord = { state: 'ignored', code: 'series', told: untold, ...decided(seen) };
    expect((await seriesTurn({ seen, record: ignored })).series).toEqual([LIST, 'take e_1']);
  });

  test('that an open request wanted as one event waits until that cannot arrive any more', async () => {
    const ended = [{ outcome: 'open', earlier: hallWish() }];
    const { done, series: steps } = await seriesTurn({ ended });
    expect([done, steps]).toEqual([['withdraw calendar/c/e'], [LIST, 'take e_1']]);
    const underWay = await seriesTurn({ ended, stops: 'withdraw' });
    expect([underWay.end, underWay.series, underWay.puts]).toEqual(['stopped', [], []]);
    const record: BookingRecord = {
      ...{ state: 'ignored', code: 'series', told: untold, series },
      decided: hashOf(master(), { ...ROOMS, ...mapping }),
    };
    const again = await seriesTurn({ ended, record });
    expect([again.done, again.series]).toEqual([done, steps]);
    const single = await seriesTurn({ seen: event(), ended, record });
    expect([single.end, single.done[0]]).toEqual(['created', 'writable']);
  });

  test('that is one event now is forgotten, and booked as one', async () => {
    const record: BookingRecord = { state: 'ignored', code: 'series', told: untold, series };
    const { end, series: steps, puts } = await seriesTurn({ seen: event(), record });
    expect([end, steps]).toEqual(['created', []]);
    expect(puts[0]).toEqual({ ...record, series });
  });

  test.each<[string, Given]>([
    ['no entry books', { mapping: { series: undefined } }],
    ['nothing can read', { parts: {} }],
  ])('that %s is refused', async (_, given) => {
    const { last, series: steps, answers } = await seriesTurn(given);
    expect(steps).toEqual([]);
    expect(last()).toMatchObject({ state: 'refused', code: 'recurring' });
    expect(answers.map(({ text }) => text)).toEqual([WORDS.recurring]);
  });

  test('whose event was booked before stays that booking', async () => {
    const { series: steps, last } = await seriesTurn({ record: booked(), platform: [appointment()] });
    expect(steps).toEqual([]);
    expect(last()).toMatchObject({ state: 'booked', own: { mirrored: true } });
  });

  test('is none if the event is refused for another reason', async () => {
    const { series: steps, last } = await seriesTurn({ seen: event({ location: 'Chess' }) });
    expect(steps).toEqual([]);
    expect(last()).toMatchObject({ code: 'service-unknown' });
    expect(last()).not.toHaveProperty('series');
  });

  const second = (first: object, links: object = {}): Given => ({
    seen: master({ continues: 'm1' }),
    parts: {
      instances: { list: async () => [], gone: async () => [], takeMaster: async () => undefined },
      view: {
        peek: async ({ id }) =>
          id === bookingIdOf(calendarOrigin(HALL, 'm1'))
            ? { ...claimOf(undefined, links as never), snapshot: first as never }
            : undefined,
      },
    },
  });
  const goesOn = { id: 'm1', state: 'live', recurrence: ['RRULE:FREQ=DAILY'] };

  test('that copies another one books nothing, and is decided once', async () => {
    const { end, last, logged, answers } = await seriesTurn(second(goesOn));
    expect(end).toBe('nothing');
    expect(last()).toMatchObject({ state: 'ignored', code: 'copy' });
    expect(logged).toMatchObject([{ code: 'ignored', reason: 'copy' }]);
    expect(answers).toEqual([]);
    const record = { ...last(), decided: hashOf(second(goesOn).seen as never, { ...ROOMS, ...mapping }) };
    const again = await seriesTurn({ ...second(goesOn), record: record as BookingRecord });
    expect([again.end, again.puts, again.logged]).toEqual(['nothing', [], []]);
    const ended = [{ outcome: 'open', earlier: hallWish() }];
    for (const known of [{}, { record: record as BookingRecord }])
      expect((await seriesTurn({ ...second(goesOn), ...known, ended })).done).toEqual([
        'withdraw calendar/c/e',
      ]);
  });

  test('whose first part still has appointments waits', async () => {
    const links = { rooms: { booking: { ...refusedFor('x'), series: { f: START } } } };
    const over = { ...goesOn, state: 'gone' };
    const { error, puts } = await seriesTurn(second(over, links));
    expect(error).toMatchObject({ code: 'series-held', family: 'deferred' });
    expect(puts).toEqual([]);
    const { end } = await seriesTurn({ ...second(over, links), mapping: { ...mapping, staffEdits: {} } });
    expect(end).toBe('nothing');
  });
});

describe('a row whose appointment is as the row wishes', () => {
  const same = { ...decided(), told: toldAt(START) };

  test('is told nothing new, and keeps its record', async () => {
    const { end, puts, answers } = await turn({ record: booked({}, same), platform: [appointment()] });
    expect([end, puts, answers.length]).toEqual(['nothing', [], 1]);
  });

  test('is told once what it lacks', async () => {
    const { last, answers } = await turn({ record: booked({}, decided()), platform: [appointment()] });
    expect(answers).toEqual([
      { state: 'booked', text: WORDS.booked, appointmentId: ONE, startsAt: at(START) },
    ]);
    expect(last()).toStrictEqual({
      ...{ state: 'booked', ...decided(), told: { is: 'due', answer: answers[0] } },
      own: { id: ONE, wish: carried(), said: carriedWish(wishOf()) },
    });
  });

  test.each<[string, Told, [startMs: number, sinceMs?: number]]>([
    ['somebody moved it', toldAt(START), [LATER, NOW]],
    ['nobody was told before', untold, [LATER]],
    ['it went back to where the row wishes it', toldAt(LATER), [START]],
  ])('is told where it is, and since when: %s', async (_, told, [startMs, expected]) => {
    const { last, answers } = await turn({
      ...{ record: booked({}, { ...decided(), told }), platform: [appointment(ONE, startMs)] },
    });
    expect(answers).toMatchObject([{ startsAt: at(startMs) }]);
    expect(ownOf(last())?.movedThereMs).toBe(expected);
  });

  test('is told that it was cancelled, or no longer is', async () => {
    const ended = await turn({ record: booked({}, same), platform: [gone()] });
    expect(ended.last()).toMatchObject({ state: 'cancelled' });
    expect(ended.answers).toMatchObject([{ state: 'cancelled', text: WORDS.cancelled }]);
    const told = { ...decided(), told: toldAt(START, 'cancelled') };
    expect((await turn({ record: cancelled({}, told), platform: [gone()] })).puts).toEqual([]);
    const again = await turn({ record: cancelled({}, told), platform: [appointment()] });
    expect(again.last()).toMatchObject({ state: 'booked' });
  });

  test('is told again where the row says something else that is no wish', async () => {
    const seen = row({ ready: false });
    const { last, end } = await turn({ seen, record: booked({}, same), platform: [appointment()] });
    expect(end).toBe('nothing');
    expect(last()).toStrictEqual({
      ...{ state: 'booked', decided: hashOf(seen), own: { id: ONE, wish: carried() } },
      told: { is: 'due', answer: expect.objectContaining({ state: 'booked' }) },
    });
  });

  test('reads the refusal of another one until the row changes', async () => {
    const own = { own: { id: ONE, wish: carried() } };
    const record = refusedFor('slot-unavailable', { ...own, ...decided() });
    expect((await turn({ record, platform: [gone()] })).puts).toEqual([]);
    expect((await turn({ record, platform: [appointment()] })).last()).toMatchObject({ state: 'booked' });
  });

  test('is told that the rest of it cannot be changed here', async () => {
    const seen = row({ cells: { service: 'Yoga', name: 'Vera', phone: PHONE, comment: 'late' } });
    const { answers } = await turn({ seen, record: booked({}, same), platform: [appointment()] });
    expect(answers).toMatchObject([{ text: `${WORDS.booked} ${WORDS['not-expressible']}` }]);
  });

  test('remembers once that it is not ready after it was cancelled', async () => {
    const seen = row({ ready: false });
    const told = { ...decided(seen), told: toldAt(START, 'cancelled') };
    const first = await turn({ seen, record: cancelled({}, told), platform: [gone()] });
    expect(first.last()).toMatchObject({ state: 'cancelled', own: { unready: true } });
    const again = { seen, record: cancelled({ unready: true }, told), platform: [gone()] };
    expect((await turn(again)).puts).toEqual([]);
    const ready = { record: cancelled({}, { ...told, ...decided() }), platform: [gone()] };
    expect((await turn(ready)).puts).toEqual([]);
    const stands = { seen, record: booked({}, { ...decided(seen), told: toldAt(START) }) };
    expect((await turn({ ...stands, platform: [appointment()] })).puts).toEqual([]);
  });

  test('remembers that for as long as it is cancelled', async () => {
    const seen = row({ ready: false });
    const kept = await turn({ seen, record: cancelled({ unready: true }), platform: [gone()] });
    expect(kept.last()).toMatchObject({ own: { unready: true } });
    const back = await turn({ seen, record: cancelled({ unready: true }), platform: [appointment()] });
    expect(back.last()).toMatchObject({ state: 'booked' });
    expect(ownOf(back.last())).not.toHaveProperty('unready');
    const never = await turn({ record: booked({}, decided()), platform: [gone()] });
    expect(ownOf(never.last())).not.toHaveProperty('unready');
  });

  test('forgets the hour that lost once the row says another one', async () => {
    const wish = { is: 'overruled', wished: carriedWish(wishOf()), startsAt: at(LATER) } as const;
    const given = { record: booked({ wish }), platform: [appointment()] };
    expect(ownOf((await turn(given)).last())?.wish).toEqual(carried());
    expect(ownOf((await turn({ ...given, seen: moved() })).last())?.wish).toEqual(wish);
  });

  test.each<[string, Given]>([
    ['is gone', { seen: row({ state: 'gone' }), platform: [appointment()] }],
    ['is of an appointment that the platform does not show', {}],
  ])('that %s only records that this was seen', async (_, given) => {
    const record = booked({}, { told: toldAt(LATER) });
    const { puts, end } = await turn({ ...given, record });
    expect([end, puts]).toEqual(['nothing', [{ ...record, ...decided(given.seen) }]]);
    const known = { ...record, ...decided(given.seen) };
    expect((await turn({ ...given, record: known })).puts).toEqual([]);
  });

  test('is decided again by other rules only if it was no booking', async () => {
    const other = { decided: `${hashOf(row()).split('/')[0]}/other` };
    const record: BookingRecord = { state: 'ignored', code: 'not-ready', told: untold, ...other };
    const { puts, end } = await turn({ record });
    expect([end, puts]).toEqual(['nothing', [{ ...record, ...decided() }]]);
    expect((await turn({ record: { ...record, decided: 'else/other' } })).end).toBe('created');
  });

  test('that was refused is not told twice', async () => {
    const { end, puts } = await turn({ record: refusedFor('slot-unavailable', decided()) });
    expect([end, puts]).toEqual(['nothing', []]);
  });

  test('that is gone before it was booked is ignored', async () => {
    const { last, answers } = await turn({ seen: row({ state: 'gone' }) });
    expect(last()).toMatchObject({ state: 'ignored', code: 'gone' });
    expect(answers).toEqual([]);
  });
});

describe('a row that names somebody else', () => {
  const given = { record: booked({}, decided()), platform: [appointment()] };

  test('does not read the appointment as its own', async () => {
    const { answers, last, end } = await turn({ ...given, seen: olga() });
    expect(end).toBe('updated');
    expect(answers).toMatchObject([{ text: WORDS['other-customer'], appointmentId: ONE }]);
    const record = { ...last(), ...decided(olga()) } as BookingRecord;
    expect((await turn({ ...given, seen: olga(), record })).puts).toEqual([]);
    const told = { is: 'due', answer: { ...answers[0], text: WORDS.booked } } as Told;
    const old = await turn({ ...given, seen: olga(), record: { ...record, told } });
    expect(old.answers).toMatchObject([{ text: WORDS['other-customer'] }]);
    expect((await turn({ ...given, seen: olga(), record: { ...record, told: untold } })).puts).toHaveLength(
      1,
    );
  });

  test('reads so beside any other reason', async () => {
    const seen = olga({ unclear: 'formula' });
    const { answers, last } = await turn({ ...given, seen });
    expect(answers).toMatchObject([{ text: WORDS['other-customer'] }]);
    expect(last()).toMatchObject({ state: 'booked' });
  });

  test('by naming nobody any more reads so, too', async () => {
    const { answers } = await turn({ ...given, seen: moved({ cells: { service: 'Yoga' } }) });
    expect(answers).toMatchObject([{ text: WORDS['other-customer'] }]);
  });

  test('and whose wish is unknown still sees that the appointment was moved', async () => {
    const record = booked({ wish: { is: 'unknown' } }, { ...decided(olga()), told: toldAt(LATER) });
    const { last, end } = await turn({ ...given, seen: olga(), record });
    expect(end).toBe('nothing');
    expect(last()).toMatchObject({ own: { wish: { is: 'unknown' }, movedThereMs: NOW } });
  });

  test.each<[string, BookingRecord, object | undefined]>([
    [
      'the one booked before',
      booked({
        wish: {
          ...carried(),
          wished: {
            ...carriedWish(wishOf()),
            who: { phone: 'p', name: carriedWish(wishOf()).who?.name as string },
          },
        },
      }),
      { phone: 'p' },
    ],
    [
      'nobody in an old record',
      booked({ wish: { ...carried(), wished: { ...carriedWish(wishOf()), who: undefined } as never } }),
      undefined,
    ],
  ])('keeps as its customer while it is moved: %s', async (_, record, who) => {
    const { puts, asked } = await turn({ ...given, record, seen: moved() });
    expect(asked[0]?.wish).toStrictEqual({
      ...{ op: 'move', appointmentId: ONE, startsAt: at(LATER), notifyCustomer: false },
    });
    const kept = puts[0]?.asked ?? {};
    if (who === undefined) expect(kept).not.toHaveProperty('who');
    else expect(kept).toMatchObject({ who });
  });
});

describe('after a loss of Redis', () => {
  const record = booked({ wish: { is: 'unknown' } });

  test('a row that differs from its appointment asks a person', async () => {
    const { end, last, answers, asked } = await turn({ record, platform: [appointment(ONE, LATER)] });
    expect([end, asked]).toEqual(['updated', []]);
    expect(answers[0]?.text).toBe(`${WORDS.booked} ${WORDS.differs}`);
    expect(last()).toMatchObject({ own: { wish: { is: 'overruled', startsAt: at(START) } } });
  });

  test('a row that differs from a cancelled one does, too', async () => {
    const { answers, logged } = await turn({ record, platform: [gone(LATER)] });
    expect(answers[0]?.text).toBe(`${WORDS.cancelled} ${WORDS['differs-cancelled']}`);
    expect(logged).toMatchObject([{ code: 'not-carried', reason: 'differs-cancelled' }]);
  });
});

describe('an event', () => {
  const given = { seen: event(), record: booked({ wish: carried(hallWish()) }), platform: [appointment()] };
  const mirrored = { stored: { [`appointment/${ONE}`]: linked([HALL, 'e']) } };

  test('whose appointment is known becomes its mirror, and shows no refusal', async () => {
    const told: Told = {
      is: 'given',
      answer: { state: 'refused', text: 'No.', startsAt: at(LATER) },
      stands: 'x',
    };
    const { end, done, last, puts, adopted, answers } = await turn({
      ...{ ...given, record: { ...given.record, told } },
    });
    expect([end, done]).toEqual(['updated', ['answer booked', `adopt appointment/${ONE} staff`]]);
    expect(answers).toEqual([{ state: 'booked', text: '' }]);
    expect(adopted).toMatchObject([
      { calendarId: HALL, eventId: 'e', edit: { is: 'settled' }, event: { hour: { startsAt: at(START) } } },
    ]);
    expect(adopted[0]).not.toHaveProperty('note');
    expect(puts[0]).toMatchObject({ own: { id: ONE } });
    expect(ownOf(last())).toStrictEqual({ id: ONE, wish: carried(hallWish()), mirrored: true });
  });

  test('whose text has changed meanwhile says that it was put back', async () => {
    const { adopted } = await turn({ ...given, seen: event({ title: 'Olga' }) });
    expect(adopted).toMatchObject([
      { note: { code: 'not-expressible', of: expect.stringContaining('confirmed') } },
    ]);
    const unknown = { ...given, record: booked({ wish: { is: 'unknown' } }) };
    for (const seen of [event({ title: 'Olga' }), event({ is_matching: false })]) {
      const { adopted: links, end } = await turn({ ...unknown, seen });
      expect([end, links.length, links[0]?.note, links[0]?.event.hour]).toEqual([
        'updated',
        1,
        undefined,
        {},
      ]);
    }
  });

  test('that is longer than its appointment says so', async () => {
    const { adopted } = await turn({ seen: event({ ends_at: at(LATER) }) });
    expect(adopted).toMatchObject([{ note: { code: 'duration' } }]);
    expect((await turn({ seen: event() })).adopted[0]).not.toHaveProperty('note');
  });

  test('of a cancelled appointment becomes no mirror', async () => {
    const { adopted, last } = await turn({
      ...{ seen: event(), answer: () => ({ outcome: 'done', appointment: gone() }) },
    });
    expect(adopted).toEqual([]);
    expect(last()).toMatchObject({ state: 'cancelled' });
    const known = await turn({ ...given, platform: [gone()] });
    expect(known.puts).toEqual([{ ...given.record, ...decided(event()) }]);
    const again = { ...given.record, ...decided(event()) };
    expect((await turn({ ...given, platform: [gone()], record: again })).puts).toEqual([]);
  });

  test('that is gone is handed over to those who look for it', async () => {
    const seen = event({ state: 'gone' });
    const { end, adopted, last } = await turn({ ...given, seen });
    expect(end).toBe('updated');
    expect(adopted).toMatchObject([{ calendarId: HALL, edit: { is: 'open', sinceMs: NOW } }]);
    expect(ownOf(last())?.mirrored).toBe(true);
  });

  test.each([event(), invitation()])('that is the mirror by now is known as it: %#', async (seen) => {
    const { puts, end } = await turn({ ...given, ...mirrored, seen });
    expect(end).toBe('nothing');
    expect(puts).toEqual([
      { ...given.record, ...decided(seen), own: { ...ownOf(given.record), mirrored: true } },
    ]);
    const known = { ...puts[0], ...decided(seen) } as BookingRecord;
    expect((await turn({ ...given, ...mirrored, seen, record: known })).puts).toEqual([]);
    const unseen = { ...known, decided: 'else/where' };
    expect((await turn({ ...given, ...mirrored, seen, record: unseen })).puts).toEqual([known]);
    const unknown = { ...given.record, ...decided(seen) };
    expect((await turn({ ...given, ...mirrored, seen, record: unknown })).puts).toEqual([known]);
  });

  describe('without an hour', () => {
    const day = (fields: object = {}) => {
      const { starts_at: _, ends_at: __, ...rest } = event({ date: '2026-03-04', ...fields });
      return rest as SeenEventBooking;
    };
    test('is offered the free times of its day', async () => {
      const { done, answers } = await turn({ seen: day() });
      const within = { fromMs: Date.parse('2026-03-03T23:00Z'), toMs: Date.parse('2026-03-04T23:00Z') };
      const about = {
        wished: { serviceId: 'yoga', resourceId: 'hall' },
        within: { ...within, sinceMs: NOW - HOUR },
      };
      expect(done[0]).toBe(`free ${JSON.stringify(about)}`);
      expect(answers[0]?.text).toContain(WORDS['start-missing']);
      expect(answers[0]?.text).toContain('Tue, 3 March 2026, 09:00, Hall');
    });

    test.each<[string, SeenEventBooking]>([
      ['names no service', day({ location: 'Chess' })],
      ['names no day', day({ date: 'some day', written_late: true })],
    ])('is offered none if it %s', async (_, seen) => {
      const { done, answers } = await turn({ seen });
      expect(done.filter((each) => each.startsWith('free'))).toEqual([]);
      expect(answers).toMatchObject([{ text: WORDS['start-missing'] }]);
    });
  });
});

describe('the words of an answer', () => {
  const slot = { startsAt: at(START), endsAt: at(LATER), resourceId: 'hall' };
  const answer =
    (code = 'slot-unavailable') =>
    () =>
      ({ outcome: 'refused', refusal: { code, slots: [slot, { ...slot, resourceId: 'none' }] } }) as const;

  test.each<[string, Given, string[]]>([
    ['an event reads its own zone', { seen: event() }, ['10:00, Hall', '10:00']],
    ['a row reads the zone of its entry', { mapping: { timezone: 'Asia/Tokyo' } }, ['18:00, Hall', '18:00']],
    ['a row without one reads UTC', {}, ['09:00, Hall', '09:00']],
    ['an outsider reads no names', { seen: invitation() }, ['10:00', '10:00']],
  ])('%s', async (_, given, times) => {
    const { answers } = await turn({ ...given, answer: answer() });
    expect(answers[0]?.text.split('\n').slice(-2)).toEqual(
      times.map((each) => `– Tue, 3 March 2026, ${each}`),
    );
  });

  test('an outsider reads nothing about people', async () => {
    const { answers } = await turn({ seen: invitation(), answer: answer('customer-unknown') });
    expect(answers).toEqual([{ state: 'refused', text: WORDS['ask-us'] }]);
    const record = booked({ wish: carried(hallWish()) });
    const seen = invitation({ starts_at: at(LATER), ends_at: at(LATER + HOUR) });
    const change = { record, seen, platform: [appointment()] };
    const later = await turn({ ...change, answer: answer('resource-not-eligible') });
    expect(later.answers).toMatchObject([{ text: `${WORDS.booked} ${WORDS['ask-us']}` }]);
  });
});

describe('each decision is recorded', () => {
  const known = { record: booked(), platform: [appointment()] };
  const there = bookingIdOf(calendarOrigin(OTHER, 'e'));
  const elsewhere = { ...ROOMS, calendars: [...ROOMS.calendars, { calendarId: OTHER, mirror: 'staff' }] };
  test.each<[string, Given, object]>([
    ['booked', {}, { appointmentId: TWO }],
    ['refused', { answer: () => refusal('slot-unavailable') }, { reason: 'slot-unavailable' }],
    ['refused', { seen: row({ starts_at: 'noon' }) }, { reason: 'start-unreadable' }],
    ['refused', { seen: invitation(), stops: 'may be booked' }, { reason: 'invited-too-often' }],
    ['refused', { hold: { verdict: 'wait', isParked: true } }, { reason: 'mass-booking' }],
    ['ignored', { seen: row({ ready: false }) }, { reason: 'not-ready' }],
    [
      'ignored',
      {
        ...{ seen: event(), parts: { events: { read: async () => 'absent' }, entries: [elsewhere] } },
        stored: {
          [`booking/${there}`]: { rooms: { booking: booked() } },
          [`appointment/${ONE}`]: linked([HALL, 'e']),
        },
      },
      { reason: 'moved-here' },
    ],
    ['moved', { ...known, seen: moved() }, { appointmentId: ONE }],
    ['cancelled', { ...known, seen: row({ cancel: true }) }, { appointmentId: ONE }],
    [
      'move-refused',
      { ...known, seen: moved(), answer: () => refusal('conflict') },
      { appointmentId: ONE, reason: 'conflict' },
    ],
    ['not-carried', { ...known, seen: olga() }, { appointmentId: ONE, reason: 'other-customer' }],
    [
      'not-carried',
      { record: booked({ wish: { is: 'unknown' } }), platform: [appointment(ONE, LATER)] },
      { appointmentId: ONE, reason: 'differs' },
    ],
    ['adopted', { ...known, seen: event() }, { appointmentId: ONE }],
    ['adopted', { ...known, seen: event({ state: 'gone' }) }, { appointmentId: ONE, reason: 'gone' }],
  ])('%s: %#', async (code, given, about) => {
    const { logged, counted, notes, mapping } = await turn(given);
    const { name } = mapping;
    const { appointmentId, ...why } = about as { appointmentId?: string };
    expect(logged).toStrictEqual([{ key: 'booking/b', mapping: name, code, ...about }]);
    expect(counted).toEqual([{ name: 'slotbridge_outside_bookings_total', mapping: name, code }]);
    const entry = { what: 'acted', atMs: NOW, by: 'booking', code, rule: `bookings.${name}` };
    expect(notes).toEqual([
      { ...entry, key: 'booking/b', ids: about },
      ...(appointmentId === undefined
        ? []
        : [{ ...entry, key: `appointment/${appointmentId}`, ids: { ...why, booking: 'b' } }]),
    ]);
  });

  test('and a move or a cancellation says nothing of an overruled hour', async () => {
    for (const seen of [moved(), row({ cancel: true })]) {
      const { answers } = await turn({ ...known, seen });
      expect([WORDS.booked, WORDS.cancelled]).toContain(answers[0]?.text);
    }
  });

  test('with the phone of nobody', async () => {
    const { logged, notes } = await turn();
    expect(JSON.stringify([logged, notes])).not.toContain(PHONE.slice(-7));
  });
});
