/** A missing event is looked for in every calendar: in which order, how often, and what an answer or its absence means. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { LOOKS_FRESH_MS, SETTLED_MS } from '../../../src/engine/decide-edit.ts';
import { DeferredError, RetryableError } from '../../../src/engine/errors.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { linkTo, openEdit, opened } from '../../../src/engine/link.ts';
import {
  ANNA,
  BORIS,
  CLARA,
  type EditGround,
  EditStands,
  type EditWorld,
  GRACE_MS,
  ROOM,
  TUESDAY_10,
  TUESDAY_12,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DONE = { next: 'done' };
const RESTORED = { moved: 'reschedule', deleted: 'restore' } as const;

/** The calendars as they answer, but for some; `reads`: which were asked. */
function watched(world: EditWorld, answers: Readonly<Record<string, () => unknown>> = {}) {
  const reads: string[] = [];
  const events: EditGround['events'] = {
    upcoming: (...about) => world.ground.events.upcoming(...about),
    isNobodys: (...about) => world.ground.events.isNobodys(...about),
    keptElsewhere: (...about) => world.ground.events.keptElsewhere(...about),
    read: async (calendarId, eventId) => {
      reads.push(calendarId);
      const answer = answers[calendarId];
      const given = answer === undefined ? undefined : await answer();
      return (given as 'absent' | undefined) ?? world.ground.events.read(calendarId, eventId);
    },
  };
  return { reads, own: { ...world.ground, events } };
}

const refusing = (error: Error) => () => {
  throw error;
};

async function linkIn(world: EditWorld, id: string, calendarId: string) {
  const claim = await world.store.ledger.peek({ kind: 'appointment', id });
  return claim?.links['staff']?.calendars?.find((each) => each.calendarId === calendarId);
}

const looksOf = async (world: EditWorld, id: string) => {
  const link = await linkIn(world, id, ANNA);
  return Object.keys((link && openEdit(link)?.looks) ?? {}).sort();
};

const failures = async (world: EditWorld, id: string) =>
  (await world.store.history.of(`appointment/${id}`)).flatMap((entry) =>
    entry.what === 'failed' ? entry.reasons.map(({ code }) => code) : [],
  );

const acts = async (world: EditWorld, id: string) =>
  (await world.store.history.of(`appointment/${id}`)).flatMap((entry) =>
    entry.what === 'acted' ? [entry.code] : [],
  );

/** Anna's event is deleted, and has been missing for long enough to be looked for. */
async function missing(edits: Parameters<EditStands['start']>[0], more: readonly string[] = []) {
  const world = await stands.start(edits, { more });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  const next = await world.turn(id);
  world.clock.advance(next.next === 'defer' ? next.afterMs : 0);
  return { world, id };
}

