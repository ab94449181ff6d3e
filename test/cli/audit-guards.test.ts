import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type World } from '../stand/world.ts';

const TAB = `spreadsheet:${BOOK}/Contacts`;
/** No contact is a customer, and nothing is pending: the mirror omits everything. */
const NARROWED = MIRRORS.replace(
  'from: contacts\n',
  'from: contacts\n    where: { lifecycle: [customer] }\n',
).replace('where: { since: 7d }', 'where: { since: 7d, status: [pending] }');

let world: World;
let worker: RunningWorker;
let port: number;
let options: { mirrors: string };

beforeEach(async () => {
  options = { mirrors: MIRRORS };
  world = await startWorld(options);
  port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
});
afterEach(() => world.close());

/** A minute later, no request is under way. */
const later = { now: () => Date.now() + 60_000 };

interface Told {
  readonly fixed: Readonly<Record<string, number>>;
  readonly parked: readonly string[];
}

async function run(mirrors: string, ...args: string[]) {
  const atWork = options.mirrors;
  options.mirrors = mirrors;
  const config = world.writeConfig(port);
  options.mirrors = atWork;
  return runHere([...args, '--config', config], { clock: later });
}

async function audit(mirrors: string, ...args: string[]): Promise<Told & { code: number | null }> {
  const { code, stdout, stderr } = await run(mirrors, 'audit', '--json', ...args);
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Told) };
}

async function restart(mirrors: string): Promise<void> {
  await world.stopWorker(worker);
  options.mirrors = mirrors;
  worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
}

const contacts = () =>
  world
    .rows('Contacts')
    .slice(1)
    .filter(([id]) => id !== undefined && id !== '');

test('a large number of objects left over from a YAML edit waits for a person, whoever named them (case 50, P7)', async () => {
  for (let n = 0; n < 6; n += 1) {
    world.platform.dashboard.createContact({ projectId: world.company.projectId, name: `Emma ${n}` });
    world.book({ hours: 24 + n });
  }
  await world.untilIdle(worker.url);
  await restart(NARROWED);
  const places = [`calendar:${ANNA}`, TAB];

  expect(await audit(NARROWED, '--fix', 'changed-mapping')).toMatchObject({ code: 1, fixed: {}, parked: [] });
  const healed = await audit(NARROWED, '--fix', 'unmapped');
  expect(healed).toMatchObject({ code: 1, fixed: { 'waits for a person': 12 } });
  expect([...healed.parked].sort()).toEqual(places);
  await world.untilIdle(worker.url);
  expect([world.events(ANNA).length, contacts().length]).toEqual([6, 6]);

  for (const place of places) expect((await run(NARROWED, 'approve', 'orphans', place)).code).toBe(0);
  expect(await audit(NARROWED, '--fix', 'unmapped')).toMatchObject({ code: 0, parked: [] });
  await world.untilIdle(worker.url);
  expect([world.events(ANNA).length, contacts().length]).toEqual([0, 0]);
});

test('nothing is removed for a YAML that no worker runs with, neither now nor when one starts with it (P7)', async () => {
  world.book();
  await world.untilIdle(worker.url);
  for (const classes of ['unmapped', 'orphaned', 'doubled', 'stale,unmapped']) {
    const { code, stdout, stderr } = await run(NARROWED, 'audit', '--fix', classes);
    expect({ classes, code, stdout }).toEqual({ classes, code: 1, stdout: '' });
    expect(stderr).toContain('(mapping-not-at-work)');
  }
  await restart(NARROWED);
  expect(world.events(ANNA)).toHaveLength(1);
});
