import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { RetryableError, TerminalError } from '../../../src/engine/errors.ts';
import { createCustomerCards, createPlatformWriter } from '../../../src/platform/client.ts';
import { rowsOf } from '../../stand/runs.ts';
import { appointmentOf, type Ground, ORIGIN, PushStands, refusalOf, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Every answer of the silent places that an idempotent write meets. */
const MEMORIES: [string, Partial<SilentSwitches>][] = [
  ['remembers 2xx and 409', {}],
  ['remembers 2xx only', { idempotencyRemembers: '2xx' }],
  ['remembers everything but 422', { idempotencyRemembers: 'all-but-422' }],
  ['compares bodies byte by byte', { idempotencyCompares: 'bytes' }],
  ['keeps keys per company', { idempotencyScope: 'company' }],
  ['forgets keys at once', { idempotencyHours: 0 }],
];

describe.each(rowsOf(MEMORIES, 5))('with a platform that %s', (_, switches) => {
  test.each(['commit-then-reset', 'commit-then-status'] as const)(
    'a booking whose answer ended in %s is one appointment (case 53)',
    async (kind) => {
      const world = await stands.start({ switches });
      const fault = kind === 'commit-then-status' ? { kind, status: 502 } : { kind };
      world.sandbox.faults.add({ method: 'POST', path: /appointments$/, times: 1, fault });
      await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({
        family: 'retryable',
      });
      world.clock.advance(1_000);
      const made = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
      expect(world.sandbox.truth.appointments()).toEqual([made]);
    },
  );

  test('a move and a cancellation whose answers were lost are told to the customer once', async () => {
    const world = await stands.start({ switches });
    const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    for (const wish of [
      world.move(id, TUESDAY_12, { notifyCustomer: true }),
      world.cancel(id, { notifyCustomer: true }),
    ]) {
      world.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'commit-then-reset' } });
      await expect(world.submitter().submit(ORIGIN, wish)).rejects.toMatchObject({ family: 'retryable' });
      world.clock.advance(1_000);
      appointmentOf(await world.submitter().submit(ORIGIN, wish));
    }
    expect(world.sandbox.truth.customerMails().map(({ reason }) => reason)).toEqual([
      'rescheduled',
      'cancelled',
    ]);
  });

  test('a contact whose answer was lost is one contact', async () => {
    const world = await stands.start({ switches });
    world.sandbox.faults.add({
      method: 'POST',
      path: /contacts$/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({
      family: 'retryable',
    });
    world.clock.advance(1_000);
    appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
    expect(world.sandbox.truth.contacts()).toHaveLength(1);
  });

  test('a refusal whose answer was lost is the same refusal', async () => {
    const world = await stands.start({ switches });
    world.dashboard.bookAs('lk', {
      serviceId: world.serviceId,
      startsAt: world.book().startsAt,
      resourceId: world.annaId,
    });
    world.sandbox.faults.add({
      method: 'POST',
      path: /appointments$/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({
      family: 'retryable',
    });
    world.clock.advance(1_000);
    expect(refusalOf(await world.submitter().submit(ORIGIN, world.book())).code).toBe('slot-unavailable');
    expect(world.live()).toHaveLength(1);
  });
});

test('a key that is older than a day is not trusted: the appointment is looked for, also where it was moved to', async () => {
  const world = await stands.start();
  world.sandbox.faults.add({
    method: 'POST',
    path: /appointments$/,
    times: 1,
    fault: { kind: 'commit-then-reset' },
  });
  await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({ family: 'retryable' });
  const [lost] = world.sandbox.truth.appointments();
  world.dashboard.reschedule(String(lost?.['id']), { startsAt: '2026-03-05T12:00:00+03:00' });
  world.clock.advance(30 * 3_600_000);
  expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book())).id).toBe(lost?.['id']);
  expect(world.sandbox.truth.appointments()).toHaveLength(1);
});

test('what was cancelled by somebody before its answer came is that appointment, and not booked again', async () => {
  const world = await stands.start({ switches: { idempotencyHours: 0 } });
  world.sandbox.faults.add({
    method: 'POST',
    path: /appointments$/,
    times: 1,
    fault: { kind: 'commit-then-reset' },
  });
  await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({ family: 'retryable' });
  world.dashboard.cancel(String(world.live()[0]?.['id']));
  world.clock.advance(1_000);
  expect(appointmentOf(await world.submitter().submit(ORIGIN, world.book()))).toMatchObject({
    status: 'cancelled',
  });
  expect(world.live()).toEqual([]);
});

test('a hour that our own late request has taken is no refusal', async () => {
  const world = await stands.start();
  let sent = 0;
  const ground: Ground = {
    ...world.ground,
    writer: through(world.ground, async (request) => {
      sent += 1;
      if (sent === 1) throw new RetryableError('platform-timeout', 'no whole answer');
      // What was sent first arrives now, after the look for it, and its key is not remembered.
      await world.ground.writer.create({ ...request, idempotencyKey: 'late' });
      return world.ground.writer.create(request);
    }),
  };
  await expect(world.submitter(ground).submit(ORIGIN, world.book())).rejects.toMatchObject({
    code: 'platform-timeout',
  });
  const made = appointmentOf(await world.submitter(ground).submit(ORIGIN, world.book()));
  expect(world.sandbox.truth.appointments()).toEqual([made]);
});

