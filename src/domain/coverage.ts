import type { PlatformKind } from './entity.ts';

/** An event is formed 1 to 3 s after the change (platform API, Delivery rules): so much of the recent past is never proved. */
export const FORMATION_MS = 5_000;

/** The cursor of one source: up to which moment it has been read without a hole. */
export interface Coverage {
  /** Everything the source held before this moment has been taken in, the holes apart. Epoch milliseconds. */
  readonly coveredUntilMs: number | undefined;
  /** When the last walk met its floor. */
  readonly provedAtMs: number | undefined;
  /** Newest ids of the last finished walk: meeting one of them is meeting the floor. Empty when the feed was empty. */
  readonly anchors: readonly string[];
  /** When the newest of the anchors happened, or when the walk of an empty feed began. */
  readonly anchorAtMs: number | undefined;
  readonly open: OpenWalk | undefined;
  readonly holes: readonly Hole[];
}

/** A walk from the top of the feed down to its floor, resumable at its position. */
export interface OpenWalk {
  readonly startedAtMs: number;
  /** Ids of the first page, newest first: the anchors once the floor is met. */
  readonly top: readonly string[];
  readonly topAtMs: number | undefined;
  /** Last id taken in durably; undefined before the first page. */
  readonly position: string | undefined;
  /** True once an anchor was met: the overlap below it is being read again. */
  readonly metAnchor: boolean;
  readonly pages: number;
  /** When the last of them had been taken in; absent before. */
  readonly pageAtMs?: number;
}

/** A stretch of time that the source cannot vouch for. Closes when the resync that it started has ended. */
export interface Hole {
  readonly id: string;
  readonly source: string;
  /** Epoch milliseconds; undefined is the beginning of time. */
  readonly fromMs: number | undefined;
  /** Undefined while it is still growing (an endpoint that is disabled now). */
  readonly toMs: number | undefined;
  readonly cause: HoleCause;
  readonly foundAtMs: number;
  /** What was asked for, when somebody or a schedule asked for a resync; such a hole is walked on its own. */
  readonly request?: ResyncRequest;
}

/** A resync that was asked for. Without bounds: as far back as the mirrors take objects up. */
export interface ResyncRequest {
  readonly kinds: readonly PlatformKind[];
  /** Epoch milliseconds: when an appointment starts, a conversation begins, a message is written. Contacts are always read whole. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Give everything a turn, whether it is new or not. */
  readonly force?: boolean;
}

export type HoleCause =
  | 'first-start'
  | 'redis-lost'
  | 'feed-expired'
  | 'feed-anchor-lost'
  | 'key-without-scope'
  | 'walk-failed'
  | 'endpoint-disabled'
  | 'endpoint-missing'
  | 'endpoint-narrow'
  | 'endpoint-unseen'
  | 'endpoint-changed'
  | 'mapping-changed'
  | 'operator'
  | 'scheduled';
