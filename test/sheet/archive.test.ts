// Rows that have become old move to the archive, each once, and nothing of people's is lost with them.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { atLength } from '../stand/runs.ts';
import {
  APPOINTMENTS,
  type ArchiveStand,
  CELLAR,
  DAY_MS,
  day,
  OFFICE,
  startArchiveStand,
} from './archive-stand.ts';
import { id } from './stand.ts';

let redis: TestRedis;
let stand: ArchiveStand;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
afterEach(() => stand.close());

const AT = { spreadsheetId: OFFICE, tab: 'Visits' };

/** Appointments 1 to 3 stand in the tab; 1 and 2 become old after 31 days, 3 is far ahead. */
async function begin(change: Partial<SheetMirror> = {}): Promise<void> {
  stand = await startArchiveStand(redis.url, change);
  await stand.seen(1);
  await stand.seen(2);
  await stand.seen(3, { starts_at: day(300) });
  await stand.settle();
  expect(stand.home()).toEqual(['1 Name 1 confirmed', '2 Name 2 confirmed', '3 Name 3 confirmed']);
}

test('rows move to the archive by themselves when they are old, and nothing is pending until then', async () => {
  await begin();
  stand.clock.advance(29 * DAY_MS);
  await stand.settle();
  expect([stand.home().length, stand.old()]).toEqual([3, []]);
  stand.clock.advance(2 * DAY_MS);
  await stand.settle();
  expect(stand.home()).toEqual(['3 Name 3 confirmed']);
  expect(stand.old()).toEqual(['1 Name 1 confirmed', '2 Name 2 confirmed']);
  expect(await stand.index()).toEqual({ home: ['3'], old: ['1', '2'] });
});

atLength.test('another tab of the same spreadsheet will do as well', async () => {
  const archive = {
    spreadsheetId: OFFICE,
    tab: 'Old',
    by: 'starts_at',
    afterMs: 30 * DAY_MS,
    blankRows: 'keep',
  } as const;
  await begin({ archive });
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  expect(stand.home()).toEqual(['3 Name 3 confirmed']);
  expect(stand.old()).toEqual(['1 Name 1 confirmed', '2 Name 2 confirmed']);
  expect(await stand.index()).toEqual({ home: ['3'], old: ['1', '2'] });
});

test('a later change of an archived appointment goes to its row in the archive', async () => {
  await begin();
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  await stand.seen(1, { customer_name: 'Renamed' });
  await stand.settle();
  expect(stand.old()).toEqual(['1 Renamed confirmed', '2 Name 2 confirmed']);
  expect(stand.home()).toEqual(['3 Name 3 confirmed']);
});

atLength.test('an archived appointment that is moved into the future comes back', async () => {
  await begin();
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  await stand.seen(1, { starts_at: day(100) });
  await stand.settle();
  expect(stand.home()).toEqual(['1 Name 1 confirmed', '3 Name 3 confirmed']);
  expect(stand.old()).toEqual(['2 Name 2 confirmed']);
  expect(await stand.index()).toEqual({ home: ['1', '3'], old: ['2'] });
});

test('an appointment that moves into the future at any step of its archiving has one row', async () => {
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await begin();
    stand.clock.advance(31 * DAY_MS);
    for (let round = 0; round < rounds; round += 1) await stand.round();
    await stand.seen(1, { starts_at: day(100) });
    await stand.settle();
    expect([rounds, stand.home(), stand.old()]).toEqual([
      rounds,
      ['1 Name 1 confirmed', '3 Name 3 confirmed'],
      ['2 Name 2 confirmed'],
    ]);
    if (rounds < 4) await stand.close();
  }
});

atLength.test(
  'rows are found by their key, however people have sorted the tab and moved its columns',
  async () => {
    await begin();
    stand.staff.sortTab({ ...AT, column: 'Who', descending: true });
    stand.staff.moveColumn({ ...AT, column: 'Status', before: 'Who' });
    stand.clock.advance(31 * DAY_MS);
    await stand.settle();
    expect(stand.home()).toEqual(['3 confirmed Name 3']);
    expect(stand.old()).toEqual(['1 Name 1 confirmed', '2 Name 2 confirmed']);
  },
);

