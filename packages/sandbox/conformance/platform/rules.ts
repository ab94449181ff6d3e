/** Every rule of the platform's document, by section. Tests cite them, and the coverage page is written from them. */

import type { Section } from '../report/section.ts';
import { appointments } from './rules/appointments.ts';
import { authentication } from './rules/authentication.ts';
import { contacts } from './rules/contacts.ts';
import { conversations } from './rules/conversations.ts';
import { deliveries } from './rules/deliveries.ts';
import { directory } from './rules/directory.ts';
import { endpoints } from './rules/endpoints.ts';
import { errors } from './rules/errors.ts';
import { eventTypes } from './rules/event-types.ts';
import { feed } from './rules/feed.ts';
import { idempotency } from './rules/idempotency.ts';
import { leads } from './rules/leads.ts';
import { lists } from './rules/lists.ts';
import { metadata } from './rules/metadata.ts';
import { requests } from './rules/requests.ts';
import { slots } from './rules/slots.ts';
import { states } from './rules/states.ts';

export const SECTIONS: readonly Section[] = [
  authentication,
  lists,
  idempotency,
  contacts,
  conversations,
  leads,
  appointments,
  slots,
  directory,
  endpoints,
  deliveries,
  feed,
  eventTypes,
  errors,
  requests,
  metadata,
  states,
];
