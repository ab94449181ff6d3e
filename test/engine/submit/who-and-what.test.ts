/** Whom a wish books, what is asked before, and what the submitter remembers of it, in one company with an hour for each test. */
import { problemFault } from '@slotbridge/sandbox/platform/problem-fault';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RetryableError } from '../../../src/engine/errors.ts';
import type { BookWish, Customer } from '../../../src/engine/outside-booking.ts';
import type { ContactLookup } from '../../../src/engine/platform.ts';
import { appointmentOf, NOBODY, PushStands, type PushWorld, refusalOf } from './stand.ts';

const stands = new PushStands();
let world: PushWorld;
beforeAll(async () => {
  world = await stands.start();
});
afterAll(() => stands.close());

let used = 0;
/** An origin, an hour and a customer for one test alone. */
function next() {
  used += 1;
  const day = new Date(Date.parse('2026-03-03T07:00:00Z') + Math.floor(used / 6) * 86_400_000);
  const startsAt = new Date(day.getTime() + (used % 6) * 3_600_000).toISOString();
  const phone = `+7999000${String(used).padStart(4, '0')}`;
  return { origin: `row ${used}`, startsAt, phone, email: `person${used}@example.com` };
}
type Mine = ReturnType<typeof next>;
const wish = (mine: Mine, customer: Partial<Customer> = {}, more: Partial<BookWish> = {}) =>
  world.book({
    ...{ startsAt: mine.startsAt, customer: { name: 'Ivan', phone: mine.phone, create: true, ...customer } },
    ...more,
  });
const submit = (
  mine: Mine,
  asked = wish(mine),
  about?: Parameters<ReturnType<PushWorld['submitter']>['submit']>[2],
) => world.submitter().submit(mine.origin, asked, about);
const contactsOf = (phone: string) =>
  world.sandbox.truth.contacts().filter((contact) => contact['phone'] === phone);
const bookedAt = ({ startsAt }: Mine) =>
  world.live().filter((each) => Date.parse(String(each['starts_at'])) === Date.parse(startsAt));

/** Its methods, so that a test can put another one in the place of one of them. */
const bound = <T extends object>(store: T): T =>
  Object.fromEntries(
    Object.getOwnPropertyNames(Object.getPrototypeOf(store)).map((name) => {
      const method = Reflect.get(store, name);
      return [name, typeof method === 'function' ? method.bind(store) : method];
    }),
  ) as T;

