import * as z from 'zod';
import type { Condition, ContentFilter, MetadataRule, Range, Where } from '../../engine/mirror.ts';
import { given } from '../../engine/object.ts';
import { explained, ofType, type Reading, readAs, WITH_VARIABLE } from '../kinds/reading.ts';
import { entries, oneOrMany, readName, section } from '../kinds/section.ts';
import { choiceAsWritten, duration, readChoice } from '../kinds/text.ts';
import { AS_WRITTEN, complain, complaint } from '../problem.ts';

/** Statuses of an appointment (platform API, Appointment). */
const APPOINTMENT_STATUSES = [
  'pending',
  'confirmed',
  'arrived',
  'completed',
  'cancelled',
  'no_show',
] as const;

/** Statuses of a contact (platform API, Contact). */
const CONTACT_STATUSES = ['active', 'archived', 'blocked'] as const;

/** Statuses of a conversation (platform API, Conversation). */
export const CONVERSATION_STATUSES = ['open', 'closed', 'snoozed', 'spam'] as const;

/** Directions of a message (platform API, Message). */
export const MESSAGE_DIRECTIONS = ['inbound', 'outbound'] as const;

/** Statuses of a callback request (platform API, Lead). */
export const LEAD_STATUSES = [
  'queued',
  'in_progress',
  'completed',
  'missed',
  'scheduled',
  'cancelled',
  'not_called',
] as const;

// Lines of `where` about the content of an object. Any change may take an object into the mirror or out of it.

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

