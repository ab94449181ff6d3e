import { afterEach, expect, test } from 'vitest';
import { createCustomerCards, createPlatformWriter } from '../../src/platform/client.ts';
import { NOW, SandboxStands } from './sandbox-stand.ts';
import { clientFor, failureOf, Stands } from './stand.ts';

const sandboxes = new SandboxStands();
const stands = new Stands();
afterEach(() => Promise.all([sandboxes.close(), stands.close()]));

test('a stored body leaves byte for byte, with its key', async () => {
  const appointment = { object: 'appointment', id: 'a1', resource_ids: [] };
  const { url, seen } = await stands.answering(() => ({ status: 200, body: appointment }));
  const writer = createPlatformWriter(clientFor(url));
  const body = JSON.stringify({
    starts_at: '2026-03-03T10:00:00+03:00',
    comment: '"Ё" 😀\n',
    b: 1,
    a: [1.5, null],
  });
  await writer.create({ body, idempotencyKey: 'k1' });
  await writer.reschedule('a1', { body, idempotencyKey: 'k2' });
  await writer.cancel('a1', { body, idempotencyKey: 'k3' });
  expect(seen.map((one) => [one.method, one.path, one.body, one.headers['idempotency-key']])).toEqual([
    ['POST', '/v1/appointments', body, 'k1'],
    ['POST', '/v1/appointments/a1/reschedule', body, 'k2'],
    ['POST', '/v1/appointments/a1/cancel', body, 'k3'],
  ]);
});

test('whoever comes last leaves a quarter of the budget to live work, whatever is asked', async () => {
  const headers = { 'ratelimit-limit': '100', 'ratelimit-remaining': '20', 'ratelimit-reset': '30' };
  const appointment = { object: 'appointment', id: 'a1', resource_ids: [] };
  const { url, seen } = await stands.answering(() => ({ status: 200, body: appointment, headers }));
  const client = clientFor(url);
  const [live, last] = [createPlatformWriter(client), createPlatformWriter(client, 'walk')];
  const request = { body: '{"a":1}', idempotencyKey: 'k1' };
  await live.create(request);
  for (const ask of [
    () => last.create(request),
    () => last.reschedule('a1', request),
    () => last.cancel('a1', request),
    () => last.get('a1'),
    () => last.list({}),
  ])
    expect(await failureOf(ask())).toMatchObject({ family: 'deferred' });
  expect(seen).toHaveLength(1);
  await live.cancel('a1', request);
});

test('a text that would leave with other bytes does not leave', async () => {
  const { url, seen } = await stands.answering(() => ({ status: 500 }));
  const writer = createPlatformWriter(clientFor(url));
  const error = await failureOf((async () => writer.create({ body: '{ "a": 1 }', idempotencyKey: 'k1' }))());
  expect(error).toMatchObject({ family: 'terminal', code: 'request-not-repeatable' });
  expect(seen).toEqual([]);
});

test('appointments are listed by the platform’s own filters, a hundred a page, newest first', async () => {
  const world = await sandboxes.start();
  const { serviceId, annaId } = world;
  const ids = ['09', '11'].map((hour) =>
    world.dashboard.bookAs('lk', {
      serviceId,
      resourceId: annaId,
      startsAt: `2026-03-03T${hour}:00:00+03:00`,
    }),
  );
  const writer = createPlatformWriter(world.client());
  const all = await writer.list({ resource_id: annaId });
  expect(all.data.map(({ id }) => id)).toEqual([...ids].reverse());
  expect((await writer.list({}, ids[1])).data.map(({ id }) => id)).toEqual([ids[0]]);
  const early = await writer.list({ 'starts_at[lt]': '2026-03-03T10:00:00+03:00' });
  expect(early.data.map(({ id }) => id)).toEqual([ids[0]]);
  expect(await writer.get(ids[0] ?? '')).toMatchObject({ id: ids[0] });
});

test('free times come with their zone and their project', async () => {
  const world = await sandboxes.start();
  const fromMs = Date.parse(NOW);
  const free = await createPlatformWriter(world.client()).slots({
    ...{ serviceId: world.serviceId, resourceId: world.annaId, fromMs, toMs: fromMs + 3 * 3_600_000 },
  });
  expect(free).toMatchObject({
    zone: 'Europe/Moscow',
    projectId: world.projectId,
    bookingMode: 'fixed',
    hasMore: false,
    windows: [],
  });
  expect(free.slots[0]).toEqual({
    startsAt: '2026-03-02T09:00:00.000Z',
    endsAt: '2026-03-02T10:00:00.000Z',
    resourceId: world.annaId,
  });
});

test('cards are found by id, phone and e-mail, of one project or of all', async () => {
  const world = await sandboxes.start();
  const { projectId, dashboard } = world;
  const other = dashboard.createProject({ name: 'Spa' });
  const fields = { name: 'Ivan', phone: '+79990001122', email: 'ivan@example.com' };
  const own = dashboard.createContact({ projectId, ...fields });
  const foreign = dashboard.createContact({ projectId: other, ...fields });
  const cards = createCustomerCards(world.client());
  const ids = (contacts: readonly { id: string }[]) => contacts.map(({ id }) => id);
  expect(await cards.byId(own)).toMatchObject({ id: own });
  expect(ids(await cards.byPhone('8 999 000-11-22', projectId))).toEqual([own]);
  expect(ids(await cards.byEmail('ivan@example.com', other))).toEqual([foreign]);
  expect(ids(await cards.byPhone('+79990001122', undefined)).sort()).toEqual([own, foreign].sort());
  const body = JSON.stringify({ project_id: projectId, name: 'Olga' });
  const made = await cards.create({ body, idempotencyKey: 'k1' });
  expect((await cards.create({ body, idempotencyKey: 'k1' })).id).toBe(made.id);
});