describe('a customer', () => {
  test('whose e-mail was typed in capitals is the one with that e-mail (P2)', async () => {
    const mine = next();
    const contactId = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Ivan',
      email: mine.email,
    });
    const typed = { phone: undefined as never, email: mine.email.toUpperCase() };
    expect(appointmentOf(await submit(mine, wish(mine, typed)))['contact_id']).toBe(contactId);
  });

  test('with nothing but a name is not booked', async () => {
    const mine = next();
    const { name } = { name: 'Ivan' };
    const refusal = refusalOf(
      await submit(mine, world.book({ startsAt: mine.startsAt, customer: { name, create: true } })),
    );
    expect(refusal).toEqual({ code: 'customer-unknown', slots: [] });
  });

  test.each([
    ['no card has', NOBODY],
    ['can be none', 'customer 17'],
  ])('by an id that %s is refused, and not looked for by the phone', async (_, contactId) => {
    const mine = next();
    world.dashboard.createContact({ projectId: world.projectId, name: 'Ivan', phone: mine.phone });
    const refusal = refusalOf(await submit(mine, wish(mine, { contactId })));
    expect(refusal).toEqual({ code: 'contact-not-found', slots: [] });
  });

  test('by the id of a card in another project is refused', async () => {
    const mine = next();
    const elsewhere = world.dashboard.createProject({ name: `Elsewhere ${mine.origin}` });
    const contactId = world.dashboard.createContact({
      projectId: elsewhere,
      name: 'Ivan',
      phone: mine.phone,
    });
    expect(refusalOf(await submit(mine, wish(mine, { contactId }))).code).toBe('contact-not-found');
    const own = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Ivan',
      phone: mine.phone,
    });
    expect(appointmentOf(await submit(mine, wish(mine, { contactId: own })))['contact_id']).toBe(own);
  });

  test('by an id at which the platform fails is no unknown one', async () => {
    const mine = next();
    const contactId = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Ivan',
      phone: mine.phone,
    });
    const fault = problemFault('validation');
    const lift = world.sandbox.faults.add({ method: 'GET', path: /contacts/, times: 1, fault });
    const refusal = refusalOf(await submit(mine, wish(mine, { contactId })));
    lift();
    expect(refusal.code).not.toBe('contact-not-found');
  });

  test('for whom the mapping makes no card is booked as typed, and a known one by his card', async () => {
    const one = next();
    const fields = { create: false, name: 'Olga', email: one.email } as const;
    const booked = appointmentOf(await submit(one, wish(one, fields)));
    expect(booked).toMatchObject({
      customer_phone: one.phone,
      customer_name: 'Olga',
      customer_email: one.email,
    });
    const bare = next();
    const asked = world.book({ startsAt: bare.startsAt, customer: { phone: bare.phone, create: false } });
    expect(appointmentOf(await submit(bare, asked))).toMatchObject({ customer_phone: bare.phone });
    const other = next();
    const contactId = world.dashboard.createContact({
      projectId: world.projectId,
      name: 'Ivan',
      phone: other.phone,
    });
    expect(appointmentOf(await submit(other, wish(other, { create: false })))['contact_id']).toBe(contactId);
    const mailed = next();
    const byMail = { create: false, phone: undefined as never, email: mailed.email };
    expect(refusalOf(await submit(mailed, wish(mailed, byMail))).code).toBe('customer-unknown');
  });

  test('in two projects has a card in each, also while the lists are late (P2)', async () => {
    const [one, other] = [next(), next()];
    const projectId = world.dashboard.createProject({ name: `Second ${one.origin}` });
    const branchId = world.dashboard.createBranch({ projectId, name: 'South', timezone: 'Europe/Moscow' });
    const carla = world.dashboard.createResource({ branchId, name: 'Carla' });
    const serviceId = world.dashboard.createService({ projectId, name: 'Massage', resourceIds: [carla] });
    await world.readDirectory();
    const nobody = { byPhone: async () => [], byEmail: async () => [] };
    const late: ContactLookup = { ...world.ground.cards, ...nobody };
    const submitter = world.submitter({ ...world.ground, cards: late });
    const { phone } = one;
    await submitter.submit(one.origin, wish(one));
    const there = world.book({
      startsAt: other.startsAt,
      serviceId,
      resourceId: carla,
      customer: { name: 'Ivan', phone, create: true },
    });
    appointmentOf(await submitter.submit(other.origin, there));
    expect(contactsOf(phone).map((contact) => contact['project_id'])).toEqual([world.projectId, projectId]);
  });

  test('waits for nobody else’s card', async () => {
    const [one, other] = [next(), next()];
    const create: ContactLookup['create'] = async (request) => {
      appointmentOf(await submit(other));
      return world.ground.cards.create(request);
    };
    const slow: ContactLookup = { ...world.ground.cards, create };
    const asked = wish(one);
    appointmentOf(await world.submitter({ ...world.ground, cards: slow }).submit(one.origin, asked));
    expect([contactsOf(one.phone), contactsOf(other.phone)].map((found) => found.length)).toEqual([1, 1]);
  });

  test('whose card another booking is making waits a second, and that costs no attempt', async () => {
    const [one, other] = [next(), next()];
    let isChecked = false;
    const create: ContactLookup['create'] = async (request) => {
      const same = wish(other, { phone: one.phone });
      const busy = { family: 'deferred', code: 'customer-busy', target: 'platform', retryAfterMs: 1_000 };
      await expect(submit(other, same)).rejects.toMatchObject(busy);
      isChecked = true;
      return world.ground.cards.create(request);
    };
    const slow: ContactLookup = { ...world.ground.cards, create };
    appointmentOf(await world.submitter({ ...world.ground, cards: slow }).submit(one.origin, wish(one)));
    expect(isChecked).toBe(true);
  });

  test('whose card the platform is still making under the same key is waited for, and that costs no attempt', async () => {
    const mine = next();
    const fault = problemFault('idempotency-in-progress');
    world.sandbox.faults.add({ method: 'POST', path: /contacts$/, times: 1, fault });
    await expect(submit(mine)).rejects.toMatchObject({ family: 'deferred' });
    appointmentOf(await submit(mine));
    expect(contactsOf(mine.phone)).toHaveLength(1);
  });

  test('whose card the platform repeats from before Redis was lost, and that is gone since, gets a new one', async () => {
    const mine = next();
    // Only the last second of Redis was lost: the keys are formed as before.
    const { intents } = world.ground;
    const submitter = world.submitter({
      ...world.ground,
      intents: { ...bound(intents), seed: async () => 'as before' } as typeof intents,
    });
    const first = appointmentOf(await submitter.submit(mine.origin, wish(mine)));
    world.dashboard.cancel(String(first.id), { notify: false });
    world.dashboard.deleteContact(String(first['contact_id']));
    await world.forgetAll();
    const again = `${mine.origin} again`;
    await expect(submitter.submit(again, wish(mine))).rejects.toMatchObject({ code: 'customer-busy' });
    const second = appointmentOf(await submitter.submit(again, wish(mine)));
    expect(second['contact_id']).not.toBe(first['contact_id']);
    expect(bookedAt(mine)).toHaveLength(1);
  });
});

