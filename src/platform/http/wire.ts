/**
 * The door where the platform's answers become the worker's objects. Strict on what the worker stands on (object, id, arrays,
 * has_more), open to everything else: unknown fields stay, growing lists are strings (platform API, Versioning).
 */
import * as z from 'zod';
import { isBounded, isId } from '../../domain/bounds.ts';
import type { FailureDetails } from '../../domain/errors.ts';
import type { Page } from '../../ports/platform.ts';
import type { Operation } from './operations.ts';
import { badAnswer } from './refusal.ts';

/** How many wrong fields an error names. */
const NAMED_MAX = 5;

/** A field that must be there and say something. */
export const text = z.string().min(1);

/** A field that names an object: it becomes a key, part of an address, and a line on a terminal. */
export const identifier = z.string().refine(isId);

/** A wire object: `object` says what it is and `id` which one. */
export function wireObject<Shape extends z.ZodRawShape>(object: string, shape: Shape) {
  return z.looseObject({ object: z.literal(object), id: identifier, ...shape }).refine(isBounded);
}

/**
 * Takes a schema's word for the whole of `T`. Fields beyond the schema are as the platform's document describes them. They stay unchecked
 * on purpose: a change in a field that nobody uses must not stop the others.
 */
export function described<T>(schema: z.ZodType): z.ZodType<T> {
  return schema as z.ZodType<T>;
}

/** The list envelope. There is no total count and there are no page numbers. */
export function pageOf<T>(item: z.ZodType<T>): z.ZodType<Page<T>> {
  return z
    .looseObject({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() })
    .transform((list) => ({ data: list.data, hasMore: list.has_more }));
}

/** The value, or `RetryableError` `platform-bad-answer` that names the operation and the fields, never what stood in them. */
export function parseWire<T>(
  schema: z.ZodType<T>,
  value: unknown,
  from: { operation: Operation; details: FailureDetails },
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const named = issues.slice(0, NAMED_MAX).map(describe).join('; ');
  const more = issues.length > NAMED_MAX ? `; and ${issues.length - NAMED_MAX} more` : '';
  throw badAnswer(
    from.operation,
    `answered something else than the document says: ${named}${more}`,
    from.details,
  );
}

/** zod's own messages name types only, but a later version might quote input: so the words here are ours. */
function describe(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'the body' : issue.path.map(String).join('.');
  if (issue.code === 'invalid_type') return `${field} is no ${issue.expected}`;
  if (issue.code === 'invalid_value') return `${field} is not ${issue.values.map(String).join(' or ')}`;
  if (issue.code === 'too_small') return `${field} is empty`;
  return `${field} has another form`;
}
