/** What people book in a calendar, row by row of the table in docs/bookings.md, over HTTP with both sandboxes. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { parseKey } from '../../src/engine/object.ts';
import {
  ANNA,
  BORIS,
  dyingAtAdoption,
  GRACE_MS,
  OutsideStands,
  type OutsideWorld,
  STILL_MS,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/outside.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('B1: an event becomes one appointment, and the event itself becomes its mirror', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.appointments()[0]).toMatchObject({
    customer_phone: '+74950001101',
    customer_name: 'Vera Orlova',
  });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova', description: '+74950001101' });
  expect(await world.history(id)).toEqual(['booked']);
});

test('B2, case 66: a half-typed event is not booked before it was left alone', async () => {
  const world = await stands.start();
  const id = world.drop({ description: '' });
  await world.settle();
  world.clock.advance(STILL_MS - 5_000);
  world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-01' });
  await world.settle();
  world.clock.advance(10_000);
  await world.settle();
  expect(world.booked()).toEqual([]);
  world.clock.advance(STILL_MS);
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

test('B3: a refusal writes no colour over a label that people gave the event (P6)', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ eventLabelId: 'ours' });
  await world.book();
  expect(world.description(id)).toContain('this time is already taken');
  expect(world.event(id)).toMatchObject({ eventLabelId: 'ours' });
  expect(world.event(id)).not.toHaveProperty('colorId');
});

test('B3, case 52: a taken hour is refused in the event, with free times, once', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ colorId: '5' });
  await world.book();
  const said = world.description(id);
  expect(said).toMatch(
    /^\+7 495 000-11-01\n\n─.*\nNot possible: this time is already taken\.\nNearest free times:\n–/,
  );
  expect(said.match(/–/g)).toHaveLength(3);
  expect(world.event(id)).toMatchObject({ colorId: '11', summary: '#book Vera Orlova' });
  const { updated } = world.event(id) ?? {};
  world.clock.advance(60_000);
  await world.settle();
  expect(world.event(id)?.['updated']).toBe(updated);
  expect(await world.history(id)).toEqual(['refused slot-unavailable']);
  expect(world.booked()).toHaveLength(1);
});

test('P7: what was refused, or taken by no rule, is not booked by an edit of the YAML, but by what people write next', async () => {
  const name = "{{ title | remove_first: '#book ' }}";
  const customer = (phone: string) => ({ customer: { name, phone, create: true } });
  const world = await stands.start(customer('{{ location | phone }}'));
  const id = world.drop();
  const untaken = world.drop({ summary: '#walk Nina Belova', startsAt: TUESDAY_12 });
  const tentative = world.drop({ status: 'tentative', startsAt: '2026-03-03T12:00:00.000Z' });
  const series = world.drop({
    start: { dateTime: '2026-03-04T07:00:00Z', timeZone: 'Europe/Moscow' },
    end: { dateTime: '2026-03-04T08:00:00Z', timeZone: 'Europe/Moscow' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
  });
  await world.book();
  expect(await world.history(id)).toEqual([expect.stringMatching(/^refused /)]);
  const said = [world.description(id), world.description(series)];
  world.clock.advance(300_000);
  await world.settle();
  const series14 = { series: { horizonMs: 14 * 86_400_000 } };
  await world.rewrite({ ...customer('{{ description | phone }}'), ...series14, when: { title: '#*' } });
  await world.book();
  // Google shows everything again, and an entry of another name has no record of it.
  for (const entry of ['walk-ins', 'walks']) {
    await world.rewrite({ name: entry });
    world.staff.expireSyncTokens({ calendarId: ANNA });
    await world.book();
    expect(world.booked()).toEqual([]);
    expect([world.description(id), world.description(series)]).toEqual(said);
  }
  await world.rewrite({ name: 'walk-ins' });
  world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-02' });
  world.staff.recolour({ calendarId: ANNA, eventId: untaken, colorId: '5' });
  world.staff.edit({ calendarId: ANNA, eventId: tentative, patch: { status: 'confirmed' } });
  world.staff.describe({ calendarId: ANNA, eventId: series, description: '+7 495 000-11-03' });
  await world.book();
  await world.book();
  expect(world.booked().sort()).toEqual([
    `${TUESDAY_10} Anna`,
    `${TUESDAY_12} Anna`,
    '2026-03-03T12:00:00.000Z Anna',
    '2026-03-04T07:00:00.000Z Anna',
    '2026-03-05T07:00:00.000Z Anna',
  ]);
});

test('B3: an operator who corrected the YAML replays a refused event, and it is booked once; any other stays refused', async () => {
  const name = "{{ title | remove_first: '#book ' }}";
  const customer = (phone: string) => ({ customer: { name, phone, create: true } });
  const world = await stands.start(customer('{{ location | phone }}'));
  const ids = [world.drop(), world.drop({ startsAt: TUESDAY_12 })] as const;
  await world.book();
  const replay = async (id: string) => {
    const key = parseKey(world.keyAt(id));
    if (key !== undefined) await world.store.dirtyMarks.markDirty([key], { read: true });
    await world.book();
  };
  // Still wrong: it says so again, and nothing else.
  await replay(ids[0]);
  expect(world.booked()).toEqual([]);
  expect(world.description(ids[0]).match(/Not possible|Not booked/g)).toHaveLength(1);
  await world.rewrite(customer('{{ description | phone }}'));
  await world.book();
  expect(world.booked()).toEqual([]);
  for (let times = 0; times < 3; times += 1) await replay(ids[0]);
  await world.hear();
  await world.book();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.event(ids[0])).toMatchObject({ description: '+74950001101' });
  expect(await world.history(ids[1])).toEqual([expect.stringMatching(/^refused /)]);
});

test('B4: a refused event that is mended is booked, and nothing of the refusal is left in it', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ colorId: '5' });
  await world.book();
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_12 });
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.booked().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_12} Anna`]);
  expect(world.event(id)).toMatchObject({ description: '+74950001101', colorId: '5' });
});

test('P6, B4: a colour that people gave a refused event stays when the event is booked', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ colorId: '5' });
  await world.book();
  world.staff.recolour({ calendarId: ANNA, eventId: id, colorId: '10' });
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_12 });
  await world.book();
  expect(world.booked().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_12} Anna`]);
  expect(world.event(id)).toMatchObject({ colorId: '10' });
});

test('P6, B4: an event that is refused a second time gets its own colour back a second time', async () => {
  const world = await stands.start({ refusedColorId: '11' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
  const id = world.drop({ colorId: '5' });
  await world.book();
  world.staff.retitle({ calendarId: ANNA, eventId: id, summary: 'Lunch' });
  await world.book();
  expect(world.event(id)).toMatchObject({ colorId: '5' });
  world.staff.retitle({ calendarId: ANNA, eventId: id, summary: '#book Vera Orlova' });
  await world.book();
  expect(world.event(id)).toMatchObject({ colorId: '11' });
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_12 });
  await world.book();
  expect(world.event(id)).toMatchObject({ colorId: '5' });
});

atLength.test(
  'B23: one whose whole description is written anew, and that is refused again for the same, says so again, once',
  async () => {
    const world = await stands.start({ refusedColorId: '11' });
    const id = world.drop({ description: 'no number yet' });
    await world.book();
    expect(world.description(id)).toMatch(/please give the phone number/);
    world.staff.describe({ calendarId: ANNA, eventId: id, description: 'she will call' });
    await world.book();
    const said = world.description(id);
    expect(said).toMatch(/^she will call\n\n─.*\n.*please give the phone number/);
    expect(said.match(/please give the phone number/g)).toHaveLength(1);
    const { updated } = world.event(id) ?? {};
    world.clock.advance(60_000);
    await world.settle();
    expect(world.event(id)?.['updated']).toBe(updated);
    expect(await world.history(id)).toEqual(['refused customer-unknown', 'refused customer-unknown']);
  },
);

atLength.test.each([
  ['below the refusal', (said: string) => `${said}\n+7 495 000-11-01`],
  ['below it by Google’s own form', (said: string) => `${said.replaceAll('\n', '<br>')}<br>+7 495 000-11-01`],
  [
    'below it, after its last line was deleted',
    (said: string) => `${said.slice(0, said.lastIndexOf('\n'))}\n\n+7 495 000-11-01`,
  ],
])('B24: what is typed %s is read, and the refusal is gone when it is booked', async (_, typed) => {
  const world = await stands.start({ comment: '{{ description }}' });
  const id = world.drop({ description: 'no number yet' });
  await world.book();
  world.staff.describe({ calendarId: ANNA, eventId: id, description: typed(world.description(id)) });
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.appointments()).toMatchObject([{ customer_phone: '+74950001101' }]);
  expect(String(world.appointments()[0]?.['comment'])).toMatch(/^no number yet\s+\+7 495 000-11-01$/);
  expect(world.description(id)).toBe('+74950001101');
});

const ALL_DAY = { start: { date: '2026-03-03' }, end: { date: '2026-03-04' } };

atLength.test.each([
  ['all-day', { start: { date: '2026-02-24' }, end: { date: '2026-02-25' } }],
  ['not-an-appointment', { ...ALL_DAY, eventType: 'outOfOffice' }],
  ['past', { startsAt: '2026-03-02T08:00:00.000Z' }],
  ['not-an-appointment', { eventType: 'focusTime' }],
  ['tentative', { status: 'tentative' }],
])('B5, case 43: %s is no booking, nothing is said in it, and explain knows why', async (code, event) => {
  const world = await stands.start();
  const id = world.drop(event);
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(world.description(id)).toBe('+7 495 000-11-01');
  expect(await world.history(id)).toEqual([`ignored ${code}`]);
});

test.each([
  ['birthday', { ...ALL_DAY, eventType: 'birthday' }],
  ['workingLocation', { ...ALL_DAY, eventType: 'workingLocation' }],
  ['workingLocation of hours', { eventType: 'workingLocation' }],
  ['focusTime', { eventType: 'focusTime' }],
  ['outOfOffice', { eventType: 'outOfOffice' }],
  ['outOfOffice of days', { ...ALL_DAY, eventType: 'outOfOffice' }],
])('B5: a %s with the title of a booking stays as it is, whatever the rule', async (_, event) => {
  const world = await stands.start();
  const id = world.drop(event);
  const before = structuredClone(world.event(id));
  await world.book();
  await world.settle();
  expect(world.event(id)).toEqual(before);
  expect(world.booked()).toEqual([]);
});

test('B5: whole days that others sent stay as they are, whatever their title and whoever may change them', async () => {
  const world = await stands.start();
  const sent = [{ guestsCanModify: true }, { guestsCanModify: false }].map((more) => {
    const event = { ...ALL_DAY, summary: '#book Vera Orlova', description: '+7 495 000-11-01', ...more };
    const organizer = { email: 'somebody@elsewhere.example' };
    return String(world.staff.add({ calendarId: ANNA, event, organizer })['id']);
  });
  const before = structuredClone(sent.map((id) => world.event(id)));
  await world.book();
  await world.settle();
  expect(sent.map((id) => world.event(id))).toEqual(before);
  expect(world.booked()).toEqual([]);
});

atLength.test(
  'B5: of whole days, it is asked for a start and shown the free times of its day; with one it is booked',
  async () => {
    const world = await stands.start();
    world.drop({ summary: '#book Petr Ivanov', description: '+7 495 000-11-02' });
    await world.book();
    const id = world.drop(ALL_DAY);
    await world.book();
    const said = world.description(id);
    expect(said).toContain(
      '\nNot booked: please write a start time.\nNearest free times:\n– Tue, 3 March 2026, ',
    );
    const times = said.split('\n').filter((line) => line.startsWith('– '));
    expect(times.length).toBeGreaterThan(3);
    expect(times.every((line) => /^– Tue, 3 March 2026, \d\d:\d\d, Anna$/.test(line))).toBe(true);
    expect(said).not.toContain(', 10:00');
    await world.settle();
    expect(world.description(id)).toBe(said);
    expect(await world.history(id)).toEqual(['refused start-missing']);
    world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_14, end: '2026-03-03T12:00:00.000Z' });
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_14} Anna`]);
    expect(await world.letters()).toEqual([]);
  },
);

atLength.test('B5: nobody is asked for a start by rules that take every event', async () => {
  const world = await stands.start({ when: { title: '*', creators: [ANNA] } });
  const id = world.drop({ ...ALL_DAY, summary: 'Fair' });
  await world.book();
  expect(world.description(id)).toBe('+7 495 000-11-01');
  expect(await world.history(id)).toEqual(['ignored all-day']);
});

atLength.test('B6: an event that its owner declined is no booking', async () => {
  const world = await stands.start();
  const id = world.drop({ attendees: [{ email: ANNA, responseStatus: 'declined' }] });
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(await world.history(id)).toEqual(['ignored declined']);
});

atLength.test('B7, case 42: a series is refused in its event', async () => {
  const world = await stands.start();
  const id = world.drop({
    start: { dateTime: TUESDAY_10, timeZone: 'Europe/Moscow' },
    end: { dateTime: TUESDAY_12, timeZone: 'Europe/Moscow' },
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
  });
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(world.description(id)).toContain('a series of events cannot be booked');
});

test('B8: an event that no rule takes is nobody’s business', async () => {
  const world = await stands.start();
  const id = world.drop({ summary: 'Lunch' });
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(await world.record(id)).toBeUndefined();
});

describe('B8, P7: an entry leaves the YAML and returns as it was', () => {
  async function away() {
    const world = await stands.start();
    await world.settle();
    const { calendars } = world.mapping;
    await world.rewrite({ calendars: [] });
    world.clock.advance(120_000);
    const id = world.drop();
    world.clock.advance(120_000);
    return { world, id, comeBack: () => world.rewrite({ calendars }) };
  }

  test('what was read meanwhile, for the mirror, is booked only once somebody changes it', async () => {
    const { world, id, comeBack } = await away();
    await world.settle();
    await comeBack();
    world.staff.expireSyncTokens({ calendarId: ANNA });
    await world.book();
    expect(world.booked()).toEqual([]);
    world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_14 });
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_14} Anna`]);
  });

  test('what nobody has read meanwhile is booked, as after a pause of the worker', async () => {
    const { world, comeBack } = await away();
    await comeBack();
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  });
});

test('B9, case 46: moving a booked event moves its appointment', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_14 });
  await world.settle();
  await world.hear();
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_14} Anna`]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
});

test('B10: deleting a booked event cancels its appointment after the grace', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await world.settle();
  expect(world.booked()).toHaveLength(1);
  world.clock.advance(GRACE_MS + 1_000);
  await world.settle();
  await world.hear();
  await world.settle();
  expect(world.booked()).toEqual([]);
  expect(world.events()).toEqual([]);
  expect(world.appointments()).toHaveLength(1);
});

test('B11, case 47: a booked event that is moved to a colleague goes to that colleague', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
  await world.settle();
  world.clock.advance(GRACE_MS + 1_000);
  await world.settle();
  await world.hear();
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
  expect(world.appointments()).toHaveLength(1);
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});

atLength.test.each(['the calendar it comes back to', 'the one it leaves'])(
  'B11: the appointment follows when its event is moved to a colleague and back, whichever calendar is read first (%s)',
  async (first) => {
    const world = await stands.start();
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    const drag = async (from: string, to: string, read: string) => {
      world.staff.moveToCalendar({ calendarId: from, eventId: id, to });
      await world.sync(read);
      for (const key of await world.store.work.due(world.clock.now(), 100)) await world.turn(key);
      for (let minutes = 0; minutes < 4; minutes += 1) {
        await world.settle();
        world.clock.advance(60_000);
      }
    };
    await drag(ANNA, BORIS, ANNA);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    await drag(BORIS, ANNA, first === 'the one it leaves' ? BORIS : ANNA);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    await drag(ANNA, BORIS, BORIS);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.appointments()).toHaveLength(1);
    expect(await world.letters()).toEqual([]);
  },
);

atLength.test(
  'B11: when the platform gives an appointment to a colleague and back again, it does not count as deleted',
  async () => {
    const world = await stands.start();
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    const give = async (resourceId: string) => {
      world.clock.advance(1_000);
      const [appointment] = world.appointments();
      world.dashboard.reschedule(String(appointment?.['id']), {
        startsAt: TUESDAY_10,
        resourceId,
        notify: false,
      });
      await world.hear();
      for (let minutes = 0; minutes < 4; minutes += 1) {
        await world.settle();
        world.clock.advance(60_000);
      }
    };
    await give(world.platform.borisId);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    await give(world.platform.annaId);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova', status: 'confirmed' });
  },
);

test('B12, case 41: a copy of a booked event books nothing', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  world.staff.duplicate({ calendarId: ANNA, eventId: id });
  await world.book();
  expect(world.appointments()).toHaveLength(1);
});

atLength.test(
  'B12, case 41: not even where the mirror keeps the title by which events are booked',
  async () => {
    const world = await stands.start({ when: { title: '*' } });
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    world.staff.duplicate({ calendarId: ANNA, eventId: id });
    await world.book();
    expect(world.appointments()).toHaveLength(1);
  },
);

atLength.test('B13: an event that was deleted before it was booked leaves nothing behind', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.settle();
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await world.book();
  expect(world.appointments()).toEqual([]);
});

atLength.test('B13: deleted after it was seen, and before its turn: nothing is booked', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.sync();
  world.staff.remove({ calendarId: ANNA, eventId: id });
  world.clock.advance(STILL_MS + 1_000);
  await world.turn(world.keyAt(id));
  await world.turn(world.keyAt(id));
  expect(world.appointments()).toEqual([]);
  expect(await world.history(id)).toEqual(['ignored gone']);
  // Brought back, it is a booking again.
  world.staff.restore({ calendarId: ANNA, eventId: id });
  await world.book();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

test('B14: a customer without a phone is refused, and asked for it', async () => {
  const world = await stands.start();
  const id = world.drop({ description: 'no number yet' });
  await world.book();
  expect(world.description(id)).toMatch(/please give the phone number/);
  expect(world.booked()).toEqual([]);
});

atLength.test(
  'B25: another phone, written into a booked event, is put back, and the event says so once',
  async () => {
    const world = await stands.start({ language: 'en' });
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-99' });
    await world.settle();
    const said = world.description(id);
    expect(said).toMatch(/^\+74950001101\n\n─+\nThe text was put back/);
    world.clock.advance(60_000);
    await world.hear();
    await world.settle();
    expect(world.description(id)).toBe(said);
    expect(world.appointments()).toMatchObject([{ customer_phone: '+74950001101' }]);
  },
);

atLength.test('B25: the same holds before the event was the mirror of its appointment', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.settle();
  world.clock.advance(STILL_MS + 1_000);
  const own = {
    ...world.ground,
    links: new Proxy(world.ground.links, {
      get(target, name) {
        if (name === 'adopt')
          return async () => {
            throw new Error('the worker dies');
          };
        return (Reflect.get(target, name) as () => unknown).bind(target);
      },
    }),
  };
  await world.turn(world.keyAt(id), own);
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.event(id)).toMatchObject({ summary: '#book Vera Orlova' });
  world.staff.describe({ calendarId: ANNA, eventId: id, description: '+7 495 000-11-99' });
  await world.sync();
  await world.turn(world.keyAt(id));
  await world.hear();
  await world.settle();
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
  expect(world.description(id)).toMatch(/^\+74950001101\n\n─+\nThe text was put back/);
  expect(world.appointments()).toHaveLength(1);
});

atLength.test('B15: an event that is taken back to no booking loses its refusal', async () => {
  const world = await stands.start();
  const id = world.drop({ description: 'no number yet' });
  await world.book();
  world.staff.retitle({ calendarId: ANNA, eventId: id, summary: 'Lunch' });
  await world.book();
  expect(world.description(id)).toBe('no number yet');
  expect(await world.record(id)).toMatchObject({ state: 'ignored', code: 'not-matching' });
});

test('B16, case 40: the platform’s event about the booking comes before its answer is stored, and no second event is made', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.settle();
  world.clock.advance(STILL_MS + 1_000);
  const { writer } = world.ground;
  const own = {
    ...world.ground,
    writer: new Proxy(writer, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const answer = await method.apply(target, args);
          if (name === 'create') throw new Error('the answer is lost');
          return answer;
        };
      },
    }),
  };
  await world.turn(world.keyAt(id), own);
  const [made] = world.appointments();
  await world.hear();
  await world.turn(`appointment/${String(made?.['id'])}`);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  world.clock.advance(60_000);
  await world.settle();
  expect(world.appointments()).toHaveLength(1);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
});

atLength.test.each(['before the event is adopted', 'after it'])(
  'B17: Redis is lost %s, and there is still one of each',
  async (when) => {
    const world = await stands.start();
    const id = world.drop();
    await world.book();
    if (when === 'after it') {
      await world.hear();
      await world.settle();
    }
    await world.loseRedis();
    await world.hear();
    await world.book();
    await world.settle();
    expect(world.appointments()).toHaveLength(1);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
    expect(world.event(id)).toMatchObject({ status: 'confirmed' });
  },
);

test('B18: cancelling an appointment on the platform removes its event, and nothing is booked again', async () => {
  const world = await stands.start();
  const id = world.drop();
  await world.book();
  const [made] = world.appointments();
  world.dashboard.cancel(String(made?.['id']), { notify: false });
  world.clock.advance(1_000);
  await world.hear();
  await world.book();
  expect(world.appointments()).toHaveLength(1);
  expect(world.event(id)?.['status']).toBe('cancelled');
});

const INVITATION = {
  summary: '#book Vera Orlova',
  description: '+7 495 000-11-01',
  start: { dateTime: TUESDAY_10 },
  end: { dateTime: TUESDAY_12 },
};

const BY_THE_DESK = { when: { title: '#book *', organizers: ['somebody@elsewhere.example'] } };

test('B19: an invitation of a named organizer into which only he may write is no booking, and explain knows why', async () => {
  const world = await stands.start(BY_THE_DESK);
  const organizer = { email: 'somebody@elsewhere.example' };
  const { id } = world.staff.add({ calendarId: ANNA, event: INVITATION, organizer });
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(world.description(String(id))).toBe('+7 495 000-11-01');
  expect(await world.history(String(id))).toEqual(['ignored not-writable']);
  expect(await world.letters()).toEqual([]);
});

atLength.test('B19: one of anybody else is left alone, also where its guests may change it', async () => {
  const world = await stands.start();
  const organizer = { email: 'somebody@elsewhere.example' };
  const event = { ...INVITATION, guestsCanModify: true };
  const { id } = world.staff.add({ calendarId: ANNA, event, organizer });
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(world.event(String(id))).toMatchObject({ summary: INVITATION.summary });
  expect(world.description(String(id))).toBe('+7 495 000-11-01');
});

atLength.test.each([true, false])(
  'B20, case 51: a meeting with a colleague is booked once, in its organizer’s calendar (guests may change it: %s)',
  async (guestsCanModify) => {
    const world = await stands.start();
    const id = world.drop({ guestsCanModify });
    const event = { ...INVITATION, guestsCanModify };
    world.staff.add({ calendarId: BORIS, id, event, organizer: { email: ANNA } });
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(await world.record(id, BORIS)).toMatchObject({ state: 'ignored', code: 'guest' });
  },
);

test('B21: in a calendar that the worker may only read nothing is booked before it may answer there', async () => {
  const world = await stands.start();
  world.google.grantAccess(ANNA, undefined, 'reader');
  const id = world.drop();
  await world.book();
  expect(world.booked()).toEqual([]);
  expect(await world.waiting(id)).toBe('calendar-read-only');
  world.google.grantAccess(ANNA);
  world.clock.advance(60_000);
  await world.settle();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova' });
  expect(await world.letters()).toEqual([]);
});

/** A room that is in no calendar of the mirror, and what is offered there. */
async function withRoom(world: OutsideWorld): Promise<string> {
  const { dashboard, platform } = world;
  const roomId = dashboard.createResource({ branchId: platform.branchId, name: 'Room 7' });
  dashboard.createService({ projectId: platform.projectId, name: 'Massage', resourceIds: [roomId] });
  await world.learn();
  return roomId;
}

