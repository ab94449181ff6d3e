import { z } from 'zod';
import { complain } from '../complaint.ts';

/**
 * A short form that is a text, or a group that says more. What is wrong inside the form that was chosen is told in its own place;
 * a plain union would only say that neither fits.
 */
export function eitherOr<Short extends z.ZodType, Long extends z.ZodType>(
  short: Short,
  long: Long,
  words: { readonly wrong: string; readonly missing?: string },
) {
  const written = z.union(
    [z.string().meta(forEditors(short)), z.looseObject({}).meta(forEditors(long))],
    complain(words.wrong, words.missing),
  );
  return written.transform((seen, context): z.output<Short> | z.output<Long> => {
    const parsed = (typeof seen === 'string' ? short : long).safeParse(seen);
    if (parsed.success) return parsed.data;
    // Issues keep their words and their place: `message` and `path` are set already.
    for (const issue of parsed.error.issues)
      context.issues.push({ ...issue, input: seen } as (typeof context.issues)[number]);
    return z.NEVER;
  });
}

function forEditors(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return rest;
}
