/** Appointment operations (platform API, Appointments): reading, rescheduling, cancelling. Creating is in `booking.ts`. */
import { eligible, notEligible } from '../booking/choice.ts';
import type { Core } from '../core.ts';
import type { Call, Operation } from '../operation.ts';
import { listBody, pageOf, readCursor } from '../paging.ts';
import { toE164OrAsGiven } from '../phone.ts';
import { Problem } from '../problem.ts';
import type { AppointmentRecord } from '../records.ts';
import { book } from './booking.ts';

const STATUSES = ['pending', 'confirmed', 'arrived', 'completed', 'cancelled', 'no_show'];

export function appointmentOperations(core: Core): Operation[] {
  const { renderer, world, appointments } = core;
  return [
    {
      method: 'GET',
      path: '/v1/appointments',
      scope: 'appointments:read',
      handle: (call) => ({ status: 200, json: list(core, call) }),
    },
    {
      method: 'POST',
      path: '/v1/appointments',
      scope: 'appointments:write',
      idempotency: 'required',
      handle: (call) => ({ status: 201, json: renderer.appointment(book(core, call)) }),
    },
    {
      method: 'GET',
      path: '/v1/appointments/:appointment',
      scope: 'appointments:read',
      handle: (call) => ({ status: 200, json: renderer.appointment(find(call)) }),
    },
    {
      method: 'POST',
      path: '/v1/appointments/:appointment/reschedule',
      scope: 'appointments:write',
      idempotency: 'supported',
      handle: (call) => {
        const appointment = find(call);
        reschedule(core, call, appointment);
        return { status: 200, json: renderer.appointment(appointment) };
      },
    },
    {
      method: 'POST',
      path: '/v1/appointments/:appointment/cancel',
      scope: 'appointments:write',
      idempotency: 'supported',
      handle: (call) => {
        const appointment = find(call);
        const reason = call.body.nullableText('reason') ?? null;
        const notify = call.body.boolean('notify_customer') ?? true;
        call.body.check();
        appointments.cancel(appointment, { by: 'api', reason, notify });
        return { status: 200, json: renderer.appointment(appointment) };
      },
    },
  ];

  function find({ params, caller }: Call): AppointmentRecord {
    const appointment = world.appointments.get(params['appointment']?.toLowerCase() ?? '');
    if (!appointment || !caller.sees(appointment.projectId))
      throw new Problem('not-found', 'No such appointment.');
    return appointment;
  }
}

function list({ world, renderer, switches }: Core, { query, caller }: Call): unknown {
  const cursor = readCursor(query);
  const projectId = query.uuid('project_id');
  const wanted = {
    status: query.oneOf('status', STATUSES),
    branchId: query.uuid('branch_id'),
    serviceId: query.uuid('service_id'),
    contactId: query.uuid('contact_id'),
  };
  const resourceId = query.uuid('resource_id');
  const phone = query.text('customer_phone');
  const from = query.instant('starts_at[gte]') ?? Number.NEGATIVE_INFINITY;
  const before = query.instant('starts_at[lt]') ?? Number.POSITIVE_INFINITY;
  query.check();
  if (projectId) caller.demandProject(projectId);
  const e164 = phone === undefined ? undefined : toE164OrAsGiven(phone);
  const { items, hasMore } = pageOf(world.appointments, cursor, {
    sees: (id) => caller.sees(id),
    unknown: switches.unknownCursor,
    accepts: (one) =>
      (projectId === undefined || one.projectId === projectId) &&
      (wanted.status === undefined || one.status === wanted.status) &&
      (wanted.branchId === undefined || one.branchId === wanted.branchId) &&
      (wanted.serviceId === undefined || one.serviceId === wanted.serviceId) &&
      (wanted.contactId === undefined || one.contactId === wanted.contactId) &&
      (resourceId === undefined || one.resourceIds.includes(resourceId)) &&
      (e164 === undefined || one.customerPhone === e164) &&
      one.startsAt >= from &&
      one.startsAt < before,
  });
  return listBody(items.map(renderer.appointment), hasMore);
}

function reschedule(core: Core, { body }: Call, appointment: AppointmentRecord): void {
  const startsAt = body.requiredInstant('starts_at');
  const resourceId = body.uuid('resource_id');
  const notify = body.boolean('notify_customer') ?? true;
  body.check();
  const { service } = core.appointments.movable(appointment);
  if (startsAt < core.clock.now()) throw new Problem('starts-at-in-past', 'The start time has passed.');
  const resource = resourceId ? eligible(core.world, service, resourceId) : undefined;
  // The new resource must be in the same branch.
  if (resource && resource.branchId !== appointment.branchId) throw notEligible();
  core.appointments.reschedule(appointment, { startsAt, resource, notify });
}
