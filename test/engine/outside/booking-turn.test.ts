/** Turns of outside bookings over stand-ins: what is asked of the platform, what is stored before, what stops it. */

import { describe, expect, test } from 'vitest';
import { carriedWish } from '../../../src/engine/decide-booking.ts';
import { bookingIdOf, calendarOrigin } from '../../../src/engine/ids.ts';
import type { BookingRecord, SeenBooking } from '../../../src/engine/outside-booking.ts';
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
  HELD,
  HOUR,
  hallWish,
  hashOf,
  LOOP,
  linked,
  MINUTE,
  NOW,
  ONE,
  OTHER,
  PHONE,
  ROOMS,
  refusal,
  refusedFor,
  row,
  START,
  stand,
  TWO,
  turn,
  untold,
  wishOf,
} from './turn-stand.ts';

const LATER = START + 2 * HOUR;
const invitation = (fields: object = {}) =>
  event({ guest_copy: 'writable', organizer: 'guest@y.example', ...fields });
const ticked = (fields: object = {}) => row({ cancel: true, ...fields });
const moved = (fields: object = {}) => row({ starts_at: at(LATER), ...fields });
const open = (earlier: object = wishOf()) => ({ outcome: 'open', earlier });
const moveOf = (startMs: number, fields: object = {}) => ({
  ...{ op: 'move', appointmentId: ONE, startsAt: at(startMs), notifyCustomer: false },
  ...fields,
});
const cancelOf = { op: 'cancel', appointmentId: ONE, notifyCustomer: false };

describe('the target of an entry', () => {
  test('leaves what another entry takes, and what nothing is known of', async () => {
    const { target, puts } = stand();
    const theirs = row({ mapping: 'other' });
    expect(await target.reconcile(claimOf(theirs), undefined as never)).toBe('nothing');
    expect(await target.reconcile(claimOf(undefined), undefined as never)).toBe('nothing');
    expect(puts).toEqual([]);
    expect(target).toMatchObject({ name: 'desk', from: 'booking' });
  });

  const links = (booking: BookingRecord | undefined, name = 'desk') =>
    booking === undefined ? {} : { [name]: { booking } };
  const soon = NOW + 5 * MINUTE;
  test.each<[string, [seen?: SeenBooking, record?: BookingRecord], number | undefined]>([
    ['nothing is known of', [], undefined],
    ['another entry takes', [row({ mapping: 'other' })], undefined],
    ['is undecided', [row()], soon],
    ['is new', [row(), { state: 'new', told: untold }], soon],
    ['is booked', [row(), booked()], undefined],
    ['was refused for a name', [row(), refusedFor('service-unknown')], soon],
    ['was refused for its hour', [row(), refusedFor('slot-unavailable')], undefined],
    [
      'was ignored by a code of names',
      [row(), { ...refusedFor('service-unknown'), state: 'ignored' } as never],
      undefined,
    ],
    ['begins now', [row({ starts_at: at(NOW) })], undefined],
    ['begins in a moment', [row({ starts_at: at(NOW + 1) })], soon],
  ])('wants another turn soon for a name that may come: one that %s', (_, [seen, record], expected) => {
    expect(stand().target.nextTurnAtMs?.(claimOf(seen, links(record)), NOW)).toBe(expected);
  });

  const series = { series: { horizonMs: HOUR } };
  const master = (fields: object = {}) => event({ recurrence: ['RRULE:FREQ=DAILY'], ...fields });
  const known: BookingRecord = { ...booked(), series: { e: START } };
  test.each<[string, [mapping: object, seen: SeenBooking, record?: BookingRecord], number | undefined]>([
    ['that is booked', [series, master()], NOW + 6 * HOUR],
    ['that was one', [series, event(), known], NOW + 6 * HOUR],
    ['that is gone', [series, master({ state: 'gone' })], undefined],
    ['of an entry that books none', [{}, master()], undefined],
  ])('reads a series again: one %s', (_, [mapping, seen, record], expected) => {
    const { target } = stand({ seen, mapping });
    expect(target.nextTurnAtMs?.(claimOf(seen, links(record, 'rooms')), NOW)).toBe(expected);
  });

  test('reads no series of rows', () => {
    const seen = row({ recurrence: ['RRULE:FREQ=DAILY'] } as never);
    expect(stand({ mapping: series }).target.nextTurnAtMs?.(claimOf(seen), NOW)).toBeUndefined();
  });
});

