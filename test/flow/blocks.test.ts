/** Private events and the time that they take on the platform: real Redis, both sandboxes, one turn after another. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { PlatformWriter } from '../../src/engine/platform.ts';
import { BlockStands, FAMILY, march, PRIVATE, SECRET_TEXT, tuesday, WORK } from '../stand/blocks.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new BlockStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

describe('private events', () => {
  test('take the time of their person, silently, for the house contact; overlapping ones are one block', async () => {
    const world = await stands.start();
    world.busy(tuesday('10:00'), tuesday('11:00'));
    world.busy(tuesday('10:30'), tuesday('12:00'), { calendarId: FAMILY });
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:00-12:00']);
    expect(world.all()).toMatchObject([
      { service_id: world.busyId, resource_ids: [world.annaId], contact_id: world.houseId, comment: null },
    ]);
    expect(world.sandbox.stats().customerMails).toBe(0);
  });

  test('are left alone once their blocks stand: a second look and a second turn write nothing', async () => {
    const world = await stands.start();
    world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    const before = world.all();
    world.clock.advance(3_600_000);
    await world.settle();
    expect(world.all()).toEqual(before);
  });

  atLength.test('are split where the service is shorter, and end with the hours', async () => {
    const world = await stands.start();
    world.busy(march(3, '08:00'), march(4, '10:00'));
    await world.settle();
    expect(world.blocks()).toEqual(['03T09:00-13:00', '03T13:00-17:00', '03T17:00-21:00', '04T09:00-10:00']);
  });

  atLength.test('of whole days and of series take their hours', async () => {
    const world = await stands.start({ horizonMs: 8 * 86_400_000 });
    world.busy('', '', {
      calendarId: FAMILY,
      fields: { start: { date: '2026-03-04' }, end: { date: '2026-03-05' } },
    });
    world.busy(tuesday('10:00'), tuesday('10:30'), {
      calendarId: FAMILY,
      fields: {
        start: { dateTime: tuesday('10:00'), timeZone: 'Europe/Moscow' },
        end: { dateTime: tuesday('10:30'), timeZone: 'Europe/Moscow' },
        recurrence: ['RRULE:FREQ=WEEKLY'],
      },
    });
    await world.settle();
    expect(world.blocks()).toEqual([
      ...['03T10:00-10:30', '04T09:00-13:00', '04T13:00-17:00', '04T17:00-21:00', '10T10:00-10:30'],
    ]);
  });

  test('that are moved move their block; that are longer are booked anew; that are deleted free the time', async () => {
    const world = await stands.start();
    const eventId = world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    const [id] = world.blockIds();
    world.staff.move({ calendarId: PRIVATE, eventId, start: tuesday('10:30') });
    await world.settle();
    expect([world.blocks(), world.blockIds()]).toEqual([['03T10:30-11:30'], [id]]);
    world.staff.resize({ calendarId: PRIVATE, eventId, end: tuesday('12:00') });
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:30-12:00']);
    world.staff.remove({ calendarId: PRIVATE, eventId });
    await world.settle();
    expect(world.blocks()).toEqual([]);
    expect(world.sandbox.stats().customerMails).toBe(0);
  });

  test('that were moved while no worker ran are followed by the next one', async () => {
    const world = await stands.start();
    const eventId = world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    world.staff.move({ calendarId: PRIVATE, eventId, start: march(5, '15:00') });
    world.clock.advance(20 * 3_600_000);
    await world.settle();
    expect(world.blocks()).toEqual(['05T15:00-16:00']);
  });

  atLength.test('leave appointments where they are, and take the time when one is cancelled', async () => {
    const world = await stands.start();
    const { serviceId, annaId: resourceId } = world.platform;
    const about = {
      serviceId,
      resourceId,
      startsAt: tuesday('12:00'),
      customerName: 'Vera',
      notify: false,
    };
    const id = world.dashboard.bookAs('lk', about);
    world.busy(tuesday('11:00'), tuesday('14:00'));
    await world.settle();
    expect(world.blocks()).toEqual(['03T11:00-12:00', '03T13:00-14:00']);
    world.dashboard.cancel(id, { notify: false });
    await world.hear(id);
    await world.rest();
    expect(world.blocks()).toEqual(['03T11:00-14:00']);
  });

  test('a block that somebody cancels in the dashboard comes back while its event stands', async () => {
    const world = await stands.start();
    world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    const [id = ''] = world.blockIds();
    world.dashboard.cancel(id);
    await world.hear(id);
    await world.rest();
    expect(world.blocks()).toEqual(['03T10:00-11:00']);
    expect(world.blockIds()).not.toEqual([id]);
  });
});

describe('what is no private event:', () => {
  test('the mirror of an appointment, its copy, and an event by which people book', async () => {
    const world = await stands.start();
    const mark = { extendedProperties: { private: { slotbridge: '1' } } };
    const own = eventIdOf('00000000-0000-4000-8000-000000000001');
    const times = { start: { dateTime: tuesday('10:00') }, end: { dateTime: tuesday('11:00') } };
    world.staff.add({ calendarId: WORK, id: own, event: { summary: 'Haircut', ...times } });
    world.busy(tuesday('12:00'), tuesday('13:00'), { calendarId: WORK, fields: mark });
    world.busy(tuesday('14:00'), tuesday('15:00'), {
      calendarId: WORK,
      fields: { summary: '#book haircut' },
    });
    await world.settle();
    expect(world.all()).toEqual([]);
    world.busy(tuesday('16:00'), tuesday('17:00'), { calendarId: WORK, fields: { summary: 'Dentist' } });
    await world.settle();
    expect(world.blocks()).toEqual(['03T16:00-17:00']);
  });

  test('an invitation that nobody has answered: anybody can send one', async () => {
    const world = await stands.start();
    const event = {
      summary: SECRET_TEXT,
      start: { dateTime: tuesday('10:00') },
      end: { dateTime: tuesday('11:00') },
      attendees: [{ email: WORK, responseStatus: 'needsAction' }],
    };
    const stranger = { email: 'stranger@elsewhere.example' };
    const added = world.staff.add({ calendarId: WORK, event, organizer: stranger, by: stranger.email });
    await world.settle();
    expect(world.blocks()).toEqual([]);
    world.staff.respond({ calendarId: WORK, eventId: String(added['id']), email: WORK, status: 'accepted' });
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:00-11:00']);
  });
});

describe('a refusal of the platform', () => {
  test('is reported, no error, and not asked for again at once', async () => {
    const world = await stands.start({ hours: { 2: [[0, 1_440]] } });
    world.busy(tuesday('07:00'), tuesday('08:00'));
    world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:00-11:00']);
    expect(await world.report()).toMatchObject({
      standing: 1,
      refused: [{ code: 'outside-working-hours', startMs: Date.parse(tuesday('07:00')) }],
    });
    const calls = world.sandbox.stats().requests;
    await world.settle();
    // One list, and no booking.
    expect(world.sandbox.stats().requests - calls).toBeLessThanOrEqual(1);
    expect((await world.report())?.refused).toHaveLength(1);
    expect(await world.store.ledger.deadLetters(10)).toMatchObject({ count: 0 });
  });

  atLength.test('of the contact is a problem of the entry, until a block is booked', async () => {
    const world = await stands.start({ contactId: '00000000-0000-4000-8000-00000000dead' });
    world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    expect(world.all()).toEqual([]);
    expect(world.problems.codes()).toEqual({ 'blocks:private-time': 'blocks-refused' });
  });

  test('of every move, whatever its time, is a problem of the entry, and cancels no block (P7)', async () => {
    const world = await stands.start();
    const eventIds = [3, 4, 5].map((day) => world.busy(march(day, '10:00'), march(day, '11:00')));
    await world.settle();
    world.dashboard.changeService(world.busyId, { active: false });
    for (const [at, eventId] of eventIds.entries())
      world.staff.move({ calendarId: PRIVATE, eventId, start: march(3 + at, '14:00') });
    await world.settle();
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:00-11:00', '04T10:00-11:00', '05T10:00-11:00']);
    expect(world.problems.codes()).toEqual({ 'blocks:private-time': 'blocks-refused' });
    // One is known to be refused, the others were not sent: none is where it belongs.
    expect(await world.report()).toMatchObject({ standing: 0, refused: [{ code: 'service-inactive' }] });
    world.dashboard.changeService(world.busyId, { active: true });
    await world.settle();
    world.clock.advance(3_600_000);
    await world.settle();
    expect(world.blocks()).toEqual(['03T14:00-15:00', '04T14:00-15:00', '05T14:00-15:00']);
    expect(world.problems.codes()).toEqual({});
    expect(await world.report()).toMatchObject({ standing: 3, refused: [] });
  });
});

describe('somebody is faster than', () => {
  /** Between the list and the request a customer takes the time. */
  const overtaken = (
    writer: PlatformWriter,
    op: 'create' | 'reschedule',
    take: () => void,
  ): PlatformWriter => {
    let taken = false;
    return new Proxy(writer, {
      get(target, name) {
        const method = Reflect.get(target, name, target) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          if (name === op && !taken) take();
          taken ||= name === op;
          return method.apply(target, args);
        };
      },
    });
  };

  test.each(rowsOf(['create', 'reschedule'] as const, 2))(
    '%s: a report and no error, and the rest is blocked',
    async (op) => {
      const world = await stands.start();
      const eventId = world.busy(tuesday('10:00'), tuesday('12:00'));
      if (op === 'reschedule') {
        await world.settle();
        world.staff.move({ calendarId: PRIVATE, eventId, start: tuesday('14:00') });
      }
      const hour = op === 'create' ? '10:30' : '14:30';
      const { serviceId, annaId: resourceId } = world.platform;
      let customer = '';
      const take = () => {
        const about = { serviceId, resourceId, startsAt: tuesday(hour), customerName: 'Vera', notify: false };
        customer = world.dashboard.bookAs('lk', about);
      };
      await world.settle({ ...world.ground, writer: overtaken(world.ground.writer, op, take) });
      expect(await world.report()).toMatchObject({ standing: 0, refused: [{ code: 'slot-unavailable' }] });
      expect(world.sandbox.truth.appointment(customer)).toMatchObject({ status: 'confirmed' });
      expect(await world.store.ledger.deadLetters(10)).toMatchObject({ count: 0 });
      // Its own booking tells of itself.
      await world.hear(customer);
      await world.rest();
      const [from, to] = op === 'create' ? ['10:00', '12:00'] : ['14:00', '16:00'];
      expect(world.blocks()).toEqual([`03T${from}-${hour}`, expect.stringMatching(new RegExp(`-${to}$`))]);
      expect((await world.report())?.refused).toEqual([]);
      expect(world.sandbox.stats().customerMails).toBe(0);
    },
  );

  atLength.test('its own last move: an event moved twice quickly, by two workers at once', async () => {
    const world = await stands.start();
    const eventId = world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    const ids = world.blockIds();
    world.staff.move({ calendarId: PRIVATE, eventId, start: tuesday('12:00') });
    await world.poll();
    const first = world.turn();
    world.staff.move({ calendarId: PRIVATE, eventId, start: tuesday('15:00') });
    await Promise.allSettled([first, world.poll(), world.turn(), world.turn()]);
    await world.settle();
    expect([world.blocks(), world.blockIds()]).toEqual([['03T15:00-16:00'], ids]);
    expect(world.all()).toHaveLength(1);
  });
});

