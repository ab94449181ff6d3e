/**
 * Parses the platform's answers into the worker's objects. Strict on what the worker depends on: object, id, arrays, has_more. Lenient on
 * everything else: unknown fields are kept, and values that may grow are strings (platform API, Versioning).
 */
import * as z from 'zod';
import type { FailureDetails } from '../engine/errors.ts';
import { isBounded, isId } from '../engine/object.ts';
import type { Page } from '../engine/platform.ts';
import type { Operation } from './http-answer.ts';
import { badAnswer } from './http-refusal.ts';

/** Largest number of wrong fields that an error names. */
const NAMED_MAX = 5;

/** A field that must be present and not empty. */
export const text = z.string().min(1);

/** A field that identifies an object: it becomes a Redis key, part of a URL, and text on a terminal. */
export const identifier = z.string().refine(isId);

/** A wire object: `object` is its type and `id` identifies it. */
export function wireObject<Shape extends z.ZodRawShape>(object: string, shape: Shape) {
  return z.looseObject({ object: z.literal(object), id: identifier, ...shape }).refine(isBounded);
}

/**
 * Casts the schema to all of `T`. Fields beyond the schema are typed as in the platform's document. They are deliberately not checked: a
 * change in an unused field must not stop the work.
 */
export function described<T>(schema: z.ZodType): z.ZodType<T> {
  return schema as z.ZodType<T>;
}

/** The list envelope. It has no total count and no page numbers. */
export function pageOf<T>(item: z.ZodType<T>): z.ZodType<Page<T>> {
  return z
    .looseObject({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() })
    .transform((list) => ({ data: list.data, hasMore: list.has_more }));
}

/** The parsed value, or `RetryableError` `platform-bad-answer` that names the operation and the fields, never their contents. */
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
  throw badAnswer(from.operation, `answered with an unexpected format: ${named}${more}`, from.details);
}

/** zod's own messages name only types today, but a later version might quote input, so the messages are our own. */
function describe(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'the body' : issue.path.map(String).join('.');
  if (issue.code === 'invalid_type') return `${field} is not of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `${field} is not ${issue.values.map(String).join(' or ')}`;
  if (issue.code === 'too_small') return `${field} is empty`;
  return `${field} has an unexpected format`;
}