test('a first request that is still running is waited for, with the same key, and costs no attempt (case 55)', async () => {
  const world = await stands.start({ switches: { workMs: 1_500 } });
  await world.submitter().submit('other', world.book({ startsAt: TUESDAY_12 }));
  const running = world.submitter().submit(ORIGIN, world.book());
  let waited: unknown;
  for (let tries = 0; tries < 50 && waited === undefined; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if ((await world.store.intents.read(ORIGIN)) === undefined) continue;
    await world
      .submitter()
      .submit(ORIGIN, world.book())
      .catch((error: unknown) => {
        waited = error;
      });
  }
  expect(waited).toMatchObject({ family: 'deferred', code: 'idempotency-in-progress', retryAfterMs: 2_000 });
  appointmentOf(await running);
  expect(world.live()).toHaveLength(2);
});

test('a key that was used with another body is replaced by a new one, after a look for the appointment', async () => {
  const world = await stands.start();
  let spoilt = false;
  const ground: Ground = {
    ...world.ground,
    writer: through(world.ground, async (request) => {
      if (!spoilt) {
        spoilt = true;
        const body = JSON.stringify({ ...JSON.parse(request.body), starts_at: TUESDAY_12, metadata: null });
        await world.ground.writer.create({ ...request, body });
      }
      return world.ground.writer.create(request);
    }),
  };
  const made = appointmentOf(await world.submitter(ground).submit(ORIGIN, world.book()));
  expect(made).toMatchObject({ starts_at: '2026-03-03T07:00:00.000Z' });
  expect(world.live().filter((one) => one['metadata'] !== null)).toHaveLength(1);
  expect(await world.store.intents.read(ORIGIN)).toMatchObject({
    generation: 2,
    open: undefined,
    appointmentId: made.id,
  });
});

test('a failure that the key remembers is left behind with the key, once it has lasted', async () => {
  const world = await stands.start();
  let failing: string | undefined;
  const ground: Ground = {
    ...world.ground,
    writer: through(world.ground, async (request) => {
      failing ??= request.idempotencyKey;
      if (request.idempotencyKey !== failing) return world.ground.writer.create(request);
      throw new RetryableError('platform-unavailable', 'failed with 500', {
        target: 'platform',
        status: 500,
      });
    }),
  };
  const submit = () => world.submitter(ground).submit(ORIGIN, world.book());
  await expect(submit()).rejects.toMatchObject({ code: 'platform-unavailable' });
  world.clock.advance(60_000);
  await expect(submit()).rejects.toMatchObject({ code: 'platform-unavailable' });
  world.clock.advance(20 * 60_000);
  appointmentOf(await submit());
  expect(world.live()).toHaveLength(1);
});

test('the card of a customer gets past a key that was used, and past one that remembers a failure', async () => {
  const world = await stands.start();
  const { cards } = world.ground;
  const met = new Set<string>();
  const create: typeof cards.create = async (request) => {
    met.add(request.idempotencyKey);
    if (met.size === 1) throw new TerminalError('idempotency-conflict', 'used', { status: 409 });
    if (met.size > 2) return cards.create(request);
    throw new RetryableError('platform-unavailable', 'failed with 500', { target: 'platform', status: 500 });
  };
  const byPhone: typeof cards.byPhone = (phone, projectId) => cards.byPhone(phone, projectId);
  const ground: Ground = {
    ...world.ground,
    cards: { create, byPhone, byId: async () => undefined, byEmail: async () => [] },
  };
  const submit = () => world.submitter(ground).submit(ORIGIN, world.book());
  await expect(submit()).rejects.toMatchObject({ family: 'deferred', code: 'customer-busy' });
  await expect(submit()).rejects.toMatchObject({ code: 'platform-unavailable' });
  world.clock.advance(20 * 60_000);
  await expect(submit()).rejects.toMatchObject({ family: 'deferred', code: 'customer-busy' });
  appointmentOf(await submit());
  expect(world.sandbox.truth.contacts()).toHaveLength(1);
});

test.each(['contacts:read', 'contacts:write', 'appointments:write'] as const)(
  'a key without %s defers every booking and refuses none (case 56)',
  async (missing) => {
    const world = await stands.start();
    const all = ['contacts:read', 'contacts:write', 'appointments:read', 'appointments:write'] as const;
    const scopes = all.filter((scope) => scope !== missing);
    const client = world.client(world.sandbox.createKey({ scopes }));
    const ground = {
      ...world.ground,
      writer: createPlatformWriter(client),
      cards: createCustomerCards(client),
    };
    for (const origin of ['one', 'two']) {
      const ended = world.submitter(ground).submit(origin, world.book());
      await expect(ended).rejects.toMatchObject({ family: 'deferred', code: 'platform-forbidden' });
    }
    expect(client.state()).toMatchObject({ state: 'refused', scopes: [missing] });
    // With a key that may, the first of them is booked, and the other meets it.
    appointmentOf(await world.submitter().submit('one', world.book()));
    expect(refusalOf(await world.submitter().submit('two', world.book())).code).toBe('slot-unavailable');
    expect(world.live()).toHaveLength(1);
  },
);