describe('what the submitter knows of an origin', () => {
  test('of which it never heard is nothing', async () => {
    const submitter = world.submitter();
    expect(await submitter.made('row of nobody')).toBeUndefined();
    expect(await submitter.finish('row of nobody')).toBeUndefined();
    await submitter.withdraw('row of nobody');
  });

  test('is found on the platform after a loss of Redis, while it is live, and for this customer (P2)', async () => {
    const mine = next();
    const { id } = appointmentOf(await submit(mine));
    await world.forgetAll();
    const submitter = world.submitter();
    expect(await submitter.find(mine.origin, wish(mine))).toBe(id);
    expect(await submit(mine)).toMatchObject({ outcome: 'done', found: true, appointment: { id } });
    expect(await submitter.find('another row', wish(mine))).toBeUndefined();
    expect(await submitter.find(mine.origin, wish(mine, { contactId: NOBODY }))).toBeUndefined();
    world.dashboard.cancel(id, { notify: false });
    expect(await submitter.find(mine.origin, wish(mine))).toBeUndefined();
  });

  test('is an appointment that the key no longer sees: that is refused, and nothing booked beside it (P2)', async () => {
    const mine = next();
    const { id } = appointmentOf(await submit(mine));
    const fault = problemFault('not-found');
    const lift = world.sandbox.faults.add({ method: 'GET', path: new RegExp(id), times: 1, fault });
    expect(refusalOf(await submit(mine))).toEqual({ code: 'not-found', slots: [] });
    lift();
    expect(bookedAt(mine)).toHaveLength(1);
  });

  test.each([
    ['is taken over', true],
    ['is perhaps its own: a person decides', 'perhaps' as const],
    ['is another’s', false],
  ])('and an appointment of a former origin that %s (P2)', async (_, is) => {
    const mine = next();
    const former = appointmentOf(await submit(mine));
    await world.forgetAll();
    const elsewhere = { ...mine, origin: `${mine.origin}, moved` };
    const verdict = await submit(elsewhere, wish(mine), { isFormer: async () => is });
    expect(bookedAt(mine)).toHaveLength(is === false ? bookedAt(mine).length : 1);
    if (is === true) expect(verdict).toMatchObject({ found: true, appointment: { id: former.id } });
    if (is === 'perhaps')
      expect(refusalOf(verdict)).toEqual({
        ...{ code: 'perhaps-booked', slots: [] },
        standing: { appointmentId: former.id, startsAt: former['starts_at'] },
      });
    if (is === false) expect(verdict).not.toMatchObject({ found: true });
  });
});

test('a wish for what somebody has moved meanwhile is refused, and not carried over it (P4)', async () => {
  const mine = next();
  const { id } = appointmentOf(await submit(mine));
  const to = next().startsAt;
  const verdict = await world
    .submitter()
    .submit(mine.origin, world.move(id, to, { seenAs: 'as it was once' }));
  expect(refusalOf(verdict)).toEqual({ code: 'moved-meanwhile', slots: [] });
  expect(bookedAt(mine)).toHaveLength(1);
});

