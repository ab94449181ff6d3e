import { expect, test } from 'vitest';
import { withReference } from '../../bench/beside.ts';
import { figuresOf } from '../../bench/figure.ts';
import { tableOf } from '../../bench/table.ts';

test('a line whose reference was not asked for says not measured, and neither passes nor fails', () => {
  const told = figuresOf('cost');
  told.notMeasured({ what: 'against Node-RED', unit: 'ms', figure: 4, asked: '≤ 1.2 times' });
  told.atMost(5, { what: 'booked', unit: 'ms', figure: 4 });
  told.atMost(5, { what: 'moved', unit: 'ms', figure: 6 });
  const lines = tableOf(told.figures).split('\n');
  expect(told.figures.map(({ isMet }) => isMet)).toEqual([undefined, true, false]);
  expect(lines.slice(2, 5).map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    'not measured',
    'pass',
    'FAIL',
  ]);
});

test('the figure of another checkout is the reference of a requirement that has none', () => {
  const told = figuresOf('cost');
  const other = figuresOf('cost');
  for (const [{ atMost, note }, figure] of [
    [told, 6],
    [other, 4],
  ] as const) {
    atMost(5, { what: 'booked', unit: 'ms', figure });
    atMost(5, { what: 'moved', unit: 'ms', figure, reference: 3, ratio: figure / 3 });
    note('idle', [figure, 'ms']);
  }
  const merged = told.figures.map((each) => withReference(each, other.figures));
  expect(merged.map(({ reference, ratio }) => [reference, ratio])).toEqual([
    [4, 1.5],
    [3, 2],
    [undefined, undefined],
  ]);
});
