import * as z from 'zod';

/** A value read from what was written, or the complaint about it. */
export type Reading<T> = { readonly value: T } | { readonly complaint: string };

/** Ends a schema of what is written with the function that reads it. */
export function readWith<Written, Input, T>(
  written: z.ZodType<Written, Input>,
  read: (written: Written) => Reading<T>,
) {
  return written.transform((value, context): T => {
    const reading = read(value);
    if ('value' in reading) return reading.value;
    context.addIssue({ code: 'custom', message: reading.complaint });
    return z.NEVER;
  });
}

/** For editors: a text in which a variable stands, whatever else the setting takes. */
export const WITH_VARIABLE = '\\$\\{';