describe('a row', () => {
  test('is booked: stored, judged, asked, told', async () => {
    const { end, done, puts, asked, judged, observed, last, claim, adopted, platform } = await turn();
    expect(end).toBe('created');
    expect(done).toEqual(['writable', LOOP, 'submit book', 'answer booked']);
    expect(puts[0]).toEqual({ state: 'new', told: untold, asked: carriedWish(wishOf()) });
    expect(asked).toMatchObject([{ wish: wishOf(), about: { claim, origin: 'row/b' } }]);
    expect(asked[0]?.about['isFormer']).toBeTypeOf('function');
    expect(judged).toEqual([
      {
        object: JSON.parse(HELD),
        wish: { of: hashOf(row()).split('/')[0], isHeld: false, perHour: 40 },
      },
    ]);
    expect(observed).toEqual([
      {
        ...{ key: { kind: 'appointment', id: TWO }, source: 'list', occurredAtMs: NOW },
        seen: { as: 'snapshot', snapshot: platform.get(TWO) },
      },
    ]);
    expect(last()).toMatchObject({
      state: 'booked',
      own: { id: TWO, wish: carried() },
      decided: hashOf(row()),
    });
    expect(last()).not.toHaveProperty('asked');
    expect(adopted).toEqual([]);
  });

  test('is left alone until it is still', async () => {
    const seen = row({ seen_at: at(NOW - 20_000) });
    const { error, done } = await turn({ seen });
    expect(error).toMatchObject({ code: 'booking-still', family: 'deferred', retryAfterMs: 10_000 });
    expect(done).toEqual([]);
  });

  test.each([
    ['no loop', ['writable', LOOP]],
    ['writable', ['writable']],
  ])('is not booked where the guard stops it: %s', async (stops, expected) => {
    const { end, done, last } = await turn({ stops });
    expect(end).toBe('stopped');
    expect(done).toEqual(expected);
    expect(last()).toHaveProperty('asked');
  });

  test('mails the customer only where that is set, and the guard allows it', async () => {
    const mapping = { notifyCustomer: true };
    const { done, asked } = await turn({ mapping });
    expect(asked).toMatchObject([{ wish: { notifyCustomer: true } }]);
    expect(done[2]).toMatch(/^may mail booking\/b [0-9a-f]+\/[0-9a-f]+ 2026-03-02T08:00:00.000Z$/);
    expect((await turn({ mapping, stops: 'may mail' })).asked).toEqual([]);
  });

  test('that the platform refuses reads why', async () => {
    const { end, last, answers } = await turn({ answer: () => refusal('slot-unavailable') });
    expect(end).toBe('updated');
    expect(last()).toMatchObject({ state: 'refused', code: 'slot-unavailable' });
    expect(answers).toMatchObject([{ state: 'refused', text: expect.stringContaining('already taken') }]);
  });

  test('without a column for the appointment is not asked to take one over', async () => {
    const standing = { appointmentId: ONE, startsAt: at(START) };
    const answer = () =>
      ({ outcome: 'refused', refusal: { code: 'perhaps-booked', slots: [], standing } }) as const;
    const columns = { starts_at: 'Start', id: 'ID', status: 'Status' };
    const { last } = await turn({ answer, mapping: { columns } });
    expect(last()).toMatchObject({ code: 'perhaps-booked-unnamed' });
    expect((await turn({ answer })).last()).toMatchObject({ code: 'perhaps-booked' });
  });

  test('that the platform already had is judged again, and counts as no new row', async () => {
    const { done, puts, end, last } = await turn({
      platform: [appointment()],
      answer: () => ({ outcome: 'done', appointment: appointment(), found: true }),
    });
    expect(done).toContain(`discount ${HELD}`);
    expect(puts[1]).toEqual({ state: 'booked', told: untold, own: { id: ONE, wish: { is: 'unknown' } } });
    expect(end).toBe('nothing');
    expect(last()).toMatchObject({ own: { id: ONE, wish: carried() } });
  });

  test('whose earlier request has ended is judged again', async () => {
    const earlier = wishOf({ startsAt: at(LATER) });
    const { end, puts, last, asked } = await turn({
      platform: [appointment(ONE, LATER)],
      answer: ({ op }) =>
        op === 'book' ? { outcome: 'done', appointment: appointment(ONE, LATER), earlier } : undefined,
    });
    expect(puts[1]).toEqual({ state: 'booked', told: untold, own: { id: ONE, wish: carried(earlier) } });
    expect(end).toBe('moved');
    expect(asked.map(({ wish }) => wish)).toEqual([wishOf(), moveOf(START)]);
    expect(last()).toMatchObject({ state: 'booked', own: { id: ONE, wish: carried() } });
  });

  test('that keeps changing is left to another turn', async () => {
    const earlier = wishOf({ startsAt: at(LATER) });
    const { error, asked, done } = await turn({ answer: () => ({ ...refusal('conflict'), earlier }) });
    expect(error).toMatchObject({ code: 'booking-unsettled', family: 'retryable' });
    expect(asked).toHaveLength(4);
    expect(done).not.toContain('answer refused');
  });

  test('whose service nobody knows has the lists read again before it is refused', async () => {
    const seen = row({ cells: { service: 'Chess', name: 'Vera' } });
    const { done, last } = await turn({ seen });
    expect(done).toEqual([`lists since ${at(NOW - 10_000)}`, 'answer refused']);
    expect(last()).toMatchObject({ code: 'service-unknown' });
    const record = refusedFor('service-unknown', { decided: hashOf(seen) });
    expect((await turn({ seen, record })).done).toEqual([]);
    expect((await turn({ seen: row({ starts_at: 'noon' }) })).done).toEqual(['answer refused']);
  });

  test('that is not ready is ignored, and nothing is written', async () => {
    const { end, last, answers, done } = await turn({ seen: row({ ready: false }) });
    expect(end).toBe('nothing');
    expect(last()).toMatchObject({ state: 'ignored', code: 'not-ready' });
    expect(answers).toEqual([{ state: 'ignored', text: '' }]);
    expect(done).toEqual(['answer ignored']);
  });
});

