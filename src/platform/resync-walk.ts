// The open walk through the platform's lists: its holes, its bounds and its position. Stored in Redis, so that another process can continue
// it.

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Hole, ResyncRequest } from '../engine/coverage.ts';
import type { CoverageStore } from '../engine/coverage-store.ts';
import type { LeaseProof, Leases } from '../engine/leases.ts';
import type { Memory, RedisMemory } from '../engine/memory.ts';
import type { Filtered } from '../engine/mirror.ts';
import { PLATFORM_KINDS, type PlatformKind, readFact, type Snapshot } from '../engine/object.ts';
import type { PlatformReader } from '../engine/platform.ts';
import type { Clock } from '../engine/runtime.ts';

const OPEN = 'resync';
const LAST = 'resync-last';
const DAY_MS = 24 * 3_600_000;
/**
 * How far a resync reaches back before the beginning of a hole. Appointments are marked and moved days after they were booked, and
 * conversations go on for weeks.
 */
const REACH_BACK_MS = 30 * 24 * 3_600_000;
/** How far back the event feed reaches (platform API, Event feed). */
export const FEED_REACH_MS = 30 * DAY_MS;
/** Margin before the beginning of a hole for events of leads; newer events may come after older ones in the feed. */
const LEAD_MARGIN_MS = 10 * 60_000;
/** How far a resync of messages reaches back before the beginning of a hole; messages are delivered and read within hours. */
const MESSAGE_REACH_BACK_MS = 2 * 24 * 3_600_000;

export interface ResyncWalk {
  readonly holes: readonly string[];
  /** Absent: all that the mirrors take. */
  readonly kinds?: readonly PlatformKind[];
  /** Appointments that start earlier are left out; ISO 8601. */
  readonly startsFrom: string;
  /** Conversations that began earlier are left out; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are left out; ISO 8601. */
  readonly writtenFrom: string;
  /** Older events of leads are left out; ISO 8601. Absent in walks of versions that read no leads. */
  readonly leadsFrom?: string;
  /** Appointments that start later, and conversations that began later, are left out; ISO 8601. */
  readonly until?: string;
  /** Also reconcile what is not new. */
  readonly force: boolean;
  /** Epoch milliseconds. Its text is the mark on every contact that the walk shows. Absent in walks of versions that left no marks. */
  readonly startedAtMs?: number;
  readonly kind: PlatformKind;
  readonly position?: string;
  /** Position while `kind` is `message`. */
  readonly messages?: MessagePosition;
  /** While `kind` is `lead`: index of the event type that is being read. */
  readonly leadTypes?: number;
  /** The list of this kind was already restarted once. */
  readonly hasBegunAgain?: boolean;
  readonly objects: number;
}

export interface EndedWalk {
  readonly holes: readonly string[];
  readonly objects: number;
  readonly endedAtMs: number;
}

export function readWalk(memory: Memory): Promise<ResyncWalk | undefined> {
  return readFact(memory, OPEN);
}

export function readEndedWalk(memory: Memory): Promise<EndedWalk | undefined> {
  return readFact(memory, LAST);
}

/** False, like `forgetWalk`, when the lease is no longer held: another process has the walk, or Redis was wiped or restarted. */
export function saveWalk(memory: RedisMemory, walk: ResyncWalk, lease: LeaseProof): Promise<boolean> {
  return memory.setUnder(lease, { [OPEN]: JSON.stringify(walk) });
}

export function forgetWalk(memory: RedisMemory, ended: EndedWalk, lease: LeaseProof): Promise<boolean> {
  return memory.setUnder(lease, { [LAST]: JSON.stringify(ended), [OPEN]: '' });
}

/** Chooses the next walk: all real holes together, then each requested one individually and within its own bounds. */
export function chooseHoles(holes: readonly Hole[]): readonly Hole[] {
  const ended = holes.filter((hole) => hole.toMs !== undefined);
  const real = ended.filter((hole) => hole.request === undefined);
  return real.length > 0 ? real : ended.slice(0, 1);
}

