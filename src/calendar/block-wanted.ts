/**
 * Computes which blocks should exist for one person. In: busy times, and time that others have taken. Passing time alone moves no block.
 */

import type { DateTime } from 'luxon';
import { BLOCK_REPORT, type BlockRule, type HeldBlocks, type Span, type WeekHours } from '../engine/block.ts';
import { findNamed } from '../engine/extract-booking.ts';
import type { Memory } from '../engine/memory.ts';
import type { Directory, ServiceLengths } from '../engine/mirror.ts';
import { distanceMs } from '../engine/moments.ts';
import type { DirectorySource } from '../engine/platform.ts';
import { dayEndOf, dayStartOf, localAt } from '../engine/zone-local.ts';
import { common, merged, overlaps, sorted, spansWithout } from './block-plan.ts';

/** Whole days in the branch's zone. */
export function blockWindow({ rule, zone }: Person, nowMs: number): Span {
  return { startMs: dayStart(nowMs, zone), endMs: dayEnd(nowMs + rule.horizonMs, zone) };
}

export function wantedBlocks(
  { rule, zone, lengths }: Person,
  about: { readonly busy: readonly Span[]; readonly taken: readonly Span[]; readonly within: Span },
): Tiling {
  const { busy, taken, within } = about;
  return tilesFor({ busy, open: openSpans(rule.hours, zone, within), taken, lengths });
}

const DAY_MINUTES = 1_440;

/** Bookable spans, day by day in `zone`; hours of a day that overlap or touch are one span. No span crosses midnight, so one day never changes another. */
export function openSpans(hours: WeekHours, zone: string, within: Span): readonly Span[] {
  const spans: Span[] = [];
  const last = localDay(within.endMs, zone);
  for (let day = localDay(within.startMs, zone); day <= last; day = dayEndOf(day)) {
    const written = hours[day.weekday] ?? [];
    spans.push(
      ...merged(
        written.map(([fromMin, toMin]) => ({ startMs: momentOf(day, fromMin), endMs: momentOf(day, toMin) })),
      ),
    );
  }
  return spans;
}

/** The midnight in `zone` that begins the day of this moment. */
export function dayStart(atMs: number, zone: string): number {
  return localDay(atMs, zone).toMillis();
}

/** The midnight in `zone` that ends the day of this moment. */
export function dayEnd(atMs: number, zone: string): number {
  return dayEndOf(localDay(atMs, zone)).toMillis();
}

function localDay(atMs: number, zone: string): DateTime {
  return dayStartOf(localAt(atMs, zone));
}

/** Goes by wall-clock time: nine o'clock stays nine o'clock on the day of a clock change. */
function momentOf(day: DateTime, minute: number): number {
  if (minute >= DAY_MINUTES) return dayEndOf(day).toMillis();
  return day.set({ hour: Math.floor(minute / 60), minute: minute % 60 }).toMillis();
}

/**
 * Turns busy time into blocks. In: busy time, bookable time, taken time, and the lengths that the service allows. Out: blocks of bookable
 * length that cover the busy time and never overlap anything. The result depends only on the input, so passing time moves no block.
 */

const MINUTE_MS = 60_000;

interface Tiling {
  readonly blocks: readonly Span[];
  /** Busy time left uncovered, because no block of the service fits into it. */
  readonly tooShort: readonly Span[];
}

export function tilesFor(about: {
  readonly busy: readonly Span[];
  /** Bookable spans, day by day. */
  readonly open: readonly Span[];
  /** Other appointments of the resource. Their time is unbookable anyway. */
  readonly taken: readonly Span[];
  readonly lengths: ServiceLengths;
}): Tiling {
  const gaps = spansWithout(sorted(about.open), about.taken);
  const busy = merged(about.busy);
  const blocks: Span[] = [];
  const tooShort: Span[] = [];
  for (const gap of gaps) {
    const pieces = common([gap], busy);
    const tiles = tilesIn(gap, pieces, about.lengths);
    blocks.push(...tiles);
    tooShort.push(...spansWithout(pieces, tiles));
  }
  return { blocks, tooShort };
}

