// A hole comes in; the lists of the platform are walked, page by page, into the same intake as everything else; when the walk has
// ended, the hole is closed. Resumable: a walk that was interrupted goes on at its position, also in another process.
import { PLATFORM_KINDS } from '../domain/entity.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { CoverageStore } from '../ports/coverage-store.ts';
import type { Intake } from '../ports/intake.ts';
import type { PlatformReader } from '../ports/platform-reader.ts';
import { clearToldLeads, tellOfLostLeads } from './lost-leads.ts';
import { takeMessages } from './message-walk.ts';
import { lookAtMissing, type MissingParts, takeUpParked } from './missing.ts';
import { chooseHoles, forgetWalk, type ResyncWalk, readWalk, saveWalk, walkFor } from './resync-walk.ts';

const PAGE_OBJECTS = 100;

export interface ResyncParts extends MissingParts {
  readonly reader: PlatformReader;
  readonly intake: Intake;
  readonly coverage: CoverageStore;
  readonly mirrors: readonly Mirror[];
}

/** Resyncs for the holes that have an end. False when there was none. The caller holds the lease. */
export async function resyncHoles(parts: ResyncParts, signal: AbortSignal): Promise<boolean> {
  await takeUpParked(parts);
  let walk = (await readWalk(parts.memory)) ?? (await beginWalk(parts));
  if (walk === undefined) return false;
  while (!signal.aborted) {
    const step: ResyncStep = await nextStep(parts, walk, signal);
    walk = step.walk;
    if (!step.hasMore) {
      await endWalk(parts, walk);
      return true;
    }
    await saveWalk(parts.memory, walk);
  }
  return true;
}

async function beginWalk(parts: ResyncParts): Promise<ResyncWalk | undefined> {
  const holes = chooseHoles(await parts.coverage.holes());
  if (holes.length === 0) {
    await clearToldLeads(parts);
    return undefined;
  }
  const walk = walkFor(holes, parts.mirrors, parts.clock.now());
  const isOfLeads = walk.kinds === undefined && parts.mirrors.some((mirror) => mirror.from === 'lead');
  if (isOfLeads) await tellOfLostLeads(parts, holes);
  await saveWalk(parts.memory, walk);
  parts.log.info({ holes: holes.map(({ id, cause }) => ({ id, cause })) }, 'resync begins');
  return walk;
}

interface ResyncStep {
  readonly walk: ResyncWalk;
  readonly hasMore: boolean;
}

/** The walk after one more page. */
async function takePage(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  const isMirrored = parts.mirrors.some((mirror) => mirror.from === walk.kind);
  const isWanted = isMirrored && (walk.kinds?.includes(walk.kind) ?? true);
  // Leads are on no list (platform API, Leads).
  if (!isWanted || walk.kind === 'lead') return nextKind(walk);
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
  // An empty page behind a position may be the end, or a position that the platform does not know: no proof of anything.
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

/** A position may be refused for good, as in the feed: the list of this kind is then walked from its top. */
async function nextStep(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  try {
    return await takePage(parts, walk, signal);
  } catch (error) {
    const isRefused = error instanceof TerminalError && error.status === 422 && hasPosition(walk);
    // Once: a platform that refuses its own positions again would be asked without end.
    if (!isRefused || walk.hasBegunAgain === true) throw error;
    parts.log.warn({ kind: walk.kind }, 'resync begins a list again: the platform refuses its position');
    const { position: _, messages: __, ...rest } = walk;
    return { walk: { ...rest, hasBegunAgain: true }, hasMore: true };
  }
}

/** Whether the page that comes next is asked for by a position. */
function hasPosition({ position, messages }: ResyncWalk): boolean {
  if (messages === undefined) return position !== undefined;
  return (messages.waiting.length > 0 ? messages.message : messages.conversation) !== undefined;
}

function nextKind(walk: ResyncWalk): ResyncStep {
  const kind = PLATFORM_KINDS[PLATFORM_KINDS.indexOf(walk.kind) + 1];
  const { position: _, messages: __, hasBegunAgain: ___, ...rest } = walk;
  return kind === undefined ? { walk: rest, hasMore: false } : { walk: { ...rest, kind }, hasMore: true };
}

/** The holes first: a death in between only finds a walk to repeat, never a hole forgotten. */
async function endWalk(parts: ResyncParts, walk: ResyncWalk): Promise<void> {
  const { holes, objects } = walk;
  for (const id of holes) await parts.coverage.removeHole(id);
  await forgetWalk(parts.memory, { holes, objects, endedAtMs: parts.clock.now() });
  parts.log.info({ holes, objects }, 'resync ended, holes closed');
}
