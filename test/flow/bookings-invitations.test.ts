/** What people outside send by invitation, row by row of its table in docs/bookings.md, over HTTP with both sandboxes. */
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  ANNA,
  BORIS,
  GRACE_MS,
  OutsideStands,
  type OutsideWorld,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../stand/outside.ts';
import { atLength } from '../stand/runs.ts';

const stands = new OutsideStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const STRANGER = 'somebody@elsewhere.example';
const AGENT = 'submitter@agency.example';
const NAMED = { when: { title: '#book *', organizers: ['@agency.example'] } };
const TYPED = '+7 495 000-11-01';

/** Somebody sends an invitation that its guests may change. */
function invite(
  world: OutsideWorld,
  more: Record<string, unknown> = {},
  { by = AGENT, calendarId = ANNA } = {},
): string {
  const event = {
    summary: '#book Vera Orlova',
    description: TYPED,
    start: { dateTime: TUESDAY_10 },
    end: { dateTime: TUESDAY_12 },
    guestsCanModify: true,
    ...more,
  };
  return String(world.staff.add({ calendarId, event, organizer: { email: by } })['id']);
}

/** All that somebody can read who organises the event. */
function shared(world: OutsideWorld, id: string): string {
  const { summary, description, location } = world.event(id) ?? {};
  return JSON.stringify([summary, description, location]);
}

async function told(world: OutsideWorld): Promise<void> {
  await world.hear();
  await world.settle();
}

test('I1: a stranger’s invitation books nothing, is noted nowhere, and nothing is written into it', async () => {
  const world = await stands.start();
  const { projectId } = world.platform;
  world.dashboard.createContact({ projectId, name: 'Vera Secret', phone: '+74950001101' });
  const open = invite(world, {}, { by: STRANGER });
  const closed = invite(world, { guestsCanModify: false }, { by: STRANGER });
  const taken = invite(world, {}, { by: 'boss@clinic.example' });
  const unknown = invite(
    world,
    { summary: '#book Petr Novy', description: '+7 495 000-11-99' },
    { by: STRANGER },
  );
  const contacts = structuredClone(world.contacts());
  await world.book();
  expect(world.booked()).toEqual([]);
  // Neither made for somebody unknown, nor changed.
  expect(world.contacts()).toEqual(contacts);
  expect(contacts).toContainEqual(expect.objectContaining({ name: 'Vera Secret' }));
  expect(world.event(unknown)).toMatchObject({ summary: '#book Petr Novy' });
  for (const id of [open, closed, taken]) {
    expect(world.event(id)).toMatchObject({ summary: '#book Vera Orlova', description: TYPED });
    expect(await world.record(id)).toBeUndefined();
    expect(await world.history(id)).toEqual([]);
  }
});

