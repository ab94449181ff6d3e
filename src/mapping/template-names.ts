import type { Directory } from '../engine/mirror.ts';
import type { EntityKind, PlatformKind, Snapshot } from '../engine/object.ts';
import { ConfigDocument } from './document.ts';
import type { ConfigSource } from './load.ts';
import { sayInTemplate, type TemplateProblem } from './mirror-check.ts';
import { type ConfigError, ProblemList } from './problem.ts';
import { type Environment, fillVariables } from './variables.ts';

const APPOINTMENT = [
  'object',
  'id',
  'project_id',
  'branch_id',
  'service_id',
  'service_name',
  'resource_id',
  'resource_ids',
  'status',
  'source',
  'starts_at',
  'ends_at',
  'timezone',
  'guests_count',
  'contact_id',
  'customer_name',
  'customer_phone',
  'customer_email',
  'conversation_id',
  'price_amount',
  'price_currency',
  'comment',
  'cancel_reason',
  'cancelled_by',
  'metadata',
  'created_at',
  'updated_at',
  // Added by the worker:
  'resource_name',
  'resource_names',
  'branch_name',
  'branch_address',
  'price',
  'deleted',
] as const;

const CONTACT = [
  'object',
  'id',
  'project_id',
  'type',
  'name',
  'first_name',
  'last_name',
  'email',
  'phone',
  'position',
  'lifecycle',
  'status',
  'source',
  'metadata',
  'created_at',
  'updated_at',
  // Added by the worker:
  'deleted',
] as const;

const CONVERSATION = [
  'object',
  'id',
  'project_id',
  'channel',
  'status',
  'customer_name',
  'message_count',
  'closed_reason',
  'closed_at',
  'last_message_at',
  'created_at',
  'updated_at',
  // Added by the worker:
  'deleted',
] as const;

/** Without `attachments`, whose links expire after ten minutes. */
const MESSAGE = [
  'object',
  'id',
  'conversation_id',
  'direction',
  'author_type',
  'source',
  'text',
  'status',
  'failure',
  'created_at',
  // Added by the worker:
  'attachment_count',
  'deleted',
] as const;

const LEAD = [
  'object',
  'id',
  'project_id',
  'phone',
  'name',
  'status',
  'status_reason',
  'source',
  'call',
  'rating',
  'handled_at',
  'created_at',
  'updated_at',
  // Added by the worker:
  'deleted',
] as const;

/** Fields of an event that people made in a calendar, and of a booking sheet's row (columns by meaning). */
const BOOKING = [
  'title',
  'description',
  'location',
  'starts_at',
  'ends_at',
  'timezone',
  'creator',
  'organizer',
  'attendees',
  'properties',
  // Rows only:
  'service',
  'duration',
  'resource',
  'branch',
  'guests',
  'name',
  'phone',
  'email',
  'comment',
] as const;

/** Fields that the appointments of a class have in common. */
const CLASS = [
  'object',
  'id',
  'project_id',
  'branch_id',
  'service_id',
  'service_name',
  'resource_id',
  'resource_ids',
  'status',
  'starts_at',
  'ends_at',
  'timezone',
  // Added by the worker:
  'resource_name',
  'resource_names',
  'branch_name',
  'branch_address',
  'bookings',
  'taken',
  'places',
  'free',
  'over',
] as const;

/** Top-level names that templates may use, by kind of object (platform API, Resources and their fields). */
export const TEMPLATE_NAMES: Readonly<Record<EntityKind, readonly string[]>> = {
  appointment: APPOINTMENT,
  contact: CONTACT,
  conversation: CONVERSATION,
  message: MESSAGE,
  lead: LEAD,
  booking: BOOKING,
  // Private events are never rendered.
  block: [],
  class: CLASS,
};

/** Templates that failed to render for an object, each with its place in the file. The file has passed all checks. */
export function failedTemplates(
  source: ConfigSource,
  env: Environment,
  failed: readonly (TemplateProblem & { readonly path: readonly string[] })[],
): ConfigError {
  const document = new ConfigDocument(source.text);
  const problems = new ProblemList();
  // Marks the values that came from variables, which are never shown.
  fillVariables(document, env, problems);
  for (const { path, ...problem } of failed) {
    const value = [...path, 'value'];
    const isGroup = document.keysAt(path).includes('value');
    sayInTemplate(isGroup ? value : path, problem, { document, problems });
  }
  return problems.toError(source.path);
}

// Replaces an object's personal data by field names, so that templates can be shown without it.

/** Fields that name a person, reach a person, or hold what someone typed (platform API, Resources and their fields). */
const PERSONAL: Readonly<Record<PlatformKind, readonly string[]>> = {
  appointment: [
    ...['customer_name', 'customer_phone', 'customer_email'],
    ...['comment', 'cancel_reason', 'metadata'],
  ],
  contact: ['name', 'first_name', 'last_name', 'email', 'phone', 'position', 'metadata'],
  conversation: ['customer_name'],
  message: ['text', 'failure'],
  lead: ['name', 'phone', 'status_reason'],
};

/**
 * The object with `‹customer_name›` in place of every personal value. Null and empty values stay, so that conditions on a missing value
 * give the same result. Fields that no template can name are masked too, because fields that the platform adds later may be personal.
 */
export function maskPeople(kind: PlatformKind, snapshot: Snapshot): Snapshot {
  const shown = TEMPLATE_NAMES[kind].filter((name) => !PERSONAL[kind].includes(name));
  const fields = Object.entries(snapshot).map(([name, value]) => [
    name,
    shown.includes(name) ? value : mask(name, value),
  ]);
  return { ...Object.fromEntries(fields), id: snapshot.id };
}

/** The object's words that identify no person: values that masking leaves unchanged, and the names of its resources. */
export function harmlessWords(
  snapshot: Snapshot,
  { masked, directory }: { readonly masked: Snapshot; readonly directory: Directory },
): readonly string[] {
  const ids = Array.isArray(snapshot['resource_ids']) ? snapshot['resource_ids'].map(String) : [];
  const same = Object.entries(snapshot).flatMap(([field, value]) =>
    typeof value === 'string' && masked[field] === value ? [value] : [],
  );
  return [...same, ...ids.flatMap((id) => directory.resources.get(id)?.name ?? [])];
}

function mask(name: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return value;
  if (Array.isArray(value)) return value.map((item) => mask(name, item));
  if (typeof value !== 'object') return `‹${name}›`;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(`${name}.${key}`, item)]));
}
