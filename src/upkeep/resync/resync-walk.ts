// The open walk through the platform's lists: which holes it is for, what it asks for, and where it stands. It is kept in Redis, so that
// another process can go on with it.
import type { Hole } from '../../domain/coverage.ts';
import { PLATFORM_KINDS, type PlatformKind } from '../../domain/entity.ts';
import type { Filtered } from '../../domain/mirror.ts';
import type { LeaseProof } from '../../ports/leases.ts';
import type { LeasedMemory, Memory } from '../../ports/memory.ts';
import type { MessagePosition } from './message-walk.ts';

const OPEN = 'resync';
const LAST = 'resync-last';
const DAY_MS = 24 * 3_600_000;
/** Appointments are marked and moved days after they were booked, conversations go on for weeks: so far a hole reaches back before its beginning. */
const REACH_BACK_MS = 30 * 24 * 3_600_000;
/** As far as the event feed reaches back (platform API, Event feed). */
export const FEED_REACH_MS = 30 * DAY_MS;
/** Newer events may stand behind older ones in the feed. */
const LEAD_MARGIN_MS = 10 * 60_000;
/** Messages are delivered and read within hours. */
const MESSAGE_REACH_BACK_MS = 2 * 24 * 3_600_000;

export interface ResyncWalk {
  readonly holes: readonly string[];
  /** Absent: all that the mirrors take. */
  readonly kinds?: readonly PlatformKind[];
  /** Appointments that start earlier are not asked for; ISO 8601. */
  readonly startsFrom: string;
  /** Conversations that began earlier are not asked for; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are not asked for; ISO 8601. */
  readonly writtenFrom: string;
  /** Events of leads that are older are not asked for; ISO 8601. Absent in walks of versions that read no leads. */
  readonly leadsFrom?: string;
  /** Nor what starts or began later than this; ISO 8601. */
  readonly until?: string;
  /** Reconcile also what is not new. */
  readonly force: boolean;
  /** Epoch milliseconds; its text is the mark on every object that the walk shows. Absent in walks of versions that left no marks. */
  readonly startedAtMs?: number;
  readonly kind: PlatformKind;
  readonly position?: string;
  /** While `kind` is `message`. */
  readonly messages?: MessagePosition;
  /** While `kind` is `lead`: which of its event types is being read. */
  readonly leadTypes?: number;
  /** The list of this kind was begun again already. */
  readonly hasBegunAgain?: boolean;
  readonly objects: number;
}

/** A walk that has ended. */
export interface EndedWalk {
  readonly holes: readonly string[];
  readonly objects: number;
  readonly endedAtMs: number;
}

export async function readWalk(memory: Memory): Promise<ResyncWalk | undefined> {
  const known = await memory.get(OPEN);
  return known === undefined ? undefined : (JSON.parse(known) as ResyncWalk);
}

export async function readEndedWalk(memory: Memory): Promise<EndedWalk | undefined> {
  const known = await memory.get(LAST);
  return known === undefined ? undefined : (JSON.parse(known) as EndedWalk);
}

/** False, as below, when the lease does not stand any more: the walk is somebody else's, or its Redis was wiped or started again. */
export function saveWalk(memory: LeasedMemory, walk: ResyncWalk, lease: LeaseProof): Promise<boolean> {
  return memory.setUnder(lease, { [OPEN]: JSON.stringify(walk) });
}

export function forgetWalk(memory: LeasedMemory, ended: EndedWalk, lease: LeaseProof): Promise<boolean> {
  return memory.setUnder(lease, { [LAST]: JSON.stringify(ended), [OPEN]: '' });
}

/** What is walked next: all real holes together, then what was asked for, each on its own and in its own bounds. */
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

/** No earlier than any mirror would take up, unless something mirrored may have changed unseen, or somebody asked for it. */
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
  // Messages are many and settle soon: of them nothing is read that no hole reaches.
  return kind === 'message' ? Math.min(...reached) : Math.min(admitted, ...reached);
}

/** Leads are on no list, but their events stay in the feed for 30 days. */
function leadsFrom(holes: readonly Hole[], nowMs: number): number {
  const oldest = nowMs - FEED_REACH_MS;
  const asked = holes.map((hole) => beginningOf(hole) ?? oldest);
  return Math.max(oldest, Math.min(...asked) - LEAD_MARGIN_MS);
}

/** Undefined where nothing can have been mirrored before. */
function beginningOf({ fromMs, cause, foundAtMs }: Hole): number | undefined {
  if (cause === 'mapping-changed') return undefined;
  // Since when the endpoint was not heard, or Redis was lost, is not known, but the worker was at work before.
  const wasAtWork = cause.startsWith('endpoint-') || cause === 'redis-lost';
  return fromMs ?? (wasAtWork ? foundAtMs : undefined);
}