describe('nothing is cancelled without proof:', () => {
  test('a calendar that cannot be read keeps its blocks; the others go on', async () => {
    const world = await stands.start();
    world.busy(tuesday('10:00'), tuesday('11:00'));
    const eventId = world.busy(tuesday('15:00'), tuesday('16:00'), { calendarId: FAMILY });
    await world.settle();
    world.google.revokeAccess(PRIVATE);
    world.staff.remove({ calendarId: FAMILY, eventId });
    world.busy(tuesday('18:00'), tuesday('19:00'), { calendarId: FAMILY });
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:00-11:00', '03T18:00-19:00']);
  });

  test('also after Redis was lost: then nothing of anybody is cancelled until all were read', async () => {
    const world = await stands.start();
    world.busy(tuesday('10:00'), tuesday('11:00'));
    const eventId = world.busy(tuesday('15:00'), tuesday('16:00'), { calendarId: FAMILY });
    await world.settle();
    const ids = world.blockIds();
    await world.store.redis.flushall();
    world.google.revokeAccess(PRIVATE);
    world.staff.remove({ calendarId: FAMILY, eventId });
    await world.settle();
    expect(world.blockIds()).toEqual(ids);
    world.google.grantAccess(PRIVATE, undefined, 'freeBusyReader');
    await world.settle();
    expect(world.blocks()).toEqual(['03T10:00-11:00']);
    expect(world.blockIds()).toEqual([ids[0]]);
  });

  test('a calendar that was emptied waits for a person', async () => {
    const world = await stands.start();
    for (let day = 3; day < 16; day += 1) world.busy(march(day, '10:00'), march(day, '11:00'));
    await world.settle();
    const blocks = world.blocks();
    expect(blocks).toHaveLength(13);
    world.staff.clear({ calendarId: PRIVATE });
    await world.settle();
    expect(world.blocks()).toEqual(blocks);
    expect(Object.values(world.problems.codes())).toEqual(['blocks-mass-cancel']);
    expect(await world.report()).toMatchObject({ held: 13 });
    await world.settle();
    expect(world.blocks()).toEqual(blocks);
    world.busy(march(3, '10:00'), march(3, '11:00'));
    for (let day = 4; day < 14; day += 1) world.busy(march(day, '10:00'), march(day, '11:00'));
    await world.settle();
    expect(world.blocks()).toHaveLength(11);
    expect(world.problems.codes()).toEqual({});
  });

  atLength.test('an appointment that only looks like a block is nobody’s to cancel', async () => {
    const world = await stands.start();
    const { dashboard, busyId: serviceId, houseId, annaId: resourceId } = world;
    const byHand = {
      serviceId,
      resourceId,
      startsAt: tuesday('10:00'),
      durationMin: 60,
      contactId: houseId,
    };
    dashboard.bookAs('lk', { ...byHand, notify: false });
    await world.settle();
    expect(world.all()).toMatchObject([{ status: 'confirmed' }]);
  });
});

