import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Difference } from '../../src/engine/finding.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { differences as judged } from '../stand/judge.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: RunningWorker;
let port: number;
let mirrors: { mirrors: string };

beforeEach(async () => {
  // Neither the calendar watch nor the look at the tabs shall heal what the audit is to find.
  mirrors = {
    mirrors: MIRRORS.replaceAll('tab: Contacts }', 'tab: Contacts, check_every: 7d }').replaceAll(
      'tab: Visits }',
      'tab: Visits, check_every: 7d }',
    ),
  };
  world = await startWorld(mirrors);
  port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
});
afterEach(() => world.close());

interface Told {
  readonly objects: number;
  readonly standing: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly fixed: Readonly<Record<string, number>>;
  readonly unread: Readonly<Record<string, string>>;
  readonly differences: readonly Difference[];
  readonly cells: readonly { readonly code: string }[];
}

async function audit(...args: string[]): Promise<Told & { code: number | null }> {
  const config = world.writeConfig(port);
  const { code, stdout, stderr } = await runHere(['audit', ...args, '--json', '--config', config], {
    clock: later,
  });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Told) };
}

async function forgetAll(): Promise<void> {
  const store = openTestStore(world.redis.url);
  await store.ready();
  await store.redis.flushall();
  store.close();
}

/** What changed within the last seconds counts as under way: the audits come later, on a clock of their own. */
const SETTLED_MS = 10_500;
let aheadMs = 0;
const later = { now: () => Date.now() + aheadMs };
beforeEach(() => {
  aheadMs = 0;
});
const settled = () => {
  aheadMs = SETTLED_MS;
};
const eventId = (id: string) => `sb${id.replaceAll('-', '')}`;
const told = (found: Told) =>
  found.differences.map(({ what, why, mirror }) => `${mirror}: ${what}, ${why}`).sort();

test('what is as it should be shows no difference, and ends with 0', async () => {
  world.book();
  world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  await world.untilIdle(worker.url);
  settled();
  const found = await audit();
  expect(found).toMatchObject({ code: 0, differences: [], standing: 3, objects: 2 });
});

test('elsewhere than on a terminal it says how far it is and how much is known, unless a program reads it', async () => {
  world.book();
  world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  await world.untilIdle(worker.url);
  const config = world.writeConfig(port);
  const { stderr } = await runHere(['audit', '--config', config], { clock: later });
  expect(stderr).toMatch(/^About .*\n(?:calendar|spreadsheet):\S+: 0 of 2 known objects compared\n/);
  const toProgram = await runHere(['audit', '--json', '--config', config], { clock: later });
  expect(toProgram.stderr).not.toContain('compared');
});

test('cells that a write left, or went over, are named: no object differs there (P9, P6)', async () => {
  await world.untilIdle(worker.url);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const cells = (code: string, target: string) => ({
    code,
    target,
    message: `${code} in row 5 (B)`,
    advice: 'Look.',
  });
  await store.problems.raise(cells('cells-left', 'sheet-cells:contacts'));
  await store.problems.raise(cells('cells-covered', 'sheet-covered:contacts'));
  await store.problems.raise(cells('rows-unsure', 'sheet-rows:contacts'));
  await store.problems.raise(cells('quota-spent', 'spreadsheet:b'));
  store.close();
  const found = await audit();
  expect(found).toMatchObject({ code: 0, differences: [] });
  expect(found.cells.map(({ code }) => code).sort()).toEqual(['cells-covered', 'cells-left', 'rows-unsure']);
  const { stdout } = await runHere(['audit', '--config', world.writeConfig(port)], { clock: later });
  expect(stdout).toContain('  cells-left in row 5 (B)\n  -> Look.\n');
  expect(stdout).not.toContain('quota-spent');
});

atLength.test(
  'as CSV a file takes the differences alone, and the terminal says what was read and healed',
  async () => {
    const gone = world.book();
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    world.google.staff.calendar.remove({ calendarId: ANNA, eventId: eventId(gone) });
    settled();
    const config = world.writeConfig(port);
    const { code, stdout, stderr } = await runHere(
      ['audit', '--csv', '--fix', 'missing', '--config', config],
      {
        clock: later,
      },
    );
    expect(code).toBe(0);
    expect(stdout).toBe(
      `what,why,object,mirror,place,name\r\nmissing,foreign-edit,appointment/${gone},staff-calendars,calendar:${ANNA},\r\n`,
    );
    expect(stderr).toContain('then --fix heals what it names');
    expect(stderr).toContain('1 object of the platform, 1 event or row read.');
    expect(stderr).toContain('Healed:\n  given a turn: 1\n');
  },
);

test('what has just changed is under way: --fix leaves it, and has not failed', async () => {
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  const found = await audit('--fix', 'missing');
  expect(told(found)).toEqual(['contacts: missing, pending']);
  expect(found.differences.map(({ key }) => key)).toEqual([`contact/${id}`]);
  expect(found).toMatchObject({ code: 0, fixed: {} });
});

