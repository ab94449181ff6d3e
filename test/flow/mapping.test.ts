import { afterEach, expect, test, vi } from 'vitest';
import { defaultAccount } from '../../src/sandbox/google/sandbox.ts';
import { freePort } from '../stand/port.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type World, type WorldOptions } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

test('another tab in the YAML is filled, a resource renamed on the platform keeps its calendar, nothing waits for the old place (case 73)', async () => {
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {};
  world = await startWorld(options);
  world.google.addSpreadsheet('second-book', { shareWith: [defaultAccount], tabs: [{ title: 'People' }] });
  const port = await freePort();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  world.book();
  await world.untilIdle(worker.url);
  expect(world.rows('Contacts').length).toBe(2);
  expect(world.events(ANNA).length).toBe(1);

  await world.stopWorker(worker);
  world.platform.dashboard.changeResource(world.company.anna, { name: 'Anna Smirnova' });
  const before = `{ spreadsheet: ${BOOK}, tab: Contacts }`;
  options.mirrors = MIRRORS.replace(before, '{ spreadsheet: second-book, tab: People }');
  worker = await world.startWorker(port);
  const status = await world.untilIdle(worker.url);
  expect(world.google.truth.values('second-book', 'People').map((row) => row[0])).toEqual(['ID', id]);
  expect(status.problems.map((problem) => problem.code)).toEqual(['resource-unknown']);
  world.book({ hours: 30 });
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(2), { timeout: 8_000 });
}, 90_000);
