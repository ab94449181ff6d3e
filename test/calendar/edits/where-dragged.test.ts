/** Who gets an appointment whose event was dragged into another calendar, or what the event says where nobody does. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { linkTo } from '../../../src/engine/link.ts';
import type { CalendarMirror, StaffEdits } from '../../../src/engine/mirror.ts';
import {
  ANNA,
  BORIS,
  CLARA,
  EditStands,
  type EditWorld,
  GRACE_MS,
  OTHER,
  ROOM,
  TEAM,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const CARRIED = { moved: 'reschedule', deleted: 'cancel' } as const;
/** Named by the YAML, for a resource that the platform does not have. */
const FREE = 'free@clinic.example';

interface Row {
  readonly edits?: Partial<StaffEdits>;
  readonly lines?: CalendarMirror['calendars'];
  readonly split?: { readonly edits?: Partial<StaffEdits>; readonly statuses?: readonly string[] };
  readonly isMassage?: true;
  readonly from?: string;
  readonly to: string;
  /** Whose it is in the end; Anna's if absent. */
  readonly given?: 'Boris';
  /** Where its events stand in the end; where they stood if absent. */
  readonly shown?: readonly string[];
  readonly says?: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  'of a colleague': { to: BORIS, given: 'Boris', shown: [BORIS] },
  'of another branch': { to: CLARA, says: 'another branch' },
  'of nobody known': { to: FREE, says: 'not kept in that calendar' },
  'of everything': { lines: [{ all: true, calendarId: TEAM }], to: TEAM, says: 'shared by several people' },
  'of two who may both have it': {
    lines: [
      { resource: 'Boris', calendarId: OTHER },
      { resource: 'Room', calendarId: OTHER },
    ],
    ...{ to: OTHER, says: 'shared by several people' },
  },
  'of two, one of them in another branch': {
    lines: [
      { resource: 'Boris', calendarId: OTHER },
      { resource: 'Clara', calendarId: OTHER },
    ],
    ...{ to: OTHER, given: 'Boris', shown: [OTHER] },
  },
  'of a colleague, from that of the room': {
    isMassage: true,
    ...{ from: ROOM, to: BORIS, says: 'only the calendar of the person' },
  },
  'of another mirror': { split: {}, to: BORIS, given: 'Boris', shown: [BORIS] },
  'of another mirror, which does not take it': {
    split: { statuses: ['arrived'] },
    ...{ to: BORIS, says: 'not kept in that calendar' },
  },
  'of another mirror, where both let moves be': {
    edits: { moved: 'ignore' },
    ...{ split: {}, to: BORIS, shown: [BORIS] },
  },
  'of another mirror, where only the first lets moves be': {
    edits: { moved: 'ignore' },
    ...{ split: { edits: { moved: 'revert' } }, to: BORIS },
  },
  'of another mirror, where only the second lets moves be': {
    split: { edits: { moved: 'ignore' } },
    ...{ to: BORIS, given: 'Boris', shown: [BORIS] },
  },
};

async function later(
  world: EditWorld,
  id: string,
  { eventId, calendars }: { readonly eventId: string; readonly calendars: readonly string[] },
): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    for (const calendarId of calendars) await world.sight(id, calendarId, eventId);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle(id);
}

test.each(Object.keys(ROWS))('dragged into a calendar %s', async (name) => {
  const { edits, lines, split, isMassage, from = ANNA, to, given, shown, says } = ROWS[name] as Row;
  const about = { more: [FREE], ...(split && { split }) };
  const world = await stands.start({ ...CARRIED, ...edits }, about);
  const known: CalendarMirror['calendars'] = [
    { resource: 'Anna', calendarId: ANNA },
    { resource: 'Clara', calendarId: CLARA },
    { resource: 'Somebody', calendarId: FREE },
    { resource: 'Room', calendarId: ROOM },
    ...(split === undefined ? [{ resource: 'Boris', calendarId: BORIS }] : []),
  ];
  if (lines !== undefined) {
    const isInLines = (each: (typeof known)[number]) =>
      lines.some((line) => 'resource' in line && 'resource' in each && line.resource === each.resource);
    world.remap('staff', [...known.filter((each) => !isInLines(each)), ...lines]);
  }
  const id = await world.bookWithEvent(isMassage ? { serviceId: world.massageId } : {});
  const before = world.events();
  const eventId = world.at(id, from).eventId;
  world.staff.moveToCalendar({ calendarId: from, eventId, to });
  await later(world, id, { eventId, calendars: [from, to] });
  const { annaId, borisId } = world.platform;
  expect(world.appointment(id)).toMatchObject({
    ...{ status: 'confirmed', starts_at: TUESDAY_10, resource_id: given === undefined ? annaId : borisId },
  });
  expect(world.events()).toEqual(shown?.map((each) => `${each} ${TUESDAY_10}`) ?? before);
  const [, said = ''] = world.description(id, shown?.[0] ?? from).split('─\n');
  if (says === undefined) expect(said).toBe('');
  else expect(said).toContain(says);
  expect(await world.isDirty(id)).toBe(false);
  if (given === undefined) return;
  // There it is the event of its appointment: the next change is a wish again, unless it is let be.
  world.staff.move({ calendarId: to, eventId, start: TUESDAY_12 });
  await later(world, id, { eventId, calendars: [to] });
  expect(world.appointment(id)).toMatchObject({
    ...{ starts_at: split?.edits?.moved === 'ignore' ? TUESDAY_10 : TUESDAY_12, resource_id: borisId },
  });
  expect(world.events()).toEqual([`${to} ${TUESDAY_12}`]);
});