describe('many rows at once', () => {
  const held = refusedFor('mass-booking', { decided: hashOf(row()) });
  const wait = { verdict: 'wait', isParked: true } as const;

  test.each<[string, Given, object]>([
    ['count by what the entry says', { mapping: { rowsPerHour: 3 } }, { perHour: 3, isHeld: false }],
    ['never pass if they were not ready before', { seen: row({ unticked: true }) }, { perHour: 0 }],
    ['pass if they were ready', { seen: row({ unticked: false }) }, { perHour: 40 }],
    ['say that they are held', { record: held }, { isHeld: true }],
  ])('%s', async (_, given, wish) => {
    expect((await turn(given)).judged).toMatchObject([{ wish }]);
  });

  test('wait for a person', async () => {
    const { end, done, last } = await turn({ hold: wait });
    expect(end).toBe('updated');
    expect(done).toEqual([`find ${at(START)}`, 'answer refused']);
    expect(last()).toMatchObject({ state: 'refused', code: 'mass-booking' });
    expect(last()).not.toHaveProperty('asked');
  });

  test('are not searched for or told twice while they wait', async () => {
    const { end, done, puts } = await turn({ hold: wait, record: held });
    expect([end, done, puts]).toEqual(['nothing', [], []]);
    const changed = await turn({ hold: wait, record: { ...held, decided: 'else/where' } });
    expect([changed.end, changed.done]).toEqual(['updated', ['answer refused']]);
    const declined = await turn({ hold: { ...wait, verdict: 'declined' }, record: held });
    expect(declined.last()).toMatchObject({ code: 'mass-booking-declined' });
  });

  test('are booked if the platform knows them', async () => {
    const { end, done } = await turn({ hold: wait, found: ONE });
    expect(end).toBe('created');
    expect(done.at(-2)).toBe(`release ${HELD}`);
  });

  test('are refused if a person declines, and no longer held', async () => {
    const { last, done } = await turn({ hold: { verdict: 'declined', isParked: true } });
    expect(last()).toMatchObject({ state: 'refused', code: 'mass-booking-declined' });
    expect(done).toEqual([`release ${HELD}`, 'answer refused']);
  });

  test('are released only if they were parked', async () => {
    expect((await turn({ hold: { verdict: 'pass', isParked: false } })).done).not.toContain(
      `release ${HELD}`,
    );
    expect((await turn({ hold: { verdict: 'pass', isParked: true } })).done).toContain(`release ${HELD}`);
  });

  test('stay parked while an earlier request of theirs is judged', async () => {
    const earlier = wishOf({ startsAt: at(LATER) });
    const parked = { verdict: 'pass', isParked: true } as const;
    let asked = 0;
    const again = await turn({
      hold: parked,
      answer: () => {
        asked += 1;
        return asked === 1 ? { ...refusal('conflict'), earlier } : undefined;
      },
    });
    expect(again.done.filter((each) => each.startsWith('release'))).toHaveLength(1);
    const found = await turn({
      ...{ hold: parked, platform: [appointment()] },
      answer: () => ({ outcome: 'done', appointment: appointment(), found: true }),
    });
    expect(found.done).toContain(`release ${HELD}`);
  });

  test('are not judged where a request has left, or an event was made', async () => {
    expect((await turn({ ended: [open()] })).judged).toEqual([]);
    expect((await turn({ seen: event() })).judged).toEqual([]);
  });

  test.each<[string, Given]>([
    ['are no longer ready', { seen: row({ ready: false }) }],
    ['are gone', { seen: row({ state: 'gone' }) }],
  ])('are released where they %s', async (_, given) => {
    expect((await turn({ ...given, record: held })).done).toContain(`release ${HELD}`);
    expect((await turn(given)).done).not.toContain(`release ${HELD}`);
  });

  test('stay held while they change', async () => {
    expect((await turn({ record: held, seen: row({ seen_at: at(NOW) }) })).done).toEqual([]);
  });
});