test('B22: an event that books a resource without a calendar stays where it was dropped, as the mirror of its appointment', async () => {
  const world = await stands.start({ service: 'Massage', resource: 'Room 7' });
  const roomId = await withRoom(world);
  const id = world.drop();
  await world.book();
  await world.hear();
  await world.settle();
  expect(world.appointments()).toMatchObject([{ resource_id: roomId, starts_at: TUESDAY_10 }]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Massage, Vera Orlova', status: 'confirmed' });
});

atLength.test(
  'B22: moving the event moves its appointment, and deleting it cancels the appointment',
  async () => {
    const world = await stands.start({ service: 'Massage', resource: 'Room 7' });
    const roomId = await withRoom(world);
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_14 });
    await world.settle();
    await world.hear();
    await world.settle();
    expect(world.appointments()).toMatchObject([{ resource_id: roomId, starts_at: TUESDAY_14 }]);
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
    world.staff.remove({ calendarId: ANNA, eventId: id });
    await world.settle();
    world.clock.advance(GRACE_MS + 1_000);
    await world.settle();
    await world.hear();
    await world.settle();
    expect(world.booked()).toEqual([]);
    expect(world.events()).toEqual([]);
  },
);

atLength.test(
  'B22: cancelled on the platform, it goes; given to somebody with a calendar, it goes there',
  async () => {
    const world = await stands.start({ service: 'Massage', resource: 'Room 7' });
    const roomId = await withRoom(world);
    const [one, other] = [world.drop(), world.drop({ startsAt: TUESDAY_14 })];
    await world.book();
    const [first, second] = world.appointments();
    world.clock.advance(1_000);
    world.dashboard.cancel(String(first?.['id']), { notify: false });
    await world.hear();
    await world.settle();
    expect(world.event(one)?.['status']).toBe('cancelled');
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
    expect(second?.['resource_id']).toBe(roomId);
    await world.hearOf({
      ...second,
      ...{ resource_id: world.platform.borisId, resource_ids: [world.platform.borisId] },
      updated_at: new Date(world.clock.now() + 1_000).toISOString(),
    });
    await world.settle();
    expect(world.event(other)?.['status']).toBe('cancelled');
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_14}`]);
  },
);

atLength.test(
  'B22: an event stays even while its appointment has a status that the mirror does not show',
  async () => {
    const world = await stands.start({}, {}, { where: { statuses: ['arrived'] } });
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.event(id)).toMatchObject({ status: 'confirmed' });
  },
);

atLength.describe(
  'B22: an event that is dragged to a colleague while its appointment has a status that the mirror does not show',
  () => {
    const DROPPED = { summary: '#book Vera Orlova', description: '+7 495 000-11-01', status: 'confirmed' };
    const MIRRORED = { summary: 'Haircut, Vera Orlova', description: '+74950001101', status: 'confirmed' };

    async function booked(rules: Parameters<typeof stands.start>[0] = {}) {
      const world = await stands.start(rules, {}, { where: { statuses: ['arrived'] } });
      const id = world.drop();
      await world.book();
      await world.hear();
      await world.settle();
      const pass = async () => {
        for (let minutes = 0; minutes < 4; minutes += 1) {
          await world.hear();
          await world.settle();
          world.clock.advance(60_000);
        }
      };
      const drag = async (from: string, to: string, read: readonly string[] = [from, to]) => {
        world.staff.moveToCalendar({ calendarId: from, eventId: id, to });
        await world.sync(...read);
        for (const key of await world.store.work.due(world.clock.now(), 100)) await world.turn(key);
        await pass();
      };
      const appointment = () => String(world.appointments()[0]?.['id']);
      /** The mirror takes the appointment from now on. */
      const arrive = async () => {
        world.clock.advance(1_000);
        world.dashboard.markAppointment(appointment(), 'arrived');
        await pass();
      };
      const give = async (resourceId: string, startsAt = TUESDAY_10) => {
        world.clock.advance(1_000);
        world.dashboard.reschedule(appointment(), { startsAt, resourceId, notify: false });
        await pass();
      };
      /** Google shows all of a calendar anew, and of what is gone from it nothing. */
      const listAnew = async (calendarId: string) => {
        world.staff.purgeTombstones({ calendarId });
        world.staff.expireSyncTokens({ calendarId });
        await pass();
      };
      /** Somebody else is with Boris at that hour. */
      const occupy = () => {
        const { serviceId, borisId: resourceId } = world.platform;
        world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_10, notify: false });
      };
      return { world, id, pass, drag, arrive, give, listAnew, occupy };
    }

    test.each([
      ['both calendars are read', [ANNA, BORIS]],
      ['the one it leaves is read first', [ANNA]],
      ['the one it comes to is read first', [BORIS]],
    ])('the appointment follows, and the event stays where it was dropped (%s)', async (_, read) => {
      const { world, id, drag, listAnew } = await booked();
      await drag(ANNA, BORIS, read);
      await listAnew(ANNA);
      await listAnew(BORIS);
      expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
      expect(world.appointments()).toHaveLength(1);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      expect(await world.letters()).toEqual([]);
    });

    test.each(['the calendar it comes back to', 'the one it leaves'])(
      'and back again, and once more (%s is read first)',
      async (first) => {
        const { world, id, drag } = await booked();
        const read = (left: string, entered: string) => [first === 'the one it leaves' ? left : entered];
        await drag(ANNA, BORIS, read(ANNA, BORIS));
        await drag(BORIS, ANNA, read(BORIS, ANNA));
        expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
        expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
        await drag(ANNA, BORIS, read(ANNA, BORIS));
        expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
        expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
        expect(world.event(id, BORIS)).toMatchObject(DROPPED);
        expect(world.appointments()).toHaveLength(1);
        expect(await world.letters()).toEqual([]);
      },
    );

    test('becomes the mirror there once the mirror takes the appointment, and no second event is made', async () => {
      const { world, id, drag, arrive } = await booked();
      await drag(ANNA, BORIS);
      await arrive();
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(world.event(id, BORIS)).toMatchObject(MIRRORED);
      expect(await world.letters()).toEqual([]);
    });

    test('cancels its appointment after the grace when it is deleted there', async () => {
      const { world, id, drag, pass } = await booked();
      await drag(ANNA, BORIS);
      world.staff.remove({ calendarId: BORIS, eventId: id });
      await world.settle();
      expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
      await pass();
      expect(world.booked()).toEqual([]);
      expect(world.appointments()).toHaveLength(1);
      expect(world.events()).toEqual([]);
      expect(await world.letters()).toEqual([]);
    });

    test('moves its appointment when it is moved there to another hour', async () => {
      const { world, id, drag, pass, arrive } = await booked();
      await drag(ANNA, BORIS);
      world.staff.move({ calendarId: BORIS, eventId: id, start: TUESDAY_14 });
      await pass();
      expect(world.booked()).toEqual([`${TUESDAY_14} Boris`]);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_14}`]);
      await arrive();
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_14}`]);
      expect(world.event(id, BORIS)).toMatchObject(MIRRORED);
    });

    test('is removed when its appointment is cancelled on the platform, and is not booked again', async () => {
      const { world, drag, pass } = await booked();
      await drag(ANNA, BORIS);
      world.clock.advance(1_000);
      world.dashboard.cancel(String(world.appointments()[0]?.['id']), { notify: false });
      await pass();
      expect(world.events()).toEqual([]);
      expect(world.appointments()).toHaveLength(1);
    });

    test('does not count as deleted in the calendar it left when the platform gives its appointment back', async () => {
      const { world, id, drag, give, listAnew, arrive } = await booked();
      await drag(ANNA, BORIS);
      await give(world.platform.annaId);
      await listAnew(ANNA);
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
      expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      await arrive();
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    });

    test('if the platform refuses, stays where it was dropped until the mirror takes the appointment, which stays unchanged', async () => {
      const { world, id, drag, listAnew, occupy, arrive } = await booked();
      occupy();
      await drag(ANNA, BORIS);
      await listAnew(ANNA);
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_10} Boris`]);
      expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      await drag(BORIS, ANNA);
      await listAnew(BORIS);
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_10} Boris`]);
      expect(world.event(id)).toMatchObject(DROPPED);
      await drag(ANNA, BORIS);
      await arrive();
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_10} Boris`]);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    });

    test('returns to its place if the platform refuses and the mirror takes the appointment after its end', async () => {
      const { world, drag, arrive, occupy } = await booked();
      occupy();
      await drag(ANNA, BORIS);
      world.clock.advance(30 * 3_600_000);
      await arrive();
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    });

    test('it books a resource without a calendar: it stays where it was dragged, also as the mirror', async () => {
      const world = await stands.start(
        { service: 'Massage', resource: 'Room 7' },
        {},
        { where: { statuses: ['arrived'] } },
      );
      const roomId = await withRoom(world);
      const id = world.drop();
      await world.book();
      world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
      await world.settle();
      world.clock.advance(GRACE_MS + 1_000);
      await world.settle();
      expect(world.appointments()).toMatchObject([{ resource_id: roomId, status: 'confirmed' }]);
      expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      world.dashboard.markAppointment(String(world.appointments()[0]?.['id']), 'arrived');
      await world.hear();
      await world.settle();
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(world.event(id, BORIS)).toMatchObject({ summary: 'Massage, Vera Orlova' });
    });

    test('cancels its appointment after the grace if the platform refuses and the event is deleted where it was dropped', async () => {
      const { world, id, drag, pass, occupy } = await booked();
      occupy();
      await drag(ANNA, BORIS);
      world.staff.remove({ calendarId: BORIS, eventId: id });
      await pass();
      expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
      expect(world.appointments()[0]).toMatchObject({ status: 'cancelled' });
    });

    test('moves its appointment if the platform has refused and the event is moved to another hour where it was dropped', async () => {
      const { world, id, drag, pass, arrive, occupy } = await booked();
      occupy();
      await drag(ANNA, BORIS);
      world.staff.move({ calendarId: BORIS, eventId: id, start: TUESDAY_14 });
      await pass();
      expect(world.booked()).toEqual([`${TUESDAY_14} Anna`, `${TUESDAY_10} Boris`]);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_14}`]);
      await arrive();
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
    });

    test.each(['revert', 'ignore'] as const)(
      'stays there with moved: %s, and the appointment does not follow',
      async (moved) => {
        const { staffEdits } = (await stands.start()).mapping;
        const [own] = Object.values(staffEdits);
        const { world, id, drag, give, listAnew } = await booked({
          staffEdits: { staff: { ...(own as NonNullable<typeof own>), moved } },
        });
        await drag(ANNA, BORIS);
        await listAnew(ANNA);
        expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
        expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
        await give(world.platform.annaId, TUESDAY_12);
        await listAnew(ANNA);
        expect(world.booked()).toEqual([`${TUESDAY_12} Anna`]);
        expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
        expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      },
    );

    test.each([
      ['both calendars are read', [ANNA, BORIS]],
      ['the one it leaves is read first', [ANNA]],
      ['the one it comes to is read first', [BORIS]],
    ])('takes its appointment along even before the two are linked (%s)', async (_, read) => {
      const world = await stands.start({}, {}, { where: { statuses: ['arrived'] } });
      const id = world.drop();
      await world.settle();
      world.clock.advance(STILL_MS + 1_000);
      await world.turn(world.keyAt(id), dyingAtAdoption(world));
      world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
      await world.sync(...read);
      for (const key of await world.store.work.due(world.clock.now(), 100)) await world.turn(key);
      for (let minutes = 0; minutes < 8; minutes += 1) {
        await world.settle();
        world.clock.advance(60_000);
      }
      expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
      expect(world.appointments()).toHaveLength(1);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      expect(await world.letters()).toEqual([]);
    });

    test('is still the event of its appointment after a later loss of Redis, and nothing is booked again', async () => {
      const { world, id, drag, pass, arrive } = await booked();
      await drag(ANNA, BORIS);
      await world.loseRedis();
      await pass();
      expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
      expect(world.event(id, BORIS)).toMatchObject(DROPPED);
      world.staff.move({ calendarId: BORIS, eventId: id, start: TUESDAY_14 });
      await pass();
      expect(world.booked()).toEqual([`${TUESDAY_14} Boris`]);
      await arrive();
      expect(world.appointments()).toHaveLength(1);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_14}`]);
      expect(world.event(id, BORIS)).toMatchObject(MIRRORED);
    });

    /** The worker dies at the n-th of these calls, before it is made or with its answer in hands. */
    function dyingAt({ ground }: OutsideWorld, n: number, when: 'before' | 'after') {
      let calls = 0;
      const mortal = <Part extends object>(part: Part, deadly: string): Part =>
        new Proxy(part, {
          get(target, name) {
            const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
            return async (...args: unknown[]) => {
              const isDeadly = name === deadly && ++calls === n;
              if (isDeadly && when === 'before') throw new Error('the worker dies');
              const answer = await method.apply(target, args);
              if (isDeadly) throw new Error('the worker dies');
              return answer;
            };
          },
        });
      const own = {
        ...ground,
        links: mortal(ground.links, 'write'),
        writer: mortal(ground.writer, 'reschedule'),
      };
      return { own, hasDied: () => calls >= n };
    }

    test.each(['before', 'after'] as const)(
      'the worker dies while the appointment follows, %s any of its steps',
      async (when) => {
        let hasDied = true;
        for (let n = 1; hasDied; n += 1) {
          const { world, id, pass, arrive } = await booked();
          world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
          await world.sync(ANNA, BORIS);
          const mortal = dyingAt(world, n, when);
          await world.turn(`appointment/${String(world.appointments()[0]?.['id'])}`, mortal.own);
          hasDied = mortal.hasDied();
          expect(n > 4 || hasDied).toBe(true);
          await pass();
          expect([n, ...world.booked()]).toEqual([n, `${TUESDAY_10} Boris`]);
          expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
          expect(world.event(id, BORIS)).toMatchObject(DROPPED);
          await arrive();
          expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
          expect(world.event(id, BORIS)).toMatchObject(MIRRORED);
          expect(await world.letters()).toEqual([]);
          await stands.closeWorlds();
        }
      },
    );
  },
);

