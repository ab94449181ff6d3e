// The worker's own data in an event: one property, in letters, digits, `-` and `_` only. Servers cut X- values at a comma, and add or drop
// backslashes in them (rule 6 of decision 0050).
import * as z from 'zod';

export const MARKS_PROPERTY = 'X-SLOTBRIDGE';
const CHARS_MAX = 100_000;

const DATA = z.object({
  /** As Google's private extended properties. */
  marks: z.record(z.string(), z.string()).default({}),
  /** The description as HTML, where the plain text alone would not give it back. */
  html: z.string().optional(),
});

export type OwnData = z.infer<typeof DATA>;

/** Empty if the value is not the worker's. */
export function readOwnData(value: string | undefined): OwnData {
  if (value === undefined || value.length > CHARS_MAX || !/^[\w-]+$/.test(value)) return { marks: {} };
  try {
    return DATA.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  } catch {
    return { marks: {} };
  }
}

export function writeOwnData(data: OwnData): string {
  return Buffer.from(JSON.stringify(data), 'utf8').toString('base64url');
}