describe('an open request', () => {
  test('is asked again if the row still wishes it', async () => {
    const { end, done } = await turn({ ended: [open()] });
    expect([end, done]).toEqual(['created', ['writable', LOOP, 'submit book', 'answer booked']]);
  });

  test('is withdrawn for another wish, and the row is judged by how it ended', async () => {
    const other = open(wishOf({ startsAt: at(LATER) }));
    const plain = await turn({ ended: [other] });
    expect(plain.done.slice(0, 2)).toEqual(['withdraw row/b', 'writable']);
    expect(plain.end).toBe('created');
    const lasting = await turn({ ended: Array.from({ length: 10 }, () => other) });
    expect(lasting.done.slice(0, 2)).toEqual(['withdraw row/b', 'writable']);
    const ended = { outcome: 'done', appointment: appointment(ONE, LATER), earlier: other.earlier };
    const late = await turn({ ended: [other, ended], platform: [appointment(ONE, LATER)] });
    expect(late.done.slice(0, 2)).toEqual(['withdraw row/b', LOOP]);
    expect(late.asked.map(({ wish }) => wish)).toEqual([moveOf(START)]);
  });

  test.each<[string, Given]>([
    ['is not ready', { seen: row({ ready: false }) }],
    ['is gone', { seen: row({ state: 'gone' }), record: { state: 'new', told: untold } }],
  ])('is withdrawn where the row %s', async (_, given) => {
    expect((await turn({ ...given, ended: [open()] })).done[0]).toBe('withdraw row/b');
    expect((await turn(given)).done).not.toContain('withdraw row/b');
  });

  test('is left where the row is not still yet', async () => {
    const { done, end } = await turn({ ended: [open()], seen: row({ seen_at: at(NOW) }) });
    expect([done, end]).toEqual([[], 'booking-still']);
  });

  test('that was refused is asked no longer', async () => {
    const record: BookingRecord = { state: 'new', told: untold, asked: carriedWish(wishOf()) };
    const { puts, end } = await turn({ record, ended: [{ ...refusal('conflict'), earlier: wishOf() }] });
    expect(puts[0]).toEqual({ state: 'new', told: untold });
    expect(end).toBe('created');
  });

  test.each<[string, BookingRecord, object]>([
    [
      'stays asked with a move',
      booked({}, { asked: carriedWish(wishOf()) }),
      { asked: carriedWish(wishOf()) },
    ],
    ['asks nothing if nothing was', booked(), {}],
  ])('that moved the appointment %s', async (_, record, more) => {
    const ended = { outcome: 'done', appointment: appointment(), earlier: moveOf(START) };
    const { puts } = await turn({ record, ended: [ended], platform: [appointment()] });
    const own = { id: ONE, wish: carried() };
    expect(puts[0]).toStrictEqual({ state: 'booked', told: untold, own, ...more });
  });
});

