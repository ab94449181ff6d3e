/** What one flush says of itself, and what it leaves alone. */
import { afterEach, describe, expect, it, test } from 'vitest';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import type { CarriedRows } from '../../src/sheet/carried-rows.ts';
import type { SheetFlusherParts } from '../../src/sheet/flush.ts';
import type { TabPlan } from '../../src/sheet/flush-plan.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const ELSEWHERE = { ...CONTACTS, name: 'other', spreadsheetId: 'book-2', tab: 'Other' };
const APPOINTMENTS = { ...CONTACTS, name: 'visits', tab: 'Visits' };
const homeless = (n: number): OutboxRow => ({ ...contact(n), tab: 'Former' });
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const OTHER_TARGET = `spreadsheet:${BOOK}/Visits`;

let stand: Stand;
afterEach(() => stand.close());

async function start(
  parts: Partial<SheetFlusherParts> = {},
  values: string[][] = [HEADER, line(1), line(2)],
) {
  stand = await startStand({
    tabs: [
      { title: 'Contacts', values },
      { title: 'Visits', values: [['x']] },
    ],
    parts,
  });
}
const logged = (message: string) =>
  stand.log.lines.filter((each) => each.message === message).map(({ fields }) => fields);

describe('rows that need no write leave the outbox', () => {
  test.each<[string, OutboxRow, string]>([
    ['cleared, and not there', row(3, undefined), 'cleared'],
    ['written only if there, and not there', { ...contact(3), onlyIfThere: true }, 'cleared'],
    ['deleted by people', { ...contact(3), staysAway: true }, 'left'],
  ])('%s', async (_, waiting, hash) => {
    await start();
    const formats = { Name: { type: 'DATE' as const, pattern: 'yyyy' } };
    stand.put({ ...waiting, ...(waiting.cells && { formats }) });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.values()).toEqual([HEADER, line(1), line(2)]);
    const link = stand.outbox.link(waiting.key, 'contacts');
    expect([link?.hash, link?.formats]).toEqual([hash, undefined]);
    const told = logged('rows that people deleted stay away');
    expect(told).toEqual(hash === 'left' ? [{ spreadsheetId: BOOK, rows: 1 }] : []);
  });

  test('of all kinds at once', async () => {
    await start();
    stand.put(row(3, undefined), { ...contact(4), staysAway: true }, { ...contact(5), staysAway: true });
    expect(await stand.flush()).toEqual({ written: 3, remaining: 0 });
    expect(logged('spreadsheet flushed')).toMatchObject([
      { spreadsheetId: BOOK, written: 3, remaining: 0, tabs: 1 },
    ]);
  });
});

test('a flush tells how long it took', async () => {
  let nowMs = 1_000;
  await start({ clock: { now: () => (nowMs += 1) } });
  stand.put(contact(1, 'New'));
  await stand.flush();
  const [{ tookMs = 0 } = {}] = logged('spreadsheet flushed') as { tookMs?: number }[];
  expect(tookMs).toBeGreaterThan(0);
  expect(tookMs).toBeLessThan(100);
});

