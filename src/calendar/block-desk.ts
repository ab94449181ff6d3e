import { type BlockRule, isBlockOrigin, type SeenBusy, type Span } from '../engine/block.ts';
import type { CarryParts } from '../engine/carry-write.ts';
import type { DeadLetters } from '../engine/dead-letters.ts';
import { findNamed } from '../engine/extract-booking.ts';
import type { Difference, DifferenceReason } from '../engine/finding.ts';
import type { KnownObjects, Ledger } from '../engine/ledger.ts';
import type { Memory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import { type Appointment, formatKey, originOf } from '../engine/object.ts';

import type { DirectorySource, PlatformWriter } from '../engine/platform.ts';
import { type Clock, SILENT } from '../engine/runtime.ts';
import { merged, planBlocks } from './block-plan.ts';
import { calendarName, Reading, type ReadingParts } from './block-poll.ts';
import { blocksRead } from './block-read-until.ts';
import {
  ALL_PAGES_MAX,
  BEGUN_BEFORE_MS,
  blockOf,
  everyAppointment,
  OPEN_STATUSES,
  send,
  standingAmong,
} from './block-target.ts';
import {
  type BlockReport,
  blockWindow,
  type Person,
  peopleOf,
  readReport,
  wantedBlocks,
} from './block-wanted.ts';

type DeskParts = Omit<BlockAuditParts & CarryParts, 'log' | 'directory'> & {
  readonly directory: CarryParts['directory'] & { refresh(): Promise<unknown> };
  readonly known: Pick<KnownObjects, 'count'>;
};

/** What operator commands do with blocks: report, clear and audit. The platform's lists are read before blocks are selected. */
export function openBlockDesk(about: DeskParts) {
  const parts = { ...about, log: SILENT };
  const { rules, directory, memory, known } = parts;
  return {
    async blockReports() {
      await directory.refresh();
      const { people } = peopleOf(rules, directory.current());
      const reports = people.map(async ({ rule, resourceId }) => {
        const last = await readReport(memory, resourceId);
        return { entry: rule.name, resource: resourceId, ...(last && { last }) };
      });
      return Promise.all(reports);
    },
    async blocksToClear(entry: string | undefined) {
      await directory.refresh();
      const meant = rules.filter(({ name }) => entry === undefined || name === entry);
      return blocksToClear(parts, meant, { everywhere: entry === undefined });
    },
    clearBlock: (block: ClearedBlock) => clearBlock(parts, block),
    async auditBlocks(tell: (difference: Difference) => void) {
      // An entry that was removed from the YAML may have left blocks.
      if (rules.length === 0 && (await known.count('block')) === 0) return undefined;
      await directory.refresh();
      return auditBlocks(parts, tell);
    },
  };
}

/**
 * Cancels all blocks of entries at a person's request. In: entries. Out: first the blocks to cancel, then the cancelled ones. For a single
 * entry, only proven blocks are touched.
 */

/** Takes the place of an entry's name. No real name contains a space. */
const NO_ENTRY = 'no entry';

interface ClearedBlock extends Span {
  readonly rule: string;
  readonly id: string;
  readonly origin: string;
  readonly resourceId: string | undefined;
}

/**
 * Blocks that have not ended yet, including those of people who left the YAML. `everywhere` adds blocks whose contact, service or entry the
 * YAML no longer names. Only the mark proves those, so a person must confirm their cancellation.
 */
async function blocksToClear(
  parts: Pick<CarryParts, 'clock' | 'directory'> & { readonly writer: Pick<PlatformWriter, 'list'> },
  rules: readonly BlockRule[],
  { everywhere }: { readonly everywhere: boolean },
): Promise<readonly ClearedBlock[]> {
  const nowMs = parts.clock.now();
  const services = servicesOf(rules, parts);
  const found = new Map<string, ClearedBlock>();
  const look = async (filters: Readonly<Record<string, string>>): Promise<void> => {
    const since = { 'starts_at[gte]': new Date(nowMs - BEGUN_BEFORE_MS).toISOString() };
    for await (const each of everyAppointment(parts.writer, { ...filters, ...since }, ALL_PAGES_MAX)) {
      const own = services.find((about) => blockOf(each, about) !== undefined);
      const origin = originOf(each);
      if (!isBlockOrigin(origin) || !OPEN_STATUSES.has(each.status)) continue;
      const span = { startMs: Date.parse(each.starts_at), endMs: Date.parse(each.ends_at) };
      if ((own === undefined && !everywhere) || span.endMs <= nowMs) continue;
      const resourceId = each.resource_id ?? each.resource_ids[0];
      found.set(each.id, { ...span, rule: own?.name ?? NO_ENTRY, id: each.id, origin, resourceId });
    }
  };
  if (everywhere) await look({});
  else
    for (const { contactId, serviceId } of services)
      await look({ contact_id: contactId, service_id: serviceId });
  return [...found.values()].toSorted((a, b) => a.startMs - b.startMs);
}

/** True once the block is cancelled, false when the platform refuses. Rejects with the error families; repeating the call is safe. */
async function clearBlock(parts: CarryParts, { id, origin }: ClearedBlock): Promise<boolean> {
  const wish = { op: 'cancel', appointmentId: id, notifyCustomer: false } as const;
  let sent = await send(parts, { origin }, { op: 'cancel', wish });
  // The first call only finished a request that a worker had started with this block: send the cancellation again.
  if (sent.isOther) sent = await send(parts, { origin }, { op: 'cancel', wish });
  return sent.outcome === 'done' && !sent.isOther;
}

/**
 * Includes entries whose people have all left, because they may still have blocks. Leaves out entries without a known service, because
 * nothing proves their blocks.
 */
function servicesOf(rules: readonly BlockRule[], { directory }: Pick<CarryParts, 'directory'>) {
  return rules.flatMap((rule) => {
    const service = findNamed(directory.current().services, rule.service);
    const { name, contactId } = rule;
    return typeof service === 'string' ? [] : [{ name, contactId, serviceId: service.id }];
  });
}

/**
 * Finds blocks that are missing, superfluous or at the wrong time. In: the private calendars and the platform's list, both read now. Out:
 * differences with ids and times only. Stored state only explains them. Writes nothing.
 */

const PLACE = 'platform';
/**
 * A change counts as missed once no poll has read the calendars for this many rounds plus this margin. Before that it is pending, because a
 * poll is about to find it.
 */
const ROUNDS_LATE = 2;
const UNDER_WAY_MS = 10_000;
const DAY_MS = 24 * 3_600_000;

export interface BlockAuditParts extends ReadingParts {
  readonly rules: readonly BlockRule[];
  readonly directory: DirectorySource;
  readonly writer: Pick<PlatformWriter, 'list'>;
  readonly view: Pick<Ledger, 'peek' | 'dueAt'>;
  readonly deadLetters: Pick<DeadLetters, 'names'>;
  readonly memory: Pick<Memory, 'get'>;
  readonly clock: Clock;
}

interface BlockAuditResult {
  readonly objects: number;
  readonly standing: number;
  /** Place to error code of each calendar that could not be read. The audit cannot judge the people of such a calendar. */
  readonly unread: ReadonlyMap<string, string>;
  readonly unjudged: ReadonlyMap<string, string>;
}

/** Rejects with the three error families when the platform or Redis cannot be read. */
export async function auditBlocks(
  parts: BlockAuditParts,
  tell: (difference: Difference) => void,
): Promise<BlockAuditResult> {
  const nowMs = parts.clock.now();
  const { people, misnamed } = peopleOf(parts.rules, parts.directory.current());
  const appointments = await standingNow(parts, nowMs);
  const reading = new Reading(parts);
  const dead = await parts.deadLetters.names();
  const proven = new Set<string>();
  let standing = 0;
  for (const person of people) {
    for (const { id } of standingAmong(appointments, person).blocks) proven.add(id);
    const within = blockWindow(person, nowMs);
    // As a turn sees it: the whole current day counts, and appointments beyond the horizon do not count yet.
    const seen = appointments.filter(({ starts_at }) => Date.parse(starts_at) < within.endMs);
    const own = standingAmong(seen, person);
    standing += own.blocks.filter(({ endMs }) => endMs > nowMs).length;
    if (person.rule.paused) continue;
    const calendars = await readAll(reading, person, nowMs);
    if (calendars === undefined) continue;
    const busy = merged([...calendars.values()].flat());
    const report = await readReport(parts.memory, person.resourceId);
    const { blocks: wanted } = wantedBlocks(person, { busy, taken: own.taken, within });
    const { minMin, stepMin } = person.lengths;
    const plan = planBlocks(wanted, own.blocks, { nowMs, minMin, stepMin });
    const why = await reasonOf(parts, person, { calendars, isDead: dead.has(blockKey(person)), nowMs });
    const about = { key: blockKey(person), mirror: mirrorOf(person.rule.name), place: PLACE, why };
    for (const { id } of plan.cancels) tell({ ...about, what: 'orphaned', name: id });
    for (const { block } of plan.moves) tell({ ...about, what: 'stale', name: block.id });
    // `blocks show` reports the spans that the platform refused.
    for (const span of plan.books.filter((each) => !isRefused(report, each)))
      tell({ ...about, what: 'missing', name: new Date(span.startMs).toISOString() });
  }
  for (const each of appointments) {
    const [origin, resourceId] = [originOf(each), each.resource_id ?? each.resource_ids[0]];
    if (!isBlockOrigin(origin) || proven.has(each.id) || resourceId === undefined) continue;
    if (!OPEN_STATUSES.has(each.status) || Date.parse(each.ends_at) <= nowMs) continue;
    standing += 1;
    const key = formatKey({ kind: 'block', id: resourceId });
    tell({
      what: 'unmapped',
      why: 'changed-mapping',
      key,
      mirror: mirrorOf(undefined),
      place: PLACE,
      name: each.id,
    });
  }
  const unread = new Map([...reading.unread].map(([id, code]) => [`calendar:${id}`, code]));
  const unjudged = new Map(misnamed.map(({ rule, what, why }) => [mirrorOf(rule), `${what}-${why}`]));
  return { objects: people.length, standing, unread, unjudged };
}

/** Everyone's appointments that may reach into today or later, as the platform lists them. Leaves out cancelled ones. */
async function standingNow(
  { writer }: Pick<BlockAuditParts, 'writer'>,
  nowMs: number,
): Promise<readonly Appointment[]> {
  const filters = { 'starts_at[gte]': new Date(nowMs - DAY_MS - BEGUN_BEFORE_MS).toISOString() };
  const found = new Map<string, Appointment>();
  for await (const each of everyAppointment(writer, filters, ALL_PAGES_MAX)) {
    if (each.status !== 'cancelled') found.set(each.id, each);
  }
  return [...found.values()];
}

/** Busy spans by calendar name. Undefined when a calendar cannot be read, because its events may need any of the blocks. */
async function readAll(
  reading: Reading,
  person: Person,
  nowMs: number,
): Promise<ReadonlyMap<string, readonly Span[]> | undefined> {
  const found = new Map<string, readonly Span[]>();
  for (const calendarId of person.calendarIds) {
    const spans = await reading.busy(person, calendarId, nowMs);
    if (spans !== undefined) found.set(calendarName(calendarId), spans);
  }
  return found.size === person.calendarIds.length ? found : undefined;
}

async function reasonOf(
  { view, memory }: BlockAuditParts,
  { resourceId, rule }: Person,
  about: {
    readonly calendars: ReadonlyMap<string, readonly Span[]>;
    readonly isDead: boolean;
    readonly nowMs: number;
  },
): Promise<DifferenceReason> {
  if (about.isDead) return 'dead-letter';
  const key = { kind: 'block', id: resourceId } as const;
  const claim = await view.peek(key);
  if (claim !== undefined && claim.desiredRev !== claim.syncedRev && (await view.dueAt(key)) !== undefined)
    return 'pending';
  if (isSeen(claim?.snapshot as SeenBusy | undefined, about.calendars)) return 'unknown';
  const readMs = Number((await memory.get(blocksRead(rule.name))) ?? 0);
  const isRead = distanceMs(readMs, about.nowMs) < ROUNDS_LATE * rule.everyMs + UNDER_WAY_MS;
  return isRead ? 'pending' : 'missed-event';
}

/** Whether the busy times stored here equal those that the calendars show now. */
function isSeen(seen: SeenBusy | undefined, calendars: ReadonlyMap<string, readonly Span[]>): boolean {
  return [...calendars].every(([name, spans]) => {
    const known = seen?.calendars.find((each) => each.name === name)?.busy ?? undefined;
    return known !== undefined && same(known, spans);
  });
}

function same(known: readonly (readonly [number, number])[], spans: readonly Span[]): boolean {
  return (
    known.length === spans.length &&
    known.every(([startMs, endMs], at) => startMs === spans[at]?.startMs && endMs === spans[at]?.endMs)
  );
}

function isRefused(report: BlockReport | undefined, { startMs, endMs }: Span): boolean {
  return report?.refused.some((each) => each.startMs === startMs && each.endMs === endMs) === true;
}

function blockKey({ resourceId }: Person): string {
  return formatKey({ kind: 'block', id: resourceId });
}

function mirrorOf(rule: string | undefined): string {
  return rule === undefined ? 'blocks' : `blocks/${rule}`;
}