/** A block may be longer than its piece. If it reaches into the next piece, the two pieces become one. */
function tilesIn(gap: Span, pieces: readonly Span[], lengths: ServiceLengths): readonly Span[] {
  const runs: { readonly piece: Span; readonly tiles: readonly Span[] }[] = [];
  for (const next of pieces) {
    let piece = next;
    let tiles = tilesOver(piece, gap, lengths);
    for (let last = runs.at(-1); last !== undefined && touches(last.tiles, tiles); last = runs.at(-1)) {
      runs.pop();
      piece = { startMs: last.piece.startMs, endMs: Math.max(last.piece.endMs, piece.endMs) };
      tiles = tilesOver(piece, gap, lengths);
    }
    runs.push({ piece, tiles });
  }
  // When a small gap was filled from its start, a block may meet no busy time.
  return runs.flatMap(({ tiles }) => tiles).filter((tile) => pieces.some((piece) => overlaps(piece, tile)));
}

function touches(before: readonly Span[], after: readonly Span[]): boolean {
  const [last, first] = [before.at(-1), after[0]];
  return last !== undefined && first !== undefined && last.endMs > first.startMs;
}

/**
 * The tiles begin where the piece begins. If they would end after the gap, they end with it. If they do not fit, they fill as much of the
 * gap as can be booked.
 */
function tilesOver(piece: Span, gap: Span, lengths: ServiceLengths): readonly Span[] {
  const wished = lengthsFor(piece.endMs - piece.startMs, lengths);
  const wishedMs = sum(wished);
  if (piece.startMs + wishedMs <= gap.endMs) return laid(piece.startMs, wished);
  if (gap.endMs - wishedMs >= gap.startMs) return laid(gap.endMs - wishedMs, wished);
  return laid(gap.startMs, lengthsWithin(gap.endMs - gap.startMs, lengths));
}

/** Lengths that add up to at least `neededMs`, the longest first. */
function lengthsFor(neededMs: number, lengths: ServiceLengths): readonly number[] {
  const { minMs, stepMs, longestMs } = inMs(lengths);
  const found: number[] = [];
  for (let leftMs = neededMs; leftMs > 0; leftMs -= found.at(-1) ?? leftMs) {
    const steps = Math.max(0, Math.ceil((leftMs - minMs) / stepMs));
    found.push(Math.min(longestMs, minMs + steps * stepMs));
  }
  return found;
}

/** Lengths that fill as much of `roomMs` as possible, and no more. */
function lengthsWithin(roomMs: number, lengths: ServiceLengths): readonly number[] {
  const { minMs, stepMs, longestMs } = inMs(lengths);
  const found: number[] = [];
  for (let leftMs = roomMs; leftMs >= minMs; leftMs -= found.at(-1) ?? leftMs) {
    found.push(Math.min(longestMs, minMs + Math.floor((leftMs - minMs) / stepMs) * stepMs));
  }
  return found;
}

function inMs({ minMin, maxMin, stepMin }: ServiceLengths) {
  const [minMs, stepMs] = [minMin * MINUTE_MS, stepMin * MINUTE_MS];
  const longestMs = minMs + Math.floor((maxMin * MINUTE_MS - minMs) / stepMs) * stepMs;
  return { minMs, stepMs, longestMs };
}

