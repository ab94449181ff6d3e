import * as z from 'zod';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs, WITH_VARIABLE } from './reading.ts';

/** A whole number, both bounds included; also as text, because a filled variable is text. */
export function wholeNumber(bounds: { readonly min: number; readonly max: number }) {
  const wrong = complaint(
    `${AS_WRITTEN} is not a whole number from ${bounds.min} to ${bounds.max}`,
    `write a whole number from ${bounds.min} to ${bounds.max}`,
  );
  const form = () =>
    z
      .union(
        [
          z.int().meta({ minimum: bounds.min, maximum: bounds.max }),
          z.string().meta({ pattern: `^\\s*\\d+\\s*$|${WITH_VARIABLE}` }),
        ],
        complain(wrong),
      )
      .meta(ofType(`whole number, ${bounds.min} to ${bounds.max}`));
  return readAs(form, (seen): Reading<number> => {
    const value = typeof seen === 'number' ? seen : numberOf(seen);
    return value >= bounds.min && value <= bounds.max ? { value } : { complaint: wrong };
  });
}

function numberOf(text: string): number {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN;
}