test('B26: a service that was made a moment ago is booked', async () => {
  const world = await stands.start({ service: '{{ location }}' });
  const { projectId, annaId } = world.platform;
  world.drop({ location: 'Massage' });
  await world.settle();
  world.dashboard.createService({ projectId, name: 'Massage', resourceIds: [annaId] });
  await world.book();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

atLength.test(
  'B27: an event that was refused for its service is booked once there is one of that name',
  async () => {
    const world = await stands.start({ service: '{{ location }}' });
    const id = world.drop({ location: 'Massage' });
    await world.book();
    expect(world.description(id)).toMatch(/there is no service of this name/);
    const { updated } = world.event(id) ?? {};
    const look = async () => {
      world.clock.advance(5 * 60_000);
      await world.store.later.wake(world.clock.now(), 100);
      await world.settle();
    };
    await look();
    expect(world.event(id)?.['updated']).toBe(updated);
    expect(await world.history(id)).toEqual(['refused service-unknown']);
    const { projectId, annaId } = world.platform;
    world.dashboard.createService({ projectId, name: 'Massage', resourceIds: [annaId] });
    await world.learn();
    await look();
    await world.hear();
    await world.settle();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.description(id)).toBe('+74950001101');
  },
);

/** What is known of an event that was taken away before it was booked. */
const GONE = {
  ...{ state: 'ignored', code: 'gone' },
  told: { is: 'due', answer: { state: 'ignored', text: '' } },
};

describe('an event that is dragged to a colleague right after it was booked', () => {
  test.each(
    rowsOf(
      [
        ['before it was linked to its appointment', true, [ANNA, BORIS]],
        ['before it was linked, and the colleague’s calendar is read first', true, [BORIS]],
        ['before the mirror wrote into it', false, [ANNA, BORIS]],
        ['before the mirror wrote into it, and the colleague’s calendar is read first', false, [BORIS]],
        ['before the mirror wrote into it, and the other calendar is read first', false, [ANNA]],
        ['before it was linked, and the other calendar is read first', true, [ANNA]],
      ],
      5,
    ),
  )('B28, case 47: one appointment goes to the colleague (%s)', async (_, isUnlinked, read) => {
    const world = await stands.start();
    const id = world.drop();
    await world.settle();
    world.clock.advance(STILL_MS + 1_000);
    await world.turn(world.keyAt(id), isUnlinked ? dyingAtAdoption(world) : world.ground);
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await world.sync(...read);
    for (const key of await world.store.work.due(world.clock.now(), 100)) await world.turn(key);
    world.clock.advance(STILL_MS + 1_000);
    for (const key of await world.store.work.due(world.clock.now(), 100)) await world.turn(key);
    for (let minutes = 0; minutes < 8; minutes += 1) {
      await world.settle();
      world.clock.advance(60_000);
    }
    await world.hear();
    await world.settle();
    expect(world.appointments()).toHaveLength(1);
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(world.event(id, BORIS)).toMatchObject({ summary: 'Haircut, Vera Orlova', status: 'confirmed' });
    expect(await world.letters()).toEqual([]);
  });

  atLength.test.each([
    ['', [ANNA, BORIS]],
    [', and the colleague’s calendar is read first', [BORIS]],
  ])('B28: an event that was not booked yet gives one appointment with that colleague%s', async (_, read) => {
    const world = await stands.start();
    const id = world.drop();
    await world.sync();
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    await world.sync(...read);
    world.clock.advance(STILL_MS + 1_000);
    await world.turn(world.keyAt(id, BORIS));
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    // What was seen there is old by now.
    await world.turn(world.keyAt(id));
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    await world.turn(world.keyAt(id));
    expect(await world.record(id)).toEqual({ ...GONE, decided: expect.any(String) });
    await world.hear();
    await world.settle();
    expect(world.appointments()).toHaveLength(1);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    expect(await world.letters()).toEqual([]);
  });

  atLength.test(
    'B28: dragged to them and back again before either was booked, it is booked once',
    async () => {
      const world = await stands.start();
      const id = world.drop();
      await world.sync();
      world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
      await world.sync(BORIS);
      world.clock.advance(STILL_MS + 1_000);
      // Its turn finds it gone, and what it has asked for by then holds up nobody.
      await world.turn(world.keyAt(id));
      expect(world.booked()).toEqual([]);
      world.staff.moveToCalendar({ calendarId: BORIS, eventId: id, to: ANNA });
      await world.turn(world.keyAt(id, BORIS));
      expect(world.booked()).toEqual([]);
      for (let minutes = 0; minutes < 4; minutes += 1) {
        await world.settle();
        world.clock.advance(60_000);
      }
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
      expect(world.appointments()).toHaveLength(1);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    },
  );

  atLength.test.each(['restore', 'cancel', 'ignore'] as const)(
    'B28: the mirror comes to write before the drag was seen, and does not bring the event back (deleted: %s)',
    async (deleted) => {
      const { staffEdits } = (await stands.start()).mapping;
      const [own] = Object.values(staffEdits);
      const world = await stands.start({
        staffEdits: { staff: { ...(own as NonNullable<typeof own>), deleted } },
      });
      const id = world.drop();
      await world.settle();
      world.clock.advance(STILL_MS + 1_000);
      await world.turn(world.keyAt(id));
      world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
      await world.hear();
      await world.turn(`appointment/${String(world.appointments()[0]?.['id'])}`);
      for (let minutes = 0; minutes < 8; minutes += 1) {
        await world.settle();
        world.clock.advance(60_000);
      }
      expect(world.appointments()).toHaveLength(1);
      expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
      expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    },
  );

  atLength.test(
    'with deleted: restore, one that was deleted before the mirror wrote into it comes back',
    async () => {
      const { staffEdits } = (await stands.start()).mapping;
      const [own] = Object.values(staffEdits);
      const world = await stands.start({
        staffEdits: { staff: { ...(own as NonNullable<typeof own>), deleted: 'restore' } },
      });
      const id = world.drop();
      await world.settle();
      world.clock.advance(STILL_MS + 1_000);
      await world.turn(world.keyAt(id));
      world.staff.remove({ calendarId: ANNA, eventId: id });
      await world.hear();
      for (let minutes = 0; minutes < 4; minutes += 1) {
        await world.settle();
        world.clock.advance(60_000);
      }
      expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
      expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
      expect(await world.letters()).toEqual([]);
    },
  );

  test('B28, B17: no second event is made when Redis is lost after the appointment followed its event', async () => {
    const world = await stands.start();
    const id = world.drop();
    await world.book();
    await world.hear();
    await world.settle();
    world.staff.moveToCalendar({ calendarId: ANNA, eventId: id, to: BORIS });
    for (let minutes = 0; minutes < 4; minutes += 1) {
      await world.settle();
      world.clock.advance(60_000);
    }
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    await world.loseRedis();
    await world.hear();
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Boris`]);
    expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
    // And it is an ordinary mirrored event again.
    world.staff.move({ calendarId: BORIS, eventId: id, start: TUESDAY_12 });
    await world.settle();
    expect(world.booked()).toEqual([`${TUESDAY_12} Boris`]);
  });

  atLength.test.each(['', ', also when Redis is lost in between'])(
    'B28, case 51: two existing events with the same id are two appointments%s',
    async (lost) => {
      const world = await stands.start();
      const id = world.drop();
      await world.book();
      if (lost !== '') await world.loseRedis();
      world.staff.add({
        ...{ calendarId: BORIS, id },
        event: {
          summary: '#book Vera Orlova',
          description: '+7 495 000-11-01',
          start: { dateTime: TUESDAY_14 },
          end: { dateTime: '2026-03-03T12:00:00.000Z' },
        },
      });
      await world.book();
      expect(world.booked().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_14} Boris`]);
    },
  );

  atLength.test(
    'B28, case 51: an appointment given to a colleague does not adopt the event with the same id there',
    async () => {
      const world = await stands.start();
      const id = world.drop();
      await world.book();
      world.staff.add({
        ...{ calendarId: BORIS, id },
        event: {
          summary: '#book Olga',
          description: '+7 495 000-11-02',
          start: { dateTime: TUESDAY_14 },
          end: { dateTime: '2026-03-03T12:00:00.000Z' },
        },
      });
      await world.book();
      expect(world.booked().sort()).toEqual([`${TUESDAY_10} Anna`, `${TUESDAY_14} Boris`]);
      const [first] = world.appointments().filter(({ starts_at }) => starts_at === TUESDAY_10);
      const place = { startsAt: TUESDAY_10, resourceId: world.platform.borisId };
      world.dashboard.reschedule(String(first?.['id']), { ...place, notify: false });
      await world.hear();
      await world.settle();
      expect(world.events().sort()).toEqual([`${BORIS} ${TUESDAY_10}`, `${BORIS} ${TUESDAY_14}`]);
    },
  );
});

