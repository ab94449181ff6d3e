/** A request whose answer never came ends first, or is sent again as it was: what people did since is decided after it. */
import { afterAll, afterEach, expect, test } from 'vitest';
import type { OpenRequest } from '../../../src/engine/intent.ts';
import { askedWish, openEdit } from '../../../src/engine/link.ts';
import { createPlatformWriter } from '../../../src/platform/client.ts';
import { double } from '../../stand/double.ts';
import {
  ANNA,
  type EditGround,
  EditStands,
  type EditWorld,
  GRACE_MS,
  ROOM,
  TEAM,
  TUESDAY_10,
  TUESDAY_12,
  TUESDAY_14,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const DONE = { next: 'done' };
const intent = async (world: EditWorld, id: string) => world.store.intents.read(`appointment/${id}`);

async function linkIn(world: EditWorld, id: string, calendarId: string) {
  const claim = await world.store.ledger.peek({ kind: 'appointment', id });
  const link = claim?.links['staff']?.calendars?.find((each) => each.calendarId === calendarId);
  if (link === undefined) throw new Error(`no link in ${calendarId}`);
  return link;
}

const acts = async (world: EditWorld, id: string) =>
  (await world.store.history.of(`appointment/${id}`)).flatMap((entry) =>
    entry.what === 'acted' ? [[entry.code, entry.ids?.['reason']].filter(Boolean).join(' ')] : [],
  );

function unanswered(world: EditWorld, path: RegExp, kind: 'reset' | 'commit-then-reset' = 'reset'): void {
  world.platform.sandbox.faults.add({ method: 'POST', path, times: 1, fault: { kind } });
}

/** Anna's event is moved to noon, and the platform neither answers nor moves the appointment. */
async function unansweredMove(world: EditWorld, about: { serviceId?: string } = {}): Promise<string> {
  const id = await world.bookWithEvent(about);
  unanswered(world, /reschedule$/);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  return id;
}

test.each([
  ['platform', TUESDAY_14, true],
  ['staff', TUESDAY_12, false],
] as const)(
  'P4: the appointment is moved elsewhere before the platform answers: `conflict: %s` decides again',
  async (conflict, start, isSaid) => {
    const world = await stands.start({ moved: 'reschedule', conflict });
    const id = await unansweredMove(world);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_14 });
    expect(await world.turn(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ starts_at: start });
    expect(world.events()).toEqual([`${ANNA} ${start}`]);
    expect(world.description(id).includes('in the meantime')).toBe(isSaid);
    expect((await intent(world, id))?.open).toBeUndefined();
  },
);

test('P2: the same wish is sent again at once and under the same key, also where another event has a new title', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await unansweredMove(world, { serviceId: world.massageId });
  const sent = (await intent(world, id))?.open;
  world.staff.retitle({ ...world.at(id, ROOM), summary: 'Orlova' });
  await world.sight(id, ROOM);
  expect(await world.turn(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(await intent(world, id)).toMatchObject({ generation: sent?.generation });
  expect(await acts(world, id)).toEqual(['put-back-retouched not-expressible', 'moved']);
});

test('P2: the same cancellation is sent again at once and under the same key', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await unansweredCancellation(world);
  const sent = (await intent(world, id))?.open;
  expect(await world.turn(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  expect(await intent(world, id)).toMatchObject({ generation: sent?.generation });
});

/** Anna's event is deleted, and the platform neither answers nor cancels. */
async function unansweredCancellation(world: EditWorld): Promise<string> {
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  unanswered(world, /cancel$/);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  return id;
}

test('P2: an unanswered cancellation stays asked while the calendars are searched once more', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await unansweredCancellation(world);
  const sent = (await intent(world, id))?.open;
  expect(sent).toMatchObject({ op: 'cancel' });
  // The answers of the calendars are too old by now.
  world.clock.advance(3_600_000);
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  expect(await intent(world, id)).toMatchObject({ generation: sent?.generation });
});

test('P2: an unanswered cancellation stays asked while another machine counts the grace anew', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await unansweredCancellation(world);
  const sent = (await intent(world, id))?.open;
  world.clock.advance(3_600_000);
  expect(await world.turnElsewhere(id, 0)).toMatchObject({ next: 'defer' });
  expect((await intent(world, id))?.open).toEqual(sent);
  expect(askedWish(await linkIn(world, id, ANNA))).toMatchObject({ for: 'cancel' });
});

