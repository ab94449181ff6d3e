import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, MIRRORS, startWorld, type World } from '../stand/world.ts';

let world: World;
let options: { mirrors: string };
let port: number;
let file: string;

const RETITLED = MIRRORS.replace('{{ service_name }}, {{ customer_name }}', 'New: {{ service_name }}');
/** Nobody is a customer: every row is left out. */
const NARROWED = MIRRORS.replace(
  'from: contacts\n',
  'from: contacts\n    where: { lifecycle: [customer] }\n',
);

beforeAll(async () => {
  options = { mirrors: MIRRORS };
  world = await startWorld(options);
  port = await world.door();
  await world.subscribe(port);
  file = join(world.dir, 'plan.json');
  const worker = await world.startWorker(port);
  for (let n = 0; n < 8; n += 1)
    world.platform.dashboard.createContact({ projectId: world.company.projectId, name: `Emma ${n}` });
  world.book();
  world.book({ hours: 30, resourceId: world.company.boris });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
});
afterAll(() => world.close());
beforeEach(() => {
  options.mirrors = MIRRORS;
});

async function run(mirrors: string, ...args: string[]) {
  options.mirrors = mirrors;
  return runHere([...args, '--config', world.writeConfig(port)]);
}

/** A worker starts with this YAML, does what there is to do, and ends. */
async function atWork(mirrors: string): Promise<void> {
  options.mirrors = mirrors;
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
}

async function pending(): Promise<unknown> {
  const { stdout } = await run(options.mirrors, 'status', '--json');
  return (JSON.parse(stdout) as { pending: { objects: number } }).pending.objects;
}

test('a saved plan holds ids and hashes, and nothing of anybody', async () => {
  const { code, stdout } = await run(RETITLED, 'plan', '--out', file);
  expect(code).toBe(0);
  expect(stdout).toContain(`Saved in ${file}. Next: slotbridge apply ${file} --config ${world.dir}`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const saved = readFileSync(file, 'utf8');
  expect(saved).not.toMatch(/Emma|Haircut|Anna Petrova/);
  expect(JSON.parse(saved)).toMatchObject({
    slotbridge_plan: 1,
    prune: false,
    steps: [{ action: 'updated' }, {}],
  });
});

test('exactly the planned objects take their turn, and the command itself writes nothing', async () => {
  await run(RETITLED, 'plan', '--only', ANNA, '--out', file);
  const before = [world.events(ANNA), world.events(BORIS), world.rows('Contacts')];
  const { code, stdout } = await run(RETITLED, 'apply', file);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 object given a turn.') });
  expect(stdout).toContain('No worker runs with this YAML yet');
  expect(await pending()).toBe(1);
  expect([world.events(ANNA), world.events(BORIS), world.rows('Contacts')]).toEqual(before);
});

atLength.test('it is refused with another YAML, and nothing is done', async () => {
  await run(RETITLED, 'plan', '--out', file);
  const before = await pending();
  const { code, stdout, stderr } = await run(RETITLED.replace('New:', 'Newer:'), 'apply', file);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('is not the YAML of the plan; nothing was done (plan-outdated)');
  expect(stderr).toContain('slotbridge plan --out');
  expect(await pending()).toBe(before);
});

test('it is refused when the state has changed since, and nothing is done', async () => {
  await run(RETITLED, 'plan', '--out', file);
  const before = await pending();
  world.book({ hours: 50 });
  const { code, stdout, stderr } = await run(RETITLED, 'apply', file);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/the state has changed since the plan of .*; nothing was done \(plan-outdated\)/);
  expect(await pending()).toBe(before);
});

test.each([
  ['no JSON', 'not a plan', 'it is not JSON'],
  ['JSON that is no plan', '[]', 'it is not a plan'],
  ['a plan of another version', '{"slotbridge_plan": 2}', 'slotbridge_plan is not valid'],
  [
    'a plan that lacks its steps',
    '{"slotbridge_plan":1,"made_at":"x","yaml":"x","state":"x","prune":false}',
    'steps is not',
  ],
])('a broken plan file is told: %s', async (_, text, why) => {
  writeFileSync(file, text);
  const { code, stdout, stderr } = await run(MIRRORS, 'apply', file);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(why);
  expect(stderr).toContain('Make it again');
});

atLength.test('a plan file that is not there is told, and one that cannot be written', async () => {
  const nowhere = join(world.dir, 'nowhere', 'plan.json');
  expect((await run(MIRRORS, 'apply', nowhere)).stderr).toContain(
    'cannot be read (ENOENT) (plan-unreadable)',
  );
  const { code, stderr } = await run(MIRRORS, 'plan', '--out', nowhere);
  expect(code).toBe(1);
  expect(stderr).toContain('cannot be written (ENOENT) (plan-unwritable)');
});

atLength.test(
  'what a new YAML does not take any more goes with --prune, behind the guard against taking away much at once',
  async () => {
    const place = 'spreadsheet:office-book/Contacts';
    const kept = await run(NARROWED, 'plan');
    expect(kept.stdout).toContain('keep 12 (8 no longer taken)');
    expect(kept.stdout).toContain('--prune plans to remove them');
    const planned = await run(NARROWED, 'plan', '--prune', '--only', 'contacts', '--out', file);
    expect(planned.stdout).toContain('create 0, change 0, move 0, remove 8, keep 0');
    const early = await run(NARROWED, 'apply', file);
    expect({ code: early.code, stdout: early.stdout }).toEqual({ code: 1, stdout: '' });
    expect(early.stderr).toContain('nothing was done (mapping-not-at-work)');
    await atWork(NARROWED);
    expect(JSON.stringify(world.rows('Contacts'))).toContain('Emma');

    await run(NARROWED, 'plan', '--prune', '--only', 'contacts', '--out', file);
    expect(planned.stdout).toContain(`slotbridge approve orphans '${place}'`);

    const before = await pending();
    const refused = await run(NARROWED, 'apply', file);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('Nothing was done: too much would be removed at once.');
    expect(await pending()).toBe(before);

    expect((await run(NARROWED, 'approve', 'orphans', place)).code).toBe(0);
    const applied = await run(NARROWED, 'apply', file);
    expect({ code: applied.code, stdout: applied.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('8 objects given a turn.'),
    });
    expect(
      world.rows('Contacts').filter((row) => row[0] !== '' && row[0] !== undefined).length,
    ).toBeGreaterThan(8);
    await atWork(NARROWED);
    expect(JSON.stringify(world.rows('Contacts'))).not.toContain('Emma');
  },
);

atLength.test(
  'the events of a resource that left the mapping go with --prune; without it they stay',
  async () => {
    const without = NARROWED.replace(`        Boris Ivanov: ${BORIS}\n`, '');
    const kept = await run(without, 'plan');
    expect(kept.stdout).toContain(`calendar:${BORIS}  (staff-calendars): 1 keep, no longer taken`);
    await atWork(without);
    expect(world.events(BORIS)).toHaveLength(1);
    await run(without, 'plan', '--prune', '--out', file);
    expect(await run(without, 'apply', file)).toMatchObject({ code: 0 });
    await atWork(without);
    expect(world.events(BORIS)).toEqual([]);
    expect(world.events(ANNA)).not.toEqual([]);
  },
);
