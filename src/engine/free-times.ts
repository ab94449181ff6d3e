/**
 * The free times nearest to a wished one: at most three, those of the wished resource first. They are advice for people: what cannot be
 * read is left out, and the verdict stays with the platform.
 */

import type { WishedPlace } from './carriers.ts';
import { TerminalError } from './errors.ts';
import type { FreeSlot } from './outside-booking.ts';
import type { FreeTime, PlatformWriter, SlotSearch } from './platform.ts';

/** Free times in one refusal. */
const OFFERED_MAX = 3;
/** Free times of a whole day. */
const OF_A_DAY_MAX = 12;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Half-widths of the windows that are tried in turn; the widest is the horizon. Twice that stays within the platform's 31 days. */
const REACHES_MS = [DAY_MS, 5 * DAY_MS, 15 * DAY_MS] as const;
/** A window is not narrowed below this. */
const REACH_MS_MIN = 60 * MINUTE_MS;

export interface Wished {
  readonly serviceId: string;
  readonly startsAt: string;
  readonly branchId?: string;
  readonly resourceId?: string;
  readonly guests?: number;
  /** `interval` services only. */
  readonly durationMin?: number;
}

export interface Offer {
  readonly slots: readonly FreeSlot[];
  /** IANA zone of the branch. */
  readonly zone: string;
}

/** Undefined when the wished start is no valid time. */
export async function freeTimesNear(
  writer: PlatformWriter,
  wished: Wished,
  nowMs: number,
): Promise<Offer | undefined> {
  const startMs = Date.parse(wished.startsAt);
  if (Number.isNaN(startMs)) return undefined;
  // For a start in the past, the nearest available time is the next one.
  const search = { writer, wished, centreMs: Math.max(startMs, nowMs), nowMs };
  const own = await nearest(search, wished.resourceId);
  if (wished.resourceId === undefined || own.slots.length >= OFFERED_MAX) return own;
  const branch = await nearest(search, undefined).catch((error: unknown) => {
    // The platform refuses to show the branch as a whole: offer the resource's own times.
    if (error instanceof TerminalError) return own;
    throw error;
  });
  const others = branch.slots.filter((slot) => slot.resourceId !== wished.resourceId);
  return { zone: own.zone, slots: [...own.slots, ...others].slice(0, OFFERED_MAX) };
}