function laid(startMs: number, lengthsMs: readonly number[]): readonly Span[] {
  let atMs = startMs;
  return lengthsMs.map((lengthMs) => {
    const span = { startMs: atMs, endMs: atMs + lengthMs };
    atMs = span.endMs;
    return span;
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

// The result of a person's last turn, as times and codes. Operators can read it, and it keeps the worker from repeating a refused request
// immediately.

/** How long the worker waits before it requests a refused time again. */
const REFUSED_REST_MS = 30 * 60_000;
/** Most refused times stored for one person; the platform refuses the others again. */
const REFUSED_MAX = 500;

export interface RefusedBlock extends Span {
  readonly code: string;
  readonly atMs: number;
}

export interface BlockReport extends HeldBlocks {
  /** Number of blocks that are right on the platform. */
  readonly standing: number;
  readonly refused: readonly RefusedBlock[];
  /** Number of busy spans that no block of the service fits into. */
  readonly tooShort: number;
}

export async function readReport(
  memory: Pick<Memory, 'get'>,
  resourceId: string,
): Promise<BlockReport | undefined> {
  const text = await memory.get(`${BLOCK_REPORT}${resourceId}`);
  return text === undefined ? undefined : (JSON.parse(text) as BlockReport);
}

export async function writeReport(
  memory: Pick<Memory, 'set'>,
  resourceId: string,
  report: BlockReport,
): Promise<void> {
  const refused = report.refused.slice(0, REFUSED_MAX);
  await memory.set(`${BLOCK_REPORT}${resourceId}`, JSON.stringify({ ...report, refused }));
}

/** Refusals that still apply: recent ones of times that are still wanted. */
export function standingRefusals(
  report: BlockReport | undefined,
  wanted: readonly Span[],
  nowMs: number,
): readonly RefusedBlock[] {
  return (report?.refused ?? []).filter(
    ({ startMs, endMs, atMs }) =>
      distanceMs(atMs, nowMs) < REFUSED_REST_MS &&
      wanted.some((span) => span.startMs === startMs && span.endMs === endMs),
  );
}

/** A person whose private events take time, with the names of the YAML resolved. */
export interface Person {
  readonly rule: BlockRule;
  readonly resourceId: string;
  readonly branchId: string;
  /** IANA zone of the branch. */
  readonly zone: string;
  readonly calendarIds: readonly string[];
  readonly serviceId: string;
  readonly lengths: ServiceLengths;
}

/** A name in an entry of `blocks` that cannot be used. */
export interface Misnamed {
  readonly rule: string;
  readonly what: 'service' | 'resource';
  /** As written in the YAML. */
  readonly name: string;
  readonly why: 'unknown' | 'ambiguous' | 'not-rental';
}

/** Caches `peopleOf` for the current lists. Every appointment change calls it, so names are compared only once per reading of the lists. */
export class People {
  readonly #rules: readonly BlockRule[];
  readonly #lists: DirectorySource;
  #known: (ReturnType<typeof peopleOf> & { readonly of: Directory }) | undefined;

  constructor(rules: readonly BlockRule[], lists: DirectorySource) {
    this.#rules = rules;
    this.#lists = lists;
  }

  current(): ReturnType<typeof peopleOf> {
    const directory = this.#lists.current();
    if (this.#known?.of !== directory) this.#known = { ...peopleOf(this.#rules, directory), of: directory };
    return this.#known;
  }
}

/** The people of all entries. A person named by several entries belongs to the first. */
export function peopleOf(
  rules: readonly BlockRule[],
  directory: Directory,
): { readonly people: readonly Person[]; readonly misnamed: readonly Misnamed[] } {
  const people = new Map<string, Person>();
  const misnamed: Misnamed[] = [];
  for (const rule of rules) {
    const service = findNamed(directory.services, rule.service);
    if (typeof service === 'string' || service.lengths === undefined) {
      const why = typeof service === 'string' ? service : 'not-rental';
      misnamed.push({ rule: rule.name, what: 'service', name: rule.service, why });
      continue;
    }
    for (const { resource: name, calendars } of rule.people) {
      const resource = findNamed(directory.resources, name, service.projectId);
      const branch = typeof resource === 'string' ? undefined : directory.branches.get(resource.branchId);
      if (typeof resource === 'string' || branch === undefined) {
        const why = typeof resource === 'string' ? resource : 'unknown';
        misnamed.push({ rule: rule.name, what: 'resource', name, why });
      } else if (!people.has(resource.id)) {
        people.set(resource.id, {
          ...{ rule, resourceId: resource.id, branchId: branch.id, zone: branch.timezone },
          calendarIds: calendars.map(({ calendarId }) => calendarId),
          ...{ serviceId: service.id, lengths: service.lengths },
        });
      }
    }
  }
  return { people: [...people.values()], misnamed };
}