describe('while the tabs of the waiting rows rest', () => {
  async function atFault(...rows: OutboxRow[]): Promise<void> {
    await start({ mirrors: [CONTACTS, APPOINTMENTS], rowsPerFlush: 10 });
    stand.put(contact(2, 'First'));
    await stand.flush();
    stand.put({ ...contact(1), mirror: 'visits', tab: 'Visits' });
    await expect(stand.flush()).rejects.toMatchObject({ code: 'header-missing' });
    stand.problems.isTurn = false;
    stand.put(...rows);
  }

  it('says so, and keeps rows of no tab, because it would read through all others', async () => {
    await atFault(homeless(2));
    await expect(stand.flush()).rejects.toMatchObject({
      ...{ family: 'deferred', code: 'tab-paused' },
      ...{ target: `spreadsheet:${BOOK}`, retryAfterMs: 15_000 },
    });
    expect(await stand.waiting()).toEqual([id(1), id(2)]);
  });

  it('says nothing if none waits', async () => {
    await atFault();
    for (const waiting of await stand.outbox.pending(BOOK, 10)) stand.outbox.refuse(waiting);
    expect(await stand.flush()).toEqual({ written: 0, remaining: 0 });
  });

  it('says nothing if a former write has just been found', async () => {
    await atFault();
    const read = { path: /:batchGetByDataFilter/, skip: 1, times: 1 };
    stand.put(contact(1, 'New'));
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
    stand.sandbox.faults.add({ ...read, fault: { kind: 'status', status: 503 } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(stand.values()).toEqual([HEADER, line(1, 'New'), line(2, 'First')]);
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
  });

  it('a tab of another spreadsheet is none of them', async () => {
    await start({ mirrors: [CONTACTS, ELSEWHERE] });
    await stand.problems.raise({ target: 'spreadsheet:book-2/Other', code: 'header-missing', message: 'x' });
    stand.problems.isTurn = false;
    stand.put(homeless(1));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
  });
});

describe('rows for a place that no mirror has', () => {
  it('are dropped, as many at a time as a flush takes', async () => {
    await start({ rowsPerFlush: 10 });
    stand.put(...Array.from({ length: 15 }, (_, n) => homeless(n + 1)));
    expect(await stand.flush()).toEqual({ written: 10, remaining: 5 });
    expect(await stand.flush()).toEqual({ written: 5, remaining: 0 });
    expect(await stand.flush()).toEqual({ written: 0, remaining: 0 });
    const message = 'rows of a former mapping dropped';
    expect(logged(message)).toEqual([10, 5].map((rows) => ({ spreadsheetId: BOOK, rows })));
  });

  it('are dropped, and a row that comes in that moment is not', async () => {
    await start({ mirrors: [CONTACTS, APPOINTMENTS] });
    const pending = stand.outbox.pending.bind(stand.outbox);
    stand.outbox.pending = async (spreadsheetId, limit, among) => {
      const found = await pending(spreadsheetId, limit, among);
      if (found.length > 0 || among?.mirror !== 'visits') return found;
      stand.put(contact(1, 'New'));
      stand.outbox.pending = pending;
      return found;
    };
    stand.put(homeless(2));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    await stand.flush();
    expect(stand.values()).toEqual([HEADER, line(1, 'New'), line(2)]);
  });

  it('a row that comes in that moment is no reason to wait', async () => {
    await start();
    stand.outbox.waiting = async () => [{ spreadsheetId: BOOK, rows: 1 }];
    expect(await stand.flush()).toEqual({ written: 0, remaining: 1 });
  });
});

test('rows of another spreadsheet are none that remain', async () => {
  await start();
  stand.put({ ...contact(9), spreadsheetId: 'book-2' }, contact(1, 'New'));
  expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
});

test('a refusal of the worker’s own read is no refusal of a row', async () => {
  await start();
  stand.put(contact(1, 'New'));
  stand.sandbox.faults.add({ path: /spreadsheets/, fault: { kind: 'status', status: 400 } });
  await expect(stand.flush()).rejects.toMatchObject({
    ...{ family: 'retryable', code: 'sheet-unreadable', target: `spreadsheet:${BOOK}` },
    cause: { family: 'terminal' },
  });
  expect(stand.refused).toEqual([]);
});

test.each([
  ['only its rows', undefined, ['whole', 'rows']],
  ['the whole tab where people may change cells', { columns: [], answerHeader: 'Phone' }, ['whole', 'whole']],
] as const)('the second flush reads %s', async (_, carry, expected) => {
  const looks: string[] = [];
  await start({
    mirrors: [{ ...CONTACTS, ...(carry && { carry: carry as never }) }],
    meter: {
      add: (name, labels = {}, by = 1) => {
        if (name === 'slotbridge_tab_looks_total' && by > 0) looks.push(String(labels['extent']));
      },
      observe: () => undefined,
    },
  });
  for (const name of ['New', 'Newer']) {
    stand.put(contact(1, name));
    await stand.flush();
  }
  expect(looks).toEqual(expected);
});

describe('where people may change cells', () => {
  const CARRIES = { ...CONTACTS, carry: { columns: [], answerHeader: 'Phone' } as never };
  /** A batch for a tab that carries, or for one that does not, and what was told of the write. */
  async function told(mirrors = [APPOINTMENTS, CARRIES], people: () => void = () => undefined) {
    const steps: unknown[] = [];
    const tabs = (plans: readonly TabPlan[]) => plans.map(({ mirror }) => mirror.tab).join();
    const carried: CarriedRows = double({
      recover: async () => void steps.push('recovered'),
      begin: async (_, plans) => {
        steps.push(`begun: ${tabs(plans)}`);
        return plans;
      },
      finish: async (_, begun, performed) =>
        void steps.push(`of ${tabs(begun)} performed: ${tabs(performed)}`),
    });
    await start({ mirrors, carried });
    stand.sandbox.staff.sheets.setRow({ spreadsheetId: BOOK, tab: 'Visits', row: 1, values: HEADER });
    stand.put(contact(1, 'New'), { ...contact(2), mirror: 'visits', tab: 'Visits' });
    people();
    await stand.flush().catch(() => undefined);
    return steps;
  }
  const lost = () =>
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });

  test.each([
    ['before and after the write', undefined, ['of Visits,Contacts performed: Visits,Contacts']],
    [
      'that nothing was performed when Google refused it',
      () => stand.sandbox.changeQuotas({ sheetsWritesPerMinutePerUser: 0 }),
      ['of Visits,Contacts performed: '],
    ],
    ['to look what it went over when the answer was lost', lost, ['recovered']],
  ])('a batch with a tab that carries is told %s', async (_, people, end) => {
    expect(await told(undefined, people)).toEqual(['recovered', 'begun: Visits,Contacts', ...end]);
  });

  test('a batch without such a tab is not told', async () => {
    expect(await told([APPOINTMENTS, CONTACTS])).toEqual(['recovered']);
  });
});