/** All free times of a day, earliest first. If there are too many, a selection spread evenly over the day. */
export async function freeTimesWithin(
  writer: PlatformWriter,
  wished: Omit<Wished, 'startsAt'>,
  { fromMs, toMs, nowMs }: { readonly fromMs: number; readonly toMs: number; readonly nowMs: number },
): Promise<Offer> {
  const { serviceId, branchId, resourceId, guests } = wished;
  const centreMs = Math.max(fromMs, nowMs);
  const free = await allWithin(writer, {
    ...{ serviceId, fromMs: centreMs, toMs },
    ...(branchId === undefined ? {} : { branchId }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(guests === undefined ? {} : { guests }),
  });
  const asked = { ...wished, startsAt: new Date(centreMs).toISOString() };
  const all = chosen(free, { writer, wished: asked, centreMs, nowMs }, Number.POSITIVE_INFINITY);
  const ofDay = all.filter(({ startsAt }) => Date.parse(startsAt) < toMs);
  const step = Math.max(1, ofDay.length / OF_A_DAY_MAX);
  const count = Math.min(ofDay.length, OF_A_DAY_MAX);
  const slots = Array.from({ length: count }, (_, at) => ofDay[Math.floor(at * step)]).flatMap(
    (slot) => slot ?? [],
  );
  return { zone: free.zone, slots };
}

/** A cut-off answer may lack any of them, so each half of its window is asked for. */
async function allWithin(writer: Pick<PlatformWriter, 'slots'>, search: SlotSearch): Promise<FreeTime> {
  const free = await writer.slots(search);
  const halfMs = Math.floor((search.toMs - search.fromMs) / 2);
  if (!free.hasMore || halfMs < REACH_MS_MIN) return free;
  const middleMs = search.fromMs + halfMs;
  const early = await allWithin(writer, { ...search, toMs: middleMs });
  const late = await allWithin(writer, { ...search, fromMs: middleMs });
  const slots = [...early.slots, ...late.slots];
  return { ...early, slots, windows: [...early.windows, ...late.windows] };
}

/** Windows that are tried in turn until one shows free times; the last one stays within the platform's 31 days. */
const AHEAD_MS = [2 * DAY_MS, 15 * DAY_MS] as const;
const NEXT_MAX = 24;

/** The next free starts, or the earliest of a day; epoch milliseconds, without repeats. */
export async function nextFreeTimes(
  writer: Pick<PlatformWriter, 'slots'>,
  wished: WishedPlace,
  {
    nowMs,
    day,
  }: { readonly nowMs: number; readonly day?: { readonly fromMs: number; readonly toMs: number } },
): Promise<readonly number[]> {
  const fromMs = Math.max(day?.fromMs ?? nowMs, nowMs);
  for (const toMs of day === undefined ? AHEAD_MS.map((reachMs) => fromMs + reachMs) : [day.toMs]) {
    const startsMs = fromMs < toMs ? await startsFrom(writer, wished, { fromMs, toMs }) : [];
    if (startsMs.length > 0) return startsMs;
  }
  return [];
}

/** A cut-off answer may lack the earliest starts, so the window narrows to its beginning. */
async function startsFrom(
  writer: Pick<PlatformWriter, 'slots'>,
  wished: WishedPlace,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly number[]> {
  const { durationMin: _, ...place } = wished;
  const free = await writer.slots({ ...place, fromMs, toMs });
  const halfMs = Math.floor((toMs - fromMs) / 2);
  if (free.hasMore && halfMs >= REACH_MS_MIN)
    return startsFrom(writer, wished, { fromMs, toMs: fromMs + halfMs });
  const asked = { ...wished, startsAt: new Date(fromMs).toISOString() };
  const slots = [...free.slots, ...fromWindows(free.windows, asked, fromMs)];
  const startsMs = slots.map(({ startsAt }) => Date.parse(startsAt));
  const within = startsMs.filter((startMs) => startMs >= fromMs && startMs < toMs);
  return [...new Set(within)].sort((a, b) => a - b).slice(0, NEXT_MAX);
}

interface Search {
  readonly writer: PlatformWriter;
  readonly wished: Wished;
  readonly centreMs: number;
  readonly nowMs: number;
}

async function nearest(search: Search, resourceId: string | undefined): Promise<Offer> {
  let offer: Offer = { slots: [], zone: 'UTC' };
  for (const reachMs of REACHES_MS) {
    const free = await freeAround(search, resourceId, reachMs);
    offer = { zone: free.zone, slots: chosen(free, search) };
    if (offer.slots.length >= OFFERED_MAX) break;
  }
  return offer;
}

/** `has_more` comes without a cursor, so the rest cannot be read. The window narrows around the wished time instead. */
async function freeAround(
  search: Search,
  resourceId: string | undefined,
  reachMs: number,
): Promise<FreeTime> {
  const { writer, wished, centreMs, nowMs } = search;
  const asked: SlotSearch = {
    serviceId: wished.serviceId,
    fromMs: Math.max(nowMs, centreMs - reachMs),
    toMs: centreMs + reachMs,
    ...(wished.branchId === undefined ? {} : { branchId: wished.branchId }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(wished.guests === undefined ? {} : { guests: wished.guests }),
  };
  const free = await writer.slots(asked);
  return free.hasMore && reachMs / 2 >= REACH_MS_MIN ? freeAround(search, resourceId, reachMs / 2) : free;
}

function chosen(free: FreeTime, { wished, centreMs, nowMs }: Search, max = OFFERED_MAX): FreeSlot[] {
  const slots = [...free.slots, ...fromWindows(free.windows, wished, centreMs)];
  const distance = (slot: FreeSlot) => Math.abs(Date.parse(slot.startsAt) - centreMs);
  const seen = new Set<string>();
  return slots
    .filter((slot) => Date.parse(slot.startsAt) >= nowMs)
    .sort((a, b) => distance(a) - distance(b) || Date.parse(a.startsAt) - Date.parse(b.startsAt))
    .filter(({ startsAt, resourceId }) => {
      const name = `${Date.parse(startsAt)} ${resourceId}`;
      return !seen.has(name) && seen.add(name);
    })
    .slice(0, max);
}

/** The document does not show a window's shape: one that looks like a slot is read, any other is left out. */
function fromWindows(windows: readonly unknown[], wished: Wished, centreMs: number): FreeSlot[] {
  return windows.flatMap((window) => {
    if (typeof window !== 'object' || window === null) return [];
    const fields = window as Readonly<Record<string, unknown>>;
    const fromMs = Date.parse(String(fields['starts_at'] ?? fields['from']));
    const toMs = Date.parse(String(fields['ends_at'] ?? fields['to']));
    const resourceId = fields['resource_id'];
    const lengthMs = (wished.durationMin ?? 0) * MINUTE_MS;
    if (typeof resourceId !== 'string' || lengthMs === 0 || !(toMs - fromMs >= lengthMs)) return [];
    const startMs = Math.min(Math.max(centreMs, fromMs), toMs - lengthMs);
    const startsAt = new Date(startMs).toISOString();
    return [{ startsAt, endsAt: new Date(startMs + lengthMs).toISOString(), resourceId }];
  });
}
