/** Test events: `test` = true and a sample object with zero ids (platform API, test operation). */
import type { EventType } from '../event-types.ts';
import { utc } from '../instant.ts';
import type { Wire } from '../render.ts';

export const ZERO_ID = '00000000-0000-0000-0000-000000000000';

export function testEvent(type: EventType, parts: { id: string; now: number }): Wire {
  return {
    id: parts.id,
    object: 'event',
    type,
    created_at: utc(parts.now),
    project_id: ZERO_ID,
    test: true,
    data: { object: sampleOf(type, utc(parts.now)) },
  };
}

function sampleOf(type: EventType, now: string): Wire {
  if (type === 'contact.deleted') return { object: 'contact', id: ZERO_ID, deleted: true };
  const stamps = { created_at: now, updated_at: now };
  const owned = { id: ZERO_ID, project_id: ZERO_ID };
  switch (type.slice(0, type.indexOf('.'))) {
    case 'contact':
      return { object: 'contact', ...owned, ...CONTACT, ...stamps };
    case 'appointment':
      return { object: 'appointment', ...owned, ...APPOINTMENT, starts_at: now, ends_at: now, ...stamps };
    case 'lead':
      return { object: 'lead', ...owned, ...LEAD, ...stamps };
    case 'message':
      return { object: 'message', id: ZERO_ID, conversation_id: ZERO_ID, ...MESSAGE, created_at: now };
    default:
      return { object: 'conversation', ...owned, ...CONVERSATION, last_message_at: now, ...stamps };
  }
}

const CONTACT = {
  type: 'person',
  name: 'Sample',
  first_name: null,
  last_name: null,
  email: null,
  phone: null,
  position: null,
  lifecycle: 'lead',
  status: 'active',
  source: 'api',
  metadata: null,
};

const APPOINTMENT = {
  branch_id: ZERO_ID,
  service_id: ZERO_ID,
  service_name: 'Sample',
  resource_id: ZERO_ID,
  resource_ids: [ZERO_ID],
  status: 'confirmed',
  source: 'api',
  timezone: 'Etc/UTC',
  guests_count: 1,
  contact_id: null,
  customer_name: 'Sample',
  customer_phone: null,
  customer_email: null,
  conversation_id: null,
  price_amount: null,
  price_currency: null,
  comment: null,
  cancel_reason: null,
  cancelled_by: null,
  metadata: null,
};

const LEAD = {
  phone: '+10000000000',
  name: 'Sample',
  status: 'queued',
  status_reason: null,
  source: 'widget',
  call: null,
  rating: null,
  handled_at: null,
};

const MESSAGE = {
  direction: 'inbound',
  author_type: 'customer',
  source: null,
  text: 'Sample',
  attachments: [],
  status: null,
};

const CONVERSATION = {
  channel: 'web',
  status: 'open',
  customer_name: 'Sample',
  message_count: 1,
  closed_reason: null,
  closed_at: null,
};
