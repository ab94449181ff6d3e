/** Unanswered requests whose wish people have taken back. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { RetryableError } from '../../../src/engine/errors.ts';
import { appointmentOf, ORIGIN, PushStands, type PushWorld, TUESDAY_12, TUESDAY_14 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const UNDER_WAY = { family: 'deferred', code: 'idempotency-in-progress', retryAfterMs: 55_000 };
const HOUR_MS = 3_600_000;

/** The request reaches the platform, which does not carry it out. */
async function unanswered(
  world: PushWorld,
  wish: Parameters<ReturnType<PushWorld['submitter']>['submit']>[1],
) {
  world.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'status', status: 503 } });
  await expect(world.submitter().submit(ORIGIN, wish)).rejects.toBeInstanceOf(RetryableError);
}

/** The request that was sent earlier arrives only now. */
async function arrives(world: PushWorld): Promise<void> {
  const open = (await world.store.intents.read(ORIGIN))?.open;
  if (open === undefined) throw new Error('nothing is under way');
  await world.ground.writer.create({ body: open.body, idempotencyKey: open.key });
}

async function withCard(world: PushWorld): Promise<void> {
  await world
    .client()
    .contacts.create({ idempotencyKey: 'one', body: { name: 'Ivan', phone: '+79990001122' } });
}

test('P7: looking for the end of an unanswered cancellation does not send it (case 48)', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  const wish = world.cancel(id, { notifyCustomer: true });
  await unanswered(world, wish);
  world.dashboard.markAppointment(id, 'arrived');
  world.clock.advance(HOUR_MS);
  expect(await world.submitter().finish(ORIGIN)).toEqual({ outcome: 'open', earlier: wish });
  await world.submitter().withdraw(ORIGIN);
  expect(await world.submitter().finish(ORIGIN)).toBeUndefined();
  expect(world.sandbox.truth.appointment(id)).toMatchObject({ status: 'arrived' });
  expect(world.sandbox.truth.customerMails()).toEqual([]);
});

test('P7: a move after an unanswered cancellation is carried out, and nothing is cancelled', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  await unanswered(world, world.cancel(id));
  const move = world.move(id, TUESDAY_12);
  // If it were sent now, the cancellation could still take effect after it.
  await expect(world.submitter().submit(ORIGIN, move)).rejects.toMatchObject(UNDER_WAY);
  world.clock.advance(60_000);
  const moved = await world.submitter().submit(ORIGIN, move);
  expect(moved).not.toHaveProperty('earlier');
  expect(appointmentOf(moved)).toMatchObject({ status: 'confirmed', starts_at: '2026-03-03T09:00:00.000Z' });
});

test('a booking that is corrected before its answer is made once, as corrected', async () => {
  const world = await stands.start();
  await withCard(world);
  await unanswered(world, world.book());
  const corrected = world.book({ startsAt: TUESDAY_14 });
  await expect(world.submitter().submit(ORIGIN, corrected)).rejects.toMatchObject(UNDER_WAY);
  world.clock.advance(60_000);
  const made = appointmentOf(await world.submitter().submit(ORIGIN, corrected));
  expect(made).toMatchObject({ starts_at: '2026-03-03T11:00:00.000Z' });
  expect(world.sandbox.truth.appointments()).toEqual([made]);
});

test('P2: a booking that takes effect late, after its correction, ends as the earlier one', async () => {
  const world = await stands.start();
  await withCard(world);
  await unanswered(world, world.book());
  const corrected = world.book({ startsAt: TUESDAY_14 });
  await expect(world.submitter().submit(ORIGIN, corrected)).rejects.toMatchObject(UNDER_WAY);
  await arrives(world);
  world.clock.advance(60_000);
  expect(await world.submitter().submit(ORIGIN, corrected)).toMatchObject({ earlier: world.book() });
  expect(world.live()).toHaveLength(1);
});

test('the wait counts from when the request was last sent', async () => {
  const world = await stands.start();
  await withCard(world);
  await unanswered(world, world.book());
  world.clock.advance(HOUR_MS);
  await unanswered(world, world.book());
  world.clock.advance(1_000);
  await expect(world.submitter().withdraw(ORIGIN)).rejects.toMatchObject({ retryAfterMs: 54_000 });
});

test('P2: a withdrawn booking that takes effect hours later is found, and booking again gives that appointment', async () => {
  const world = await stands.start();
  await withCard(world);
  await unanswered(world, world.book());
  world.clock.advance(60_000);
  await world.submitter().withdraw(ORIGIN);
  world.clock.advance(HOUR_MS);
  await arrives(world);
  const found = await world.submitter().finish(ORIGIN);
  expect(found).toMatchObject({ outcome: 'done', appointment: { id: world.live()[0]?.['id'] } });
  appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  expect(world.sandbox.truth.appointments()).toHaveLength(1);
});

