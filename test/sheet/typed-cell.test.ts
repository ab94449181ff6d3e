import { describe, expect, it } from 'vitest';
import type { ColumnType } from '../../src/engine/mirror.ts';
import { holds } from '../../src/sheet/tab-survey.ts';
import { typedCell } from '../../src/sheet/typed-cell.ts';

const ZURICH = { zone: 'Europe/Zurich', currency: '' };
const cellOf = (as: ColumnType, rendered: string | number | boolean | null, about = ZURICH) =>
  typedCell({ as }, rendered, about).cell;

describe('dates and times are serial numbers on the clock of the sheet', () => {
  it.each([
    // Day 0 is 1899-12-30; 2026-05-04 is day 46146.
    ['date', '2026-05-04', 46_146],
    ['date', '2026-05-03T22:30:00Z', 46_146],
    ['date', '1899-12-30', 0],
    ['datetime', '2026-05-04T10:00:00Z', 46_146.5],
    ['datetime', '2026-05-04T12:00:00+02:00', 46_146.5],
    ['datetime', '2026-05-04T12:00:00', 46_146.5],
    ['datetime', '2026-05-04 12:00', 46_146.5],
    ['datetime', '2026-01-04T11:00:00.900Z', 46_026.5],
    ['datetime', '2026-05-04T10Z', 46_146.5],
    ['datetime', '2026-05-04T12:00:00+02:00[Europe/Zurich]', 46_146.5],
    ['time', '2026-05-04T16:00:00Z', 0.75],
    ['time', '18:00', 0.75],
    ['time', '6:00', 0.25],
  ] as const)('%s of %s is %s', (as, text, serial) => {
    expect(cellOf(as, text)).toBe(serial);
  });

  it('the hour that is skipped and the one that comes twice have the numbers that a clock on the wall shows (case 44)', () => {
    expect(cellOf('datetime', '2026-03-29T01:00:00Z')).toBeCloseTo(46_110 + 3 / 24, 9);
    expect(cellOf('datetime', '2026-10-25T00:30:00Z')).toBe(cellOf('datetime', '2026-10-25T01:30:00Z'));
  });

  it.each([
    ['date', 'soon'],
    ['datetime', '12:30'],
    ['time', '2026'],
    ['date', '=TODAY()'],
    ['number', '0x10'],
    // More digits than a spreadsheet keeps: a card number would end in zeros.
    ['number', '1234567890123456'],
    ['number', '9'.repeat(400)],
    ['number', '.5'],
    ['number', '+'],
    ['number', '+41 78'],
    ['money', 'free'],
    ['boolean', 'perhaps'],
  ] as const)('%s of "%s" stays the text it is, without a format', (as, text) => {
    expect(typedCell({ as }, text, ZURICH)).toEqual({ cell: text, format: undefined });
  });

  it('nothing stays nothing', () => {
    for (const as of ['text', 'number', 'money', 'date', 'datetime', 'time', 'boolean'] as const)
      expect(typedCell({ as }, null, ZURICH)).toEqual({ cell: null, format: undefined });
  });
});

describe('amounts', () => {
  it('are major units without the dust of floating point', () => {
    expect(cellOf('money', 0.1 + 0.2)).toBe(0.3);
    expect(cellOf('money', 1_234_567.891_23)).toBe(1_234_567.89);
    expect(cellOf('money', '120.50')).toBe(120.5);
  });

  it('carry their currency in the pattern, as text that means nothing else there', () => {
    const format = (currency: string, pattern?: string) =>
      typedCell({ as: 'money', ...(pattern === undefined ? {} : { format: pattern }) }, 1, {
        ...ZURICH,
        currency,
      }).format;
    expect(format('RUB')).toEqual({ type: 'CURRENCY', pattern: '#,##0.00" RUB"' });
    expect(format('')).toEqual({ type: 'CURRENCY', pattern: '#,##0.00' });
    expect(format('d"h\\', '0')).toEqual({ type: 'CURRENCY', pattern: '0" dh"' });
  });
});

describe('words', () => {
  it('are flags, numbers and text as the column says', () => {
    expect(cellOf('boolean', 'TRUE')).toBe(true);
    expect(cellOf('boolean', false)).toBe(false);
    expect(cellOf('number', '12.5')).toBe(12.5);
    expect(cellOf('number', '33.333333333333336')).toBe(33.333333333333336);
    expect(cellOf('number', '-000123456789012345')).toBe(-123456789012345);
    expect(cellOf('text', 12)).toBe('12');
  });
});

it('a number that a spreadsheet gives back with its last digits rounded is the same number', () => {
  for (const seconds of [1, 7, 43_201, 86_399]) {
    const serial = 46_146 + seconds / 86_400;
    expect(holds(Number(serial.toPrecision(15)), serial)).toBe(true);
    expect(holds(46_146 + (seconds - 1) / 86_400, serial)).toBe(false);
  }
  expect(holds('46146', 46_146)).toBe(false);
});
