import * as z from 'zod';
import { complaint } from '../complaint.ts';

/** What a group of settings holds, and words for keys that belong elsewhere. */
export interface KnownKeys {
  readonly known: readonly string[];
  /** Key to the advice that replaces "did you mean". */
  readonly hints: Readonly<Record<string, string>>;
}

/**
 * A group of settings. Unknown keys are errors, because a misspelt setting that is silently ignored is found weeks later.
 * A setting without a value, or with an empty text, is the same as none: `${NAME:-}` switches it off.
 */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, hints: KnownKeys['hints'] = {}) {
  return z.preprocess((value) => withoutEmpty(value, Object.keys(shape)), strict(shape, hints));
}

/** The same without its treatment of empty values, for a union that does it once for all its members. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape, hints: KnownKeys['hints'] = {}) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return NOT_GROUP;
      // The report makes one problem per key of it, each in its own place; this is what it needs to advise.
      return JSON.stringify({ known: Object.keys(shape), hints } satisfies KnownKeys);
    },
  });
}

/** Only known keys lose their empty values: an unknown one has to be reported even so. */
export function withoutEmpty(value: unknown, known: readonly string[]): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  const isEmpty = (item: unknown) => item === null || (typeof item === 'string' && item.trim() === '');
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => !(known.includes(key) && isEmpty(item))),
  );
}

const NOT_GROUP = complaint(
  'must be a group of settings',
  'write its settings below it, indented, one per line',
);