test('what a person has approved is cancelled, also many at once', async () => {
  const world = await stands.start();
  for (let day = 3; day < 16; day += 1) world.busy(march(day, '10:00'), march(day, '11:00'));
  await world.settle();
  world.staff.clear({ calendarId: PRIVATE });
  await world.settle();
  expect(world.blocks()).toHaveLength(13);
  const untilMs = world.clock.now() + 3_600_000;
  await world.store.memory.set('approved-blocks:private-time', String(untilMs));
  world.clock.advance(60_000);
  await world.settle();
  expect(world.blocks()).toEqual([]);
  expect(world.problems.codes()).toEqual({});
});

describe('an answer that is lost', () => {
  const losing = (writer: PlatformWriter, op: 'create' | 'reschedule' | 'cancel'): PlatformWriter => {
    let lost = false;
    return new Proxy(writer, {
      get(target, name) {
        const method = Reflect.get(target, name, target) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const answer = await method.apply(target, args);
          if (name !== op || lost) return answer;
          lost = true;
          throw new RetryableError('platform-unreachable', 'the answer is lost', { target: 'platform' });
        };
      },
    });
  };

  test.each(rowsOf(['create', 'reschedule', 'cancel'] as const, 2))(
    'of %s is found again: one block',
    async (op) => {
      const world = await stands.start();
      const eventId = world.busy(tuesday('10:00'), tuesday('11:00'));
      const own = { ...world.ground, writer: losing(world.ground.writer, op) };
      await world.settle(own);
      expect(world.blocks()).toEqual(['03T10:00-11:00']);
      world.staff.move({ calendarId: PRIVATE, eventId, start: tuesday('12:00') });
      await world.settle(own);
      expect(world.blocks()).toEqual(['03T12:00-13:00']);
      world.staff.remove({ calendarId: PRIVATE, eventId });
      await world.settle(own);
      expect(world.blocks()).toEqual([]);
      expect(world.all()).toHaveLength(1);
    },
  );
});

