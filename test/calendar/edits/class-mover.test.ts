/** The move of a class over stand-ins for both sides: each verdict, at each step of it. */

import { describe, expect, test } from 'vitest';
import { NOTE_WORDS } from '../../../src/engine/booking-answer.ts';
import { CLASSES, type ClassNow, classNow } from '../../../src/engine/class-slot.ts';
import { fenced } from '../../../src/engine/errors.ts';
import { askedWish, linkTo } from '../../../src/engine/link.ts';
import { appointmentState, type Snapshot } from '../../../src/engine/object.ts';
import type { SeenEvent, Wish } from '../../../src/engine/outside-booking.ts';
import {
  announced,
  as,
  at,
  crowd,
  type Earlier,
  FROM,
  free,
  type Given,
  HOUR,
  KEY,
  LATER,
  MINUTE,
  MOVING,
  member,
  NO,
  NOW,
  refused,
  SLOT,
  seenAt,
  stand,
  TO,
  underWay,
} from './mover-stand.ts';

describe('a class that is dragged to a free hour', () => {
  test('is moved one by one, each stored before its request leaves', async () => {
    const { drag, done, wishes, puts, notes, current, places, memory } = stand(free);
    expect(await drag()).toEqual({ is: 'told', code: 'class-moved' });
    expect(places()).toEqual([TO, TO]);
    expect(done).toEqual([
      `no loop true "${TO}" 5`,
      `shows all at ${at(TO)}`,
      ...['1', '2'].map((id) => `may mail appointment/${id} ${at(TO)}`),
      ...[`1 to ${at(TO)}`, `2 to ${at(TO)}`, `read ${at(FROM)}`],
    ]);
    const of = (id: string) => ({
      origin: `appointment/${id}`,
      wish: {
        ...{ op: 'move', appointmentId: id, startsAt: at(TO), notifyCustomer: true },
        seenAs: appointmentState(member(id)),
      },
    });
    expect(wishes).toEqual([of('1'), of('2')]);
    const states = puts.map(
      (link) =>
        link &&
        askedWish(link)
          ?.classMove?.members.map(({ is }) => is)
          .join(),
    );
    expect(states).toEqual([
      ...['waiting,waiting', 'leaving,waiting', 'moved,waiting', 'moved,leaving', 'moved,moved', undefined],
    ]);
    expect(puts[0] && askedWish(puts[0])).toMatchObject({
      for: at(TO),
      classMove: { from: at(FROM), to: at(TO), resourceId: 'hall', notifyCustomer: true },
    });
    expect(notes).toEqual(
      ['1', '2'].map((id) => ({
        ...{ key: `appointment/${id}`, what: 'acted', atMs: NOW, by: 'staff-edit', code: 'moved' },
        ...{ rule: 'mirrors.staff.classes.moved', ids: { class: `class/${KEY.id}` } },
      })),
    );
    expect(current()).toMatchObject({ edit: { is: 'settled' }, event: { etag: `"${TO}"` } });
    expect(current()).not.toHaveProperty('note');
    expect([...(await memory.all('')).keys()]).toEqual([]);
  });

  test('of an event without a version or a time of change asks the guard by what there is', async () => {
    const { handling, edit, done } = stand(free);
    await handling.move(edit, seenAt(TO, { updatedMs: undefined }), TO);
    expect(done[0]).toBe(`no loop true "${TO}" `);
  });

  test('may have fifty people', async () => {
    expect(await stand({ ...free, members: crowd(50) }).drag()).toEqual({ is: 'told', code: 'class-moved' });
  });

  test('mails nobody where the mapping mails nobody', async () => {
    const { drag, done, wishes } = stand({ ...free, notifyCustomer: false });
    await drag();
    expect(done.filter((each) => each.startsWith('may mail'))).toEqual([]);
    expect(wishes).toMatchObject([{ wish: { notifyCustomer: false } }, { wish: { notifyCustomer: false } }]);
  });

  test('starts no history of people who were erased', async () => {
    const { drag, notes, places } = stand({ ...free, erased: ['1'] });
    await drag();
    expect(notes).toMatchObject([{ key: 'appointment/2' }]);
    expect(places()).toEqual([TO, TO]);
  });

  test('of which nothing was read is left for another turn', async () => {
    const { handling, held, edit } = stand(free);
    await held.reread({ read: async (claim) => ({ ...claim, snapshot: { id: KEY.id } }) as never });
    await expect(handling.move(edit, seenAt(TO), TO)).rejects.toMatchObject({ code: 'snapshot-missing' });
  });
});

