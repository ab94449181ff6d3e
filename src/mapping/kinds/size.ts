import * as z from 'zod';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs, WITH_VARIABLE } from './reading.ts';

const UNIT_BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1_024, mb: 1_048_576 };

/** `256kb`, `1mb`, read as bytes (1kb is 1024). The bounds use the same form and are inclusive. */
export function size(bounds: { readonly min: string; readonly max: string }) {
  const min = sizeBytes(bounds.min) ?? 0;
  const max = sizeBytes(bounds.max) ?? Number.MAX_SAFE_INTEGER;
  const form = () =>
    z.string(complain(NOT_SIZE)).meta({
      ...ofType(`size, ${bounds.min} to ${bounds.max}`),
      pattern: `^\\s*\\d+\\s*([kKmM]?[bB])\\s*$|${WITH_VARIABLE}`,
    });
  return readAs(form, (text): Reading<number> => {
    const value = sizeBytes(text);
    if (value === undefined) return { complaint: NOT_SIZE };
    if (value >= min && value <= max) return { value };
    return {
      complaint: complaint(
        `${AS_WRITTEN} is too ${value < min ? 'small' : 'large'}`,
        `write a size from ${bounds.min} to ${bounds.max}`,
      ),
    };
  });
}

const NOT_SIZE = complaint(`${AS_WRITTEN} is not a size`, 'write a whole number and its unit: 256kb or 1mb');

function sizeBytes(text: string): number | undefined {
  const [, count, unit] = /^\s*(\d{1,12})\s*([km]?b)\s*$/i.exec(text) ?? [];
  const unitBytes = UNIT_BYTES[(unit ?? '').toLowerCase()];
  return unitBytes === undefined ? undefined : Number(count) * unitBytes;
}