test('B29: an event that was dropped before its hour and read after it is refused in it, once', async () => {
  const world = await stands.start();
  await world.sync();
  world.clock.advance(60_000);
  const id = world.drop({ startsAt: '2026-03-02T10:00:00.000Z' });
  // The worker, or Google, is away for so long.
  world.clock.advance(2 * 3_600_000);
  await world.book();
  const said = world.description(id);
  expect(said).toMatch(/^\+7 495 000-11-01\n\n─.*\nNot booked: this time had passed before/);
  world.clock.advance(60_000);
  await world.settle();
  expect(world.description(id)).toBe(said);
  expect(world.booked()).toEqual([]);
  expect(await world.history(id)).toEqual(['refused read-too-late']);
  // Mended, it is booked.
  world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_10 });
  await world.book();
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
});

atLength.test('B29: so is one that was read in time and could not be booked in time', async () => {
  const world = await stands.start();
  const id = world.drop({ startsAt: '2026-03-02T09:00:10.000Z' });
  await world.book();
  expect(await world.history(id)).toEqual(['refused read-too-late']);
  expect(world.description(id)).toContain('this time had passed');
});

atLength.test('B29: what a calendar held before it was first read is let be', async () => {
  const world = await stands.start();
  const old = world.drop({ startsAt: '2026-03-02T10:00:00.000Z' });
  world.clock.advance(2 * 3_600_000);
  await world.book();
  expect(world.description(old)).toBe('+7 495 000-11-01');
  expect(await world.history(old)).toEqual(['ignored past']);
});