test('what people took away or changed is told as theirs, what was missed as missed, and both are healed when they are named', async () => {
  const [gone, changed, row] = [
    world.book({ hours: 24 }),
    world.book({ hours: 30 }),
    world.book({ hours: 40 }),
  ];
  const emma = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  const calendarId = ANNA;
  world.google.staff.calendar.remove({ calendarId, eventId: eventId(gone) });
  world.google.staff.calendar.retitle({ calendarId, eventId: eventId(changed), summary: 'Mine' });
  const appointments = { spreadsheetId: BOOK, tab: 'Visits' };
  const at = world.rows('Visits').findIndex((cells) => cells[0] === row) + 1;
  world.google.staff.sheets.typeInto({ ...appointments, row: at, column: 'Who', value: 'Somebody' });
  world.google.staff.sheets.duplicateRow({ ...appointments, row: at });
  world.platform.dashboard.changeContact(emma, { name: 'Emma Stein' });
  world.platform.dashboard.cancel(row);
  // Once by the product's own clock.
  await sleep(SETTLED_MS);
  const found = await audit();
  expect(told(found)).toEqual([
    'contacts: stale, missed-event',
    'staff-calendars: missing, foreign-edit',
    'staff-calendars: orphaned, missed-event',
    'staff-calendars: stale, foreign-edit',
    'visits: doubled, missed-event',
    'visits: stale, missed-event',
  ]);
  expect(found.code).toBe(1);
  // What would be taken away has to be named itself.
  const cautious = await audit('--fix', 'missed-event,foreign-edit');
  expect(cautious).toMatchObject({ code: 1, fixed: { 'given a turn': 4 } });
  world.google.staff.sheets.deleteRow({ ...appointments, row: at + 1 });
  // The worker's own start must not be what heals: it hears of nothing but what the audit has handed over.
  worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  expect(judged(world)).toEqual([]);
});

atLength.test(
  'what an edit of the YAML has left standing is told as unmapped, and goes when a person says so (case 73)',
  async () => {
    const projectId = world.company.projectId;
    world.platform.dashboard.createContact({ projectId, name: 'Emma' });
    const kept = world.platform.dashboard.createContact({ projectId, name: 'Olga', lifecycle: 'customer' });
    world.book();
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    mirrors.mirrors = mirrors.mirrors
      .replace('from: contacts\n', 'from: contacts\n    where: { lifecycle: [customer] }\n')
      .replace('where: { since: 7d }', 'where: { since: 7d, status: [pending] }');
    worker = await world.startWorker(port);
    await world.untilIdle(worker.url);
    const names = () => world.rows('Contacts').flatMap((cells) => (cells[0] ? [cells[1]] : []));
    expect(names()).toEqual(['Name', 'Emma', 'Olga']);
    expect(world.events(ANNA).length).toBe(1);
    settled();
    const found = await audit();
    expect(told(found)).toEqual([
      'contacts: unmapped, changed-mapping',
      'staff-calendars: unmapped, changed-mapping',
    ]);
    await audit('--fix', 'unmapped');
    await world.untilIdle(worker.url);
    expect(world.rows('Contacts').flatMap((cells) => (cells[0] ? [cells[0]] : []))).toEqual(['ID', kept]);
    expect(world.events(ANNA)).toEqual([]);
    expect((await audit()).differences).toEqual([]);
  },
);

atLength.test(
  'what stands although Redis has forgotten it and the platform has it no more is orphaned',
  async () => {
    const projectId = world.company.projectId;
    const [appointment, emma] = [
      world.book(),
      world.platform.dashboard.createContact({ projectId, name: 'Emma' }),
    ];
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    await forgetAll();
    world.platform.dashboard.cancel(appointment);
    world.platform.dashboard.deleteContact(emma);
    settled();
    const found = await audit();
    expect(told(found)).toEqual([
      'contacts: orphaned, unknown',
      'staff-calendars: orphaned, missed-event',
      'visits: stale, missed-event',
    ]);
    const healed = await audit('--fix', 'orphaned,stale');
    // Nothing tells whether the contact was deleted, or the key does not show it: a person says so.
    expect(healed).toMatchObject({ code: 1, fixed: { 'given a turn': 2, 'waits for a person': 1 } });
    const args = ['approve', 'orphans', `spreadsheet:${BOOK}/Contacts`, '--config', world.writeConfig(port)];
    const approval = await runHere(args);
    expect([approval.code, approval.stdout]).toEqual([0, expect.stringContaining('audit --fix')]);
    expect((await audit('--fix', 'orphaned')).fixed).toMatchObject({ 'given a turn': 1 });
  },
);

atLength.test('a calendar that cannot be read is told of, and nothing is concluded from it', async () => {
  world.book();
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  world.google.revokeAccess(ANNA);
  settled();
  const found = await audit();
  expect(found).toMatchObject({ code: 1, differences: [] });
  expect(Object.keys(found.unread)).toEqual([`calendar:${ANNA}`]);
});
