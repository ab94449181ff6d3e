import * as z from 'zod';
import type { Appointment as KnownAppointment, Contact as KnownContact } from '../engine/object.ts';
import { described, identifier, wireObject } from './http-answer.ts';
import { type Create, type Options, ReadableObjects, segment, type Transport } from './http-transport.ts';

/** An appointment as the platform sends it (platform API, Appointment). */
export interface Appointment extends KnownAppointment {
  readonly source: string;
  readonly guests_count: number;
  readonly contact_id: string | null;
  readonly customer_name: string | null;
  readonly customer_phone: string | null;
  readonly customer_email: string | null;
  readonly conversation_id: string | null;
  /** Minor units, such as cents. */
  readonly price_amount: number | null;
  readonly price_currency: string | null;
  readonly comment: string | null;
  readonly cancel_reason: string | null;
  readonly cancelled_by: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface AppointmentFilters {
  readonly project_id?: string;
  readonly status?: string;
  readonly branch_id?: string;
  readonly service_id?: string;
  readonly contact_id?: string;
  readonly resource_id?: string;
  /** The platform compares phones after conversion to E.164. */
  readonly customer_phone?: string;
  /** Date-time with zone, inclusive. */
  readonly 'starts_at[gte]'?: string;
  /** Date-time with zone, exclusive. */
  readonly 'starts_at[lt]'?: string;
}

/** `notify_customer` is required here: if it is omitted, the platform mails the customer. */
export interface CreateAppointment {
  readonly service_id: string;
  /** RFC 3339 with offset. */
  readonly starts_at: string;
  readonly notify_customer: boolean;
  readonly branch_id?: string | null;
  readonly resource_id?: string | null;
  /** Only for `interval` services. */
  readonly duration_min?: number | null;
  readonly guests_count?: number | null;
  /** With a `contact_id`, `customer_name` and `customer_email` replace the values in the CRM. */
  readonly contact_id?: string | null;
  readonly customer_name?: string | null;
  /** Required without `contact_id`. */
  readonly customer_phone?: string | null;
  readonly customer_email?: string | null;
  readonly comment?: string | null;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null;
}

export interface RescheduleAppointment {
  /** RFC 3339 with offset. */
  readonly starts_at: string;
  readonly notify_customer: boolean;
  /** Another resource of the same branch; if omitted, the appointment keeps its resource. */
  readonly resource_id?: string | null;
}

export interface CancelAppointment {
  readonly notify_customer: boolean;
  readonly reason?: string | null;
}

const appointment = described<Appointment>(wireObject('appointment', { resource_ids: z.array(identifier) }));

/** Platform API, Appointments. */
export class AppointmentsApi extends ReadableObjects<Appointment, AppointmentFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'appointments', one: appointment });
  }

  /** Rejects with `TerminalError` and the platform's code when the time cannot be booked: `slot-unavailable`, `outside-working-hours`, … */
  create(request: Create<CreateAppointment>): Promise<Appointment> {
    const at = { operation: 'appointments.create', path: '/appointments' } as const;
    return this.transport.post({ ...request, ...at, answer: appointment });
  }

  /** The platform moves only `pending` and `confirmed` appointments. It takes no duration: the appointment keeps its own. */
  async reschedule(id: string, request: Create<RescheduleAppointment>): Promise<Appointment> {
    const at = {
      operation: 'appointments.reschedule',
      path: `/appointments/${segment(id)}/reschedule`,
    } as const;
    return this.transport.post({ ...request, ...at, answer: appointment });
  }

  /** Cancelling a cancelled appointment returns the same record. */
  async cancel(id: string, request: Create<CancelAppointment>): Promise<Appointment> {
    const at = { operation: 'appointments.cancel', path: `/appointments/${segment(id)}/cancel` } as const;
    return this.transport.post({ ...request, ...at, answer: appointment });
  }
}

/** A customer record (platform API, Contact). */
interface Contact extends KnownContact {
  readonly type: string;
  readonly name: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  /** Usually E.164; the platform stores a string that it cannot parse as a phone number unchanged. */
  readonly phone: string | null;
  readonly position: string | null;
  readonly source: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

interface ContactFilters {
  readonly project_id?: string;
  /** Exact match on the primary e-mail. */
  readonly email?: string;
  /** The platform compares phones after conversion to E.164. */
  readonly phone?: string;
  readonly lifecycle?: string;
}

export interface CreateContact {
  /** Required when the key has several projects. */
  readonly project_id?: string | null;
  readonly type?: string | null;
  readonly name: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly email?: string | null;
  readonly phone?: string | null;
  readonly position?: string | null;
  readonly lifecycle?: string | null;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null;
}

/** Only the given fields change; null clears an optional field. */
interface ChangeContact {
  readonly name?: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly email?: string | null;
  readonly phone?: string | null;
  readonly position?: string | null;
  readonly lifecycle?: string;
  readonly status?: 'active' | 'archived';
}

const contact = described<Contact>(wireObject('contact', {}));

/** Platform API, Contacts. */
export class ContactsApi extends ReadableObjects<Contact, ContactFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'contacts', one: contact });
  }

  /** Every new Idempotency-Key creates a new contact, even for a known phone, so the caller must search first. */
  create(request: Create<CreateContact>): Promise<Contact> {
    const at = { operation: 'contacts.create', path: '/contacts' } as const;
    return this.transport.post({ ...request, ...at, answer: contact });
  }

  async change(id: string, change: ChangeContact, options: Options = {}): Promise<Contact> {
    return this.transport.request({
      ...options,
      operation: 'contacts.change',
      method: 'PATCH',
      path: `/contacts/${segment(id)}`,
      body: { ...change },
      answer: contact,
    });
  }
}
