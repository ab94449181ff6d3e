import * as z from 'zod';
import { complain } from '../complaint.ts';
import { forEditors, shownAs } from './editors.ts';

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