/** People's own event in Anna's calendar, by which they booked her and a room; the calendar of the room shows that as well. */
async function bookedByEvent(world: EditWorld): Promise<{ readonly id: string; readonly own: string }> {
  const id = world.book({ serviceId: world.massageId });
  const own = 'ofpeople1';
  const end = new Date(Date.parse(TUESDAY_10) + 3_600_000).toISOString();
  world.staff.add({
    ...{ calendarId: ANNA, id: own },
    event: { summary: '#book', start: { dateTime: TUESDAY_10 }, end: { dateTime: end } },
  });
  await world.hear(id);
  const etag = String(world.google.truth.event(ANNA, own)?.['etag']);
  const link = linkTo({ calendarId: ANNA, eventId: own }, { etag, hour: { startsAt: TUESDAY_10 } });
  await world.store.links.adopt(`appointment/${id}`, 'staff', link);
  await world.settle(id);
  expect(world.events()).toEqual(BOTH);
  return { id, own };
}

const BOTH = [`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`];

test('people’s own event, dragged into the calendar of the room beside its event, goes back and says why', async () => {
  const world = await stands.start(CARRIED);
  const { id, own } = await bookedByEvent(world);
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: own, to: ROOM });
  await later(world, id, { eventId: own, calendars: [ROOM, ANNA] });
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.events()).toEqual(BOTH);
  const [event] = world.google.truth.events(ANNA);
  expect(String(event?.['description'])).toContain('only the calendar of the person');
});

test('given to a colleague and moved there before the mirror has written into it, it moves the appointment', async () => {
  const world = await stands.start(CARRIED);
  const id = await world.bookWithEvent();
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
  const down = { kind: 'status', status: 503 } as const;
  const lifts = ['PATCH', 'PUT', 'DELETE', 'POST'].map((method) =>
    world.google.faults.add({ method, path: /calendars/, fault: down }),
  );
  await world.sight(id);
  await world.sight(id, BORIS);
  await world.turn(id);
  expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
  for (const lift of lifts) lift();
  world.staff.move({ ...world.at(id, BORIS), start: TUESDAY_12 });
  await later(world, id, { eventId: world.at(id).eventId, calendars: [BORIS] });
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_12}`]);
});

test('dragged to a colleague to whom the platform has given it as well, it stays there and says nothing', async () => {
  const world = await stands.start(CARRIED);
  const id = await world.bookWithEvent();
  const { borisId } = world.platform;
  world.clock.advance(1_000);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: borisId, notify: false });
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
  await world.hear(id);
  await later(world, id, { eventId: world.at(id).eventId, calendars: [ANNA, BORIS] });
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10, resource_id: borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  expect(world.description(id, BORIS)).toBe('+74950001101');
});

test('E64: also where moves are let be and only its deletion is seen: an event in the calendar of a room proves no wish', async () => {
  const world = await stands.start({ moved: 'ignore', deleted: 'cancel' });
  const { id, own } = await bookedByEvent(world);
  world.staff.moveToCalendar({ calendarId: ANNA, eventId: own, to: ROOM });
  await later(world, id, { eventId: own, calendars: [ANNA] });
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: world.platform.annaId });
  expect(world.events()).toEqual(expect.arrayContaining(BOTH));
});

test('an appointment beyond `until` that has an event may be given to a colleague by it', async () => {
  const world = await stands.start(CARRIED);
  const id = await world.bookWithEvent();
  const calendars = [
    { resource: 'Anna', calendarId: ANNA },
    { resource: 'Boris', calendarId: BORIS },
  ];
  world.remap('staff', calendars, { sinceMs: 30 * 86_400_000, untilMs: 3_600_000 });
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
  await later(world, id, { eventId: world.at(id).eventId, calendars: [ANNA, BORIS] });
  expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});
