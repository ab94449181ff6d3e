// Pages and lists print the beginning of an id. It is accepted wherever an id is.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { runHere } from '../stand/command.ts';
import { openTestStore } from '../stand/store.ts';
import { BOOK, startWorld, type World } from '../stand/world.ts';

let world: World;
let config: string;
let appointment: string;
let contact: string;

beforeAll(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  config = world.writeConfig(port);
  const { url } = await world.startWorker(port);
  appointment = world.book({ hours: 24 });
  // Digits alone would be a phone number.
  do contact = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Vera' });
  while (!/[a-f]/.test(contact.slice(0, 8)));
  await world.untilIdle(url);
});
afterAll(() => world.close());

const run = (...args: string[]) => runHere([...args, '--config', config]);

test.each([
  ['explain by the id alone', () => ['explain', appointment.slice(0, 8)]],
  ['explain by kind and id', () => ['explain', 'appointment', appointment.slice(0, 8)]],
  ['explain by key', () => ['explain', `appointment/${appointment.slice(0, 8).toUpperCase()}`]],
  ['explain by its row', () => ['explain', 'row', 'Visits!2']],
  ['explain by its row alone', () => ['explain', 'Visits!A2']],
])('%s', async (_, args) => {
  const { code, stdout, stderr } = await run(...args());
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(appointment);
});

test('replay, whereis and forget', async () => {
  const replayed = await run(
    'replay',
    '--object',
    `appointment/${appointment.slice(0, 8)}`,
    '--dry-run',
    '--json',
  );
  expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([0, { objects: 1 }]);
  const found = await run('whereis', 'contact', contact.slice(0, 8), '--json');
  expect([found.code, found.stderr]).toEqual([0, '']);
  expect(JSON.parse(found.stdout)).toMatchObject({ contacts: [contact] });
  const planned = await run('forget', 'contact', contact.slice(0, 8), '--dry-run', '--json');
  expect([planned.code, planned.stderr]).toEqual([0, '']);
});

test('an id that names nothing or several is told, and nothing is done', async () => {
  expect(await run('explain', '00000000')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('object-unknown'),
  });
  const store = openTestStore(world.redis.url);
  await store.ready();
  const first = 'ab12cd34-0000-4000-8000-000000000001';
  for (const id of [first, first.replace(/1$/, '2')])
    await store.redis.hset(`{slotbridge}:object:contact/${id}`, 'desired_rev', '1', 'synced_rev', '1');
  store.close();
  expect(await run('forget', 'contact', 'ab12cd34', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('object-ambiguous'),
  });
  expect(await run('explain', 'row', 'Visits!77')).toMatchObject({ code: 1 });
  expect(world.google.truth.spreadsheet(BOOK)).toBeDefined();
});

test('an erasure that was cut off is finished by the same short id, although the contact is gone already', async () => {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const terms = { ids: [contact], phones: [], emails: [], names: ['Vera'], hashes: [] };
  const order = { contactId: contact, keys: [`contact/${contact}`], terms, begunAtMs: Date.now() };
  await store.erasures.begin({ ...order, erased: NOTHING_ERASED });
  await store.erasures.eraseState({ ...order, erased: NOTHING_ERASED });
  const ended = await run('forget', 'contact', contact.slice(0, 8), '--yes', '--json');
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(await store.erasures.open()).toEqual([]);
  store.close();
});
