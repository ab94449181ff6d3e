import * as z from 'zod';
import { complain, complaint } from '../problem.ts';
import { forEditors, ofType, type Reading, shownAs } from './reading.ts';

/** The name of an entry becomes part of Redis keys and of log lines. */
export const ENTRY_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const SECRETS_MAX = 20;

/** One secret or a list of them, trimmed. Empty ones are dropped: `${NAME:-}` is a secret that is not set yet. */
export function secretList() {
  return z
    .union(
      [z.string(), z.array(z.string().nullable()).max(SECRETS_MAX, { error: NOT_SECRETS })],
      complain(NOT_SECRETS),
    )
    .meta(ofType('text or list of texts'))
    .transform((written) => [written].flat().flatMap((secret) => secret?.trim() || []));
}

const NOT_SECRETS = complaint(
  `must be a list of at most ${SECRETS_MAX} texts`,
  `write secrets: ["\${PLATFORM_WEBHOOK_SECRET:-}"]`,
);

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

/**
 * A short form that is a text, or a group that says more. Issues inside the chosen form keep their own place; a plain union would only say
 * that neither fits.
 */
export function eitherOr<Short extends z.ZodType, Long extends z.ZodType>(
  short: Short,
  long: Long,
  words: { readonly wrong: string; readonly missing?: string },
) {
  const written = z.union(
    [shownAs(z.string(), () => forEditors(short)), shownAs(z.looseObject({}), () => forEditors(long))],
    complain(words.wrong, words.missing),
  );
  return written.transform((seen, context): z.output<Short> | z.output<Long> => {
    const parsed = (typeof seen === 'string' ? short : long).safeParse(seen);
    if (parsed.success) return parsed.data;
    // `message` and `path` are already set, so issues keep their wording and their place.
    for (const issue of parsed.error.issues)
      context.issues.push({ ...issue, input: seen } as (typeof context.issues)[number]);
    return z.NEVER;
  });
}

/** One entry or a list of them. Issues name the place of each entry. */
export function oneOrManyOf<Entry extends z.ZodType>(
  entry: Entry,
  { max, empty, long }: { readonly max: number; readonly empty: string; readonly long: string },
) {
  const written = shownAs(z.any(), () => forEditors(entry));
  return z.union([written, z.array(written)]).transform((seen: unknown, context): z.output<Entry>[] => {
    const all: readonly unknown[] = Array.isArray(seen) ? seen : [seen];
    if (all.length === 0) context.addIssue({ code: 'custom', message: empty });
    if (all.length > max) context.addIssue({ code: 'custom', message: long });
    return all.slice(0, max).flatMap((each, index) => {
      const parsed = entry.safeParse(each);
      if (parsed.success) return [parsed.data];
      const place = Array.isArray(seen) ? [index] : [];
      for (const issue of parsed.error.issues) {
        const path = [...place, ...issue.path];
        context.issues.push({ ...issue, path, input: each } as (typeof context.issues)[number]);
      }
      return [];
    });
  });
}

interface EntriesRules {
  /** What messages call one entry: `column`. */
  readonly noun: string;
  readonly example: string;
  readonly max: number;
  /** The pattern of the names, for editors. The caller checks it: the schema would skip an entry with a bad name. */
  readonly names?: RegExp;
}

/** Entries under names that the operator chooses. An empty group is an error: it would silently do nothing. */
export function entries<Value extends z.ZodType>(value: Value, rules: EntriesRules) {
  const fix = `write one ${rules.noun} per line, for example ${rules.example}`;
  const none = complaint(`has no ${rules.noun}`, fix);
  return z
    .record(z.string(), value, complain(complaint(`must be a group of ${rules.noun}s`, fix), none))
    .refine((found) => Object.keys(found).length > 0, { error: none })
    .refine((found) => Object.keys(found).length <= rules.max, {
      error: complaint(`has more than ${rules.max} ${rules.noun}s`, 'split it'),
    })
    .meta({
      ...ofType(`one line per ${rules.noun}`),
      minProperties: 1,
      ...(rules.names ? { propertyNames: { type: 'string', pattern: rules.names.source } } : {}),
    });
}

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
