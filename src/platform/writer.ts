/**
 * Implements the ports by which the worker changes the platform. In: stored bodies with their Idempotency-Keys. Out: the platform's
 * objects, or one of the three error families. Makes one attempt per call and decides nothing.
 */
import { TerminalError } from '../engine/errors.ts';
import type { Appointment } from '../engine/object.ts';
import type {
  ContactLookup,
  ContactWriter,
  FreeTime,
  Page,
  PlatformWriter,
  SlotSearch,
  WriteRequest,
} from '../engine/platform.ts';
import type {
  AppointmentsApi,
  CancelAppointment,
  ContactsApi,
  CreateAppointment,
  CreateContact,
  RescheduleAppointment,
} from './appointments.ts';
import type { PlatformClient } from './client.ts';
import type { SlotsApi } from './directory.ts';
import type { Rank } from './http-rate.ts';

const PAGE_OBJECTS = 100;

type WriterSections = Pick<PlatformClient, 'appointments' | 'slots' | 'timeoutMs'>;

/** `rank`: priority when the request budget runs low. */
export function createPlatformWriter(sections: WriterSections, rank: Rank = 'live'): PlatformWriter {
  return new ApiPlatformWriter(sections, rank);
}

export function createCustomerCards(sections: { readonly contacts: ContactsApi }): ContactLookup {
  return new ApiCustomerCards(sections.contacts);
}

export function createContactWriter({ contacts }: { readonly contacts: ContactsApi }): ContactWriter {
  return { change: (contactId, change) => contacts.change(contactId, change, { rank: 'live' }) };
}

class ApiPlatformWriter implements PlatformWriter {
  readonly timeoutMs: number;
  readonly #appointments: AppointmentsApi;
  readonly #slots: SlotsApi;
  readonly #rank: Rank;

  constructor(sections: WriterSections, rank: Rank) {
    this.timeoutMs = sections.timeoutMs;
    this.#rank = rank;
    this.#appointments = sections.appointments;
    this.#slots = sections.slots;
  }

  create(request: WriteRequest): Promise<Appointment> {
    return this.#appointments.create({ ...asStored<CreateAppointment>(request), rank: this.#rank });
  }

  reschedule(appointmentId: string, request: WriteRequest): Promise<Appointment> {
    return this.#appointments.reschedule(appointmentId, {
      ...asStored<RescheduleAppointment>(request),
      rank: this.#rank,
    });
  }

  cancel(appointmentId: string, request: WriteRequest): Promise<Appointment> {
    return this.#appointments.cancel(appointmentId, {
      ...asStored<CancelAppointment>(request),
      rank: this.#rank,
    });
  }

  get(appointmentId: string): Promise<Appointment | undefined> {
    return this.#appointments.get(appointmentId, { rank: this.#rank });
  }

  list(filters: Readonly<Record<string, string>>, startingAfter?: string): Promise<Page<Appointment>> {
    return this.#appointments.list({
      filters,
      limit: PAGE_OBJECTS,
      rank: this.#rank,
      ...(startingAfter === undefined ? {} : { startingAfter }),
    });
  }

  async slots(search: SlotSearch): Promise<FreeTime> {
    const found = await this.#slots.find({
      service_id: search.serviceId,
      from: new Date(search.fromMs).toISOString(),
      to: new Date(search.toMs).toISOString(),
      ...(search.branchId === undefined ? {} : { branch_id: search.branchId }),
      ...(search.resourceId === undefined ? {} : { resource_id: search.resourceId }),
      ...(search.guests === undefined ? {} : { guests: search.guests }),
    });
    return {
      projectId: found.project_id,
      zone: found.timezone,
      slots: found.slots.map(({ starts_at, ends_at, resource_id }) => ({
        startsAt: starts_at,
        endsAt: ends_at,
        resourceId: resource_id,
      })),
      windows: found.windows,
      hasMore: found.has_more,
    };
  }
}

class ApiCustomerCards implements ContactLookup {
  readonly #contacts: ContactsApi;

  constructor(contacts: ContactsApi) {
    this.#contacts = contacts;
  }

  byId(contactId: string) {
    return this.#contacts.get(contactId);
  }

  byPhone(phone: string, projectId: string | undefined) {
    return this.#find({ phone }, projectId);
  }

  byEmail(email: string, projectId: string | undefined) {
    return this.#find({ email }, projectId);
  }

  create(request: WriteRequest) {
    return this.#contacts.create(asStored<CreateContact>(request));
  }

  /** Without `project_id` in the query, because a 403 might then be about the project, and would not prove that the key lacks the scope. */
  async #find(filters: { phone: string } | { email: string }, projectId: string | undefined) {
    const { data } = await this.#contacts.list({ filters, limit: PAGE_OBJECTS });
    return projectId === undefined ? data : data.filter((contact) => contact.project_id === projectId);
  }
}

/** A body written by `JSON.stringify` parses and serializes to the same bytes; any other body is refused. */
function asStored<Body>({ body, ...request }: WriteRequest): Omit<WriteRequest, 'body'> & { body: Body } {
  const value: unknown = JSON.parse(body);
  if (JSON.stringify(value) === body) return { ...request, body: value as Body };
  throw new TerminalError('request-not-repeatable', 'a stored request would be sent with different bytes', {
    target: 'platform',
  });
}
