/** Statuses of an appointment (platform API, Appointment). */
export const APPOINTMENT_STATUSES = [
  'pending',
  'confirmed',
  'arrived',
  'completed',
  'cancelled',
  'no_show',
] as const;

/** Statuses of a contact (platform API, Contact). */
export const CONTACT_STATUSES = ['active', 'archived', 'blocked'] as const;

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