describe('a class that cannot be moved is put back with the reason, and nothing is asked', () => {
  test.each<[string, Given, string]>([
    ['nobody comes', { members: [] }, 'not-movable'],
    ['the event does not show all', { areAllShown: false }, 'class-hidden'],
    ['somebody has come', { members: [member('1'), member('2', FROM, { status: 'done' })] }, 'not-movable'],
    ['there are too many', { members: crowd(51) }, 'class-too-many'],
    ['one says no end', { members: [member('1'), member('2', FROM, { ends_at: null })] }, 'not-movable'],
  ])('%s', async (_, given, code) => {
    const { drag, wishes, asked, current } = stand({ ...free, ...given });
    expect(await drag()).toEqual({ is: 'told', code: 'class-not-moved', reason: code });
    const text = NOTE_WORDS.en[code as 'not-movable'];
    const of = String(classNow(SLOT, given.members ?? [member('1'), member('2')])['standing']);
    expect(current()).toMatchObject({ edit: { is: 'settled' }, note: { code, text, of } });
    expect(wishes).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('the free times', () => {
  const wished = { serviceId: 'yoga', resourceId: 'hall', guests: 4 };
  const members = [
    member('1', FROM, { guests_count: 3 }),
    member('2', FROM, { ends_at: at(FROM + 2 * HOUR) }),
  ];
  const within = (fromMs: number, toMs: number) => ({ wished, within: { fromMs, toMs, sinceMs: NOW } });

  test('are asked for all people and the whole time', async () => {
    const { drag, asked } = stand({ ...free, members });
    expect(await drag()).toMatchObject({ code: 'class-moved' });
    expect(asked).toEqual([within(TO, TO + 2 * HOUR + MINUTE)]);
  });

  test('of an hour that is taken: three others are offered, nearest first', async () => {
    const away = [-4, 5, -1, 2, -3, 7].map((hours) => TO + hours * HOUR);
    const { drag, asked, current } = stand({ members, free: away, zone: 'Europe/Berlin' });
    expect(await drag()).toMatchObject({ code: 'class-not-moved', reason: 'slot-unavailable' });
    const nearest = [-1, 2, -3].map((hours) => at(TO + hours * HOUR));
    const text = ['slot-unavailable', ...nearest, 'Europe/Berlin'].join(' ');
    expect(current()).toMatchObject({ note: { text } });
    expect(asked).toEqual([
      within(TO, TO + 2 * HOUR + MINUTE),
      within(TO - 6 * HOUR, TO + 6 * HOUR),
      within(TO - 2 * HOUR, TO + 4 * HOUR + MINUTE),
    ]);
  });

  test.each<[string, number[], string]>([
    ['begin before and after it without a gap', [-30, 30], 'off-grid'],
    ['leave a gap of more than its length', [-30, 31], 'slot-unavailable'],
    ['begin only before it', [-30, -10], 'slot-unavailable'],
    ['begin only after it', [10, 30], 'slot-unavailable'],
    ['begin more often than that', [-50, -20, 20, 55], 'off-grid'],
  ])('that %s', async (_, minutes, reason) => {
    const { drag } = stand({ free: minutes.map((each) => TO + each * MINUTE) });
    expect(await drag()).toMatchObject({ code: 'class-not-moved', reason });
  });

  test.each<[string, Given, number]>([
    ['of a rental are not asked for', { bookingMode: 'interval' }, TO],
    ['of an unlisted service are not asked for', { bookingMode: 'unlisted' }, TO],
    ['are not asked for where the class itself takes the time', {}, FROM + HOUR - MINUTE],
    ['are not asked for where it took the time before', {}, FROM - HOUR + MINUTE],
  ])('%s', async (_, given, toMs) => {
    const { drag, asked } = stand({ ...given, seen: [seenAt(toMs)] });
    expect(await drag(toMs)).toMatchObject({ code: 'class-moved' });
    expect(asked).toEqual([]);
  });

  test('are asked for where both hours only touch', async () => {
    const { drag, asked } = stand({ seen: [seenAt(FROM + HOUR)] });
    expect(await drag(FROM + HOUR)).toMatchObject({ reason: 'slot-unavailable' });
    expect(asked).not.toEqual([]);
  });
});

describe('two moves at once', () => {
  const other = `${MOVING}${KEY.id} another`;

  test.each<[string, Given['newest']]>([
    ['that nothing is known of', undefined],
    ['whose handler has announced it', { fence: 'run 5', links: {} }],
    [
      'that a later handler goes on with',
      { fence: 'run 6', links: { staff: { calendars: [underWay([])] } } },
    ],
  ])(
    'of classes that meet, the first one %s: the second one waits, and announces nothing',
    async (_, newest) => {
      const { drag, memory, wishes } = stand({ ...free, newest });
      await memory.set(other, `${NOW - 10 * MINUTE + 1} run 5`);
      await expect(drag()).rejects.toMatchObject({ code: 'class-moving', retryAfterMs: 5_000 });
      expect([...(await memory.all('')).keys()]).toEqual([other]);
      expect(wishes).toEqual([]);
    },
  );

  test('an old one, or its own, keeps nobody waiting', async () => {
    const { drag, memory } = stand(free);
    await memory.set(other, `${NOW - 10 * MINUTE} run 5`);
    await memory.set(`${MOVING}${KEY.id} ${KEY.id}`, String(NOW));
    expect(await drag()).toMatchObject({ code: 'class-moved' });
    expect([...(await memory.all('')).keys()]).toEqual([`${MOVING}${KEY.id} ${KEY.id}`]);
  });

  test('one whose handler died before it was stored keeps nobody waiting, once a later handler looked', async () => {
    const link = linkTo({ calendarId: 'hall@x.example', eventId: 'e' }, { etag: '"0"' });
    const { drag, memory } = stand({
      ...free,
      newest: { fence: 'run 6', links: { staff: { calendars: [link] } } },
    });
    await memory.set(other, `${NOW} run 5`);
    expect(await drag()).toMatchObject({ code: 'class-moved' });
    expect([...(await memory.all('')).keys()]).toEqual([]);
  });

  test('one that could not be stored takes back its own announcement only', async () => {
    const lost = stand({
      ...free,
      onPut: () => {
        throw fenced();
      },
    });
    await expect(lost.drag()).rejects.toMatchObject({ code: 'fenced' });
    expect([...(await lost.memory.all('')).keys()]).toEqual([]);
    const overtaken = stand({
      ...free,
      onPut: () => {
        void overtaken.memory.set(announced(TO), 'a later one');
        throw fenced();
      },
    });
    await expect(overtaken.drag()).rejects.toMatchObject({ code: 'fenced' });
    expect(await overtaken.memory.get(announced(TO))).toBe('a later one');
  });

  test('one is announced until it has ended', async () => {
    const heard: (string | undefined)[] = [];
    const world = stand({
      ...free,
      answer: () => {
        void world.memory.get(announced(TO)).then((value) => heard.push(value));
        return undefined;
      },
    });
    await world.drag();
    expect(heard).toEqual([`${NOW} f`, `${NOW} f`]);
  });
});

describe('a class of which the platform refuses one', () => {
  const two = (code: string) => ({
    ...free,
    answer: ({ appointmentId, startsAt }: Wish & { op: 'move' }) =>
      appointmentId === '2' && startsAt === at(TO) ? refused(code) : undefined,
  });

  test('goes back as a whole', async () => {
    const { drag, done, notes, places, current, memory, held, puts } = stand(two('validation'));
    expect(await drag()).toEqual({ is: 'told', code: 'class-not-moved', reason: 'validation' });
    expect(places()).toEqual([FROM, FROM]);
    expect(done.filter((each) => / to /.test(each))).toEqual([
      ...[`1 to ${at(TO)}`, `2 to ${at(TO)}`, `1 to ${at(FROM)}`],
    ]);
    expect(notes).toMatchObject([
      { key: 'appointment/1', code: 'moved' },
      { key: 'appointment/1', code: 'moved-back' },
    ]);
    expect(current()).toMatchObject({ note: { code: 'validation', text: 'validation' } });
    expect(held.claim.links).not.toHaveProperty(CLASSES);
    const kept = puts.at(-2);
    expect(kept && askedWish(kept)?.classMove?.members.map(({ is }) => is)).toEqual(['back', 'stays']);
    expect([...(await memory.all('')).keys()]).toEqual([]);
  });

  test('is split if somebody holds one of those who had been moved', async () => {
    const { drag, held, places, puts } = stand({
      ...free,
      answer: ({ appointmentId, startsAt }, world) => {
        if (appointmentId !== '2') return undefined;
        expect(startsAt).toBe(at(TO));
        world.move('1', TO, { status: 'pending' });
        return refused('validation');
      },
    });
    expect(await drag()).toEqual({ is: 'told', code: 'class-split', reason: 'validation' });
    expect(places()).toEqual([TO, FROM]);
    expect(held.claim.links[CLASSES]?.split).toEqual({ from: at(FROM), to: at(TO), ids: ['1'] });
    expect(puts.at(-1)).toMatchObject({ note: { code: 'validation' } });
  });

  test('goes on where somebody else has moved that one meanwhile', async () => {
    const { drag, places } = stand({
      ...free,
      answer: ({ appointmentId }, world) => {
        if (appointmentId !== '2') return undefined;
        world.move('2', LATER);
        return refused('validation');
      },
    });
    expect(await drag()).toEqual({ is: 'told', code: 'class-moved' });
    expect(places()).toEqual([TO, LATER]);
  });

  test('says that no booking starts at the minute only where the time is free for it', async () => {
    const around = [TO - 30 * MINUTE, TO, TO + 30 * MINUTE];
    const offGrid = stand({ ...two('slot-unavailable'), free: around });
    expect(await offGrid.drag()).toMatchObject({ reason: 'off-grid' });
    expect(offGrid.current()).toMatchObject({ note: { code: 'off-grid', text: 'off-grid' } });
    expect(offGrid.asked.at(-1)).toEqual({
      wished: { serviceId: 'yoga', resourceId: 'hall', guests: 1 },
      within: { fromMs: TO - HOUR, toMs: TO + 2 * HOUR + MINUTE, sinceMs: NOW },
    });
    for (const taken of [[TO], [TO - 30 * MINUTE, TO], [TO, TO + 30 * MINUTE]]) {
      const told = await stand({ ...two('slot-unavailable'), free: taken }).drag();
      expect(told).toMatchObject({ reason: 'slot-unavailable' });
    }
    expect(await stand({ ...two('validation'), free: around }).drag()).toMatchObject({
      reason: 'validation',
    });
  });

  test('counts its own time as free where both hours overlap', async () => {
    const [toMs, beside] = [FROM + 30 * MINUTE, FROM + 45 * MINUTE];
    const given = (ms: number) => ({ ...{ free: [ms], seen: [seenAt(toMs)] } });
    const answer = () => refused('slot-unavailable');
    expect(await stand({ ...given(beside), answer }).drag(toMs)).toMatchObject({ reason: 'off-grid' });
    const touching = FROM + HOUR;
    const apart = { ...{ seen: [seenAt(touching)], bookingMode: 'interval', answer } };
    const drag = (ms: number) => stand({ ...apart, free: [touching + ms] }).drag(touching);
    expect(await drag(0)).toMatchObject({ reason: 'slot-unavailable' });
    expect(await drag(-MINUTE)).toMatchObject({ reason: 'slot-unavailable' });
    expect(await drag(MINUTE)).toMatchObject({ reason: 'slot-unavailable' });
  });

  test('does not ask for free times of an appointment without a length', async () => {
    const world = stand({
      answer: ({ appointmentId }, { move }) => {
        move(appointmentId, FROM, { ends_at: at(FROM) });
        return refused('slot-unavailable');
      },
      ...{ bookingMode: 'interval', free: [TO - MINUTE, TO - MINUTE, TO + MINUTE] },
    });
    expect(await world.drag()).toMatchObject({ reason: 'slot-unavailable' });
    expect(world.asked).toEqual([]);
  });

  test('of which another request came first is tried again', async () => {
    const earlier: Wish = { op: 'cancel', appointmentId: '1', notifyCustomer: true };
    const { drag, puts } = stand({ ...free, answer: () => ({ ...refused('validation'), earlier }) });
    await expect(drag()).rejects.toMatchObject({ code: 'intent-contended', family: 'retryable' });
    const last = puts.at(-1);
    expect(last && askedWish(last)?.classMove?.members).toMatchObject([{ is: 'leaving' }, { is: 'waiting' }]);
  });
});

describe('a move that a handler finds under way', () => {
  const [one, two] = [member('1'), member('2')];
  const three = (fields: Given = {}) => stand({ members: [one, two], ...fields });
  const wish = (seen: Snapshot, fields: object = {}) => ({
    ...{ op: 'move', appointmentId: seen.id, startsAt: at(TO), notifyCustomer: false },
    ...{ seenAs: appointmentState(seen), ...fields },
  });

  test('is none where nothing is stored', async () => {
    const { handling, edit, done } = three();
    expect(await handling.goOn(edit)).toEqual({ is: 'dragged-on' });
    expect(done).toEqual([]);
  });

  test.each(['asked', 'dropped'] as const)(
    'is carried on, though the calendar may be closed: %s',
    async (is) => {
      const link = underWay([as('waiting', one), as('waiting', two)], { is });
      const { handling, edit, places, puts } = three({ link });
      expect(await handling.goOn(edit)).toEqual({ is: 'told', code: 'class-moved' });
      expect(places()).toEqual([TO, TO]);
      expect(puts.map((each) => each?.edit.is)).toEqual([is, is, is, is, 'settled']);
    },
  );

  test.each<[string, Earlier]>([
    ['its own', { is: 'leaving', reason: 'validation' }],
    ['its own that brings it back', { is: 'returning', reason: 'no' }],
    ['one from before', { is: 'leaving', fields: { seenAs: 'other' } }],
    ['one that cancels', { is: 'leaving', fields: { op: 'cancel' } }],
    ['one while it had asked nothing', { is: 'waiting' }],
  ])('and a request that was refused: %s', async (_, { is, fields = {}, reason }) => {
    const link = underWay([as(is, one)], is === 'returning' ? { refused: NO } : {});
    const earlier = wish(one, fields);
    const ended = { 'appointment/1': { ...refused('validation'), earlier } };
    const { handling, edit, places } = stand({ members: [one], link, ended });
    const code = reason === undefined ? 'class-moved' : 'class-not-moved';
    expect(await handling.goOn(edit)).toEqual({ is: 'told', code, ...(reason && { reason }) });
    expect(places()).toEqual([reason === undefined ? TO : FROM]);
  });

  test('leaves one there whom the platform would not bring back', async () => {
    const there = member('1', TO);
    const link = underWay([as('returning', there)], { refused: NO });
    const earlier = wish(there, { startsAt: at(FROM) });
    const ended = { 'appointment/1': { ...refused('validation'), earlier } };
    const { handling, edit, wishes } = stand({ members: [there], link, ended });
    expect(await handling.goOn(edit)).toEqual({ is: 'told', code: 'class-split', reason: 'no' });
    expect(wishes).toEqual([]);
  });

  test('a request that is open is withdrawn where the appointment has gone elsewhere, and not where it is sent', async () => {
    const ended = {
      'appointment/1': { outcome: 'open', earlier: wish(one) },
      'appointment/2': { outcome: 'open', earlier: wish(two) },
    };
    const link = underWay([as('leaving', one), as('leaving', two)]);
    const world = three({ link, ended });
    world.world.move('1', LATER);
    expect(await world.handling.goOn(world.edit)).toEqual({ is: 'told', code: 'class-moved' });
    expect(world.done).toEqual(['withdraw appointment/1', `2 to ${at(TO)}`, `read ${at(FROM)}`]);
    const none = three({ link });
    none.world.move('1', LATER);
    await none.handling.goOn(none.edit);
    expect(none.done).not.toContain('withdraw appointment/1');
  });

  test('takes one who was moved as moved, and whoever moved elsewhere as they are', async () => {
    const link = underWay([as('leaving', one), as('waiting', two)]);
    const world = three({ link });
    world.world.move('1', TO);
    world.world.move('2', LATER);
    expect(await world.handling.goOn(world.edit)).toEqual({ is: 'told', code: 'class-moved' });
    expect(world.wishes).toEqual([]);
    expect(world.notes).toMatchObject([{ key: 'appointment/1', code: 'moved' }]);
  });

  test('goes back where one can no longer be moved', async () => {
    const link = underWay([as('waiting', one), as('waiting', two)]);
    const world = three({ link });
    world.world.move('2', FROM, { status: 'done' });
    expect(await world.handling.goOn(world.edit)).toEqual({
      ...{ is: 'told', code: 'class-not-moved', reason: 'appointment-not-reschedulable' },
    });
    expect(world.places()).toEqual([FROM, FROM]);
    expect(world.current()).toMatchObject({ note: { text: 'appointment-not-reschedulable' } });
  });

  test('stops where the key does not see one of them', async () => {
    const world = three({ link: underWay([as('waiting', one)]) });
    world.platform.clear();
    await expect(world.handling.goOn(world.edit)).rejects.toMatchObject({
      ...{ code: 'object-not-visible', family: 'terminal', target: 'platform' },
      advice: expect.stringContaining('never deleted'),
    });
  });

  test.each<[string, SeenEvent | 'absent']>([
    ['is gone', 'absent'],
    ['was deleted', seenAt(LATER, { isLive: false })],
    ['is of the whole day', seenAt(LATER, { isAllDay: true })],
    ['is a series', seenAt(LATER, { isRecurring: true })],
    ['says no time', seenAt(undefined)],
    ['is where it goes to', seenAt(TO)],
  ])('ends where its event %s', async (_, seen) => {
    const { handling, edit, current, memory } = three({ link: underWay([as('moved', one)]), seen: [seen] });
    await memory.set(announced(TO), String(NOW));
    expect(await handling.goOn(edit)).toEqual({ is: 'told', code: 'class-moved' });
    expect(current()?.edit).toEqual({ is: 'settled' });
    expect(await memory.get(announced(TO))).toBeUndefined();
  });
});

describe('a class whose event is dragged on while it is moved', () => {
  const on = { seen: [seenAt(LATER), seenAt(LATER)], free: [TO, LATER] };

  test('is moved on with those who had been moved, and nobody else who is there', async () => {
    const { drag, world, done, places, memory, current } = stand({
      ...on,
      answer: ({ startsAt }) => {
        if (startsAt === at(TO)) world.platform.set('9', member('9', TO));
        return undefined;
      },
    });
    expect(await drag()).toEqual({ is: 'told', code: 'class-moved' });
    expect(places()).toEqual([LATER, LATER, TO]);
    expect(done).toEqual([
      ...[`no loop true "${TO}" 5`, `shows all at ${at(TO)}`],
      ...['1', '2'].map((id) => `may mail appointment/${id} ${at(TO)}`),
      ...[`1 to ${at(TO)}`, `2 to ${at(TO)}`, `no loop true "${LATER}" 5`, `read ${at(TO)} alone`],
      ...['1', '2'].map((id) => `may mail appointment/${id} ${at(LATER)}`),
      ...[`1 to ${at(LATER)}`, `2 to ${at(LATER)}`, `read ${at(FROM)}`],
    ]);
    expect([...(await memory.all('')).keys()]).toEqual([]);
    expect(current()?.edit).toEqual({ is: 'settled' });
  });

  test('ends where it was moved to if it cannot go on', async () => {
    const { drag, places, current, memory } = stand({ ...on, free: [TO] });
    expect(await drag()).toEqual({ is: 'told', code: 'class-moved', reason: 'slot-unavailable' });
    expect(places()).toEqual([TO, TO]);
    expect(current()).not.toHaveProperty('note');
    expect([...(await memory.all('')).keys()]).toEqual([]);
  });

  test('is looked at again if it was refused meanwhile', async () => {
    const { drag, done, current, places, memory } = stand({
      ...on,
      answer: ({ appointmentId }) => (appointmentId === '2' ? refused('validation') : undefined),
    });
    expect(await drag()).toEqual({ is: 'dragged-on' });
    expect(places()).toEqual([FROM, FROM]);
    expect(done.at(-1)).toBe(`read ${at(FROM)}`);
    expect(current()?.edit.is).toBe('open');
    expect([...(await memory.all('')).keys()]).toEqual([]);
  });

  test('is followed for as long as people drag it, and then left to another turn', async () => {
    const hours = [1, 2, 3, 4, 5, 6, 7].map((n) => TO + n * 2 * HOUR);
    const seen = hours.map((ms) => seenAt(ms));
    const far = stand({ seen, free: [TO, ...hours] });
    await expect(far.drag()).rejects.toMatchObject({ code: 'edit-unsettled', family: 'retryable' });
    expect(far.places()).toEqual([hours[4], hours[4]]);
    const rests = stand({ seen: [...seen.slice(0, 5), ...seen.slice(4, 5)], free: [TO, ...hours] });
    expect(await rests.drag()).toEqual({ is: 'told', code: 'class-moved' });
    expect(rests.places()).toEqual([hours[4], hours[4]]);
  });
});

test('of two links, the other one stays', async () => {
  const { held, drag } = stand(free);
  const other = linkTo({ calendarId: 'other@x.example', eventId: 'o' });
  await held.put('staff', other);
  await drag();
  expect(held.links('staff')).toContainEqual(other);
  expect((held.claim.snapshot as ClassNow).members).toEqual([]);
});
