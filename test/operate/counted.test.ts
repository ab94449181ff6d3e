import { expect, test } from 'vitest';
import { counted, grouped } from '../../src/engine/counts.ts';

test.each([0, 7, 999, 1_000, 12_345, 999_999, 1_234_567, 10_000_000_000])(
  '%d is grouped as English groups it',
  (count) => {
    expect(grouped(count)).toBe(count.toLocaleString('en'));
    expect(grouped(-count)).toBe((0 - count).toLocaleString('en'));
  },
);

test('one has its own word', () => {
  expect([counted(1, 'entry', 'entries'), counted(2_000, 'entry', 'entries')]).toEqual([
    '1 entry',
    '2,000 entries',
  ]);
});
