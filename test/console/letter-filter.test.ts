import { expect, test } from 'vitest';
import { chosenBy, readFilter, toQuery, untilOf } from '../../src/console/letter-filter.ts';
import type { KeptLetter } from '../../src/ports/work.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const HOUR_MS = 3_600_000;

const letter = (name: string, ageMs: number, ...reasons: [string, string, string?][]): KeptLetter => ({
  ...{ name, key: `appointment/${name}`, atMs: NOW - ageMs, attempts: 1 },
  reasons: reasons.map(([mirror, code, target]) => ({
    ...{ mirror, code, message: code },
    ...(target === undefined ? {} : { target }),
  })),
});
const LETTERS = [
  letter('new', 0, ['staff', 'template-failed']),
  letter('hour', HOUR_MS, ['staff', 'event-forbidden', 'calendar:anna']),
  letter('both', 2 * HOUR_MS, ['staff', 'template-failed'], ['sheet', 'cells-not-kept', 'spreadsheet:b/T']),
  letter('week', 8 * 24 * HOUR_MS, ['sheet', 'template-failed']),
];

test.each([
  ['', ['new', 'hour', 'both', 'week']],
  ['code=template-failed', ['new', 'both', 'week']],
  ['mirror=sheet', ['both', 'week']],
  ['mirror=sheet&code=template-failed', ['week']],
  ['place=calendar:anna', ['hour']],
  ['key=appointment/both', ['both']],
  ['age=1h', ['hour', 'both', 'week']],
  ['age=7d&mirror=sheet', ['week']],
  ['age=1h&code=cells-not-kept&place=spreadsheet:b/T', ['both']],
  ['code=nothing-such', []],
])('?%s means %j', (query, names) => {
  const filter = readFilter(new URLSearchParams(query));
  const chosen = chosenBy(filter, LETTERS, untilOf(filter, NOW));
  expect(chosen.map(({ name }) => name)).toEqual(names);
  expect(readFilter(new URLSearchParams(toQuery(filter)))).toEqual(filter);
});

test.each(['age=5y', 'age=__proto__', 'code=*', `code=${'x'.repeat(10_000)}`, 'mirror=%00'])(
  '?%s is not understood, and matches nothing rather than everything',
  (query) => {
    const filter = readFilter(new URLSearchParams(query));
    expect(chosenBy(filter, LETTERS, untilOf(filter, NOW))).toEqual([]);
  },
);

test('letters that came after the page was shown are not meant', () => {
  expect(chosenBy({}, LETTERS, NOW - 1).map(({ name }) => name)).toEqual(['hour', 'both', 'week']);
});