atLength.test(
  'a row beside which people have written stays, is kept up to date, and moves when their cells are gone',
  async () => {
    await begin();
    const row = stand.sandbox.truth.values(OFFICE, 'Visits').findIndex(([key]) => key === id(1)) + 1;
    stand.staff.setCell({ ...AT, cell: 'E1', value: 'Note' });
    stand.staff.setCell({ ...AT, cell: `E${row}`, value: 'mine' });
    stand.clock.advance(31 * DAY_MS);
    await stand.settle();
    expect(stand.home()).toEqual(['1 Name 1 confirmed  mine', '3 Name 3 confirmed']);
    expect(stand.old()).toEqual(['2 Name 2 confirmed']);
    await stand.seen(1, { status: 'completed' });
    await stand.settle();
    expect(stand.home()).toEqual(['1 Name 1 completed  mine', '3 Name 3 confirmed']);
    const now = stand.sandbox.truth.values(OFFICE, 'Visits').findIndex(([key]) => key === id(1)) + 1;
    stand.staff.setCell({ ...AT, cell: `E${now}`, value: '' });
    stand.clock.advance(8 * DAY_MS);
    await stand.settle();
    expect(stand.home()).toEqual(['3 Name 3 confirmed']);
    expect(stand.old()).toEqual(['1 Name 1 completed', '2 Name 2 confirmed']);
    expect(await stand.index()).toEqual({ home: ['3'], old: ['1', '2'] });
  },
);

test('what people write beside a row while it is moving keeps it where it is, with one row of it', async () => {
  await begin();
  stand.clock.advance(31 * DAY_MS);
  await stand.round();
  expect([stand.home().length, stand.old().length]).toEqual([3, 2]);
  const row = stand.sandbox.truth.values(OFFICE, 'Visits').findIndex(([key]) => key === id(1)) + 1;
  stand.staff.setCell({ ...AT, cell: `F${row}`, value: 'wait' });
  await stand.settle();
  expect(stand.home()).toEqual(['1 Name 1 confirmed   wait', '3 Name 3 confirmed']);
  expect(stand.old()).toEqual(['2 Name 2 confirmed']);
  expect(await stand.index()).toEqual({ home: ['1', '3'], old: ['2'] });
});

atLength.test('a checkbox that is not ticked is nothing that people have written', async () => {
  await begin();
  for (const row of [2, 3, 4]) stand.staff.setCell({ ...AT, cell: `E${row}`, value: 'FALSE' });
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  expect(stand.old()).toHaveLength(2);
});

test('when Redis was lost, archived rows are found again and none is doubled (case 33)', async () => {
  await begin();
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  await stand.store.redis.flushall();
  await stand.seen(1, { customer_name: 'Renamed' });
  await stand.seen(2, { starts_at: day(100) });
  await stand.seen(3, { starts_at: day(300) });
  await stand.settle();
  expect(stand.old()).toEqual(['1 Renamed confirmed']);
  expect(stand.home()).toEqual(['2 Name 2 confirmed', '3 Name 3 confirmed']);
});

test.each([
  ['home', { days: 10, home: ['1 Renamed confirmed', '2 Name 2 confirmed', '3 Name 3 confirmed'] }, []],
  ['archive', { days: 31, home: ['3 Name 3 confirmed'] }, ['1 Renamed confirmed', '2 Name 2 confirmed']],
])(
  'after a loss of Redis, rows of appointments older than `since` are found in the %s tab, and no new row is added (case 33)',
  async (_, { days, home }, old) => {
    await begin({ where: { sinceMs: 7 * DAY_MS } } as Partial<SheetMirror>);
    stand.clock.advance(days * DAY_MS);
    await stand.settle();
    await stand.store.redis.flushall();
    await stand.seen(1, { customer_name: 'Renamed' });
    await stand.seen(9);
    await stand.settle();
    expect([stand.home(), stand.old()]).toEqual([home, old]);
    // From here on it is known again.
    await stand.seen(1, { customer_name: 'Once more' });
    await stand.settle();
    expect([...stand.home(), ...stand.old()]).toContain('1 Once more confirmed');
  },
);