atLength.test(
  'B29: one that was written after its hour is told so, once, with what is left of its day',
  async () => {
    const world = await stands.start();
    await world.sync();
    world.clock.advance(2 * 3_600_000);
    const id = world.drop({ startsAt: '2026-03-02T10:00:00.000Z' });
    await world.book();
    const said = world.description(id);
    expect(said).toMatch(
      /Not booked: this time had passed when it was written\..*\nNearest free times:\n– Mon, 2 March/s,
    );
    world.clock.advance(60_000);
    await world.settle();
    expect(world.description(id)).toBe(said);
    expect(await world.history(id)).toEqual(['refused written-late']);
  },
);

atLength.test(
  'B29: a full list shows nothing anew that was over when the calendar was read last',
  async () => {
    const when = { title: '#book *' };
    const world = await stands.start({ when });
    await world.sync();
    const id = world.drop({ startsAt: '2026-03-02T10:00:00.000Z', summary: 'Lunch' });
    await world.settle();
    world.clock.advance(3 * 3_600_000);
    await world.sync();
    when.title = '*';
    world.staff.expireSyncTokens({ calendarId: ANNA });
    await world.book();
    expect(await world.history(id)).toEqual([]);
    expect(world.description(id)).toBe('+7 495 000-11-01');
  },
);
