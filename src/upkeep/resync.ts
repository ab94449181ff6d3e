// A hole comes in; the lists of the platform are walked, page by page, into the same intake as everything else; when the walk has
// ended, the hole is closed. Resumable: a walk that was interrupted goes on at its position, also in another process.
import type { Hole } from '../domain/coverage.ts';
import { ENTITY_KINDS, type EntityKind } from '../domain/entity.ts';
import { TerminalError } from '../domain/errors.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Clock } from '../ports/clock.ts';
import type { CoverageStore } from '../ports/coverage-store.ts';
import type { Intake } from '../ports/intake.ts';
import type { Log } from '../ports/log.ts';
import type { Memory } from '../ports/memory.ts';
import type { PlatformReader } from '../ports/platform-reader.ts';
import type { ProblemBoard } from '../ports/problem-board.ts';
import { clearToldLeads, tellOfLostLeads } from './lost-leads.ts';
import { type MessagePosition, takeMessages } from './message-walk.ts';

const PAGE_OBJECTS = 100;
const MEMORY = 'resync';
const DAY_MS = 24 * 3_600_000;
/** Visits are marked and moved days after they were booked, conversations go on for weeks: so far a hole reaches back before its beginning. */
const REACH_BACK_MS = 30 * 24 * 3_600_000;
/** Messages are delivered and read within hours. */
const MESSAGE_REACH_BACK_MS = 2 * 24 * 3_600_000;

export interface ResyncParts {
  readonly reader: PlatformReader;
  readonly intake: Intake;
  readonly coverage: CoverageStore;
  readonly memory: Memory;
  readonly problems: ProblemBoard;
  readonly mirrors: readonly Mirror[];
  readonly clock: Clock;
  readonly log: Log;
}

/** The open walk over the lists. */
interface ResyncWalk {
  readonly holes: readonly string[];
  /** Visits that start earlier are not asked for; ISO 8601. */
  readonly startsFrom: string;
  /** Conversations that began earlier are not asked for; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are not asked for; ISO 8601. */
  readonly writtenFrom: string;
  /** Reconcile also what is not new. */
  readonly force: boolean;
  readonly kind: EntityKind;
  readonly position?: string;
  /** While `kind` is `message`. */
  readonly messages?: MessagePosition;
  /** The list of this kind was begun again already. */
  readonly hasBegunAgain?: boolean;
  readonly objects: number;
}

/** Resyncs for the holes that have an end. False when there was none. The caller holds the lease. */
export async function resyncHoles(parts: ResyncParts, signal: AbortSignal): Promise<boolean> {
  const known = await parts.memory.get(MEMORY);
  let walk = known === undefined ? await beginWalk(parts) : (JSON.parse(known) as ResyncWalk);
  if (walk === undefined) return false;
  while (!signal.aborted) {
    const step: ResyncStep = await nextStep(parts, walk, signal);
    walk = step.walk;
    if (!step.hasMore) {
      await endWalk(parts, walk);
      return true;
    }
    await parts.memory.set(MEMORY, JSON.stringify(walk));
  }
  return true;
}

async function beginWalk(parts: ResyncParts): Promise<ResyncWalk | undefined> {
  const holes = (await parts.coverage.holes()).filter((hole) => hole.toMs !== undefined);
  if (holes.length === 0) {
    await clearToldLeads(parts);
    return undefined;
  }
  const walk: ResyncWalk = {
    holes: holes.map((hole) => hole.id),
    startsFrom: new Date(earliest(parts, holes, 'appointment')).toISOString(),
    beganFrom: new Date(earliest(parts, holes, 'conversation')).toISOString(),
    writtenFrom: new Date(earliest(parts, holes, 'message')).toISOString(),
    force: holes.some((hole) => hole.cause === 'mapping-changed'),
    kind: ENTITY_KINDS[0],
    objects: 0,
  };
  if (parts.mirrors.some((mirror) => mirror.from === 'lead')) await tellOfLostLeads(parts, holes);
  await parts.memory.set(MEMORY, JSON.stringify(walk));
  parts.log.info({ holes: holes.map(({ id, cause }) => ({ id, cause })) }, 'resync begins');
  return walk;
}

/** No earlier than any mirror would take up, unless something mirrored may have changed unseen. */
function earliest(
  parts: ResyncParts,
  holes: readonly Hole[],
  kind: 'appointment' | 'conversation' | 'message',
): number {
  const now = parts.clock.now();
  const sinces = parts.mirrors.map((mirror) =>
    mirror.from === kind && 'sinceMs' in mirror.where ? mirror.where.sinceMs : 0,
  );
  const admitted = now - Math.max(DAY_MS, ...sinces);
  const reached = holes.map((hole) =>
    hole.fromMs === undefined || hole.cause === 'mapping-changed'
      ? admitted
      : hole.fromMs - (kind === 'message' ? MESSAGE_REACH_BACK_MS : REACH_BACK_MS),
  );
  // Messages are many and settle soon: of them nothing is read that no hole reaches.
  return kind === 'message' ? Math.min(...reached) : Math.min(admitted, ...reached);
}

interface ResyncStep {
  readonly walk: ResyncWalk;
  readonly hasMore: boolean;
}

/** The walk after one more page. */
async function takePage(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  const isWanted = parts.mirrors.some((mirror) => mirror.from === walk.kind);
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
  return nextKind(taken);
}

function filtersOf(walk: ResyncWalk): Readonly<Record<string, string>> {
  if (walk.kind === 'appointment') return { 'starts_at[gte]': walk.startsFrom };
  return walk.kind === 'conversation' ? { 'created[gte]': walk.beganFrom } : {};
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
  await Promise.all(
    found.map((snapshot) =>
      parts.intake.observe({
        key: { kind: walk.kind, id: snapshot.id },
        source: 'list',
        occurredAtMs: now,
        force: walk.force,
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
  const kind = ENTITY_KINDS[ENTITY_KINDS.indexOf(walk.kind) + 1];
  const { position: _, messages: __, hasBegunAgain: ___, ...rest } = walk;
  return kind === undefined ? { walk: rest, hasMore: false } : { walk: { ...rest, kind }, hasMore: true };
}

/** The holes first: a death in between only finds a walk to repeat, never a hole forgotten. */
async function endWalk(parts: ResyncParts, walk: ResyncWalk): Promise<void> {
  for (const id of walk.holes) await parts.coverage.removeHole(id);
  await parts.memory.forget(MEMORY);
  parts.log.info({ holes: walk.holes, objects: walk.objects }, 'resync ended, holes closed');
}
