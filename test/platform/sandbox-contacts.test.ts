import { afterEach, describe, expect, test } from 'vitest';
import { SandboxStands } from './sandbox-stand.ts';
import { failureOf } from './stand.ts';

const stands = new SandboxStands();
afterEach(() => stands.close());

describe('a contact', () => {
  test('is created, found by phone and e-mail, changed, read and gone', async () => {
    const { client, dashboard, projectId } = await stands.start();
    const { contacts, reader } = client();
    const body = { name: 'Ivan', phone: '8 999 000 11 22', email: 'ivan@example.org', metadata: { crm: 1 } };
    const made = await contacts.create({ body, idempotencyKey: 'contact:1' });
    expect(made).toMatchObject({ phone: '+79990001122', project_id: projectId, source: 'api' });
    for (const filters of [
      { phone: '+7 (999) 000-11-22' },
      { email: 'ivan@example.org' },
      { lifecycle: 'lead' },
    ]) {
      expect((await contacts.list({ filters })).data).toEqual([made]);
    }
    const changed = await contacts.change(made.id, { lifecycle: 'customer', email: null });
    expect(changed).toMatchObject({ lifecycle: 'customer', email: null, name: 'Ivan' });
    expect(await reader.get({ kind: 'contact', id: made.id })).toEqual(changed);
    dashboard.deleteContact(made.id);
    expect(await reader.get({ kind: 'contact', id: made.id })).toBeUndefined();
    expect(await failureOf(contacts.change(made.id, { name: 'X' }))).toMatchObject({
      family: 'terminal',
      code: 'not-found',
    });
  });

  test('of a project that the key does not cover is absent, and the project invisible', async () => {
    const { client, dashboard, sandbox, projectId } = await stands.start();
    const otherId = dashboard.createProject({ name: 'Other' });
    const id = dashboard.createContact({ projectId: otherId, name: 'Ivan' });
    const { reader } = client(sandbox.createKey({ projectIds: [projectId] }));
    expect(await reader.get({ kind: 'contact', id })).toBeUndefined();
    expect(await reader.isProjectVisible(otherId)).toBe(false);
    expect(await reader.isProjectVisible(projectId)).toBe(true);
  });

  test('with a broken field is refused as validation, and the field is named', async () => {
    const { client } = await stands.start();
    const error = await failureOf(
      client().contacts.create({ body: { name: 'Ivan', email: 'no mail' }, idempotencyKey: 'k' }),
    );
    expect(error).toMatchObject({ family: 'terminal', code: 'validation', status: 422 });
    expect(error.message).toContain('email');
    expect(error.message).not.toContain('no mail');
  });
});

test('a walk over 250 contacts sees each once, and what is made meanwhile is not in it', async () => {
  const { client, dashboard, projectId, sandbox, clock } = await stands.start();
  for (let index = 0; index < 250; index += 1) {
    dashboard.createContact({ projectId, name: `C${index}` });
    clock.advance(1);
  }
  const seen: string[] = [];
  for await (const page of client().contacts.pages({ filters: { project_id: projectId } })) {
    seen.push(...page.data.map((one) => String(one['name'])));
    dashboard.createContact({ projectId, name: 'late' });
  }
  expect(seen).toHaveLength(250);
  expect(new Set(seen).size).toBe(250);
  expect(seen).not.toContain('late');
  expect(sandbox.stats().requests).toBe(3);
});

test('a cursor whose object was deleted still leads on', async () => {
  const { client, dashboard, projectId, clock } = await stands.start();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    ids.unshift(dashboard.createContact({ projectId, name: `C${index}` }));
    clock.advance(1);
  }
  const { reader } = client();
  const first = await reader.page('contact', { limit: 2 });
  const cursor = first.data[1]?.id ?? '';
  dashboard.deleteContact(cursor);
  const second = await reader.page('contact', { limit: 100, startingAfter: cursor });
  expect([...first.data, ...second.data].map((one) => one.id)).toEqual(ids);
  expect(second.hasMore).toBe(false);
});

test.each([0, 101])('a limit of %i is refused by the platform, not bent here', async (limit) => {
  const { client } = await stands.start();
  expect(await failureOf(client().contacts.list({ limit }))).toMatchObject({
    code: 'validation',
    status: 422,
  });
});

test('the directory names resources, branches and services', async () => {
  const world = await stands.start();
  const directory = await world.client().reader.directory();
  expect(directory.resources.get(world.annaId)).toEqual({
    id: world.annaId,
    name: 'Anna',
    capacity: 1,
    branchId: world.branchId,
    projectId: world.projectId,
  });
  expect(directory.branches.get(world.branchId)).toMatchObject({ name: 'Centre', timezone: 'Europe/Moscow' });
  expect(directory.services.get(world.serviceId)).toMatchObject({ name: 'Haircut' });
});

test('resources are filtered by branch, kind and service', async () => {
  const { client, branchId, serviceId, dashboard } = await stands.start();
  dashboard.createResource({ branchId, name: 'Room', kind: 'place' });
  const { resources } = client();
  expect(
    (await resources.list({ filters: { branch_id: branchId, kind: 'place' } })).data.map((one) => one.name),
  ).toEqual(['Room']);
  expect((await resources.list({ filters: { service_id: serviceId } })).data).toHaveLength(2);
});
