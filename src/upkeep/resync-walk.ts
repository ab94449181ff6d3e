// The open walk through the platform's lists: which holes it is for, what it asks for, and where it stands. It is kept in Redis, so that
// another process can go on with it.
import type { Hole } from '../domain/coverage.ts';
import { PLATFORM_KINDS, type PlatformKind } from '../domain/entity.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { Memory } from '../ports/memory.ts';
import type { MessagePosition } from './message-walk.ts';

const OPEN = 'resync';
const LAST = 'resync-last';
const DAY_MS = 24 * 3_600_000;
/** Visits are marked and moved days after they were booked, conversations go on for weeks: so far a hole reaches back before its beginning. */
const REACH_BACK_MS = 30 * 24 * 3_600_000;
/** Messages are delivered and read within hours. */
const MESSAGE_REACH_BACK_MS = 2 * 24 * 3_600_000;

export interface ResyncWalk {
  readonly holes: readonly string[];
  /** Absent: all that the mirrors take. */
  readonly kinds?: readonly PlatformKind[];
  /** Visits that start earlier are not asked for; ISO 8601. */
  readonly startsFrom: string;
  /** Conversations that began earlier are not asked for; ISO 8601. */
  readonly beganFrom: string;
  /** Messages that were written earlier are not asked for; ISO 8601. */
  readonly writtenFrom: string;
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

export async function saveWalk(memory: Memory, walk: ResyncWalk): Promise<void> {
  await memory.set(OPEN, JSON.stringify(walk));
}

export async function forgetWalk(memory: Memory, ended: EndedWalk): Promise<void> {
  await memory.set(LAST, JSON.stringify(ended));
  await memory.forget(OPEN);
}

/** What is walked next: all real holes together, then what was asked for, each on its own and in its own bounds. */
export function chooseHoles(holes: readonly Hole[]): readonly Hole[] {
  const ended = holes.filter((hole) => hole.toMs !== undefined);
  const real = ended.filter((hole) => hole.request === undefined);
  return real.length > 0 ? real : ended.slice(0, 1);
}

export function walkFor(holes: readonly Hole[], mirrors: readonly Mirror[], nowMs: number): ResyncWalk {
  const from = (kind: WindowedKind) => new Date(earliest({ holes, mirrors, nowMs }, kind)).toISOString();
  const [request] = holes.flatMap((hole) => (hole.request === undefined ? [] : [hole.request]));
  return {
    holes: holes.map((hole) => hole.id),
    startsFrom: from('appointment'),
    beganFrom: from('conversation'),
    writtenFrom: from('message'),
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
  { holes, mirrors, nowMs }: { holes: readonly Hole[]; mirrors: readonly Mirror[]; nowMs: number },
  kind: WindowedKind,
): number {
  const sinces = mirrors.map((mirror) =>
    mirror.from === kind && 'sinceMs' in mirror.where ? mirror.where.sinceMs : 0,
  );
  const admitted = nowMs - Math.max(DAY_MS, ...sinces);
  const [asked] = holes.flatMap((hole) => (hole.request === undefined ? [] : [hole.request]));
  if (asked !== undefined) return asked.fromMs ?? admitted;
  const reached = holes.map((hole) =>
    hole.fromMs === undefined || hole.cause === 'mapping-changed'
      ? admitted
      : hole.fromMs - (kind === 'message' ? MESSAGE_REACH_BACK_MS : REACH_BACK_MS),
  );
  // Messages are many and settle soon: of them nothing is read that no hole reaches.
  return kind === 'message' ? Math.min(...reached) : Math.min(admitted, ...reached);
}
