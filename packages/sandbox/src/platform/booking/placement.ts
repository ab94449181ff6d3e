/**
 * Whether an appointment fits: schedule, buffers, occupancy, capacity, checked like a booking from the widget
 * (platform API, POST /v1/appointments). The slot list uses the same checks, so that it agrees with the booking.
 */
import { Problem } from '../problem.ts';
import type { AppointmentRecord, BranchRecord, ResourceRecord, ServiceRecord } from '../records.ts';
import type { World } from '../world.ts';
import type { Span } from './hours.ts';

const MINUTE_MS = 60_000;

export interface PlannedAppointment {
  readonly service: ServiceRecord;
  readonly branch: BranchRecord;
  readonly span: Span;
  readonly guests: number;
  /** The appointment that is being moved. It does not conflict with itself. */
  readonly moving?: AppointmentRecord;
  /** Refuse times that the slot list would not offer (the document does not say whether the platform does). */
  readonly onGridOnly?: boolean;
}

/** Active resources of the branch that can be the main resource of the service. */
export function mainResources(world: World, service: ServiceRecord, branch: BranchRecord): ResourceRecord[] {
  return inBranch(world, service.resourceIds, branch);
}

/**
 * The ids that an appointment would occupy, main resource first. Throws the refusal. `pinned`: only this main
 * resource.
 */
export function place(world: World, planned: PlannedAppointment, pinned?: ResourceRecord): string[] {
  const candidates = pinned ? [pinned] : mainResources(world, planned.service, planned.branch);
  if (candidates.length === 0)
    throw new Problem('no-resources', 'No resource in the branch serves the service.');
  const working = candidates.filter((resource) => isWorking(world, planned, resource));
  if (working.length === 0)
    throw new Problem('outside-working-hours', 'The time is outside the schedule of the branch or resource.');
  for (const main of working) {
    if (planned.onGridOnly && !isOnGrid(world, planned, main)) continue;
    const ids = seat(world, planned, main);
    if (ids) return ids;
  }
  throw new Problem('slot-unavailable', 'The time is taken.');
}

/** The ids to occupy if `main` and, where the service needs one, a second resource are free; otherwise undefined. */
export function seat(world: World, planned: PlannedAppointment, main: ResourceRecord): string[] | undefined {
  if (!isFree(world, planned, main)) return undefined;
  if (planned.service.secondResourceIds.length === 0) return [main.id];
  const second = secondsInOrder(world, planned).find(
    (resource) =>
      resource.id !== main.id && isWorking(world, planned, resource) && isFree(world, planned, resource),
  );
  return second && [main.id, second.id];
}

/** Puts the current second resource first, so that a moved appointment stays in its room if possible. */
function secondsInOrder(world: World, planned: PlannedAppointment): ResourceRecord[] {
  const seconds = inBranch(world, planned.service.secondResourceIds, planned.branch);
  const present = planned.moving?.resourceIds ?? [];
  return seconds.sort((a, b) => Number(present.includes(b.id)) - Number(present.includes(a.id)));
}

function inBranch(world: World, ids: readonly string[], branch: BranchRecord): ResourceRecord[] {
  return ids
    .map((id) => world.resources.get(id))
    .filter((resource) => resource !== undefined)
    .filter((resource) => resource.active && resource.branchId === branch.id);
}

function isWorking(world: World, planned: PlannedAppointment, resource: ResourceRecord): boolean {
  const open = world.hours.openSpans({ branch: planned.branch, resource }, planned.span);
  return open.some((span) => span.from <= planned.span.from && span.to >= planned.span.to);
}

function isOnGrid(world: World, planned: PlannedAppointment, resource: ResourceRecord): boolean {
  const open = world.hours.openSpans({ branch: planned.branch, resource }, planned.span);
  const stepMs = planned.service.slotStepMin * MINUTE_MS;
  return open.some(
    (span) => span.from <= planned.span.from && (planned.span.from - span.from) % stepMs === 0,
  );
}

function isFree(world: World, planned: PlannedAppointment, resource: ResourceRecord): boolean {
  const blocked = {
    from: planned.span.from - planned.service.bufferBeforeMin * MINUTE_MS,
    to: planned.span.to + planned.service.bufferAfterMin * MINUTE_MS,
  };
  const others = world.occupancy
    .overlapping(resource.id, blocked)
    .filter((other) => other !== planned.moving);
  // A rental takes the whole resource. Only appointments of fixed services share seats.
  if (planned.service.bookingMode === 'interval') return others.length === 0;
  const shareable = others.every((other) => world.services.get(other.serviceId)?.bookingMode !== 'interval');
  return shareable && guestsAtPeak(others) + planned.guests <= resource.capacity;
}

function guestsAtPeak(appointments: readonly AppointmentRecord[]): number {
  const steps = appointments.flatMap((one) => [
    { at: one.startsAt - one.bufferBeforeMs, guests: one.guestsCount },
    { at: one.endsAt + one.bufferAfterMs, guests: -one.guestsCount },
  ]);
  // At the same moment, count departures before arrivals.
  steps.sort((a, b) => a.at - b.at || a.guests - b.guests);
  let present = 0;
  let peak = 0;
  for (const step of steps) {
    present += step.guests;
    peak = Math.max(peak, present);
  }
  return peak;
}