describe('an appointment whose booking was not recorded', () => {
  const asked = { asked: carriedWish(wishOf()) };

  test('is learnt from the request, with what was asked', async () => {
    const { puts, end } = await turn({
      ...{ made: ONE, platform: [appointment()], record: { state: 'new', told: untold, ...asked } },
    });
    expect(puts[0]).toEqual({ ...asked, state: 'booked', told: untold, own: { id: ONE, wish: carried() } });
    expect(end).toBe('nothing');
  });

  test('is learnt without a wish where none was asked, or the request is open', async () => {
    const own = { id: ONE, wish: { is: 'unknown' } };
    const none = await turn({ made: ONE, platform: [appointment()] });
    expect(none.puts[0]).toEqual({ state: 'booked', told: untold, own });
    expect((await turn({ made: ONE })).puts[0]).toEqual(none.puts[0]);
    const record: BookingRecord = { state: 'new', told: untold, ...asked };
    const begun = await turn({ made: ONE, platform: [appointment()], record, ended: [open()] });
    expect(begun.puts[0]).toEqual({ state: 'booked', told: untold, own, ...asked });
  });

  test.each<[string, Given, string | undefined]>([
    ['nothing was asked beside it', { record: cancelled() }, undefined],
    ['it is the same one', { record: cancelled({}, asked), made: ONE }, undefined],
    ['another one was made', { record: cancelled({}, asked) }, TWO],
    ['another one is unknown', { record: cancelled({}, asked), platform: [] }, undefined],
    [
      'another one is cancelled',
      { record: cancelled({}, asked), platform: [appointment(TWO, START, { status: 'cancelled' })] },
      undefined,
    ],
    ['nothing was made', { record: cancelled({}, asked), made: undefined as never }, undefined],
  ])('beside a cancelled one: %s', async (_, given, expected) => {
    const { puts, error } = await turn({ made: TWO, platform: [appointment(TWO)], ...given });
    expect(error).toBeTypeOf('string');
    const first = puts[0];
    expect(first?.state === 'booked' ? first.own.id : undefined).toBe(expected);
  });

  test('is not learnt twice where the cancelled one stands again', async () => {
    const { puts } = await turn({ record: cancelled({}, asked), made: ONE, platform: [appointment()] });
    expect(puts).toHaveLength(1);
  });

  const written = (fields: object = {}) => row({ known_appointment: ONE, ...fields });
  const named = appointment(ONE, START, { metadata: { slotbridge_origin: 'row/b' } });
  test('is the one that the row names, if it names the row', async () => {
    const { puts, asked: sent } = await turn({ seen: written(), platform: [named] });
    expect(puts[0]).toEqual({ state: 'booked', told: untold, own: { id: ONE, wish: { is: 'unknown' } } });
    expect(sent).toEqual([]);
    expect((await turn({ seen: written(), platform: [appointment()] })).end).toBe('created');
  });

  test('is not looked for where another one is known', async () => {
    const { puts } = await turn({
      ...{ seen: written(), made: TWO, platform: [named, appointment(TWO)] },
    });
    expect(puts.map((each) => ('own' in each ? each.own?.id : undefined))).not.toContain(ONE);
    const { puts: known } = await turn({
      ...{ seen: written(), record: booked({ id: TWO }), platform: [named, appointment(TWO)] },
    });
    expect(known.map((each) => ('own' in each ? each.own?.id : undefined))).not.toContain(ONE);
  });

  test('is the newer one where the row names a cancelled one', async () => {
    const gone = { ...named, status: 'cancelled' };
    const anew = await turn({ seen: written(), platform: [gone, appointment(TWO)], found: TWO });
    expect(anew.puts[0]).toMatchObject({ state: 'booked', own: { id: TWO } });
    expect(anew.done[0]).toBe(`find ${at(START)}`);
    const none = await turn({ seen: written(), platform: [gone] });
    expect(none.puts[0]).toMatchObject({ own: { id: ONE } });
  });

  test('is searched for where a row without a record says that it is cancelled', async () => {
    const { end, asked: sent } = await turn({ seen: ticked(), found: ONE, platform: [appointment()] });
    expect(end).toBe('removed');
    expect(sent.map(({ wish }) => wish)).toEqual([cancelOf]);
    const none = await turn({ seen: ticked() });
    expect(none.last()).toMatchObject({ state: 'ignored', code: 'cancelled-here' });
    expect(none.answers).toMatchObject([{ text: expect.stringContaining('Nothing was booked') }]);
    const unread = await turn({ seen: ticked({ cells: { service: 'Chess' } }), found: ONE });
    expect(unread.done.filter((each) => each.startsWith('find'))).toEqual([]);
    expect(unread.end).toBe('nothing');
  });

  test('is not searched for where the row is only not ready', async () => {
    const { done } = await turn({ seen: row({ ready: false }), found: ONE });
    expect(done).toEqual(['answer ignored']);
  });
});

