// Lines of `where` about the content of an object. Any change may take an object into the mirror or out of it.
import * as z from 'zod';
import type { Condition, ContentFilter, MetadataRule, Range } from '../../engine/domain/mirror.ts';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { entries } from '../kinds/entries.ts';
import { explained, ofType } from '../kinds/explained.ts';
import { oneOrMany, readName } from '../kinds/list.ts';
import { type Reading, readAs, WITH_VARIABLE } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';

/** Limits of `metadata` (platform API, general rule 8). */
const METADATA_KEYS_MAX = 50;
const METADATA_KEY_CHARS_MAX = 40;
const METADATA_VALUE_CHARS_MAX = 500;
/** Longest condition of `if`, and largest number of a price or of guests. */
const CONDITION_CHARS_MAX = 2_000;
const NUMBER_MAX = 1_000_000_000;

/** Any words: the platform's list may grow. */
export const names = () => oneOrMany(z.string(), readName);

const NO_NUMBER = complaint(
  `${AS_WRITTEN} is not a number from 0 to ${NUMBER_MAX}`,
  'write a number such as 25 or 12.5',
);

/** A number, also as text, because a filled variable is text. */
const amount = () =>
  readAs(
    () =>
      z
        .union(
          [
            z.number().meta({ minimum: 0, maximum: NUMBER_MAX }),
            z.string().meta({ pattern: `^\\s*\\d+(\\.\\d+)?\\s*$|${WITH_VARIABLE}` }),
          ],
          complain(NO_NUMBER),
        )
        .meta(ofType(`number, 0 to ${NUMBER_MAX}`)),
    (seen): Reading<number> => {
      const isNumber = typeof seen === 'number' || /^\s*\d{1,12}(?:\.\d{1,6})?\s*$/.test(seen);
      const value = isNumber ? Number(seen) : Number.NaN;
      return value >= 0 && value <= NUMBER_MAX ? { value } : { complaint: NO_NUMBER };
    },
  );

export const range = () =>
  section({
    min: amount()
      .optional()
      .meta(explained('Smallest value that is taken.', { example: 2, since: '0.3.0' })),
    max: amount()
      .optional()
      .meta(explained('Largest value that is taken.', { example: 8, since: '0.3.0' })),
  })
    .refine(({ min, max }) => min !== undefined || max !== undefined, {
      error: complaint('has neither min nor max', 'write one of them, or remove the line to take all'),
    })
    .refine(({ min = 0, max = NUMBER_MAX }) => min <= max, {
      error: complaint('has a min above its max, which would take nothing', 'exchange the two'),
    });

/** Values are compared as text: true and "true" are equal. */
const metadataValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const readMetadataValue = (seen: string): Reading<string> =>
  seen.trim().length > METADATA_VALUE_CHARS_MAX
    ? { complaint: complaint(`is longer than ${METADATA_VALUE_CHARS_MAX} characters`, 'shorten it') }
    : readName(seen);

export const metadata = () =>
  entries(oneOrMany(metadataValue, readMetadataValue), {
    noun: 'key',
    example: 'channel: [site, partner]',
    max: METADATA_KEYS_MAX,
  })
    .refine((found) => Object.keys(found).every((key) => key.length <= METADATA_KEY_CHARS_MAX), {
      error: complaint(
        `has a key of more than ${METADATA_KEY_CHARS_MAX} characters, which the platform does not take`,
        'shorten it',
      ),
    })
    .optional()
    .meta(
      explained('Metadata keys and their accepted values, compared as text. Every key must match.', {
        example: { channel: ['site', 'partner'] },
        since: '0.3.0',
      }),
    );

export const condition = () =>
  readAs(
    () =>
      z
        .string(complain(complaint('must be a condition', 'write it in quotes: if: "guests_count > 2"')))
        .meta(ofType('Liquid condition')),
    (written): Reading<string> =>
      written.trim().length > CONDITION_CHARS_MAX
        ? { complaint: complaint(`is longer than ${CONDITION_CHARS_MAX} characters`, 'shorten it') }
        : { value: written.trim() },
  )
    .optional()
    .meta(
      explained(
        'A Liquid condition, as between {% if and %}, for criteria without a line of their own. It sees the fields of the templates.',
        { example: 'guests_count > 2 and comment contains "VIP"', since: '0.3.0' },
      ),
    );

export const source = () =>
  names()
    .optional()
    .meta(
      explained('Origins, as the platform names them: api, widget, manual or another word. Default: all.', {
        example: ['api', 'widget'],
        since: '0.3.0',
      }),
    );

export const OF_APPOINTMENTS_ONLY = 'only appointments have one: remove it, or write from: appointments';
const HAVE_METADATA = 'only appointments and contacts have metadata: remove it';

/** For kinds that have none of these fields. */
export const NOT_BOOKED = {
  service: OF_APPOINTMENTS_ONLY,
  resource: OF_APPOINTMENTS_ONLY,
  price: OF_APPOINTMENTS_ONLY,
  guests: OF_APPOINTMENTS_ONLY,
  customer_lifecycle:
    'only appointments have a customer: remove it, or write lifecycle where from is contacts',
};
export const NO_METADATA = { metadata: HAVE_METADATA };

interface WrittenContent {
  readonly service?: readonly string[] | undefined;
  readonly resource?: readonly string[] | undefined;
  readonly source?: readonly string[] | undefined;
  readonly price?: WrittenRange | undefined;
  readonly guests?: WrittenRange | undefined;
  readonly metadata?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly customer_lifecycle?: readonly string[] | undefined;
  readonly if?: string | undefined;
}
interface WrittenRange {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Compiles a condition; throws when it does not parse. */
export type CompileCondition = (source: string) => Condition;

export function toContentFilter(written: WrittenContent, compile: CompileCondition): ContentFilter {
  const { service, resource, source, price, guests, metadata, if: condition } = written;
  const { customer_lifecycle: customerLifecycles } = written;
  return {
    ...(service && { services: service }),
    ...(resource && { resources: resource }),
    ...(source && { sources: source }),
    ...(price && { price: toRange(price) }),
    ...(guests && { guests: toRange(guests) }),
    ...(metadata && { metadata: toRules(metadata) }),
    ...(customerLifecycles && { customerLifecycles }),
    ...(condition && { condition: compile(condition) }),
  };
}

function toRange({ min, max }: WrittenRange): Range {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

function toRules(metadata: Readonly<Record<string, readonly string[]>>): readonly MetadataRule[] {
  return Object.entries(metadata).map(([key, values]) => ({ key, values }));
}
