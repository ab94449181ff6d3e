// The tab that tells the people of a spreadsheet how current it is, through the whole worker.
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, BOOK, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const lines = () =>
  world.google.truth.tabs(BOOK).includes('Status') ? world.rows('Status').map(([line]) => line) : [];

async function start(setting: string) {
  world = await startWorld({ rewrite: (yaml) => yaml.replace('worker: {', `worker: { ${setting}`) });
  const port = await world.door();
  await world.subscribe(port);
  return world.startWorker(port);
}

test('people of a spreadsheet read how current it is, and their rows are mirrored as ever', async () => {
  const worker = await start('status_tab: Status,');
  world.book();
  await world.untilIdle(worker.url);
  await vi.waitFor(() => expect(lines()).toContain('Tabs that are kept current: Contacts, Visits.'), {
    timeout: PATIENCE_MS,
  });
  expect(lines()[0]).toMatch(/^(As on the platform until|Everything is being read in full)/);
  expect(world.rows('Visits')).toHaveLength(2);
  expect(world.events(ANNA)).toHaveLength(1);
});

test('nobody gets a tab without asking for it', async () => {
  const worker = await start('');
  world.book();
  await world.untilIdle(worker.url);
  expect(world.google.truth.tabs(BOOK)).toEqual(['Contacts', 'Visits']);
});
