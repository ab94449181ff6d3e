/** One card for one new customer, whatever of them each booking knows, and however late the platform's list shows it (case 24). */

import { afterAll, afterEach, expect, test } from 'vitest';
import { DeferredError, RetryableError, TerminalError } from '../../../src/engine/errors.ts';
import type { Leases } from '../../../src/engine/leases.ts';
import type { Customer } from '../../../src/engine/outside-booking.ts';
import type { ContactLookup } from '../../../src/engine/platform.ts';
import type { BookingSubmitter } from '../../../src/engine/submitter.ts';
import { double } from '../../stand/double.ts';
import { appointmentOf, ORIGIN, PHONE, PushStands, type PushWorld, TUESDAY_10, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const EMAIL = 'ivan@example.com';
const HOURS = [TUESDAY_10, TUESDAY_12, '2026-03-03T11:00:00.000Z'];
const ivan = (more: Partial<Customer>): Customer => ({ name: 'Ivan', create: true, ...more });

/** The platform's list does not show cards that were made less than a minute ago. */
function withLateList(world: PushWorld, cards = world.ground.cards) {
  const old = (found: Awaited<ReturnType<ContactLookup['byPhone']>>) =>
    found.filter(({ created_at }) => Date.parse(String(created_at)) <= world.clock.now() - 60_000);
  const late: ContactLookup = {
    byId: (id) => cards.byId(id),
    byPhone: async (...asked) => old(await cards.byPhone(...asked)),
    byEmail: async (...asked) => old(await cards.byEmail(...asked)),
    create: (request) => cards.create(request),
  };
  return world.submitter({ ...world.ground, cards: late });
}

/** Tried again until it has a verdict, as the queue does it. */
async function booked(
  world: PushWorld,
  at: number,
  { customer, submitter = world.submitter() }: { customer: Customer; submitter?: BookingSubmitter },
) {
  for (;;) {
    try {
      const wish = world.book({ customer, startsAt: HOURS[at] ?? TUESDAY_10 });
      return appointmentOf(await submitter.submit(`${ORIGIN} ${at}`, wish));
    } catch (error) {
      if (!(error instanceof DeferredError)) throw error;
      await new Promise((done) => setTimeout(done, 5));
    }
  }
}

test.each([
  ['a phone and an e-mail, and the same e-mail', { phone: PHONE, email: EMAIL }, { email: EMAIL }],
  ['an e-mail, and the same in capitals', { email: EMAIL }, { email: 'Ivan@Example.com' }],
  ['a phone, and the same phone with an e-mail', { phone: PHONE }, { phone: PHONE, email: EMAIL }],
])('two bookings at once that know %s make one card', async (_, one, other) => {
  const world = await stands.start({ switches: { workMs: 20 } });
  const both = await Promise.all([
    booked(world, 0, { customer: ivan(one) }),
    booked(world, 1, { customer: ivan(other) }),
  ]);
  expect(world.sandbox.truth.contacts()).toHaveLength(1);
  expect(new Set(both.map(({ contact_id }) => contact_id)).size).toBe(1);
  expect(world.live()).toHaveLength(2);
});

test.each([
  ['the phone', { phone: PHONE }, { phone: PHONE }],
  ['the e-mail', { phone: PHONE, email: EMAIL }, { email: EMAIL }],
])('a card that the list does not show yet is known by %s', async (_, one, other) => {
  const world = await stands.start();
  const submitter = withLateList(world);
  const first = await booked(world, 0, { customer: ivan(one), submitter });
  world.clock.advance(1_000);
  const second = await booked(world, 1, { customer: ivan(other), submitter });
  expect(second['contact_id']).toBe(first['contact_id']);
  expect(world.sandbox.truth.contacts()).toHaveLength(1);
});

test('an e-mail that was typed in capitals at first is the same one an hour later', async () => {
  const world = await stands.start();
  const first = await booked(world, 0, { customer: ivan({ email: 'Ivan@Example.com' }) });
  world.clock.advance(3_600_000);
  for (const [at, email] of ['IVAN@example.com', EMAIL].entries())
    expect((await booked(world, at + 1, { customer: ivan({ email }) }))['contact_id']).toBe(
      first['contact_id'],
    );
  expect(world.sandbox.truth.contacts()).toMatchObject([{ email: EMAIL }]);
});

test('a remembered card that was deleted meanwhile is not booked: the customer gets a new one', async () => {
  const world = await stands.start();
  const submitter = withLateList(world);
  const first = await booked(world, 0, { customer: ivan({ phone: PHONE }), submitter });
  world.dashboard.deleteContact(String(first['contact_id']));
  const second = await booked(world, 1, { customer: ivan({ phone: PHONE }), submitter });
  expect(second).toMatchObject({ status: 'confirmed' });
  expect(second['contact_id']).not.toBe(first['contact_id']);
});

test('a card that was made a quarter of an hour ago is not remembered: its phone may have become somebody else’s', async () => {
  const world = await stands.start();
  const first = await booked(world, 0, { customer: ivan({ phone: PHONE }) });
  const id = String(first['contact_id']);
  world.dashboard.changeContact(id, { phone: '+79990003344' });
  world.clock.advance(16 * 60_000);
  const second = await booked(world, 1, { customer: ivan({ phone: PHONE }) });
  expect(second['contact_id']).not.toBe(id);
  expect(world.sandbox.truth.contacts()).toMatchObject([{ phone: '+79990003344' }, { phone: PHONE }]);
});

test('a card that is made between two refusals, and that the list does not show yet, is made once (P2)', async () => {
  const world = await stands.start();
  const late = withLateList(world);
  const { cards } = world.ground;
  const refusing: ContactLookup = {
    byPhone: (...asked) => cards.byPhone(...asked),
    byEmail: (...asked) => cards.byEmail(...asked),
    byId: async () => undefined,
    create: async () => Promise.reject(new TerminalError('validation', 'refused', { status: 422 })),
  };
  const refuse = async () => {
    world.clock.advance(1_000);
    const submitter = withLateList(world, refusing);
    const wish = world.book({ customer: ivan({ phone: PHONE }) });
    expect(await submitter.submit(ORIGIN, wish)).toMatchObject({ outcome: 'refused' });
  };
  await refuse();
  const first = await booked(world, 0, { customer: ivan({ phone: PHONE }), submitter: late });
  await refuse();
  const second = await booked(world, 1, { customer: ivan({ phone: PHONE }), submitter: late });
  expect(second['contact_id']).toBe(first['contact_id']);
  expect(world.sandbox.truth.contacts()).toHaveLength(1);
});

test('a customer whose card nobody is making is booked without the turn to make one', async () => {
  const world = await stands.start();
  const taken: string[] = [];
  const leases: Leases = double({
    hold: (name, ...rest) => {
      taken.push(name);
      return world.ground.leases.hold(name, ...rest);
    },
  });
  const submitter = world.submitter({ ...world.ground, leases });
  const customer = ivan({ phone: PHONE, email: EMAIL });
  const first = await booked(world, 0, { customer, submitter });
  expect(taken.splice(0)).toHaveLength(2);
  expect((await booked(world, 1, { customer, submitter }))['contact_id']).toBe(first['contact_id']);
  expect(taken).toEqual([]);
});

test.each([
  ['is refused', new TerminalError('validation', 'refused', { status: 422 }), false],
  ['was made, and its answer lost', new RetryableError('platform-unreachable', 'lost'), true],
])(
  'a card that %s leaves no open request behind, neither of the phone nor of the e-mail',
  async (_, error, isMade) => {
    const world = await stands.start();
    const { cards } = world.ground;
    const create: ContactLookup['create'] = async (request) => {
      if (isMade) await cards.create(request);
      throw error;
    };
    const failing: ContactLookup = {
      byId: (id) => cards.byId(id),
      byPhone: (...asked) => cards.byPhone(...asked),
      byEmail: (...asked) => cards.byEmail(...asked),
      create,
    };
    const wish = world.book({ customer: ivan({ phone: PHONE, email: EMAIL }) });
    const submit = () => world.submitter({ ...world.ground, cards: failing }).submit(ORIGIN, wish);
    await submit().catch(() => undefined);
    await submit();
    const keys = await world.store.redis.keys(`*${world.store.prefix}[^0-9]*intent*`);
    const kept = await Promise.all(keys.map((key) => world.store.redis.hgetall(key)));
    expect(kept.length).toBeGreaterThanOrEqual(2);
    expect(kept.filter(({ o }) => o !== undefined)).toEqual([]);
    expect(world.sandbox.truth.contacts()).toHaveLength(isMade ? 1 : 0);
  },
);

/** Requests for cards that nobody has answered, by the names under which they are stored. */
async function openRequests(world: PushWorld): Promise<number> {
  const keys = await world.store.redis.keys(`*${world.store.prefix}[^0-9]*intent*`);
  const kept = await Promise.all(keys.map((key) => world.store.redis.hgetall(key)));
  return kept.filter(({ o }) => o !== undefined).length;
}

test.each([
  ['made: both end, and nothing personal stays of either', undefined, 0],
  ['refused: only that one ends, because the other may still be made', 422, 1],
] as const)('two requests for one card without an answer: the first is %s', async (_, status, left) => {
  const world = await stands.start();
  const keys: string[] = [];
  const answers = { isLost: true };
  const create: ContactLookup['create'] = async (request) => {
    keys.push(request.idempotencyKey);
    if (answers.isLost) throw new RetryableError('platform-unreachable', 'lost');
    if (status !== undefined) throw new TerminalError('validation', 'refused', { status });
    return world.ground.cards.create(request);
  };
  const { cards: real } = world.ground;
  const cards: ContactLookup = {
    byId: (id) => real.byId(id),
    byPhone: (...asked) => real.byPhone(...asked),
    byEmail: (...asked) => real.byEmail(...asked),
    create,
  };
  const submit = (at: number, customer: Partial<Customer>) =>
    world.submitter({ ...world.ground, cards }).submit(`${ORIGIN} ${at}`, {
      ...world.book({ customer: ivan(customer), startsAt: HOURS[at] ?? TUESDAY_10 }),
    });
  for (const [at, customer] of [{ phone: PHONE }, { email: EMAIL }].entries())
    await expect(submit(at, customer)).rejects.toMatchObject({ code: 'platform-unreachable' });
  expect([new Set(keys).size, await openRequests(world)]).toEqual([2, 2]);
  answers.isLost = false;
  await submit(2, { phone: PHONE, email: EMAIL });
  expect(keys[2]).toBe(keys[0]);
  expect(await openRequests(world)).toBe(left);
});

test('P2: a handler that was frozen past its lease makes no second card, and leaves no request behind', async () => {
  const world = await stands.start();
  const { intents, cards } = world.ground;
  const other = world.submitter();
  const read = intents.read.bind(intents);
  let reads = 0;
  intents.read = async (origin) => {
    const record = await read(origin);
    reads += origin.startsWith('contact:') ? 1 : 0;
    // It has read both names, and stands still. The other handler makes the card meanwhile.
    if (reads === 2 && origin.startsWith('contact:'))
      await booked(world, 0, { customer: ivan({ email: EMAIL }), submitter: other });
    return record;
  };
  const frozen = world.submitter({
    ...world.ground,
    leases: double({ hold: async (_, work) => ({ result: await work(double({})) }) }),
    cards: {
      byId: (id) => cards.byId(id),
      byPhone: (...asked) => cards.byPhone(...asked),
      byEmail: async () => [],
      create: (request) => cards.create(request),
    },
  });
  const customer = ivan({ phone: PHONE, email: EMAIL });
  const wish = world.book({ customer, startsAt: TUESDAY_12 });
  await expect(frozen.submit(ORIGIN, wish)).rejects.toMatchObject({ code: 'customer-busy' });
  await booked(world, 1, { customer, submitter: other });
  expect(world.sandbox.truth.contacts()).toHaveLength(1);
  expect(await openRequests(world)).toBe(0);
});

test('what is remembered of a card is nothing personal', async () => {
  const world = await stands.start();
  await booked(world, 0, { customer: ivan({ phone: PHONE, email: EMAIL }) });
  const keys = await world.store.redis.keys(`*${world.store.prefix}[^0-9]*intent*`);
  const values = await Promise.all(keys.map((key) => world.store.redis.hgetall(key)));
  expect(keys.length).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify([keys, values])).not.toMatch(/Ivan|79990001122|example\.com/);
});