test('Redis wiped: the blocks are found on the platform, and none is booked twice', async () => {
  const world = await stands.start();
  for (let day = 3; day < 8; day += 1) world.busy(march(day, '10:00'), march(day, '11:00'));
  await world.settle();
  const ids = world.blockIds();
  await world.store.redis.flushall();
  await world.settle();
  expect(world.blockIds()).toEqual(ids);
  expect(world.all()).toHaveLength(5);
});

test('no text of a private event is stored, logged or sent; nor is the address of its calendar', async () => {
  const world = await stands.start();
  const eventId = world.busy(tuesday('10:00'), tuesday('11:00'));
  world.busy(tuesday('13:00'), tuesday('14:00'), {
    calendarId: FAMILY,
    fields: {
      description: 'private matter',
      location: 'Secret street',
    },
  });
  world.busy(tuesday('15:00'), tuesday('16:00'), { calendarId: WORK });
  await world.settle();
  world.staff.move({ calendarId: PRIVATE, eventId, start: tuesday('12:00') });
  await world.settle();
  const { redis } = world.store;
  const stored: string[] = [];
  for (const key of await redis.keys('*')) {
    stored.push(key, (await redis.dump(key).catch(() => null)) ?? '');
    if ((await redis.type(key)) === 'hash') stored.push(JSON.stringify(await redis.hgetall(key)));
    if ((await redis.type(key)) === 'list') stored.push(JSON.stringify(await redis.lrange(key, 0, -1)));
  }
  const told = [JSON.stringify(world.log.lines), JSON.stringify(world.all()), ...stored].join('\n');
  expect(told).toContain(world.annaId);
  for (const secret of ['Dentist', 'Secret', 'private matter', PRIVATE, FAMILY])
    expect(told).not.toContain(secret);
});