describe('a changed row', () => {
  const changed = { record: booked(), platform: [appointment()] };
  const loop = (seen: SeenBooking) => `no loop booking/b ${hashOf(seen)} ${at(NOW - HOUR)} ${MINUTE}`;

  test('moves its appointment: stored before, judged by its start', async () => {
    const { end, done, puts, asked, claim, last } = await turn({ ...changed, seen: moved() });
    expect(end).toBe('moved');
    expect(done).toEqual([loop(moved()), 'submit move', 'answer booked']);
    expect(puts[0]).toMatchObject({ ...booked(), asked: { startsAt: at(LATER) } });
    expect(asked).toEqual([
      { wish: moveOf(LATER), about: { claim, origin: 'row/b', judged: { startMs: START } } },
    ]);
    expect(last()).toMatchObject({ own: { wish: { wished: { startsAt: at(LATER) } } } });
    expect(last()).not.toHaveProperty('asked');
  });

  test('to another resource names it', async () => {
    const seen = row({ cells: { service: 'Yoga', name: 'Vera', phone: PHONE, resource: 'Hall' } });
    const { asked } = await turn({ ...changed, seen });
    expect(asked).toMatchObject([{ wish: moveOf(START, { resourceId: 'hall' }) }]);
  });

  test('cancels its appointment, if not too many do', async () => {
    const { end, done, asked, last, puts } = await turn({ ...changed, seen: ticked() });
    expect(end).toBe('removed');
    expect(done).toEqual([
      ...[loop(ticked()), 'no ticking desk booking/b 7', 'submit cancel', 'answer cancelled'],
    ]);
    expect(asked).toMatchObject([{ wish: cancelOf }]);
    expect(puts).toHaveLength(1);
    expect(last()).toMatchObject({ state: 'cancelled', own: { id: ONE, wish: carried() } });
  });

  test('of a place that counts nothing still asks the guard', async () => {
    const place = { answer: async () => 'answered' as const };
    expect((await turn({ parts: { place } })).end).toBe('created');
    const { done } = await turn({ ...changed, seen: ticked(), parts: { place } });
    expect(done[1]).toBe('no ticking desk booking/b 0');
  });

  test.each([
    ['no loop', moved(), 1],
    ['no ticking', ticked(), 2],
    ['may mail', ticked(), 3],
    ['may mail', moved(), 2],
  ])('does nothing where the guard stops it: %s', async (stops, seen, steps) => {
    const { end, done, puts } = await turn({ ...changed, seen, stops, mapping: { notifyCustomer: true } });
    expect([end, done.length, puts]).toEqual(['stopped', steps, []]);
  });

  test('mails nobody where the entry mails nobody', async () => {
    const mails = await turn({ ...changed, seen: moved(), mapping: { notifyCustomer: true } });
    expect(mails.asked).toMatchObject([{ wish: { notifyCustomer: true } }]);
    const { done } = await turn({ ...changed, seen: moved() });
    expect(done.filter((each) => each.startsWith('may mail'))).toEqual([]);
  });

  test('that the platform refuses keeps the appointment, and reads why', async () => {
    const { end, last, answers } = await turn({
      ...{ ...changed, seen: moved(), answer: () => refusal('slot-unavailable') },
    });
    expect(end).toBe('updated');
    expect(last()).toMatchObject({
      state: 'booked',
      own: { wish: carried(), said: { startsAt: at(LATER) } },
    });
    expect(answers).toMatchObject([{ state: 'booked', startsAt: at(START) }]);
    expect(answers[0]?.text).toContain('already taken');
  });

  test('that is refused because the appointment is not there waits for another turn', async () => {
    const world = stand({
      ...{ ...changed, seen: moved() },
      answer: () => {
        world.platform.clear();
        return refusal('not-found');
      },
    });
    await expect(world.run()).rejects.toMatchObject({ code: 'booking-unsettled', family: 'retryable' });
  });

  test('whose earlier request ended is judged again', async () => {
    let asked = 0;
    const { end, puts } = await turn({
      ...{ ...changed, seen: moved() },
      answer: () => {
        asked += 1;
        return asked === 1 ? { ...refusal('conflict'), earlier: moveOf(START) as never } : undefined;
      },
    });
    expect(end).toBe('moved');
    expect(puts[1]).toEqual(booked());
  });

  test('ends another open request first', async () => {
    const other = moveOf(LATER + HOUR);
    const ended = { outcome: 'done', appointment: appointment(ONE, LATER + HOUR), earlier: other };
    const { done, puts } = await turn({ ...changed, seen: moved(), ended: [open(other), ended] });
    expect(done.slice(0, 2)).toEqual([loop(moved()), 'withdraw row/b']);
    expect(puts[0]).toEqual(booked());
    const same = await turn({ ...changed, seen: moved(), ended: [open(moveOf(LATER))] });
    expect(same.done).toEqual([loop(moved()), 'submit move', 'answer booked']);
  });

  test('overrules the platform where the entry says so, and says which hour lost', async () => {
    const told = { is: 'due', answer: { state: 'booked', text: 'x', startsAt: at(START) } } as const;
    const given = {
      ...{ seen: moved(), record: booked({}, { told }), platform: [appointment(ONE, START + HOUR)] },
    };
    const staff = await turn({ ...given, mapping: { conflict: 'staff' } });
    expect(staff.end).toBe('moved');
    expect(staff.answers[0]?.text).toContain('the time of this row counts');
    expect(staff.logged).toMatchObject([
      { code: 'moved', reason: 'platform-overruled', lost: at(START + HOUR), appointmentId: ONE },
    ]);
    const platform = await turn(given);
    expect(platform.asked).toEqual([]);
    expect(platform.logged).toMatchObject([
      { code: 'not-carried', reason: 'moved-meanwhile', lost: at(LATER) },
    ]);
    expect(platform.last()).toMatchObject({ own: { wish: { is: 'overruled', startsAt: at(LATER) } } });
  });

  test('ends its tick where it cancels nothing, or no longer', async () => {
    const over = { platform: [appointment(ONE, START, { status: 'cancelled' })], seen: ticked() };
    const end = (is: boolean) => `tick ended desk booking/b ${is}`;
    expect((await turn({ ...over, record: cancelled() })).done[0]).toBe(end(true));
    expect((await turn({ ...over, record: booked() })).done[0]).toBe(end(false));
    expect((await turn({ ...changed })).done).not.toContain(end(false));
    expect((await turn({ ...changed, seen: ticked() })).done).not.toContain(end(false));
  });
});

