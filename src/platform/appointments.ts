import * as z from 'zod';
import type { Appointment, Contact as KnownContact } from '../engine/object.ts';
import { described, identifier, wireObject } from './http-answer.ts';
import { type Create, type Options, ReadableObjects, segment, type Transport } from './http-transport.ts';

const appointment = described<Appointment>(wireObject('appointment', { resource_ids: z.array(identifier) }));

/** Platform API, Appointments. */
export class AppointmentsApi extends ReadableObjects<Appointment> {
  constructor(transport: Transport) {
    super(transport, { of: 'appointments', one: appointment });
  }

  /** Rejects with `TerminalError` and the platform's code when the time cannot be booked: `slot-unavailable`, `outside-working-hours`, … */
  create(request: Create): Promise<Appointment> {
    const at = { operation: 'appointments.create', method: 'POST', path: '/appointments' } as const;
    return this.transport.request({ ...request, ...at, answer: appointment });
  }

  /** The platform moves only `pending` and `confirmed` appointments. It takes no duration: the appointment keeps its own. */
  async reschedule(id: string, request: Create): Promise<Appointment> {
    const at = {
      operation: 'appointments.reschedule',
      method: 'POST',
      path: `/appointments/${segment(id)}/reschedule`,
    } as const;
    return this.transport.request({ ...request, ...at, answer: appointment });
  }

  /** Cancelling a cancelled appointment returns the same record. */
  async cancel(id: string, request: Create): Promise<Appointment> {
    const at = {
      operation: 'appointments.cancel',
      method: 'POST',
      path: `/appointments/${segment(id)}/cancel`,
    } as const;
    return this.transport.request({ ...request, ...at, answer: appointment });
  }
}

/** A customer record (platform API, Contact). */
interface Contact extends KnownContact {
  readonly email: string | null;
  /** Usually E.164; the platform stores a string that it cannot parse as a phone number unchanged. */
  readonly phone: string | null;
}

const contact = described<Contact>(wireObject('contact', {}));

/** Platform API, Contacts. The list compares phones after conversion to E.164, and e-mails exactly. */
export class ContactsApi extends ReadableObjects<Contact> {
  constructor(transport: Transport) {
    super(transport, { of: 'contacts', one: contact });
  }

  /** Every new Idempotency-Key creates a new contact, even for a known phone, so the caller must search first. */
  create(request: Create): Promise<Contact> {
    const at = { operation: 'contacts.create', method: 'POST', path: '/contacts' } as const;
    return this.transport.request({ ...request, ...at, answer: contact });
  }

  /** Only the given fields change; null clears an optional field. */
  async change(id: string, body: Readonly<Record<string, unknown>>, options: Options = {}): Promise<Contact> {
    return this.transport.request({
      ...options,
      operation: 'contacts.change',
      method: 'PATCH',
      path: `/contacts/${segment(id)}`,
      body,
      answer: contact,
    });
  }
}
