import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, MIRRORS, ROOM, startWorld, type World, type WorldOptions } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const BRANCH = 'branch@two.iam.gserviceaccount.com';
const BORIS_NEW = 'boris-new@clinic.example';
const soon = { timeout: PATIENCE_MS, interval: 50 };

/** Boris and the room belong to another account than Anna; neither account can reach the other's calendars. */
const SPLIT = MIRRORS.replace(
  `Boris Ivanov: ${BORIS}`,
  `Boris Ivanov: { id: ${BORIS}, account: branch }`,
).replace(`Room 1: ${ROOM}`, `Room 1: { id: ${ROOM}, account: branch }`);

async function begin() {
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = { mirrors: SPLIT };
  options.rewrite = (yaml) =>
    yaml.replace(
      /^google:\n/m,
      `google:\n  accounts: { branch: { credentials: "${join(world.dir, 'branch-key.json')}" } }\n`,
    );
  world = await startWorld(options);
  writeFileSync(join(world.dir, 'branch-key.json'), JSON.stringify(world.google.serviceAccountKey(BRANCH)));
  for (const id of [BORIS, ROOM]) {
    world.google.revokeAccess(id);
    world.google.grantAccess(id, BRANCH);
  }
  const port = await world.door();
  await world.subscribe(port);
  return { options, port };
}

test('an account that is dead stops its own calendars; the others go on, and nothing counts as deleted', async () => {
  const { port } = await begin();
  const { url } = await world.startWorker(port);
  world.book();
  world.book({ resourceId: world.company.boris, hours: 30 });
  await world.untilIdle(url);
  expect([world.events(ANNA).length, world.events(BORIS).length]).toEqual([1, 1]);

  world.google.revokeGrants(BRANCH);
  world.book({ hours: 40 });
  world.book({ resourceId: world.company.boris, hours: 41 });
  await vi.waitFor(async () => {
    expect(world.events(ANNA).length).toBe(2);
    const { problems } = await world.status(url);
    expect(problems).toMatchObject([{ target: 'google:branch', code: 'google-token-dead' }]);
  }, soon);
  expect((await world.status(url)).dead_letters.count).toBe(0);

  world.google.restoreGrants();
  const { problems } = await world.untilIdle(url);
  expect(problems).toEqual([]);
  expect([world.events(ANNA).length, world.events(BORIS).length]).toEqual([2, 2]);
});

atLength.test(
  'events are taken out of a calendar that left the YAML by the account that it had',
  async () => {
    const { options, port } = await begin();
    world.google.addCalendar(BORIS_NEW, { shareWith: [defaultAccount] });
    let worker = await world.startWorker(port);
    world.book({ resourceId: world.company.boris, hours: 30 });
    await world.untilIdle(worker.url);
    expect(world.events(BORIS).length).toBe(1);

    await world.stopWorker(worker);
    options.mirrors = SPLIT.replace(`{ id: ${BORIS}, account: branch }`, BORIS_NEW);
    worker = await world.startWorker(port);
    await vi.waitFor(() => expect(world.events(BORIS_NEW).length).toBe(1), soon);
    await world.untilIdle(worker.url);
    expect([world.events(BORIS).length, world.events(BORIS_NEW).length]).toEqual([0, 1]);
  },
);
