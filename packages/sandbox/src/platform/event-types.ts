export const READ_SCOPES = [
  'contacts:read',
  'conversations:read',
  'leads:read',
  'appointments:read',
] as const;
export const SCOPES = [
  ...READ_SCOPES,
  'contacts:write',
  'conversations:write',
  'appointments:write',
  'webhooks:manage',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Platform API, Event types. */
export const EVENT_TYPES = [
  'conversation.created',
  'conversation.closed',
  'conversation.reopened',
  'conversation.escalated',
  'message.created',
  'message.updated',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'lead.created',
  'lead.updated',
  'appointment.created',
  'appointment.updated',
  'appointment.rescheduled',
  'appointment.cancelled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type);
}

/** The read scope that an event type, or `*`, requires (platform API, Event types: per-type rules). */
export function scopesToRead(type: EventType | '*'): readonly Scope[] {
  if (type === '*') return READ_SCOPES;
  const group = type.slice(0, type.indexOf('.'));
  if (group === 'contact') return ['contacts:read'];
  if (group === 'lead') return ['leads:read'];
  if (group === 'appointment') return ['appointments:read'];
  return ['conversations:read'];
}