test('P2: a move of which only the answer was lost is not sent again, and leaves the other open change alone', async () => {
  const world = await stands.start({ moved: 'reschedule', conflict: 'platform' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  unanswered(world, /reschedule$/, 'commit-then-reset');
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  world.forgetMails();
  world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
  await world.sight(id, ROOM);
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`, `${ROOM} ${TUESDAY_12}`]);
  // The link says what both sides agreed on, so nothing was put back there.
  expect(await acts(world, id)).toEqual(['put-back-conflict moved-meanwhile', 'put-back-retouched']);
  expect(world.description(id, ROOM)).toContain('in the meantime');
  expect(world.description(id)).toBe('+74950001101');
});

test.each([
  ['its only event', false],
  ['one of two', true],
])(
  'P7: a move of %s of which the answer was lost counts: deleted next, and moved back by the customer in the grace, nothing is cancelled',
  async (_, isMassage) => {
    const edits = { moved: 'reschedule', deleted: 'cancel', conflict: 'platform' } as const;
    const world = await stands.start(edits, isMassage ? {} : { split: {} });
    const id = await world.bookWithEvent(isMassage ? { serviceId: world.massageId } : {});
    unanswered(world, /reschedule$/, 'commit-then-reset');
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    expect(await world.turn(id)).toMatchObject({ next: 'retry' });
    world.staff.remove(world.at(id));
    await world.sight(id);
    expect(await world.settle(id)).toMatchObject({ next: 'defer' });
    world.clock.advance(1_000);
    world.dashboard.reschedule(id, { startsAt: TUESDAY_10 });
    world.clock.advance(GRACE_MS);
    expect(await world.settle(id)).toEqual(DONE);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_10 });
    const shown = isMassage ? [ANNA, ROOM] : [ANNA];
    expect(world.events()).toEqual(shown.map((each) => `${each} ${TUESDAY_10}`));
    expect(world.description(id)).toContain('in the meantime');
  },
);

test('E58: an hour that another event was to overrule is not told so if the platform refused that', async () => {
  const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  const path = /reschedule$/;
  world.platform.sandbox.faults.add({ method: 'POST', path, skip: 1, times: 1, fault: { kind: 'reset' } });
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
  await world.sight(id);
  await world.sight(id, ROOM);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect(askedWish(await linkIn(world, id, ROOM))).toEqual({ for: TUESDAY_14, overrules: TUESDAY_12 });
  world.dashboard.reschedule(id, { startsAt: '2026-03-03T13:00:00.000Z' });
  world.dashboard.markAppointment(id, 'arrived');
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.description(id, ROOM)).toContain('can no longer be moved');
  expect(world.description(id)).toBe('+74950001101');
});

test('E58: nor before the platform has answered', async () => {
  const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  const path = /reschedule$/;
  world.platform.sandbox.faults.add({ method: 'POST', path, skip: 1, times: 2, fault: { kind: 'reset' } });
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
  await world.sight(id);
  await world.sight(id, ROOM);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect(world.description(id)).toBe('+74950001101');
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`, `${ROOM} ${TUESDAY_14}`]);
  expect(world.description(id)).toContain('in another calendar');
  expect(world.description(id, ROOM)).toBe('+74950001101');
});

test.each([
  ['at once'],
  ['after a reset', 'reset'],
  ['after its answer was lost', 'commit-then-reset'],
] as const)(
  'E58: once the platform has answered, %s, the event whose hour lost says so, and no other does',
  async (_, kind?: 'reset' | 'commit-then-reset') => {
    const world = await stands.start(
      { moved: 'reschedule', conflict: 'staff' },
      { team: { moved: 'reschedule' } },
    );
    const id = await world.bookWithEvent({ serviceId: world.massageId });
    const at = { method: 'POST', path: /reschedule$/, skip: 1, times: 1 } as const;
    if (kind !== undefined) world.platform.sandbox.faults.add({ ...at, fault: { kind } });
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
    await world.sight(id);
    await world.sight(id, ROOM);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
    expect(world.description(id)).toContain('in another calendar');
    expect(world.description(id, ROOM)).toBe('+74950001101');
    // Between a lost answer and the next try, the event of the team showed the hour that lost.
    if (kind === undefined) expect(world.description(id, TEAM)).toBe('+74950001101');
  },
);

