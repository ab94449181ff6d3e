// Whatever is wrong is told with where and what next, and nothing is written: no YAML, no tab, no endpoint.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { initHere } from '../stand/init.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
let dir: string;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-bad-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const account = () => String(world.google.serviceAccountKey()['client_email']);
const book = (id: string, tabs: readonly string[], role: 'writer' | 'reader' = 'writer') => {
  world.google.addSpreadsheet(id, { tabs: tabs.map((title) => ({ title })), shareWith: [account()], role });
  return id;
};
const base = () => [
  '--platform-url',
  world.platform.url,
  '--credentials',
  join(world.dir, 'google-key.json'),
];
const init = (args: readonly string[], key = world.apiKey) =>
  initHere({ world, dir, key, args: [...base(), '--yes', ...args] });
const isUntouched = () => {
  expect(readdirSync(dir)).toEqual([]);
  expect(world.platform.truth.endpoints()).toEqual([]);
};

test('a key without rights is told with the right that it needs', async () => {
  const key = world.platform.createKey({ scopes: ['webhooks:manage'] });
  const { code, stdout, stderr } = await init(['--calendar', `Anna Petrova=${ANNA}`], key);
  expect(code).toBe(1);
  expect(stderr).toMatch(/lacks the scope \w+:read \(platform-forbidden\)\n {2}Create a key with the scope/);
  expect(stdout + stderr).not.toContain(key);
  expect(stdout).not.toContain('Waiting');
  isUntouched();
});

test('a project without resources is told what to add there', async () => {
  const projectId = world.platform.dashboard.createProject({ name: 'Empty' });
  const key = world.platform.createKey({ projectIds: [projectId] });
  const { code, stdout, stderr } = await init([], key);
  expect(code).toBe(2);
  expect(stdout).toContain('Add staff or rooms on the platform, then run this command again.');
  expect(stderr).toContain('(nothing-chosen)');
  isUntouched();
});

test('two people with one name: the name alone is refused, and left to itself none of them gets a calendar', async () => {
  const { dashboard } = world.platform;
  const projectId = dashboard.createProject({ name: 'Twins' });
  const branchId = dashboard.createBranch({ projectId, name: 'Twins', timezone: 'UTC' });
  const ids = [1, 2].map(() => dashboard.createResource({ branchId, name: 'Ivan Twin' }));
  const key = world.platform.createKey({ projectIds: [projectId] });
  const named = await init(['--calendar', 'Ivan Twin=ivan.twin@clinic.example'], key);
  expect(named.code).toBe(2);
  expect(named.stderr).toContain('2 resources have the name Ivan Twin (resource-unclear)');
  const open = await init([], key);
  expect(open.stderr).toContain('(nothing-chosen)');
  for (const id of ids) expect(open.stdout).toContain(`Ivan Twin (${id}) is left open:`);
  isUntouched();
});

test('a spreadsheet that may only be read is told with whom to share it, although its tabs are there', async () => {
  const id = book('read-only-book', ['Contacts', 'Appointments'], 'reader');
  const { code, stderr } = await init(['--spreadsheet', id]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `slotbridge: the worker may not write to the spreadsheet ${id} (spreadsheet-not-shared)\n  Nothing was written. Share it with ${account()} as editor, or correct its id.\n`,
  );
  isUntouched();
});

test('a network that fails while tabs are made: what may be there is named, and the next run uses it', async () => {
  const id = book('lost-book', ['Other']);
  // The first write only asks for the right.
  world.google.faults.add({
    ...{ method: 'POST', path: /lost-book:batchUpdate/, skip: 1, times: 1 },
    fault: { kind: 'commit-then-reset' },
  });
  const lost = await init(['--spreadsheet', id, '--create-tabs']);
  expect(lost.code).toBe(1);
  expect(lost.stderr).toContain(
    'Possibly created in the spreadsheet: Contacts, Appointments. The next run uses them.',
  );
  expect(lost.stderr).toContain('(google-unreachable)');
  isUntouched();
  const again = await init(['--spreadsheet', id, '--create-tabs']);
  expect(again.stdout).toContain('Written to config/slotbridge.yaml.');
  expect(world.google.truth.values(id, 'Contacts')).toHaveLength(1);
});

test('whoever stops at any of the questions leaves nothing behind', { timeout: 600_000 }, async () => {
  const id = book('stopped-book', ['Other']);
  // This company alone, whatever the other tests have added.
  const key = world.platform.createKey({ projectIds: [world.company.projectId] });
  const all = [
    ...['y', world.platform.url, key, join(world.dir, 'google-key.json'), ANNA],
    ...['y', '', '', 'n', id, 'y', 'http://127.0.0.1:8080'],
  ];
  for (let answered = 0; answered <= all.length; answered += 1) {
    const { code, stderr } = await initHere({
      world,
      dir,
      key: '',
      args: [],
      lines: all.slice(0, answered),
    });
    expect([answered, code, stderr]).toEqual([answered, 1, expect.stringContaining('(interrupted)')]);
    isUntouched();
    expect(() => world.google.truth.values(id, 'Contacts')).toThrow();
  }
});
