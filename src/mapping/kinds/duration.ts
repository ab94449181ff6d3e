import * as z from 'zod';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs, WITH_VARIABLE } from './reading.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `10s`, `1m`, `2h`, `7d`, read as milliseconds. The bounds use the same form and are inclusive. */
export function duration(bounds: { readonly min: string; readonly max: string }) {
  const min = durationMs(bounds.min) ?? 0;
  const max = durationMs(bounds.max) ?? Number.MAX_SAFE_INTEGER;
  const form = () =>
    z.string(complain(NOT_DURATION)).meta({
      ...ofType(`duration, ${bounds.min} to ${bounds.max}`),
      pattern: `^\\s*\\d+\\s*(ms|s|m|h|d)\\s*$|${WITH_VARIABLE}`,
    });
  return readAs(form, (text): Reading<number> => {
    const value = durationMs(text);
    if (value === undefined) return { complaint: NOT_DURATION };
    if (value >= min && value <= max) return { value };
    return {
      complaint: complaint(
        `${AS_WRITTEN} is too ${value < min ? 'short' : 'long'}`,
        `write a duration from ${bounds.min} to ${bounds.max}`,
      ),
    };
  });
}

const NOT_DURATION = complaint(
  `${AS_WRITTEN} is not a duration`,
  'write a whole number and its unit: 500ms, 10s, 1m, 2h or 7d',
);

function durationMs(text: string): number | undefined {
  const [, count, unit] = /^\s*(\d{1,12})\s*(ms|s|m|h|d)\s*$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