atLength.test('a row that people deleted for good does not come to life in the archive', async () => {
  await begin({ check: { everyMs: 1, removed: 'leave', edited: 'leave' } });
  const row = stand.sandbox.truth.values(OFFICE, 'Visits').findIndex(([key]) => key === id(1)) + 1;
  stand.staff.deleteRow({ ...AT, row });
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  expect([stand.home(), stand.old()]).toEqual([['3 Name 3 confirmed'], ['2 Name 2 confirmed']]);
  await stand.seen(1, { customer_name: 'Renamed' });
  await stand.settle();
  expect(stand.old()).toEqual(['2 Name 2 confirmed']);
});

atLength.test('the check looks after both tabs', async () => {
  await begin();
  stand.clock.advance(31 * DAY_MS);
  await stand.settle();
  stand.staff.setCell({ spreadsheetId: CELLAR, tab: 'Old', cell: 'B2', value: 'Typed over' });
  stand.staff.setCell({ ...AT, cell: 'B4', value: 'Typed over' });
  await stand.check();
  await stand.settle();
  expect(stand.old()).toEqual(['1 Name 1 confirmed', '2 Name 2 confirmed']);
  expect(stand.home()).toEqual(['3 Name 3 confirmed']);
  await stand.check();
  expect([await stand.open(), stand.problems.codes()]).toEqual([0, {}]);
});

test('a tab from which nothing can be read is told of, and no row is written a second time', async () => {
  await begin();
  stand.staff.renameHeader({ ...AT, from: 'Who', to: 'Wer' });
  stand.clock.advance(31 * DAY_MS);
  await expect(stand.settle()).rejects.toThrow();
  expect(stand.old()).toEqual([]);
  expect(Object.values(stand.problems.codes())).toEqual(['header-missing']);
  stand.staff.renameHeader({ ...AT, from: 'Wer', to: 'Who' });
  await stand.problems.clear(`spreadsheet:${CELLAR}/Old`);
  await stand.settle();
  expect([stand.home(), stand.old().length]).toEqual([['3 Name 3 confirmed'], 2]);
});

atLength.test(
  'an appointment that no longer matches leaves the archive too, and one that never matches is not searched for',
  async () => {
    await begin({ where: { sinceMs: 3_650 * DAY_MS, statuses: ['confirmed'] } } as Partial<SheetMirror>);
    stand.clock.advance(31 * DAY_MS);
    await stand.settle();
    await stand.seen(1, { status: 'cancelled' });
    await stand.settle();
    expect(stand.old()).toEqual(['2 Name 2 confirmed']);
  },
);

atLength.test(
  'an archive that is new in the YAML takes what is old already, once the rows are looked at again',
  async () => {
    const { archive, ...without } = APPOINTMENTS;
    stand = await startArchiveStand(redis.url);
    await stand.seen(1, { starts_at: day(-50) });
    await stand.settle(without as SheetMirror);
    expect(stand.home()).toEqual(['1 Name 1 confirmed']);
    await stand.store.dirtyMarks.markDirty([{ kind: 'appointment', id: id(1) }], { read: false });
    await stand.settle();
    expect([stand.home(), stand.old(), archive?.tab]).toEqual([[], ['1 Name 1 confirmed'], 'Old']);
  },
);

atLength.test(
  'a copy that people made of a row goes with it: the move is over when the tab lacks the key',
  async () => {
    await begin();
    stand.staff.addRow({ ...AT, values: [id(1), 'Name 1', 'confirmed'] });
    stand.clock.advance(31 * DAY_MS);
    await stand.settle();
    expect(stand.home()).toEqual(['3 Name 3 confirmed']);
    expect(stand.old()).toEqual(['1 Name 1 confirmed', '2 Name 2 confirmed']);
  },
);

test('an audit expects the row where it belongs, none in the other tab, and bears with one that is on its way', async () => {
  await begin();
  const rules = async () => (await stand.expected(1)).map(({ place, rule }) => `${place} ${rule}`).sort();
  const [home, old] = [`spreadsheet:${OFFICE}/Visits`, `spreadsheet:${CELLAR}/Old`];
  expect(await rules()).toEqual([`${old} must-not`, `${home} must`]);
  stand.clock.advance(31 * DAY_MS);
  expect(await rules()).toEqual([`${old} may`, `${home} must`]);
  await stand.round();
  expect(await rules()).toEqual([`${old} must`, `${home} may`]);
  await stand.settle();
  expect(await rules()).toEqual([`${old} must`, `${home} must-not`]);
});