test('a handler that others outrun three times sends nothing, and lets the queue try again', async () => {
  const mine = next();
  const { intents } = world.ground;
  let begun = 0;
  const outrun = {
    ...bound(intents),
    begin: async (origin: string, request: { generation: number; key: string }) => {
      if (origin !== mine.origin) return intents.begin(origin, request as never);
      begun += 1;
      const { generation, key } = request;
      const other = { ...request, key: `${key} of another` };
      await intents.begin(origin, other as never);
      const end = { key: other.key, op: 'book', generation, outcome: 'refused', code: 'x', atMs: 1 };
      await intents.settle(origin, end as never);
      return intents.begin(origin, request as never);
    },
  } as unknown as typeof intents;
  const submitted = world.submitter({ ...world.ground, intents: outrun }).submit(mine.origin, wish(mine));
  const contended = { family: 'retryable', code: 'intent-contended', target: 'platform' };
  await expect(submitted).rejects.toMatchObject(contended);
  await expect(submitted).rejects.toBeInstanceOf(RetryableError);
  expect(begun).toBe(3);
  expect(bookedAt(mine)).toEqual([]);
});

describe('the length of a rental', () => {
  test.each(['the directory', 'the platform alone'])(
    'is never left to the platform: without one nothing of a service that %s knows is booked',
    async (known) => {
      const mine = next();
      const serviceId = world.dashboard.createService({
        ...{ projectId: world.projectId, name: `Boat ${mine.origin}`, resourceIds: [world.annaId] },
        ...{ bookingMode: 'interval' },
      } as never);
      if (known === 'the directory') await world.readDirectory();
      const { customer } = wish(mine);
      const asked = world.book({ startsAt: mine.startsAt, serviceId, customer });
      expect(refusalOf(await submit(mine, asked)).code).toBe('invalid-duration');
      expect(bookedAt(mine)).toEqual([]);
      const booked = world.book({ startsAt: mine.startsAt, serviceId, customer, durationMin: 60 });
      expect(await submit(mine, booked)).not.toMatchObject({ refusal: { code: 'invalid-duration' } });
    },
  );
});

test('a service that the directory does not know yet is asked for, and booked', async () => {
  const mine = next();
  const { projectId, branchId, annaId } = world;
  const serviceId = world.dashboard.createService({
    projectId,
    name: `New ${mine.origin}`,
    resourceIds: [annaId],
  });
  appointmentOf(await submit(mine, wish(mine, {}, { serviceId, branchId, resourceId: annaId })));
  const north = world.dashboard.createBranch({ projectId, name: 'North', timezone: 'Europe/Moscow' });
  const dora = world.dashboard.createResource({ branchId: north, name: `Dora of ${mine.origin}` });
  const inBoth = { projectId, name: `Both ${mine.origin}`, resourceIds: [annaId, dora] };
  // Such a service has no free times without a branch, or a resource of one.
  for (const place of [{ branchId: north }, { resourceId: dora }]) {
    const each = next();
    const { resourceId: _, ...anywhere } = wish(each);
    const newer = world.dashboard.createService({ ...inBoth, name: `${inBoth.name} ${each.origin}` });
    const booked = await submit(each, { ...anywhere, ...place, serviceId: newer });
    expect(appointmentOf(booked)).toMatchObject({ resource_id: dora, branch_id: north });
  }
  const other = next();
  expect(refusalOf(await submit(other, wish(other, {}, { serviceId: NOBODY }))).code).not.toBe(
    'customer-unknown',
  );
  expect(bookedAt(other)).toEqual([]);
});

describe('free times', () => {
  const dayMs = Date.parse('2026-03-10T00:00:00+03:00');
  const wished = () => ({ serviceId: world.serviceId, resourceId: world.annaId });

  test('of a day are offered to somebody who has named no hour', async () => {
    const within = { fromMs: dayMs, toMs: dayMs + 86_400_000, sinceMs: world.clock.now() };
    const { slots, zone } = await world.submitter().freeTimes(wished(), within);
    expect(slots.length).toBeGreaterThan(0);
    for (const slot of slots) {
      const at = Date.parse(String((slot as { startsAt?: string }).startsAt ?? slot));
      expect(at >= within.fromMs && at < within.toMs).toBe(true);
    }
    expect(zone).toBe('Europe/Moscow');
  });

  test.each([0, 1])(
    'of a day that ended %i ms ago are none, and the platform is not asked',
    async (agoMs) => {
      const toMs = world.clock.now() - agoMs;
      const fault = { kind: 'status', status: 500 } as const;
      const before = world.sandbox.faults.hits();
      const lift = world.sandbox.faults.add({ path: /slots/, fault });
      const within = { fromMs: toMs - 86_400_000, toMs, sinceMs: world.clock.now() };
      expect(await world.submitter().freeTimes(wished(), within)).toEqual({ slots: [] });
      expect(world.sandbox.faults.hits()).toBe(before);
      lift();
    },
  );
});
