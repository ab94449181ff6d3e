/** People change their minds while the platform does not answer. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { createPlatformWriter } from '../../../src/platform/client.ts';
import { ANNA, EditStands, type EditWorld, TUESDAY_10, TUESDAY_12, TUESDAY_14 } from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const GRACE_MS = 10 * 60_000;

/** An event is deleted, and its absence is proved. The cancellation gets no answer and is not carried out. */
async function unansweredDeletion(world: EditWorld): Promise<string> {
  const id = await world.bookWithEvent();
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  world.platform.sandbox.faults.add({
    ...{ method: 'POST', path: /cancel$/, times: 1, fault: { kind: 'status', status: 503 } },
  });
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  expect((await world.store.intents.read(`appointment/${id}`))?.open).toMatchObject({ op: 'cancel' });
  world.forgetMails();
  return id;
}

test('P7: a deleted event that is restored before the platform answers cancels nothing', async () => {
  const world = await stands.start({ deleted: 'cancel', notifyCustomer: true });
  const id = await unansweredDeletion(world);
  world.staff.restore(world.at(id));
  await world.sight(id);
  world.clock.advance(3_600_000);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.mails()).toEqual([]);
  expect((await world.store.intents.read(`appointment/${id}`))?.open).toBeUndefined();
  // Deleting it again is a wish again.
  world.staff.remove(world.at(id));
  await world.sight(id);
  await world.settle(id);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'cancelled' });
  expect(world.mails()).toEqual(['cancelled']);
});

test('P7: a deleted event cancels nothing if the customer moves its appointment before the platform answers', async () => {
  const world = await stands.start({ deleted: 'cancel', conflict: 'platform' });
  const id = await unansweredDeletion(world);
  const { annaId: resourceId } = world.platform;
  world.dashboard.reschedule(id, { startsAt: TUESDAY_12, resourceId, notify: false });
  world.clock.advance(3_600_000);
  await world.hear(id);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
});

test('P7: a deleted event cancels nothing if its customer has arrived before the platform answers (case 48)', async () => {
  const world = await stands.start({ deleted: 'cancel' });
  const id = await unansweredDeletion(world);
  world.dashboard.markAppointment(id, 'arrived');
  world.clock.advance(3_600_000);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'arrived' });
});

test.each(['moved', 'deleted'] as const)(
  'P7: a customer who moves the appointment while the worker judges a %s event keeps the new hour (conflict: platform)',
  async (edit) => {
    const world = await stands.start({ moved: 'reschedule', deleted: 'cancel', conflict: 'platform' });
    const id = await world.bookWithEvent();
    const { annaId: resourceId } = world.platform;
    if (edit === 'moved') world.staff.move({ ...world.at(id), start: TUESDAY_14 });
    else world.staff.remove(world.at(id));
    await world.sight(id);
    if (edit === 'deleted') {
      await world.settle(id);
      world.clock.advance(GRACE_MS);
    }
    let isMoved = false;
    const { writer } = world.ground;
    const get = async (asked: string) => {
      if (!isMoved) world.dashboard.reschedule(id, { startsAt: TUESDAY_12, resourceId, notify: false });
      isMoved = true;
      return writer.get(asked);
    };
    const meanwhile = {
      ...world.ground,
      writer: new Proxy(writer, {
        get: (target, name) =>
          name === 'get' ? get : (Reflect.get(target, name) as () => unknown).bind(target),
      }),
    };
    await world.turn(id, meanwhile);
    expect(isMoved).toBe(true);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_12}`]);
  },
);

test('P7: a later move does not carry a cancellation left open by a mirror that the YAML no longer has', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const { id } = { id: await world.bookWithEvent() };
  // The state of an installation that has lost the links of its former mirror.
  const wish = { op: 'cancel', appointmentId: id, notifyCustomer: true } as const;
  const request = {
    op: 'cancel',
    wish,
    key: 'k',
    body: '{}',
    generation: 1,
    storedAtMs: world.clock.now(),
  } as const;
  await world.store.intents.begin(`appointment/${id}`, request);
  world.clock.advance(3_600_000);
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: TUESDAY_12 });
});

test.each(['platform', 'latest'] as const)(
  'P4: an event that is dragged twice gets its last hour, although the platform performs the first move late (conflict: %s)',
  async (conflict) => {
    const world = await stands.start({ moved: 'reschedule', conflict });
    const id = await world.bookWithEvent();
    world.platform.sandbox.faults.add({
      ...{ method: 'POST', path: /reschedule$/, times: 1, fault: { kind: 'status', status: 503 } },
    });
    world.staff.move({ ...world.at(id), start: TUESDAY_12 });
    await world.sight(id);
    expect(await world.turn(id)).toMatchObject({ next: 'retry' });
    world.staff.move({ ...world.at(id), start: TUESDAY_14 });
    await world.sight(id);
    expect(await world.turn(id)).toMatchObject({ next: 'defer' });
    const open = (await world.store.intents.read(`appointment/${id}`))?.open;
    await createPlatformWriter(world.platform.client()).reschedule(id, {
      ...{ body: String(open?.body), idempotencyKey: String(open?.key) },
    });
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
    world.clock.advance(60_000);
    await world.settle(id);
    expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_14 });
    expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
    expect(world.description(id)).toBe('+74950001101');
  },
);

test('P7: an event that is dragged twice and then back before the platform answers moves nothing, and its request ends', async () => {
  const world = await stands.start({ moved: 'reschedule', deleted: 'cancel' });
  const id = await world.bookWithEvent();
  const before = world.appointment(id)?.['starts_at'];
  world.platform.sandbox.faults.add({
    ...{ method: 'POST', path: /reschedule$/, times: 1, fault: { kind: 'status', status: 503 } },
  });
  const open = async () => (await world.store.intents.read(`appointment/${id}`))?.open;
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  expect(await world.turn(id)).toMatchObject({ next: 'retry' });
  const sent = await open();
  expect(sent).toMatchObject({ op: 'move' });
  // The first request may still be under way.
  world.staff.move({ ...world.at(id), start: '2026-03-03T16:00:00+03:00' });
  await world.sight(id);
  await world.turn(id);
  expect(await open()).toEqual(sent);
  world.staff.move({ ...world.at(id), start: TUESDAY_10 });
  await world.sight(id);
  world.clock.advance(3_600_000);
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ status: 'confirmed', starts_at: before });
  expect(await open()).toBeUndefined();
});
