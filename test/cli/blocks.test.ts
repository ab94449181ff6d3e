import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Difference } from '../../src/engine/finding.ts';
import { runProgram } from '../../src/program.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

const PRIVATE = 'anna.private@example.com';
const HOUSE = '00000000-0000-4000-8000-00000000b10c';

let world: World;
let worker: RunningWorker;
let config: string;
let byHand: string;

beforeAll(async () => {
  world = await startWorld({
    mirrors: `${MIRRORS}
blocks:
  private-time:
    service: Busy
    contact: ${HOUSE}
    people: { Anna Petrova: ${PRIVATE} }
    hours: { daily: "00:00-24:00" }
    every: 1s
`,
  });
  const { dashboard } = world.platform;
  const { projectId, anna } = world.company;
  const busy = dashboard.createService({
    ...{ projectId, name: 'Busy', resourceIds: [anna], bookingMode: 'interval' },
    ...{ minDurationMin: 15, maxDurationMin: 480, durationStepMin: 15, onlineBookable: false },
  });
  dashboard.createContact({ projectId, id: HOUSE, name: 'House' });
  byHand = dashboard.bookAs('lk', {
    ...{ serviceId: busy, resourceId: anna, startsAt: slot(50), durationMin: 60, contactId: HOUSE },
    notify: false,
  });
  world.google.addCalendar(PRIVATE, { shareWith: [defaultAccount], role: 'freeBusyReader' });
  for (const hours of [26, 30]) {
    const event = {
      summary: 'Dentist',
      start: { dateTime: slot(hours) },
      end: { dateTime: new Date(Date.parse(slot(hours)) + 3_600_000).toISOString() },
    };
    world.google.staff.calendar.add({ calendarId: PRIVATE, event });
  }
  const port = await world.door();
  await world.subscribe(port);
  config = world.writeConfig(port);
  worker = await world.startWorker(port);
  await vi.waitFor(() => expect(blocks()).toHaveLength(2), { timeout: PATIENCE_MS, interval: 100 });
});
afterAll(() => world.close());

const slotbridge = (...args: string[]) => runHere([...args, '--config', config]);
const blocks = () =>
  world.platform.truth
    .appointments()
    .filter(({ id, contact_id, status }) => id !== byHand && contact_id === HOUSE && status !== 'cancelled');

test('show says how many stand for each person', async () => {
  await vi.waitFor(async () => {
    const { code, stdout } = await slotbridge('blocks', 'show');
    expect([code, stdout]).toEqual([0, `private-time, ${world.company.anna}: 2 blocks\n`]);
  }, 120_000);
});

test('explain says that no mirror shows a block', async () => {
  const [block] = blocks();
  await world.untilIdle(worker.url);
  const { stdout } = await slotbridge('explain', 'appointment', String(block?.['id']), '--json');
  const { mirrors } = JSON.parse(stdout) as { mirrors: { mirror: string; taken: boolean; rule: string }[] };
  expect(mirrors.map(({ mirror, taken, rule }) => [mirror, taken, rule])).toEqual([
    ['staff-calendars', false, 'blocks'],
    ['visits', false, 'blocks'],
  ]);
});

test('an entry that the YAML does not have is a mistake of the command line', async () => {
  expect(await slotbridge('blocks', 'clear', 'others', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('blocks-unknown'),
  });
  const approved = await slotbridge('approve', 'blocks', 'others');
  expect(approved.stderr).toContain('blocks-unknown');
  expect((await slotbridge('approve', 'blocks', 'private-time')).stdout).toContain('automatically');
});

test('clear asks first, and a no cancels nothing', async () => {
  let [stdout, stderr] = ['', ''];
  const console = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    stdin: Readable.from(['n\n']),
    env: {},
  };
  const code = await runProgram(['node', 'slotbridge', 'blocks', 'clear', '-c', config], console);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`private-time, ${world.company.anna}: ${slot(26).slice(0, 16)}Z to `);
  expect(stdout).toContain('paused: true');
  expect(stdout).toContain('Nothing was cancelled.');
  expect(blocks()).toHaveLength(2);
});

test('with --json and without --yes it is a plan', async () => {
  const { stdout } = await slotbridge('blocks', 'clear', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ planned: [{ rule: 'private-time' }, { rule: 'private-time' }] });
  expect(blocks()).toHaveLength(2);
});

test('clear cancels blocks and nothing else, mails nobody, and a second run finds none', async () => {
  // What is under way when the worker stops would pass for a reason that a block is missing.
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  const { code, stdout } = await slotbridge('blocks', 'clear', 'private-time', '--yes');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^2 blocks cancelled\./)]);
  expect(blocks()).toEqual([]);
  expect(world.platform.truth.appointment(byHand)).toMatchObject({ status: 'confirmed' });
  expect(world.platform.stats().customerMails).toBe(0);
  expect((await slotbridge('blocks', 'clear', '--yes')).stdout).toBe('0 blocks cancelled.\n');
  const { acts } = JSON.parse((await slotbridge('acts', '--json')).stdout) as { acts: readonly unknown[] };
  expect(acts[0]).toMatchObject({
    ...{ what: 'blocks-cleared', chosen: 2, done: 2 },
    about: { entry: 'private-time', objects: expect.stringMatching(/^appointment\/\S+, appointment\/\S+$/) },
  });
});

test('audit compares blocks with the private calendars, and --fix gives their person a turn', async () => {
  const audit = async (...args: string[]) => {
    const { code, stdout } = await slotbridge('audit', '--json', ...args);
    return { code, ...(JSON.parse(stdout) as { differences: Difference[]; fixed: object }) };
  };
  const { code, differences } = await audit();
  const about = { what: 'missing', key: `block/${world.company.anna}`, mirror: 'blocks/private-time' };
  expect([code, differences]).toEqual([
    1,
    [26, 30].map((hours) => expect.objectContaining({ ...about, name: slot(hours) })),
  ]);
  expect((await audit('--fix', 'missing')).fixed).toEqual({ 'given a turn': 2 });
  worker = await world.startWorker();
  await vi.waitFor(() => expect(blocks()).toHaveLength(2), { timeout: PATIENCE_MS, interval: 100 });
  expect(await audit()).toMatchObject({ code: 0, differences: [] });
});

test('clear without an entry also finds blocks that the YAML does not name any more', async () => {
  await world.stopWorker(worker);
  const without = config.replace(/\.yaml$/, '-without.yaml');
  writeFileSync(without, readFileSync(config, 'utf8').replace(/^blocks:[\s\S]*/m, ''));
  const run = (...args: string[]) => runHere(['blocks', 'clear', ...args, '--config', without]);
  const { planned } = JSON.parse((await run('--json')).stdout) as { planned: { rule: string }[] };
  expect(planned.map(({ rule }) => rule)).toEqual(['no entry', 'no entry']);
  expect((await run('private-time', '--yes')).stderr).toContain('blocks-unknown');
  expect((await run('--yes')).stdout).toMatch(/^2 blocks cancelled\./);
  expect(blocks()).toEqual([]);
  expect(world.platform.truth.appointment(byHand)).toMatchObject({ status: 'confirmed' });
  expect(world.platform.stats().customerMails).toBe(0);
});