export function walkFor(holes: readonly Hole[], mirrors: readonly Filtered[], nowMs: number): ResyncWalk {
  const from = (kind: WindowedKind) => new Date(earliest({ holes, mirrors, nowMs }, kind)).toISOString();
  const [request] = holes.flatMap((hole) => (hole.request === undefined ? [] : [hole.request]));
  return {
    holes: holes.map((hole) => hole.id),
    startsFrom: from('appointment'),
    beganFrom: from('conversation'),
    writtenFrom: from('message'),
    leadsFrom: new Date(leadsFrom(holes, nowMs)).toISOString(),
    force: request?.force === true || holes.some((hole) => hole.cause === 'mapping-changed'),
    ...(request === undefined ? {} : { kinds: request.kinds }),
    ...(request?.toMs === undefined ? {} : { until: new Date(request.toMs).toISOString() }),
    startedAtMs: nowMs,
    kind: PLATFORM_KINDS[0],
    objects: 0,
  };
}

type WindowedKind = 'appointment' | 'conversation' | 'message';

/** No earlier than any mirror would take objects up, unless mirrored objects may have changed unseen, or a person requested it. */
function earliest(
  { holes, mirrors, nowMs }: { holes: readonly Hole[]; mirrors: readonly Filtered[]; nowMs: number },
  kind: WindowedKind,
): number {
  const sinces = mirrors.map(({ from, where }) => (from === kind ? (where.sinceMs ?? 0) : 0));
  const admitted = nowMs - Math.max(DAY_MS, ...sinces);
  const [asked] = holes.flatMap((hole) => (hole.request === undefined ? [] : [hole.request]));
  if (asked !== undefined) return asked.fromMs ?? admitted;
  const reached = holes.map((hole) => {
    const fromMs = beginningOf(hole);
    return fromMs === undefined
      ? admitted
      : fromMs - (kind === 'message' ? MESSAGE_REACH_BACK_MS : REACH_BACK_MS);
  });
  // Messages are many and settle soon, so only messages that a hole reaches are read.
  return kind === 'message' ? Math.min(...reached) : Math.min(admitted, ...reached);
}

/** Leads are on no list, but their events stay in the feed for 30 days. */
function leadsFrom(holes: readonly Hole[], nowMs: number): number {
  const oldest = nowMs - FEED_REACH_MS;
  const asked = holes.map((hole) => beginningOf(hole) ?? oldest);
  return Math.max(oldest, Math.min(...asked) - LEAD_MARGIN_MS);
}

/** Undefined where no mirrored object can have changed unseen. */
function beginningOf({ fromMs, cause, foundAtMs }: Hole): number | undefined {
  if (cause === 'mapping-changed') return undefined;
  // When the endpoint fell silent or Redis was lost is unknown, but the worker was running before.
  const wasAtWork = cause.startsWith('endpoint-') || cause === 'redis-lost';
  return fromMs ?? (wasAtWork ? foundAtMs : undefined);
}

export interface ResyncProgress {
  /** Ids of all holes that wait for a resync or are in one. */
  readonly open: readonly string[];
  readonly walk?: { readonly holes: readonly string[]; readonly kind: string; readonly objects: number };
  readonly ended?: { readonly holes: readonly string[]; readonly objects: number };
}

// The platform lists messages only by conversation. So the walk reads the conversations, and the messages of each recently active one,
// newest first, down to a moment. It reads one page at a time, so that the caller can stop and resume after each.

/** Where the walk is. */
interface MessagePosition {
  /** Conversations left on the current page. The first is in progress. */
  readonly waiting: readonly string[];
  /** Last message taken from the first of them. */
  readonly message?: string;
  /** Last conversation of that page. */
  readonly conversation: string | undefined;
  readonly isLastPage: boolean;
}