test('P7: an approval given while the clock was hours ahead is invalid once the clock was set back', async () => {
  const world = await stands.start();
  for (let day = 3; day < 16; day += 1) world.busy(march(day, '10:00'), march(day, '11:00'));
  await world.settle();
  world.staff.clear({ calendarId: PRIVATE });
  await world.store.memory.set('approved-blocks:private-time', String(world.clock.now() + 5 * 3_600_000));
  await world.settle();
  expect(world.blocks()).toHaveLength(13);
});

describe('a platform event about an appointment that names no resources', () => {
  test.each([{ resource_ids: null }, { resource_ids: undefined }, { resource_ids: 'anna', resource_id: 7 }])(
    'P1: is processed like any other: %o',
    async (fields) => {
      const world = await stands.start();
      world.busy(tuesday('11:00'), tuesday('14:00'));
      await world.settle();
      const { serviceId, borisId: resourceId } = world.platform;
      const about = {
        serviceId,
        resourceId,
        startsAt: tuesday('12:00'),
        customerName: 'Vera',
        notify: false,
      };
      const id = world.dashboard.bookAs('lk', about);
      expect(await world.hear(id, fields)).toEqual({ next: 'done' });
    },
  );

  test('P1: restores a block that somebody cancelled, although the event omits the resource', async () => {
    const world = await stands.start();
    world.busy(tuesday('10:00'), tuesday('11:00'));
    await world.settle();
    const [id = ''] = world.blockIds();
    world.dashboard.cancel(id);
    expect(await world.hear(id, { resource_id: undefined, resource_ids: null })).toEqual({ next: 'done' });
    await world.rest();
    expect(world.blocks()).toEqual(['03T10:00-11:00']);
  });
});
