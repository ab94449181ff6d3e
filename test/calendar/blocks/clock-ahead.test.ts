import { expect, test } from 'vitest';
import { type BlockReport, standingRefusals } from '../../../src/calendar/block-wanted.ts';

test('a time that was refused by a clock that was ahead is not left alone for as long as that', () => {
  const nowMs = Date.parse('2026-11-22T10:00:00Z');
  const span = { startMs: nowMs + 3_600_000, endMs: nowMs + 7_200_000 };
  const report = (atMs: number) =>
    ({ refused: [{ ...span, code: 'slot-unavailable', atMs }] }) as unknown as BlockReport;
  expect(standingRefusals(report(nowMs - 1_000), [span], nowMs)).toHaveLength(1);
  expect(standingRefusals(report(nowMs + 72 * 3_600_000), [span], nowMs)).toEqual([]);
});
