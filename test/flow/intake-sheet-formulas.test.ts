/** Starts of booking rows that formulas of other cells give, some of which a clock changes (S6, P7). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { BOOK, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { rowsOf } from '../stand/runs.ts';

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
/** Tuesday, 3 March 2026, as Google counts days. */
const TUESDAY = 46_084;
const DAY_MS = 86_400_000;

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** A booked row whose start now comes from this formula, and shows ten o'clock of the day so many days later. */
function calculate(
  world: IntakeWorld,
  { row, formula, days }: { row: number; formula: string; days: number },
) {
  world.staff.calculate({ ...world.at, row, column: 'Start', formula, value: TUESDAY + days + 10 / 24 });
}

type Cells = Readonly<Record<string, string>>;
/** Cells of the booking tab and of another one. */
type Asked = { readonly own?: Cells; readonly plan?: Cells; readonly formula: string };

const settings = (world: IntakeWorld, cells: Cells) => {
  world.staff.addTab({ spreadsheetId: BOOK, tab: 'Day plan', rows: 20, columns: 5 });
  for (const [cell, value] of Object.entries(cells))
    world.staff.setCell({ spreadsheetId: BOOK, tab: 'Day plan', cell, value });
};

test.each(
  rowsOf(
    [
      ['another cell', { own: { L40: '=TODAY()' }, formula: '=L40+10/24' }],
      [
        'a cell behind another one',
        { own: { L40: '=L41+1', L41: '=$L$42', L42: '=NOW()' }, formula: '=L40+10/24' },
      ],
      ['a range', { own: { L42: '=TODAY()' }, formula: '=VLOOKUP(A2,$K$40:L42,2,0)+10/24' }],
      ['a column', { own: { L40: '=TODAY()' }, formula: '=MAX(L:L)+10/24' }],
      [
        'ranges far wider than the tab',
        {
          own: { L39: '=COUNTBLANK(A1:ZZZ60)+COUNTBLANK(A2:ZZZ60)+L40', L40: '=TODAY()' },
          formula: '=L39+10/24',
        },
      ],
      ['another tab', { plan: { B2: '=B3', B3: '=TODAY()' }, formula: "='Day plan'!B2+10/24" }],
    ] as readonly (readonly [string, Asked])[],
    4,
  ),
)(
  'a start that a clock changes through %s moves nothing, and the row is told',
  async (_, { own = {}, plan = {}, formula }) => {
    const world = await stands.start();
    settings(world, plan);
    for (const [cell, value] of Object.entries(own)) world.staff.setCell({ ...world.at, cell, value });
    const row = world.type();
    await world.settle();
    for (const days of [1, 2]) {
      world.clock.advance(DAY_MS);
      calculate(world, { row, formula, days });
      await world.settle();
      expect(world.booked()).toEqual([TEN]);
      expect(world.row(row)['Status']).toContain('the start is a formula that changes by itself');
    }
    world.put(row, 'Start', '06.03.2026 10:00');
    await world.settle();
    expect(world.booked()).toEqual(['2026-03-06T07:00:00.000Z Anna Vera Orlova']);
    expect(world.row(row)['Status']).toBe('Booked.');
  },
);

test.each(
  rowsOf(
    [
      ['cells that people typed', '=L40+L41'],
      ['a tab of people', "='Day plan'!B1+Plan!B1+10/24"],
      ['words about TODAY()', '=IF(L40="TODAY()",L41,L40)'],
      ['cells that refer to each other', '=L45'],
    ] as const,
    2,
  ),
)('a start that comes from %s moves its appointment, also by whole days', async (_, formula) => {
  const world = await stands.start();
  settings(world, { B1: '46085', C1: '=TODAY()' });
  const cells = { L40: '46085', L41: '0.4166', L44: '=TODAY()', L45: '=L46', L46: '=L45' };
  for (const [cell, value] of Object.entries(cells)) world.staff.setCell({ ...world.at, cell, value });
  const row = world.type();
  await world.settle();
  calculate(world, { row, formula, days: 1 });
  await world.settle();
  expect(world.booked()).toEqual(['2026-03-04T07:00:00.000Z Anna Vera Orlova']);
  expect(world.row(row)['Status']).toBe('Booked.');
});

test('P9: a formula of many ranges that lead to each other is followed to an end, and read once a poll', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  const wide = `=${Array.from({ length: 200 }, () => 'SUM(A1:L50)').join('+')}`;
  for (let n = 20; n < 50; n += 1) world.staff.setCell({ ...world.at, cell: `L${n}`, value: wide });
  calculate(world, { row, formula: wide, days: 1 });
  world.google.resetCounts();
  await world.poll();
  expect(world.google.stats().callsByMethod).toEqual({ 'spreadsheets.values.batchGetByDataFilter': 3 });
  await world.settle();
  expect(world.booked()).toEqual(['2026-03-04T07:00:00.000Z Anna Vera Orlova']);
});