test('P4: an unanswered request whose moment is hours ahead delays another wish for no longer than any other', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  await unanswered(world, world.cancel(id));
  const open = (await world.store.intents.read(ORIGIN))?.open;
  if (open === undefined) throw new Error('nothing is under way');
  const storedAtMs = open.storedAtMs + 5 * HOUR_MS;
  await world.store.intents.replace(ORIGIN, { key: open.key }, { ...open, storedAtMs });
  const move = world.move(id, TUESDAY_12);
  await expect(world.submitter().submit(ORIGIN, move)).rejects.toMatchObject(UNDER_WAY);
  world.clock.advance(60_000);
  expect(appointmentOf(await world.submitter().submit(ORIGIN, move))).toMatchObject({ status: 'confirmed' });
});

test('P2: a request that another handler sends again during the look for its effect is not withdrawn', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  const first = world.move(id, TUESDAY_12);
  await unanswered(world, first);
  world.clock.advance(HOUR_MS);
  const writer = aside(world.ground.writer, {
    get: async (appointmentId: string) => {
      const read = await world.ground.writer.get(appointmentId);
      await unanswered(world, first);
      return read;
    },
  });
  const later = world.submitter({ ...world.ground, writer }).submit(ORIGIN, world.move(id, TUESDAY_14));
  await expect(later).rejects.toMatchObject({ code: 'intent-overtaken' });
  expect((await world.store.intents.read(ORIGIN))?.open).toMatchObject({ wish: first });
  expect(world.live()).toMatchObject([{ starts_at: '2026-03-03T07:00:00.000Z' }]);
});

test('P3: a process that stood still after storing a request does not send it over the wish that replaced it', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  const intents = aside(world.ground.intents, {
    begin: async (...about: Parameters<typeof world.ground.intents.begin>) => {
      const begun = await world.ground.intents.begin(...about);
      world.clock.advance(60_000);
      appointmentOf(await world.submitter().submit(ORIGIN, world.move(id, TUESDAY_14)));
      return begun;
    },
  });
  const frozen = world.submitter({ ...world.ground, intents }).submit(ORIGIN, world.cancel(id));
  await expect(frozen).rejects.toMatchObject({ code: 'intent-overtaken' });
  expect(world.live()).toMatchObject([{ starts_at: '2026-03-03T11:00:00.000Z' }]);
});

test('P3: a process that stood still right before sending a request again does not send it', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  await unanswered(world, world.cancel(id));
  const intents = aside(world.ground.intents, {
    replace: async (...about: Parameters<typeof world.ground.intents.replace>) => {
      const isReplaced = await world.ground.intents.replace(...about);
      world.clock.advance(60_000);
      appointmentOf(await world.submitter().submit(ORIGIN, world.move(id, TUESDAY_14)));
      return isReplaced;
    },
  });
  const frozen = world.submitter({ ...world.ground, intents }).submit(ORIGIN, world.cancel(id));
  await expect(frozen).rejects.toMatchObject({ code: 'intent-overtaken' });
  expect(world.live()).toMatchObject([{ starts_at: '2026-03-03T11:00:00.000Z' }]);
});

test('P2: a request may be under way for as long as its answer is awaited, and for a while after that', async () => {
  const world = await stands.start();
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  await unanswered(world, world.cancel(id));
  world.clock.advance(120_000);
  const writer = aside(world.ground.writer, { timeoutMs: 120_000 });
  const submitter = world.submitter({ ...world.ground, writer });
  const move = world.move(id, TUESDAY_12);
  await expect(submitter.submit(ORIGIN, move)).rejects.toMatchObject({ ...UNDER_WAY, retryAfterMs: 50_000 });
  world.clock.advance(50_000);
  appointmentOf(await submitter.submit(ORIGIN, move));
});

test('a booking that was withdrawn a day ago is no longer looked for', async () => {
  const world = await stands.start();
  await withCard(world);
  await unanswered(world, world.book());
  world.clock.advance(23 * HOUR_MS);
  await world.submitter().withdraw(ORIGIN);
  expect(await world.submitter().finish(ORIGIN)).toMatchObject({ outcome: 'open' });
  world.clock.advance(HOUR_MS);
  await world.submitter().withdraw(ORIGIN);
  expect(await world.submitter().finish(ORIGIN)).toBeUndefined();
});

/** The port, with something put in the place of some of its members. */
function aside<Port extends object>(port: Port, other: object): Port {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(other, name)) return Reflect.get(other, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
