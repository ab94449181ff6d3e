/** Creating an appointment (platform API, POST /v1/appointments). */
import type { Body } from '../body.ts';
import { choose } from '../booking/choice.ts';
import type { Core } from '../core.ts';
import type { Call } from '../operation.ts';
import { toE164 } from '../phone.ts';
import { Problem } from '../problem.ts';
import type { AppointmentRecord, ContactRecord, ServiceRecord } from '../records.ts';

export function book(core: Core, { body, caller }: Call): AppointmentRecord {
  const asked = read(core, body);
  const { service, branch, resource } = choose(core.world, caller, asked);
  const contact = asked.contactId ? contactOf(core, service, asked.contactId) : undefined;
  const durationMin = durationOf(core, service, asked.durationMin);
  if (service.bookingMode === 'interval' && asked.guests > (service.maxGuests ?? Number.POSITIVE_INFINITY)) {
    throw new Problem('too-many-guests', `At most ${service.maxGuests} guests.`);
  }
  if (asked.startsAt < core.clock.now()) throw new Problem('starts-at-in-past', 'The start time has passed.');
  const appointment = core.appointments.book({
    service,
    branch,
    resource,
    startsAt: asked.startsAt,
    durationMin,
    guests: asked.guests,
    contact,
    customerName: asked.customerName ?? contact?.name ?? null,
    customerPhone: asked.customerPhone ?? contact?.phone ?? null,
    customerEmail: asked.customerEmail ?? contact?.email ?? null,
    comment: asked.comment ?? null,
    metadata: asked.metadata,
    source: 'api',
    status: 'confirmed',
    notify: asked.notify,
  });
  if (contact && core.switches.customerFieldsBesideContact === 'overwrite-contact') {
    core.contacts.change(contact, {
      name: asked.customerName ?? undefined,
      email: asked.customerEmail ?? undefined,
    });
  }
  return appointment;
}

function read(core: Core, body: Body) {
  const serviceId = body.uuid('service_id');
  if (!serviceId && !body.complaints.has('service_id')) body.complaints.add('service_id', 'is required');
  const asked = {
    serviceId: serviceId ?? '',
    startsAt: body.requiredInstant('starts_at'),
    branchId: body.uuid('branch_id'),
    resourceId: body.uuid('resource_id'),
    durationMin: body.integer('duration_min', { min: 1 }),
    guests: body.integer('guests_count', { min: 1 }) ?? 1,
    contactId: body.uuid('contact_id'),
    customerName: body.nullableText('customer_name'),
    customerPhone: readPhone(core, body),
    customerEmail: body.email('customer_email'),
    comment: body.nullableText('comment'),
    notify: body.boolean('notify_customer') ?? true,
    metadata: body.metadata('metadata'),
  };
  if (!asked.contactId && !asked.customerPhone && !body.complaints.has('customer_phone')) {
    body.complaints.add('customer_phone', 'is required without contact_id');
  }
  body.check();
  return asked;
}

function readPhone(core: Core, body: Body): string | null | undefined {
  const given = body.nullableText('customer_phone');
  if (!given) return given;
  const e164 = toE164(given);
  if (e164 === undefined && core.switches.oddCustomerPhone === 'validation') {
    body.complaints.add('customer_phone', 'must be a phone number');
  }
  return e164 ?? given;
}

function contactOf(core: Core, service: ServiceRecord, contactId: string): ContactRecord {
  const contact = core.world.contacts.get(contactId);
  if (contact?.projectId === service.projectId) return contact;
  throw new Problem('contact-not-found', 'No contact with this id in the project of the service.');
}

function durationOf(core: Core, service: ServiceRecord, asked: number | null | undefined): number {
  if (service.bookingMode === 'fixed') {
    if (typeof asked === 'number' && core.switches.durationOnFixed === 'validation') {
      refuseDuration('is only for interval services');
    }
    return service.durationMin ?? 0;
  }
  const min = service.minDurationMin ?? 1;
  const max = service.maxDurationMin ?? Number.POSITIVE_INFINITY;
  const step = service.durationStepMin ?? 1;
  if (typeof asked !== 'number') {
    if (core.switches.durationAbsentOnInterval === 'validation')
      refuseDuration('is required for interval services');
    return min;
  }
  if (asked < min || asked > max || (asked - min) % step !== 0) {
    throw new Problem('invalid-duration', `duration_min: ${min} to ${max} minutes in steps of ${step}.`);
  }
  return asked;
}

function refuseDuration(message: string): never {
  throw new Problem('validation', 'Invalid: duration_min.', { errors: { duration_min: [message] } });
}
