// Walks the platform's lists for a hole, page by page, into the same intake as everything else. Closes the hole when the walk has ended.
// Resumable: an interrupted walk continues at its position, also in another process.
import { PLATFORM_KINDS } from '../../domain/entity.ts';
import { RetryableError, TerminalError, WorkerError } from '../../domain/errors.ts';
import { type Filtered, kindsFor } from '../../domain/mirror.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { CoverageStore, Intake } from '../../ports/intake.ts';
import type { Lease, LeaseProof } from '../../ports/leases.ts';
import type { LeasedMemory } from '../../ports/memory.ts';
import type { Page, PlatformEvent, PlatformReader } from '../../ports/platform.ts';
import { eventTypesFor } from '../endpoint/endpoint-care.ts';
import { lostWindows, tellOfLostLeads, tendToldLeads } from './lost-leads.ts';
import { takeMessages } from './message-walk.ts';
import { lookAtMissing, type MissingParts, takeUpParked } from './missing.ts';
import { chooseHoles, forgetWalk, type ResyncWalk, readWalk, saveWalk, walkFor } from './resync-walk.ts';

/** Objects on one page of a resync. */
const PAGE_OBJECTS = 100;

export interface ResyncParts extends MissingParts {
  readonly reader: PlatformReader;
  readonly intake: Intake;
  readonly coverage: CoverageStore;
  readonly memory: LeasedMemory;
  /** Includes feeds: everything that takes objects. */
  readonly mirrors: readonly Filtered[];
}

/** Resyncs the holes that have an end. False without such a hole. The caller holds the lease. */
export async function resyncHoles(parts: ResyncParts, lease: Lease): Promise<boolean> {
  const { signal } = lease;
  await takeUpParked(parts);
  let walk = (await readWalk(parts.memory)) ?? (await beginWalk(parts, lease));
  if (walk === undefined) return false;
  while (!signal.aborted) {
    const step: ResyncStep = await nextStep(parts, walk, signal);
    walk = step.walk;
    if (!step.hasMore) {
      await endWalk(parts, walk, lease);
      return true;
    }
    if (!(await saveWalk(parts.memory, walk, lease))) throw overtaken();
  }
  return true;
}

async function beginWalk(parts: ResyncParts, lease: LeaseProof): Promise<ResyncWalk | undefined> {
  const holes = chooseHoles(await parts.coverage.holes());
  if (holes.length === 0) {
    await tendToldLeads(parts);
    return undefined;
  }
  const walk = walkFor(holes, parts.mirrors, parts.clock.now());
  const isOfLeads = walk.kinds === undefined && parts.mirrors.some((mirror) => mirror.from === 'lead');
  if (isOfLeads) await tellOfLostLeads(parts, lostWindows(holes, parts.clock.now()));
  if (!(await saveWalk(parts.memory, walk, lease))) throw overtaken();
  parts.log.info({ holes: holes.map(({ id, cause }) => ({ id, cause })) }, 'resync begins');
  return walk;
}

interface ResyncStep {
  readonly walk: ResyncWalk;
  readonly hasMore: boolean;
}

/** Takes one more page, and returns the walk after it. */
async function takePage(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  const isWanted = kindsFor(parts.mirrors).has(walk.kind) && (walk.kinds?.includes(walk.kind) ?? true);
  if (!isWanted) return nextKind(walk);
  if (walk.kind === 'lead') return takeLeadPage(parts, walk, signal);
  if (walk.kind === 'message') return takeMessagePage(parts, walk, signal);
  const page = await parts.reader.page(walk.kind, {
    limit: PAGE_OBJECTS,
    ...(walk.position === undefined ? {} : { startingAfter: walk.position }),
    filters: filtersOf(walk),
    signal,
  });
  await take(parts, walk, page.data);
  const last = page.data.at(-1)?.id;
  const taken = { ...walk, objects: walk.objects + page.data.length };
  if (page.hasMore && last !== undefined) return { walk: { ...taken, position: last }, hasMore: true };
  // An empty page after a position may be the end, or a position that the platform does not know. So it proves nothing.
  const isWhole = !page.hasMore && (page.data.length > 0 || walk.position === undefined);
  if (walk.kind === 'contact' && walk.startedAtMs !== undefined && isWhole) {
    await lookAtMissing(parts, { id: String(walk.startedAtMs), startedAtMs: walk.startedAtMs });
  }
  return nextKind(taken);
}

function filtersOf({ kind, startsFrom, beganFrom, until }: ResyncWalk): Readonly<Record<string, string>> {
  if (kind === 'appointment') {
    return { 'starts_at[gte]': startsFrom, ...(until === undefined ? {} : { 'starts_at[lt]': until }) };
  }
  if (kind !== 'conversation') return {};
  return { 'created[gte]': beganFrom, ...(until === undefined ? {} : { 'created[lte]': until }) };
}

