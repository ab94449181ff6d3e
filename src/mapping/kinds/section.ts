import * as z from 'zod';
import { complaint } from '../complaint.ts';

/** The keys of a group of settings, and advice for keys that belong elsewhere. */
export interface KnownKeys {
  readonly known: readonly string[];
  /** Maps a key to the advice that replaces "did you mean". */
  readonly hints: Readonly<Record<string, string>>;
}

/**
 * A group of settings. Unknown keys are errors: people notice a silently ignored misspelling only weeks later. A setting without a value,
 * or with an empty text, counts as absent: `${NAME:-}` switches it off.
 */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, hints: KnownKeys['hints'] = {}) {
  return z.preprocess((value) => withoutEmpty(value, Object.keys(shape)), strict(shape, hints));
}

/** The same, but without dropping empty values, for a union that does this once for all its members. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape, hints: KnownKeys['hints'] = {}) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return NOT_GROUP;
      // From this, the report makes one problem for each unknown key, at the key's own place.
      return JSON.stringify({ known: Object.keys(shape), hints } satisfies KnownKeys);
    },
  });
}

/** A setting without a value, or with an empty text. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

/** Only known keys lose their empty values: unknown ones still have to be reported. */
export function withoutEmpty(value: unknown, known: readonly string[]): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => !(known.includes(key) && isEmpty(item))),
  );
}

const NOT_GROUP = complaint(
  'must be a group of settings',
  'write its settings below it, indented, one per line',
);