test('each calendar of the YAML is asked once, its own first', async () => {
  const { world, id } = await missing(RESTORED);
  const { reads, own } = watched(world);
  expect(await world.turn(id, own)).toEqual(DONE);
  expect(reads).toEqual([ANNA, BORIS, CLARA, ROOM, ANNA]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

test('found with a colleague, it was dragged there: they get the appointment, and nothing is restored', async () => {
  const world = await stands.start(RESTORED);
  const id = await world.bookWithEvent();
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
  await world.sight(id);
  expect(await world.turn(id)).toMatchObject({ next: 'defer' });
  world.clock.advance(SETTLED_MS);
  expect(await world.turn(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ resource_id: world.platform.borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
});

test('a spent quota is that of all calendars: no other is asked, and the wait is the quota’s', async () => {
  const { world, id } = await missing(RESTORED);
  const spent = new DeferredError('google-quota', 'spent', { retryAfterMs: 3_000, quota: 'calendar' });
  const { reads, own } = watched(world, { [BORIS]: refusing(spent) });
  expect(await world.turn(id, own)).toEqual({ next: 'defer', afterMs: 3_000, waitsFor: ['calendar'] });
  expect(reads).toEqual([ANNA, BORIS]);
  expect(await failures(world, id)).toEqual(['edit-grace', 'google-quota']);
});

test('a quota that is spent after another calendar has not answered is what the search waits for', async () => {
  const { world, id } = await missing(RESTORED);
  const spent = new DeferredError('google-quota', 'spent', { retryAfterMs: 3_000, quota: 'calendar' });
  const { reads, own } = watched(world, {
    [BORIS]: refusing(new RetryableError('google-unavailable', 'down')),
    [CLARA]: refusing(spent),
  });
  expect(await world.turn(id, own)).toEqual({ next: 'defer', afterMs: 3_000, waitsFor: ['calendar'] });
  expect(reads).toEqual([ANNA, BORIS, CLARA]);
});

const target = `calendar:${BORIS}`;

test.each([
  ['a while', new DeferredError('calendar-denied', 'no', { retryAfterMs: 1_000, target }), 60_000],
  ['as long as it says', new DeferredError('calendar-denied', 'no', { retryAfterMs: 90_000 }), 90_000],
  ['a while, if it only fails', new RetryableError('google-unavailable', 'down'), 60_000],
])(
  'a calendar that does not answer is asked again after %s; the others are asked meanwhile, and once',
  async (_, error, afterMs) => {
    const { world, id } = await missing(RESTORED);
    const first = watched(world, { [BORIS]: refusing(error) });
    expect(await world.turn(id, first.own)).toEqual({ next: 'defer', afterMs });
    expect(first.reads).toEqual([ANNA, BORIS, CLARA, ROOM]);
    expect(await failures(world, id)).toEqual(['edit-grace', 'edit-unsearched']);
    const advice = expect.stringContaining('shared with the worker');
    const message = expect.stringContaining('does not answer');
    const reason = { mirror: 'staff', code: 'edit-unsearched', message, advice };
    expect(world.log.lines.at(-1)?.fields).toMatchObject({
      reasons: [error.target === undefined ? reason : { ...reason, target }],
    });
    expect(JSON.stringify(world.log.lines.at(-1)).includes('target')).toBe(error.target !== undefined);
    expect(await looksOf(world, id)).toEqual([CLARA, ROOM]);
    expect(world.events()).toEqual([]);
    const second = watched(world, { [BORIS]: refusing(error) });
    await world.turn(id, second.own);
    expect(second.reads).toEqual([ANNA, BORIS]);
    expect(await looksOf(world, id)).toEqual([CLARA, ROOM]);
  },
);

test('a calendar that still does not answer is asked first: the others are not asked again without need', async () => {
  const { world, id } = await missing({ deleted: 'cancel' });
  const down = { [CLARA]: refusing(new RetryableError('google-unavailable', 'down')) };
  const first = watched(world, down);
  expect(await world.turn(id, first.own)).toMatchObject({ next: 'defer' });
  expect(first.reads).toEqual([ANNA, BORIS, CLARA, ROOM]);
  world.clock.advance(LOOKS_FRESH_MS);
  const second = watched(world, down);
  expect(await world.turn(id, second.own)).toMatchObject({ next: 'defer' });
  expect(second.reads).toEqual([ANNA, CLARA]);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
});

test('a fault of the worker is no answer of a calendar', async () => {
  const { world, id } = await missing(RESTORED);
  const { own } = watched(world, { [BORIS]: refusing(new TypeError('a fault')) });
  expect(await world.turn(id, own)).toMatchObject({ next: 'retry' });
  expect(await failures(world, id)).not.toContain('edit-unsearched');
  expect(await looksOf(world, id)).toEqual([]);
});

test('a hundred calendars are asked in one turn, and the rest after a short while', async () => {
  const many = Array.from({ length: 150 }, (_, n) => `c${n}@clinic.example`);
  const { world, id } = await missing({ deleted: 'cancel', moved: 'reschedule' }, many);
  const absent = Object.fromEntries(many.map((each) => [each, () => 'absent']));
  const first = watched(world, absent);
  expect(await world.turn(id, first.own)).toEqual({ next: 'defer', afterMs: 500 });
  expect(first.reads).toEqual([ANNA, BORIS, CLARA, ROOM, ...many.slice(0, 97)]);
  world.clock.advance(500);
  const second = watched(world, absent);
  expect(await world.turn(id, second.own)).toEqual(DONE);
  expect(new Set([...first.reads, ...second.reads]).size).toBe(154);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('P7: a tombstone that Google has thrown away is a deletion like any other', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  world.staff.purgeTombstones({ calendarId: ANNA });
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('P7: an event that is absent because its calendar was made anew was deleted by nobody', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  world.staff.purgeTombstones({ calendarId: ANNA });
  await world.sight(id);
  const { own } = watched(world);
  const isNobodys = async () => true;
  expect(await world.turn(id, { ...own, events: { ...own.events, isNobodys } })).toEqual(DONE);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

test('P7: an event that stands in a calendar of its account that the mapping does not know was deleted by nobody', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  world.staff.purgeTombstones({ calendarId: ANNA });
  await world.sight(id);
  const { own } = watched(world);
  const asked: (readonly string[])[] = [];
  const keptElsewhere: EditGround['events']['keptElsewhere'] = async (calendarId, _, { searched }) => {
    asked.push([calendarId, ...searched]);
    return 'nobodys-calendar';
  };
  const turn = () => world.turn(id, { ...own, events: { ...own.events, keptElsewhere } });
  expect(await turn()).toMatchObject({ next: 'defer' });
  expect(asked).toEqual([]);
  world.clock.advance(GRACE_MS);
  expect(await turn()).toEqual(DONE);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.[0]).toBe(ANNA);
  expect(asked[0]?.slice(1)).toContain(BORIS);
  expect((await linkIn(world, id, ANNA))?.note?.code).toBe('nobodys-calendar');
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});

test('P7: nothing is cancelled while another calendar of the account does not answer', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  world.staff.purgeTombstones({ calendarId: ANNA });
  await world.sight(id);
  world.clock.advance(GRACE_MS);
  const { own } = watched(world);
  const keptElsewhere = async () => {
    throw new RetryableError('caldav-timeout', 'no answer', { status: 503 });
  };
  await world.turn(id, { ...own, events: { ...own.events, keptElsewhere } });
  world.clock.advance(GRACE_MS);
  await world.turn(id, { ...own, events: { ...own.events, keptElsewhere } });
  expect(await failures(world, id)).toContain('edit-unsearched');
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
});

test('an event that is there is not asked whether its calendar was made anew: its later deletion counts', async () => {
  const world = await stands.start({ moved: 'ignore', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  const { own } = watched(world);
  const isNobodys = async () => true;
  expect(await world.turn(id, { ...own, events: { ...own.events, isNobodys } })).toEqual(DONE);
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('each machine counts its own grace, and eight machines are remembered', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = world.book();
  await world.hear(id);
  const machines = Array.from({ length: 9 }, (_, n) => [`machine ${n}`, world.clock.now() - n] as const);
  const link = linkTo({ calendarId: ANNA, eventId: eventIdOf(id) }, { hour: { startsAt: TUESDAY_10 } });
  const missedSinceMs = Object.fromEntries(machines);
  await world.store.links.adopt(
    `appointment/${id}`,
    'staff',
    opened(link, world.clock.now(), { missedSinceMs }),
  );
  const nowMs = world.clock.now();
  const counts = async () => {
    const known = await linkIn(world, id, ANNA);
    return (known && openEdit(known)?.missedSinceMs) ?? {};
  };
  expect(await world.turn(id)).toMatchObject({ next: 'defer' });
  const kept = await counts();
  expect(Object.keys(kept)).toHaveLength(8);
  expect({ ...missedSinceMs, 'a machine': nowMs }).toMatchObject(kept);
  expect(kept).toMatchObject({ 'a machine': nowMs });
  world.clock.advance(1_000);
  await world.turn(id);
  expect(await counts()).toEqual(kept);
  await world.turnElsewhere(id, 0);
  const later = await counts();
  expect(Object.keys(later)).toHaveLength(8);
  expect(later).toMatchObject({ 'a machine': nowMs, 'another machine': nowMs + 1_000 });
});

test('P1: deleting the event of the person cancels an appointment that takes a room as well', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  expect(world.events()).toEqual([]);
});

test('P7: not so if the event of the room was touched meanwhile: it may be the person’s, dragged there', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.staff.recolour({ ...world.at(id, ROOM), colorId: '5' });
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(await acts(world, id)).toEqual(['put-back-unproven']);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
});

test('found with a colleague, the event of the person gives them an appointment that takes a room as well', async () => {
  const world = await stands.start(RESTORED);
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  const { annaId, borisId } = world.platform;
  world.dashboard.changeService(world.massageId, { resourceIds: [annaId, borisId] });
  world.staff.moveToCalendar({ ...world.at(id), to: BORIS });
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(SETTLED_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ resource_id: borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
});

test('P7: the person’s event is missing when the event of the room is touched: it may have been dragged there', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.remove(world.at(id));
  world.staff.recolour({ ...world.at(id, ROOM), colorId: '5' });
  await world.sight(id, ROOM);
  await world.settle(id);
  for (let round = 0; round < 2; round += 1) {
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`, `${ROOM} ${TUESDAY_10}`]);
});

test('E51: an event that is deleted before the platform gives its appointment to a colleague cancels nothing, and theirs says so', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(1_000);
  const { borisId } = world.platform;
  world.dashboard.reschedule(id, { startsAt: TUESDAY_10, resourceId: borisId, notify: false });
  await world.hear(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', resource_id: borisId });
  expect(world.events()).toEqual([`${BORIS} ${TUESDAY_10}`]);
  expect(world.description(id, BORIS)).toContain('in the meantime');
});

test('E59: an event that is deleted while `where` does not take its appointment cancels nothing (P7)', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  world.remap('staff', [{ resource: 'Anna', calendarId: ANNA }], { sinceMs: 0, statuses: ['arrived'] });
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
});

test('both events of an appointment deleted by hand cancel it', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  for (const calendarId of [ANNA, ROOM]) {
    world.staff.remove(world.at(id, calendarId));
    await world.sight(id, calendarId);
  }
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('a colour in the calendar of the room says nothing of the person’s event: its deletion still cancels', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.recolour({ ...world.at(id, ROOM), colorId: '5' });
  await world.sight(id, ROOM);
  await world.settle(id);
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
});

test('P7: the event of the room is moved while the person’s calendar does not answer: what is missing there later cancels nothing', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_12 });
  world.staff.remove(world.at(id));
  await world.sight(id, ROOM);
  const silent = new RetryableError('google-unavailable', 'down');
  await world.turn(id, watched(world, { [ANNA]: refusing(silent) }).own);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
  for (let round = 0; round < 3; round += 1) {
    await world.sight(id);
    await world.settle(id);
    world.clock.advance(GRACE_MS + 1_000);
  }
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`, `${ROOM} ${TUESDAY_12}`]);
});

test('a fault of the worker while it looks for the other event moves nothing', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_12 });
  await world.sight(id, ROOM);
  await world.turn(id, watched(world, { [ANNA]: refusing(new TypeError('a fault')) }).own);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_10 });
});
