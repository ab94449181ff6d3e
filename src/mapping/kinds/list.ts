import * as z from 'zod';
import { complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import type { Reading } from './reading.ts';

const LIST_LENGTH_MAX = 1_000;

/** One text or a list of texts, read as a list. `read` reads each entry, and issues name the place of the entry. */
export function oneOrMany<T>(entry: z.ZodType<string>, read: (seen: string) => Reading<T>) {
  return z
    .union([entry, z.array(entry)], complain(NOT_LIST))
    .meta(ofType(listOf(entry.meta()?.['x-type'])))
    .transform((seen, context): T[] => {
      const entries = typeof seen === 'string' ? [seen] : seen;
      const object = (message: string, path: number[] = []) =>
        context.addIssue({ code: 'custom', message, path });
      if (entries.length === 0) object(EMPTY);
      if (entries.length > LIST_LENGTH_MAX) object(TOO_LONG);
      return entries.slice(0, LIST_LENGTH_MAX).flatMap((entry, index) => {
        const reading = read(entry);
        if ('value' in reading) return [reading.value];
        object(reading.complaint, typeof seen === 'string' ? [] : [index]);
        return [];
      });
    });
}

function listOf(words: unknown): string {
  return typeof words === 'string' ? `one or a list of: ${words}` : 'text or list of texts';
}

/** Reads an entry that may be any text. */
export function readName(seen: string): Reading<string> {
  const value = seen.trim();
  return value === '' ? { complaint: complaint('is empty', 'write a name, or remove the entry') } : { value };
}

const NOT_LIST = complaint(
  'must be one text or a list of texts',
  'write one, or several as [a, b]; what looks like a number needs quotes',
);
const EMPTY = complaint(
  'is an empty list, which would take nothing',
  'name at least one, or remove the line to take all',
);
const TOO_LONG = complaint(`has more than ${LIST_LENGTH_MAX} entries`, 'shorten it');