test('E58: the event whose hour lost says so also when the handler died before it recorded the answer', async () => {
  const world = await stands.start({ moved: 'reschedule', conflict: 'staff' });
  const id = await world.bookWithEvent({ serviceId: world.massageId });
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  world.staff.move({ ...world.at(id, ROOM), start: TUESDAY_14 });
  await world.sight(id);
  await world.sight(id, ROOM);
  let asked = 0;
  const submitter: EditWorld['submitter'] = double({
    submit: async (...wished) => {
      const verdict = await world.submitter.submit(...wished);
      asked += 1;
      if (asked === 2) throw new Error('killed');
      return verdict;
    },
    finish: (origin) => world.submitter.finish(origin),
  });
  await world.turn(id, { ...world.ground, submitter });
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
  await world.settle(id);
  expect(world.description(id)).toContain('in another calendar');
  expect(world.description(id, ROOM)).toBe('+74950001101');
});

test('a move without an answer is over once the customer has cancelled', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await unansweredMove(world);
  world.dashboard.cancel(id, { notify: false });
  world.clock.advance(60_000);
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.events()).toEqual([]);
  expect((await intent(world, id))?.open).toBeUndefined();
});

test('P1: a cancellation of which only the answer was lost is recorded, and is not asked again', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  unanswered(world, /cancel$/, 'commit-then-reset');
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect(await world.settle(id)).toEqual(DONE);
  const link = await linkIn(world, id, ANNA).catch(() => undefined);
  expect(link && (askedWish(link) ?? openEdit(link))).toBeUndefined();
  expect(world.events()).toEqual([]);
});

test('P4: an answer of which the record was lost with its handler leaves the next move to be decided', async () => {
  const world = await stands.start({ moved: 'reschedule', conflict: 'platform' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  const doomed: EditGround = {
    ...world.ground,
    submitter: double({
      submit: async (...wished) => {
        await world.submitter.submit(...wished);
        throw new Error('killed');
      },
      finish: (origin) => world.submitter.finish(origin),
    }),
  };
  await world.turn(id, doomed);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(askedWish(await linkIn(world, id, ANNA))).toMatchObject({ for: TUESDAY_12 });
  world.staff.move({ ...world.at(id), start: TUESDAY_14 });
  await world.sight(id);
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
});

type Move = (world: EditWorld, id: string, open: OpenRequest | undefined) => unknown;
test.each<[string, 'platform' | 'staff', string, Move]>([
  [
    'the platform performs the older request, which counts as its change',
    ...(['platform', TUESDAY_12] as const),
    (world, id, open) =>
      createPlatformWriter(world.platform.client())
        .reschedule(id, { body: String(open?.body), idempotencyKey: String(open?.key) })
        .catch(() => undefined),
  ],
  [
    'the customer moves the appointment, which ends the older request',
    ...(['staff', TUESDAY_14] as const),
    (world, id) => world.dashboard.reschedule(id, { startsAt: '2026-03-03T13:00:00+03:00' }),
  ],
])('P4: between look and request, %s: `conflict: %s` decides', async (_, ...[conflict, start, move]) => {
  const world = await stands.start({ moved: 'reschedule', conflict });
  const id = await unansweredMove(world);
  const open = (await intent(world, id))?.open;
  // The link of the former worker is lost with its Redis' last second; the request is not.
  const link = await linkIn(world, id, ANNA);
  await world.store.redis.del(world.store.keys.object(`appointment/${id}`));
  await world.store.links.adopt(`appointment/${id}`, 'staff', { ...link, edit: { is: 'settled' } });
  await world.hear(id);
  world.staff.move({ ...world.at(id), start: TUESDAY_14 });
  await world.sight(id);
  const reader: EditGround['reader'] = double({
    get: async (key) => {
      const found = await world.ground.reader.get(key);
      await move(world, id, open);
      return found;
    },
  });
  await world.turn(id, { ...world.ground, reader });
  expect(await world.settle(id)).toEqual(DONE);
  expect((await intent(world, id))?.open).toBeUndefined();
  expect(world.appointment(id)).toMatchObject({ starts_at: start });
  expect(world.events()).toEqual([`${ANNA} ${start}`]);
  expect(world.description(id).includes('in the meantime')).toBe(conflict === 'platform');
});

test('a change that asks the platform for nothing costs it no request', async () => {
  const world = await stands.start({ moved: 'revert', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  const before = world.platform.sandbox.stats().requests;
  expect(await world.settle(id)).toEqual(DONE);
  expect(world.platform.sandbox.stats().requests).toBe(before);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
});
