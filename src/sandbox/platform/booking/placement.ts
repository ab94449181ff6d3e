/**
 * Whether an appointment fits: schedule, buffers, occupancy, capacity, as a booking from the widget is checked
 * (platform API, POST /v1/appointments). Slots ask the same questions, so advice and verdict agree.
 */
import { Problem } from '../problem.ts';
import type { AppointmentRecord, BranchRecord, ResourceRecord, ServiceRecord } from '../records.ts';
import type { World } from '../world.ts';
import type { Span } from './hours.ts';

const MINUTE_MS = 60_000;

export interface Visit {
  readonly service: ServiceRecord;
  readonly branch: BranchRecord;
  readonly span: Span;
  readonly guests: number;
  /** The appointment that is being moved: it does not stand in its own way. */
  readonly moving?: AppointmentRecord;
  /** Refuse times that the slot list would not offer (the document does not say whether the platform does). */
  readonly onGridOnly?: boolean;
}

/** Active resources of the branch that can be the main resource of the service. */
export function mainResources(world: World, service: ServiceRecord, branch: BranchRecord): ResourceRecord[] {
  return inBranch(world, service.resourceIds, branch);
}

/** The ids an appointment would occupy, main resource first; throws the refusal. `pinned`: only this main resource. */
export function place(world: World, visit: Visit, pinned?: ResourceRecord): string[] {
  const candidates = pinned ? [pinned] : mainResources(world, visit.service, visit.branch);
  if (candidates.length === 0)
    throw new Problem('no-resources', 'No resource in the branch serves the service.');
  const working = candidates.filter((resource) => isWorking(world, visit, resource));
  if (working.length === 0)
    throw new Problem('outside-working-hours', 'The time is outside the schedule of the branch or resource.');
  for (const main of working) {
    if (visit.onGridOnly && !isOnGrid(world, visit, main)) continue;
    const ids = seat(world, visit, main);
    if (ids) return ids;
  }
  throw new Problem('slot-unavailable', 'The time is taken.');
}

/** The ids to occupy when `main` and, where the service needs one, a second resource are free; otherwise undefined. */
export function seat(world: World, visit: Visit, main: ResourceRecord): string[] | undefined {
  if (!isFree(world, visit, main)) return undefined;
  if (visit.service.secondResourceIds.length === 0) return [main.id];
  const second = secondsInOrder(world, visit).find(
    (resource) =>
      resource.id !== main.id && isWorking(world, visit, resource) && isFree(world, visit, resource),
  );
  return second && [main.id, second.id];
}

/** The second resource it already has comes first, so that a moved appointment stays in its room when it can. */
function secondsInOrder(world: World, visit: Visit): ResourceRecord[] {
  const seconds = inBranch(world, visit.service.secondResourceIds, visit.branch);
  const present = visit.moving?.resourceIds ?? [];
  return seconds.sort((a, b) => Number(present.includes(b.id)) - Number(present.includes(a.id)));
}

function inBranch(world: World, ids: readonly string[], branch: BranchRecord): ResourceRecord[] {
  return ids
    .map((id) => world.resources.get(id))
    .filter((resource) => resource !== undefined)
    .filter((resource) => resource.active && resource.branchId === branch.id);
}

function isWorking(world: World, visit: Visit, resource: ResourceRecord): boolean {
  const open = world.hours.openSpans({ branch: visit.branch, resource }, visit.span);
  return open.some((span) => span.from <= visit.span.from && span.to >= visit.span.to);
}

function isOnGrid(world: World, visit: Visit, resource: ResourceRecord): boolean {
  const open = world.hours.openSpans({ branch: visit.branch, resource }, visit.span);
  const stepMs = visit.service.slotStepMin * MINUTE_MS;
  return open.some((span) => span.from <= visit.span.from && (visit.span.from - span.from) % stepMs === 0);
}

function isFree(world: World, visit: Visit, resource: ResourceRecord): boolean {
  const blocked = {
    from: visit.span.from - visit.service.bufferBeforeMin * MINUTE_MS,
    to: visit.span.to + visit.service.bufferAfterMin * MINUTE_MS,
  };
  const others = world.occupancy.overlapping(resource.id, blocked).filter((other) => other !== visit.moving);
  // A rental takes the whole resource; seats are shared only between appointments of fixed services.
  if (visit.service.bookingMode === 'interval') return others.length === 0;
  const shareable = others.every((other) => world.services.get(other.serviceId)?.bookingMode !== 'interval');
  return shareable && guestsAtPeak(others) + visit.guests <= resource.capacity;
}

function guestsAtPeak(appointments: readonly AppointmentRecord[]): number {
  const steps = appointments.flatMap((one) => [
    { at: one.startsAt - one.bufferBeforeMs, guests: one.guestsCount },
    { at: one.endsAt + one.bufferAfterMs, guests: -one.guestsCount },
  ]);
  // At the same moment those who leave go before those who come.
  steps.sort((a, b) => a.at - b.at || a.guests - b.guests);
  let present = 0;
  let peak = 0;
  for (const step of steps) {
    present += step.guests;
    peak = Math.max(peak, present);
  }
  return peak;
}