test('only an empty tab is told to begin, each time that it is', async () => {
  const begun: object[] = [];
  await start({ mirrors: [CONTACTS, APPOINTMENTS], onTabBegun: (place) => void begun.push(place) });
  stand.sandbox.staff.sheets.blankTab({ spreadsheetId: BOOK, tab: 'Visits' });
  const appointment = (n: number) => ({ ...contact(n), mirror: 'visits', tab: 'Visits' });
  // Nothing to write, so nothing begins.
  stand.put({ ...appointment(1), cells: undefined, hash: 'cleared' });
  await stand.flush();
  expect(begun).toEqual([]);
  stand.put(contact(1, 'New'), appointment(1));
  await stand.flush();
  stand.put(contact(1, 'Newer'), appointment(2));
  await stand.flush();
  expect(begun).toEqual([{ mirror: 'visits', spreadsheetId: BOOK, tab: 'Visits' }]);
  expect(logged('empty tab gets its header')).toEqual([{ mirror: 'visits', spreadsheetId: BOOK }]);
});

describe('people change the tab under a write', () => {
  const sheets = () => stand.sandbox.staff.sheets;
  const struck = (onStrike: () => void, times = 1) =>
    stand.sandbox.faults.add({ path: /:batchUpdate/, times, fault: { kind: 'delay', ms: 0 }, onStrike });

  test.each<[string, number, string[]]>([
    ['is blank again', 60_000, []],
    ['keeps what it shows, because people may have typed it', 60_001, ['', 'New', 'phone 1']],
  ])('a row that they inserted there %s if the look comes after %i ms', async (_, waitMs, cells) => {
    let nowMs = Date.now();
    await start({ clock: { now: () => nowMs } });
    stand.put(contact(1, 'New', 'phone 1'));
    let blind: (() => void) | undefined;
    struck(() => {
      sheets().insertRow({ ...AT, row: 2 });
      blind = stand.sandbox.faults.add({ path: /:batchGet/, fault: { kind: 'reset' } });
    });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    blind?.();
    nowMs += waitMs;
    await stand.flushAll();
    expect(stand.values().slice(1)).toEqual([cells, line(1, 'New', 'phone 1'), line(2)]);
  });

  test('and remove its rows: nothing was performed, so nothing is looked for', async () => {
    await start();
    stand.put(contact(1, 'New'));
    await stand.flush();
    const range = { sheetId: 0, dimension: 'ROWS', startIndex: 2, endIndex: 1_000 };
    struck(() => sheets().request({ spreadsheetId: BOOK, request: { deleteDimension: { range } } }));
    stand.sandbox.resetCounts();
    stand.put(contact(2, 'New'));
    await expect(stand.flush()).rejects.toMatchObject({ code: 'sheet-changed' });
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.values.batchGetByDataFilter']).toBe(1);
  });

  test('and once more under the repair in a full tab: it goes over no cells of theirs, so none are named', async () => {
    stand = await startStand({ tabs: [{ title: 'Contacts', rows: 3, values: [HEADER, line(1), line(2)] }] });
    stand.put(contact(1, 'New', 'phone 1'));
    struck(() => sheets().insertRow({ ...AT, row: 2 }));
    struck(() => sheets().deleteRow({ ...AT, row: 4 }));
    await stand.flushAll();
    expect(stand.values()).toEqual([HEADER, [], line(1, 'New', 'phone 1')]);
    expect(stand.problems.codes()).toEqual({});
  });

  test('and under each repair: a later flush goes on after three of them', async () => {
    await start();
    stand.put(contact(1, 'New', 'phone 1'));
    struck(() => sheets().insertColumn({ ...AT, before: 'Phone', header: 'Mine' }), 9);
    stand.sandbox.resetCounts();
    await stand.flush();
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate']).toBe(4);
    expect(logged('spreadsheet changes faster than it can be mended')).toEqual([{ spreadsheetId: BOOK }]);
  });
});

test('a tab that takes rows again has no problem', async () => {
  await start({ mirrors: [APPOINTMENTS] });
  stand.put({ ...contact(1), mirror: 'visits', tab: 'Visits' });
  await expect(stand.flush()).rejects.toMatchObject({ code: 'header-missing', target: OTHER_TARGET });
  stand.sandbox.staff.sheets.setRow({ spreadsheetId: BOOK, tab: 'Visits', row: 1, values: HEADER });
  expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
  expect(stand.problems.codes()).toEqual({});
});
