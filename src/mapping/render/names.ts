import type { EntityKind } from '../../engine/domain/object.ts';

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