const range = () =>
  section({
    min: explained(amount().optional(), 'Smallest value that is taken.', { example: 2, since: '0.3.0' }),
    max: explained(amount().optional(), 'Largest value that is taken.', { example: 8, since: '0.3.0' }),
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

const metadata = () =>
  explained(
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
      .optional(),
    'Metadata keys and their accepted values, compared as text. Every key must match.',
    { example: { channel: ['site', 'partner'] }, since: '0.3.0' },
  );

export const condition = () =>
  explained(
    readAs(
      () =>
        z
          .string(complain(complaint('must be a condition', 'write it in quotes: if: "guests_count > 2"')))
          .meta(ofType('Liquid condition')),
      (written): Reading<string> =>
        written.trim().length > CONDITION_CHARS_MAX
          ? { complaint: complaint(`is longer than ${CONDITION_CHARS_MAX} characters`, 'shorten it') }
          : { value: written.trim() },
    ).optional(),
    'A Liquid condition, as between {% if and %}, for criteria without a line of their own. It sees the fields of the templates.',
    { example: 'guests_count > 2 and comment contains "VIP"', since: '0.3.0' },
  );

export const source = () =>
  explained(
    names().optional(),
    'Origins, as the platform names them: api, widget, manual or another word. Default: all.',
    { example: ['api', 'widget'], since: '0.3.0' },
  );

const OF_APPOINTMENTS_ONLY = 'only appointments have one: remove it, or write from: appointments';
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

function toContentFilter(written: WrittenContent, compile: CompileCondition): ContentFilter {
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

const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

const NOT_UUID = complaint(
  `${AS_WRITTEN} is not the id of a project`,
  "write the project's id (a UUID): the platform's API lists no projects, so a name cannot be looked up",
);

export const project = () =>
  explained(
    oneOrMany(
      z
        .string(complain(NOT_UUID))
        .meta({ ...ofType('id (UUID)'), pattern: `^\\s*${UUID}\\s*$|${WITH_VARIABLE}` }),
      readProject,
    ).optional(),
    "Projects by id: the platform's API lists no projects, so names cannot be looked up. Default: all projects of the key.",
    { example: '00000000-0000-4000-8000-000000000000' },
  );

/** One of a closed list of words, or a list of them. */
export const oneOf = <Status extends string>(statuses: readonly [Status, ...Status[]], what: string) =>
  oneOrMany(choiceAsWritten(statuses, what), (seen) => readChoice(seen, statuses, what));

/** For all other kinds: their objects are in the past. */
export const NOT_AHEAD =
  'only appointments lie ahead: remove it, or write it in a mirror with from: appointments';

export const appointmentFilter = section(
  {
    project: project(),
    status: explained(
      oneOf(APPOINTMENT_STATUSES, 'status of an appointment').optional(),
      'Statuses that are mirrored. Default: all.',
      { example: ['pending', 'confirmed', 'arrived', 'completed', 'no_show'] },
    ),
    branch: explained(names().optional(), 'Branches, by name or id. Default: all.', {
      example: ['Central', 'North'],
    }),
    service: explained(names().optional(), 'Services, by name or id. Default: all.', {
      example: ['Haircut'],
      since: '0.3.0',
    }),
    resource: explained(
      names().optional(),
      "Resources, by name or id. One of the appointment's resources must match. Default: all.",
      { example: ['Anna Ivanova'], since: '0.3.0' },
    ),
    source: source(),
    price: explained(
      range().optional(),
      'Price in major units. An appointment without a price does not match. Default: any price, or none.',
      { example: { min: 100 }, since: '0.3.0' },
    ),
    guests: explained(range().optional(), 'Number of guests. Default: any.', {
      example: { min: 2 },
      since: '0.3.0',
    }),
    metadata: metadata(),
    customer_lifecycle: explained(
      names().optional(),
      'Lifecycles of the customer. An appointment without a contact does not match. Needs the right contacts:read. Default: all.',
      { example: ['Regular'], since: '0.3.0' },
    ),
    if: condition(),
    since: explained(
      duration({ min: '0s', max: '3650d' }).prefault('1d'),
      'Appointments that started longer ago are not taken, so that a first start does not copy years. Appointments that are already mirrored stay and are kept up to date.',
      { example: '7d' },
    ),
    until: explained(
      duration({ min: '1m', max: '3650d' }).optional(),
      'Appointments that start further ahead are not taken yet; they are added automatically when their time comes. Appointments that are already mirrored stay, even if they are moved later. Default: no limit.',
      { example: '180d', since: '0.2.0' },
    ),
  },
  { lifecycle: 'only contacts have a lifecycle: write customer_lifecycle for the lifecycle of the customer' },
);

export const contactFilter = section(
  {
    project: project(),
    lifecycle: explained(
      names().optional(),
      'Lifecycles: lead, mql, sql, customer, churned, or a word that your company uses. Default: all.',
      { example: ['lead', 'customer'] },
    ),
    status: explained(
      oneOf(CONTACT_STATUSES, 'status of a contact').optional(),
      'Statuses that are mirrored. Default: all.',
      { example: ['active', 'blocked'] },
    ),
    source: source(),
    metadata: metadata(),
    if: condition(),
  },
  {
    ...NOT_BOOKED,
    branch: 'contacts belong to no branch: remove it, or write it in a mirror with from: appointments',
    since: 'contacts have no time: remove it, or write it in a mirror with from: appointments',
    until: NOT_AHEAD,
  },
);

function readProject(seen: string): Reading<string> {
  const value = seen.trim().toLowerCase();
  return new RegExp(`^${UUID}$`).test(value) ? { value } : { complaint: NOT_UUID };
}

const OF_CONVERSATIONS =
  'only conversations have a channel: remove it, or write it in a mirror with from: conversations';
const OF_CONTACTS = 'only contacts have a lifecycle: remove it, or write it in a mirror with from: contacts';
const OF_APPOINTMENTS =
  'only appointments belong to a branch: remove it, or write it in a mirror with from: appointments';
const OF_MESSAGES = 'only messages have one: remove it, or write it in a mirror with from: messages';

const since = (what: string) =>
  explained(
    duration({ min: '0s', max: '3650d' }).prefault('30d'),
    `${what} longer ago are not taken. Those that are already mirrored stay and are kept up to date.`,
    { example: '90d' },
  );

export const leadFilter = section(
  {
    project: project(),
    status: explained(
      oneOf(LEAD_STATUSES, 'status of a lead').optional(),
      'Statuses that are mirrored. Default: all.',
      { example: ['in_progress', 'completed', 'missed', 'scheduled'] },
    ),
    source: source(),
    if: condition(),
    since: since('Leads that came in'),
  },
  {
    ...NOT_BOOKED,
    ...NO_METADATA,
    branch: OF_APPOINTMENTS,
    lifecycle: OF_CONTACTS,
    channel: OF_CONVERSATIONS,
    direction: OF_MESSAGES,
    author_type: OF_MESSAGES,
    until: NOT_AHEAD,
  },
);

export const conversationFilter = section(
  {
    project: project(),
    status: explained(
      oneOf(CONVERSATION_STATUSES, 'status of a conversation').optional(),
      'Statuses that are mirrored. Default: all.',
      { example: ['open', 'closed', 'snoozed'] },
    ),
    channel: explained(
      names().optional(),
      'Channels: web, telegram, vk, max, email, image, or a newer one. Default: all.',
      { example: ['web', 'telegram'] },
    ),
    if: condition(),
    since: since('Conversations that began'),
  },
  {
    ...NOT_BOOKED,
    ...NO_METADATA,
    source: 'a conversation has a channel instead: write channel',
    branch: OF_APPOINTMENTS,
    lifecycle: OF_CONTACTS,
    direction: OF_MESSAGES,
    author_type: OF_MESSAGES,
    until: NOT_AHEAD,
  },
);

export const messageFilter = section(
  {
    direction: explained(
      oneOf(MESSAGE_DIRECTIONS, 'direction of a message').optional(),
      'inbound (from the customer), outbound, or both. Default: both.',
      { example: ['inbound', 'outbound'] },
    ),
    author_type: explained(
      names().optional(),
      'Authors: customer, operator, ai, or a newer word. Default: all.',
      { example: ['customer', 'operator'] },
    ),
    if: condition(),
    since: since('Messages that were written'),
  },
  {
    ...NOT_BOOKED,
    ...NO_METADATA,
    source: 'write it as a condition: if: source == "api"',
    project: 'a message does not say to which project it belongs: remove it',
    channel: 'a message does not say through which channel it came: remove it',
    status: 'messages are taken whatever became of them: remove it',
    branch: OF_APPOINTMENTS,
    lifecycle: OF_CONTACTS,
    until: NOT_AHEAD,
  },
);

type ListLine = 'project' | 'lifecycle' | 'status' | 'branch' | 'channel' | 'direction' | 'author_type';
type WrittenFilter = WrittenContent & { readonly [Line in ListLine]?: readonly string[] | undefined } & {
  readonly since?: number;
  readonly until?: number | undefined;
};
type FilterOf<Written> = Where & (Written extends { readonly since: number } ? { sinceMs: number } : unknown);

/** The filter of any kind of object: each has lines of its own, and every line its one meaning. */
export function toFilter<Written extends WrittenFilter>(
  written: Written,
  compile: CompileCondition,
): FilterOf<Written> {
  const filter: Where = {
    ...given('projects', written.project),
    ...given('lifecycles', written.lifecycle),
    ...given('statuses', written.status),
    ...given('branches', written.branch),
    ...given('channels', written.channel),
    ...given('directions', written.direction),
    ...given('authorTypes', written.author_type),
    ...toContentFilter(written, compile),
    ...given('sinceMs', written.since),
    ...given('untilMs', written.until),
  };
  return filter as FilterOf<Written>;
}