async function takeMessagePage(
  parts: ResyncParts,
  walk: ResyncWalk,
  signal: AbortSignal,
): Promise<ResyncStep> {
  const { beganFrom, writtenFrom } = walk;
  const { found, next } = await takeMessages(parts.reader, walk.messages, {
    ...{ beganFrom, writtenFrom, signal },
    limit: PAGE_OBJECTS,
  });
  await take(parts, walk, found);
  const taken = { ...walk, objects: walk.objects + found.length };
  return next === undefined ? nextKind(taken) : { walk: { ...taken, messages: next }, hasMore: true };
}

/** Leads are on no list (platform API, Leads), but the feed has their events. `created` comes first, so that it does not count as old. */
const LEAD_TYPES = eventTypesFor(['lead']);

async function takeLeadPage(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  const { leadTypes = 0, leadsFrom, position } = walk;
  const type = LEAD_TYPES[leadTypes];
  if (type === undefined || leadsFrom === undefined) return nextKind(walk);
  let page: Page<PlatformEvent>;
  try {
    page = await parts.reader.eventPage({
      limit: PAGE_OBJECTS,
      ...(position === undefined ? {} : { startingAfter: position }),
      filters: { type },
      signal,
    });
  } catch (error) {
    if (!(error instanceof WorkerError) || error.status !== 403) throw error;
    // The key may not read events of leads. That must not keep the hole open for everything else.
    await tellOfLostLeads(parts, [{ fromMs: Date.parse(leadsFrom), toMs: parts.clock.now() }]);
    return nextKind(walk);
  }
  await parts.intake.takeEvents(page.data, 'feed');
  const taken = { ...walk, objects: walk.objects + page.data.length };
  const last = page.data.at(-1)?.id;
  const isBelow = page.data.every(({ createdAt }) => Date.parse(createdAt) < Date.parse(leadsFrom));
  if (page.hasMore && last !== undefined && !isBelow)
    return { walk: { ...taken, position: last }, hasMore: true };
  const { position: _, hasBegunAgain: __, ...rest } = taken;
  return { walk: { ...rest, leadTypes: leadTypes + 1 }, hasMore: true };
}

async function take(parts: ResyncParts, walk: ResyncWalk, found: readonly Snapshot[]): Promise<void> {
  const now = parts.clock.now();
  const isMarked = walk.kind === 'contact' && walk.startedAtMs !== undefined;
  await Promise.all(
    found.map((snapshot) =>
      parts.intake.observe({
        key: { kind: walk.kind, id: snapshot.id },
        source: 'list',
        occurredAtMs: now,
        force: walk.force,
        ...(isMarked ? { walk: String(walk.startedAtMs) } : {}),
        seen: { as: 'snapshot', snapshot },
      }),
    ),
  );
}

/** The platform may refuse a position for good, as in the feed. The list of this kind is then walked from its top. */
async function nextStep(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  try {
    return await takePage(parts, walk, signal);
  } catch (error) {
    const isRefused = error instanceof TerminalError && error.status === 422 && hasPosition(walk);
    // Only once: a platform that keeps refusing its own positions would be asked without end.
    if (!isRefused || walk.hasBegunAgain === true) throw error;
    parts.log.warn({ kind: walk.kind }, 'resync begins a list again: the platform refuses its position');
    const { position: _, messages: __, ...rest } = walk;
    return { walk: { ...rest, hasBegunAgain: true }, hasMore: true };
  }
}

/** Whether the next page is requested by a position. */
function hasPosition({ position, messages }: ResyncWalk): boolean {
  if (messages === undefined) return position !== undefined;
  return (messages.waiting.length > 0 ? messages.message : messages.conversation) !== undefined;
}

function nextKind(walk: ResyncWalk): ResyncStep {
  const kind = PLATFORM_KINDS[PLATFORM_KINDS.indexOf(walk.kind) + 1];
  const { position: _, messages: __, hasBegunAgain: ___, leadTypes: ____, ...rest } = walk;
  return kind === undefined ? { walk: rest, hasMore: false } : { walk: { ...rest, kind }, hasMore: true };
}

/**
 * Closes the holes first: a crash in between leaves a walk to repeat, never a forgotten hole. Under the lease, because a wipe also removes
 * what the walk took in. A hole that has the same name after a wipe is not the hole that this walk was for.
 */
async function endWalk(parts: ResyncParts, walk: ResyncWalk, lease: LeaseProof): Promise<void> {
  const { holes, objects } = walk;
  if (!(await parts.coverage.closeHoles(holes, lease))) throw overtaken();
  const ended = { holes, objects, endedAtMs: parts.clock.now() };
  if (!(await forgetWalk(parts.memory, ended, lease))) throw overtaken();
  parts.log.info({ holes, objects }, 'resync ended, holes closed');
}

function overtaken(): RetryableError {
  return new RetryableError(
    'lease-lost',
    'Redis was wiped or started again, or another process took the resync over',
  );
}