interface MessageBounds {
  /** Conversations that began earlier are left out; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are left out, and so are conversations whose last message was; ISO 8601. */
  readonly writtenFrom: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface MessageStep {
  readonly found: readonly Snapshot[];
  /** Undefined at the end of the walk. */
  readonly next: MessagePosition | undefined;
}

/** Takes one more page, of conversations (which yields no messages) or of messages. */
export async function takeMessages(
  reader: Pick<PlatformReader, 'page' | 'messages'>,
  position: MessagePosition | undefined,
  bounds: MessageBounds,
): Promise<MessageStep> {
  const [conversationId] = position?.waiting ?? [];
  if (position !== undefined && conversationId !== undefined) {
    return takePage(reader, { ...position, conversationId }, bounds);
  }
  if (position?.isLastPage === true) return { found: [], next: undefined };
  const { limit, signal, beganFrom, writtenFrom } = bounds;
  const page = await reader.page('conversation', {
    ...{ limit, signal },
    ...(position?.conversation === undefined ? {} : { startingAfter: position.conversation }),
    filters: { 'created[gte]': beganFrom },
  });
  const waiting = page.data.filter((each) => isSince(each['last_message_at'], writtenFrom));
  const last = page.data.at(-1)?.id;
  const next = {
    waiting: waiting.map(({ id }) => id),
    conversation: last,
    isLastPage: !page.hasMore || last === undefined,
  };
  return { found: [], next };
}

async function takePage(
  reader: Pick<PlatformReader, 'messages'>,
  position: MessagePosition & { readonly conversationId: string },
  { limit, signal, writtenFrom }: MessageBounds,
): Promise<MessageStep> {
  const { conversationId, message, waiting, ...page } = position;
  const { data, hasMore } = await reader.messages(conversationId, {
    ...{ limit, signal },
    ...(message === undefined ? {} : { startingAfter: message }),
  });
  const found = data.filter((each) => isSince(each['created_at'], writtenFrom));
  const last = data.at(-1);
  const goesOn = hasMore && last !== undefined && isSince(last['created_at'], writtenFrom);
  const next = goesOn ? { ...page, waiting, message: last.id } : { ...page, waiting: waiting.slice(1) };
  return { found, next };
}

/** An unreadable time counts as recent, because a silent omission would be worse. */
function isSince(instant: unknown, from: string): boolean {
  const atMs = Date.parse(String(instant));
  return Number.isNaN(atMs) || atMs >= Date.parse(from);
}

/**
 * Requests a resync, which the holder of the lease takes up behind live work. Returns the id of its hole, which exists until the resync has
 * ended. Two processes that find a schedule due at the same moment request one resync.
 */
export async function requestResync(
  parts: { readonly coverage: CoverageStore; readonly clock: Clock },
  asked: {
    readonly cause: 'operator' | 'scheduled';
    readonly request: ResyncRequest;
    /** When the schedule was due. */
    readonly dueMs?: number;
  },
): Promise<string> {
  const { cause, request } = asked;
  const now = parts.clock.now();
  // The worker's schedule is due once. Two people may ask for different lists within a millisecond.
  const id =
    cause === 'scheduled' ? `${cause}-${asked.dueMs ?? now}` : `${cause}-${now}-${randomUUID().slice(0, 8)}`;
  const hole: Hole = {
    id,
    source: cause === 'scheduled' ? 'schedule' : 'operator',
    fromMs: request.fromMs,
    toMs: request.toMs ?? now,
    cause,
    foundAtMs: now,
    request,
  };
  await parts.coverage.putHole(hole);
  return id;
}

const TRIES_MAX = 30;
const TRY_EVERY_MS = 100;

/**
 * The same for an operator, but an identical request that is still open is not repeated. Undefined when other requests keep the lease busy.
 */
export async function requestResyncOnce(
  parts: { readonly coverage: CoverageStore; readonly leases: Leases; readonly clock: Clock },
  request: ResyncRequest,
): Promise<{ readonly id: string; readonly isKnown: boolean } | undefined> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const held = await parts.leases.hold('resync-request', async () => {
      const open = (await parts.coverage.holes()).find(
        (hole) => hole.cause === 'operator' && isDeepStrictEqual(hole.request, request),
      );
      if (open !== undefined) return { id: open.id, isKnown: true };
      return { id: await requestResync(parts, { cause: 'operator', request }), isKnown: false };
    });
    if (held !== undefined) return held.result;
    await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
  }
  return undefined;
}