describe('an event', () => {
  const mapping = { ...ROOMS, calendars: [...ROOMS.calendars, { calendarId: OTHER, mirror: 'staff' }] };

  test('is booked, and becomes the mirror of its appointment', async () => {
    const { end, done, last, adopted, asked } = await turn({ seen: event() });
    expect(end).toBe('created');
    expect(asked).toMatchObject([{ wish: hallWish() }]);
    expect(done).toEqual([
      ...['writable', `no loop booking/b ${hashOf(event())} ${at(NOW - HOUR)} 0`, 'submit book'],
      `adopt appointment/${TWO} staff`,
    ]);
    expect(adopted).toMatchObject([
      { calendarId: HALL, eventId: 'e', event: { hour: { startsAt: at(START) } } },
    ]);
    expect(last()).toMatchObject({ own: { id: TWO, mirrored: true } });
  });

  test('that was booked in another calendar is not booked again', async () => {
    const id = bookingIdOf(calendarOrigin(OTHER, 'e'));
    const { end, done, last } = await turn({
      seen: event(),
      parts: { events: { read: async () => 'absent' as const }, entries: [mapping] },
      stored: {
        [`booking/${id}`]: { rooms: { booking: booked() } },
        [`appointment/${ONE}`]: linked([HALL, 'e']),
      },
    });
    expect(end).toBe('nothing');
    expect(done).toEqual([]);
    expect(last()).toMatchObject({ state: 'ignored', code: 'moved-here' });
  });

  test('whose sender books too often is refused', async () => {
    const seen = invitation();
    const { last, asked, answers } = await turn({ seen, stops: 'may be booked' });
    expect(last()).toMatchObject({ state: 'refused', code: 'invited-too-often' });
    expect(asked).toEqual([]);
    expect(answers[0]?.text).toContain('too many appointments');
    const may = await turn({ seen });
    expect([may.end, may.adopted, may.answers[0]?.state]).toEqual(['created', [], 'booked']);
  });

  test('that the platform refuses says why', async () => {
    const { last } = await turn({ seen: event(), answer: () => refusal('slot-unavailable') });
    expect(last()).toMatchObject({ state: 'refused', code: 'slot-unavailable' });
  });

  test('that the platform already had becomes its mirror at once', async () => {
    const { end, done, last } = await turn({
      seen: event(),
      answer: () => ({ outcome: 'done', appointment: appointment(), found: true }),
    });
    expect(end).toBe('created');
    expect(done.at(-1)).toBe(`adopt appointment/${ONE} staff`);
    expect(last()).toMatchObject({ own: { id: ONE, wish: carried(hallWish()) } });
  });
});
