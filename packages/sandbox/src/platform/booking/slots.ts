/** Free time of a service (platform API, GET /v1/slots): grid slots for `fixed`, windows for `interval` services. */
import type { SilentSwitches } from '../options.ts';
import type { BranchRecord, ResourceRecord, ServiceRecord } from '../records.ts';
import type { World } from '../world.ts';
import type { Span } from './hours.ts';
import { blockedTime } from './occupancy.ts';
import { seat } from './placement.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export interface SlotSearch {
  readonly service: ServiceRecord;
  readonly branch: BranchRecord;
  readonly resources: readonly ResourceRecord[];
  /** Already cut to the future. */
  readonly span: Span;
  readonly guests: number;
  /** The search looks for one more, so that the caller knows whether more follow. */
  readonly limit: number;
  readonly until: SilentSwitches['slotsUntil'];
}

export interface Slot extends Span {
  readonly resourceId: string;
}

/** Slots in order of time, at most `limit` + 1. */
export function findSlots(world: World, search: SlotSearch): Slot[] {
  const found: Slot[] = [];
  // Day by day, so that a search for a few slots does not compute a month.
  for (let from = search.span.from; from < search.span.to && found.length <= search.limit; from += DAY_MS) {
    const part = { from, to: Math.min(from + DAY_MS, search.span.to) };
    const slots = search.resources.flatMap((resource) => slotsOf(world, search, { resource, part }));
    found.push(...slots.sort(byTime));
  }
  return found.slice(0, search.limit + 1);
}

/** Free windows that are long enough for the shortest rental. */
export function findWindows(world: World, search: SlotSearch): Slot[] {
  if (search.guests > (search.service.maxGuests ?? Number.POSITIVE_INFINITY)) return [];
  const shortestMs = (search.service.minDurationMin ?? 1) * MINUTE_MS;
  const windows = search.resources.flatMap((resource) => freeSpans(world, search, resource));
  return windows
    .filter((window) => window.to - window.from >= shortestMs)
    .sort(byTime)
    .slice(0, search.limit + 1);
}

function slotsOf(world: World, search: SlotSearch, where: { resource: ResourceRecord; part: Span }): Slot[] {
  const { service, branch, guests } = search;
  const { resource, part } = where;
  const lengthMs = (service.durationMin ?? 0) * MINUTE_MS;
  const stepMs = service.slotStepMin * MINUTE_MS;
  const lastStart = search.until === 'ends-by-to' ? search.span.to - lengthMs : search.span.to - 1;
  const slots: Slot[] = [];
  for (const open of world.hours.openSpans({ branch, resource }, part)) {
    const skipped = Math.max(0, Math.ceil((part.from - open.from) / stepMs));
    let from = open.from + skipped * stepMs;
    for (; from < part.to && from <= lastStart && from + lengthMs <= open.to; from += stepMs) {
      const span = { from, to: from + lengthMs };
      if (seat(world, { service, branch, span, guests }, resource))
        slots.push({ ...span, resourceId: resource.id });
    }
  }
  return slots;
}

function freeSpans(world: World, search: SlotSearch, resource: ResourceRecord): Slot[] {
  const free: Slot[] = [];
  const beforeMs = search.service.bufferBeforeMin * MINUTE_MS;
  const afterMs = search.service.bufferAfterMin * MINUTE_MS;
  for (const open of world.hours.openSpans({ branch: search.branch, resource }, search.span)) {
    const end = Math.min(open.to, search.span.to);
    let from = Math.max(open.from, search.span.from);
    const taken = world.occupancy
      .overlapping(resource.id, { from: from - beforeMs, to: end + afterMs })
      .map(blockedTime)
      .sort((a, b) => a.from - b.from);
    for (const block of taken) {
      const to = Math.min(block.from - afterMs, end);
      if (to > from) free.push({ from, to, resourceId: resource.id });
      from = Math.max(from, block.to + beforeMs);
    }
    if (end > from) free.push({ from, to: end, resourceId: resource.id });
  }
  return free;
}

function byTime(a: Slot, b: Slot): number {
  return a.from - b.from || (a.resourceId < b.resourceId ? -1 : 1);
}