test('I2: one of an organizer whom the mapping names is booked; who the customer is stands in an event of the worker’s own', async () => {
  const world = await stands.start(NAMED);
  const { projectId } = world.platform;
  world.dashboard.createContact({ projectId, name: 'Vera Secret', phone: '+74950001101' });
  const id = invite(world);
  await world.book();
  await told(world);
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.events().sort()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ANNA} ${TUESDAY_10}`]);
  expect(shared(world, id)).toContain('#book Vera Orlova');
  expect(world.description(id)).toMatch(/^\+7 495 000-11-01\n\n─.*\nBooked\.\n─+$/);
  expect(shared(world, id)).not.toMatch(/Secret|Anna|Haircut/);
  expect(await world.history(id)).toEqual(['booked']);
});

atLength.test(
  'I2: the same happens when Redis is lost before or after the platform reports the appointment',
  async () => {
    const world = await stands.start(NAMED);
    const id = invite(world);
    await world.book();
    await world.loseRedis();
    await world.learn();
    await told(world);
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(world.events()).toHaveLength(2);
    expect(world.event(id)).toMatchObject({ summary: '#book Vera Orlova' });
  },
);

test('I3: refused for its hour, it shows free times and nobody’s name', async () => {
  const world = await stands.start(NAMED);
  world.drop({ summary: '#book Petr Ivanov', description: '+7 495 000-11-02' });
  await world.book();
  const id = invite(world);
  await world.book();
  expect(world.booked()).toHaveLength(1);
  expect(world.description(id)).toContain('Not possible: this time is already taken.');
  expect(world.description(id)).toMatch(/\n– .*2026, \d\d:\d\d\n/);
  expect(shared(world, id)).not.toMatch(/Anna|Boris|Petr/);
});

atLength.test(
  'I3: refused for anything that could tell who is known here, it asks to be told otherwise',
  async () => {
    const world = await stands.start({
      ...NAMED,
      customer: { phone: '{{ description | phone }}', create: false },
    });
    const id = invite(world, { description: 'no phone' });
    await world.book();
    expect(world.booked()).toEqual([]);
    expect(world.description(id)).toContain('Please contact us directly.');
    expect(world.description(id)).not.toMatch(/phone number|customer/);
    expect(await world.history(id)).toEqual(['refused customer-unknown']);
  },
);

atLength.test(
  'I4: the appointment moves when its organizer moves the event, and the event shows what the platform does',
  async () => {
    const world = await stands.start(NAMED);
    const id = invite(world);
    await world.book();
    await told(world);
    world.staff.move({ calendarId: ANNA, eventId: id, start: TUESDAY_14 });
    await world.book();
    await told(world);
    expect(world.booked()).toEqual([`${TUESDAY_14} Anna`]);
    expect(world.events().sort()).toEqual([`${ANNA} ${TUESDAY_14}`, `${ANNA} ${TUESDAY_14}`]);
    const [appointment] = world.appointments();
    world.dashboard.cancel(String(appointment?.['id']), { notify: false });
    await told(world);
    await world.book();
    expect(world.description(id)).toContain('Cancelled.');
    expect(shared(world, id)).not.toMatch(/Anna|Haircut/);
  },
);

atLength.test(
  'I5: when the organizer withdraws the event, the appointment stays until staff delete its own event',
  async () => {
    const world = await stands.start(NAMED);
    const id = invite(world);
    await world.book();
    await told(world);
    world.staff.remove({ calendarId: ANNA, eventId: id });
    await world.settle();
    expect(world.booked()).toHaveLength(1);
    world.clock.advance(GRACE_MS + 1_000);
    await world.settle();
    expect(world.booked()).toHaveLength(1);
    expect(world.events()).toHaveLength(1);
  },
);

test('I6: of many invitations of one organizer ten are booked within an hour, and the others say so', async () => {
  const world = await stands.start({ ...NAMED, when: { ...NAMED.when, organizers: [AGENT, STRANGER] } });
  const day = Date.parse('2026-03-03T06:00:00.000Z');
  const ids = Array.from({ length: 14 }, (_, at) => {
    const from = day + (at % 7) * 3_600_000 + Math.floor(at / 7) * 86_400_000;
    const start = { dateTime: new Date(from).toISOString() };
    return invite(world, { start, end: { dateTime: new Date(from + 3_600_000).toISOString() } });
  });
  const other = invite(
    world,
    { start: { dateTime: '2026-03-05T07:00:00.000Z' }, end: { dateTime: '2026-03-05T08:00:00.000Z' } },
    { by: STRANGER },
  );
  await world.book();
  expect(world.booked()).toHaveLength(11);
  expect((await world.record(other))?.state).toBe('booked');
  const refused = ids.filter((id) => world.description(id).includes('too many appointments were asked for'));
  expect(refused).toHaveLength(4);
  expect(await world.letters()).toEqual([]);
  // An hour later one that is changed is booked.
  world.clock.advance(3_600_000);
  world.staff.retitle({ calendarId: ANNA, eventId: refused[0] ?? '', summary: '#book Vera again' });
  await world.book();
  expect(world.booked()).toHaveLength(12);
});

atLength.test(
  'I7: an event of a colleague without a calendar in the entry counts by name only; one with a calendar is booked there',
  async () => {
    const world = await stands.start(NAMED);
    const id = world.drop({ guestsCanModify: true });
    const copy = {
      summary: '#book Vera Orlova',
      start: { dateTime: TUESDAY_10 },
      end: { dateTime: TUESDAY_12 },
    };
    world.staff.add({
      calendarId: BORIS,
      id,
      event: { ...copy, guestsCanModify: true },
      organizer: { email: ANNA },
    });
    await world.book();
    expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
    expect(await world.record(id, BORIS)).toMatchObject({ state: 'ignored', code: 'guest' });
  },
);