test.each([
  ['401', 401, 'platform-unauthenticated'],
  ['402', 402, 'platform-addon-required'],
  ['429', 429, 'platform-rate-limited'],
])('a %s settles nothing and loses nothing (case 56)', async (_, status, code) => {
  const world = await stands.start();
  const remove = world.sandbox.faults.add({
    method: 'POST',
    path: /appointments$/,
    fault: {
      kind: 'status',
      status,
      body: JSON.stringify({ type: `https://errors.example/${code}`, status }),
      headers: { 'retry-after': '1' },
    },
  });
  await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({
    family: 'deferred',
    code,
  });
  expect((await world.store.intents.read(ORIGIN))?.open).toMatchObject({ op: 'book' });
  remove();
  world.clock.advance(120_000);
  appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  expect(world.live()).toHaveLength(1);
});

test('a request that was carried out is recorded before a newer wish, whose verdict names it', async () => {
  const world = await stands.start();
  const fault = { kind: 'commit-then-reset' } as const;
  world.sandbox.faults.add({ method: 'POST', path: /appointments$/, times: 1, fault });
  await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({ family: 'retryable' });
  const newer = world.book({ startsAt: TUESDAY_12 });
  const ended = await world.submitter().submit(ORIGIN, newer);
  expect(ended).toMatchObject({ outcome: 'done', earlier: world.book() });
  expect(world.live()).toMatchObject([{ starts_at: '2026-03-03T07:00:00.000Z' }]);
  expect(await world.submitter().finish(ORIGIN)).toBeUndefined();
});

test('an answer of the same wish is not called an earlier one', async () => {
  const world = await stands.start();
  world.sandbox.faults.add({ method: 'POST', path: /appointments$/, times: 1, fault: { kind: 'reset' } });
  await expect(world.submitter().submit(ORIGIN, world.book())).rejects.toMatchObject({ family: 'retryable' });
  expect(await world.submitter().submit(ORIGIN, world.book())).not.toHaveProperty('earlier');
});

test('two handlers of one origin at once make one appointment', async () => {
  const world = await stands.start({ switches: { workMs: 10 } });
  await world
    .client()
    .contacts.create({ idempotencyKey: 'one', body: { name: 'Ivan', phone: '+79990001122' } });
  const submit = async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      const ended = await world
        .submitter()
        .submit(ORIGIN, world.book())
        .catch((error: unknown) => error);
      if (!(ended instanceof Error))
        return ended as Awaited<ReturnType<ReturnType<typeof world.submitter>['submit']>>;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    throw new Error('never ended');
  };
  const ended = await Promise.all([submit(), submit(), submit()]);
  expect(new Set(ended.map((verdict) => appointmentOf(verdict).id)).size).toBe(1);
  expect(world.sandbox.truth.appointments()).toHaveLength(1);
});

test('a handler that slept while another ended its move, and moved back, does not send the old move', async () => {
  const world = await stands.start({ switches: { idempotencyHours: 0 } });
  const { id } = appointmentOf(await world.submitter().submit(ORIGIN, world.book()));
  world.sandbox.faults.add({ path: /reschedule/, times: 1, fault: { kind: 'reset' } });
  await expect(world.submitter().submit(ORIGIN, world.move(id, TUESDAY_12))).rejects.toMatchObject({
    family: 'retryable',
  });
  const asleep: Ground['writer']['get'] = async (appointmentId) => {
    const seen = await world.ground.writer.get(appointmentId);
    await world.submitter().submit(ORIGIN, world.move(id, TUESDAY_12));
    await world.submitter().submit(ORIGIN, world.move(id, world.book().startsAt));
    world.clock.advance(1_000);
    return seen;
  };
  const ground: Ground = {
    ...world.ground,
    writer: { ...through(world.ground, (request) => world.ground.writer.create(request)), get: asleep },
  };
  await expect(world.submitter(ground).submit(ORIGIN, world.move(id, TUESDAY_12))).rejects.toMatchObject({
    code: 'intent-overtaken',
  });
  expect(world.live()).toMatchObject([{ starts_at: '2026-03-03T07:00:00.000Z' }]);
});

function through(ground: Ground, create: Ground['writer']['create']): Ground['writer'] {
  const { writer } = ground;
  return {
    timeoutMs: writer.timeoutMs,
    create,
    reschedule: (id, request) => writer.reschedule(id, request),
    cancel: (id, request) => writer.cancel(id, request),
    get: (id) => writer.get(id),
    list: (filters, after) => writer.list(filters, after),
    slots: (search) => writer.slots(search),
  };
}
