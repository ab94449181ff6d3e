import type { PlatformKind } from './object.ts';

/** How much of the recent past is never proved: an event is formed 1 to 3 s after the change (platform API, Delivery rules). */
export const FORMATION_MS = 5_000;

/** The cursor of one source: up to which moment it was read without a gap. */
export interface Coverage {
  /** Everything that the source held before this moment has been taken in, except the holes. Epoch milliseconds. */
  readonly coveredUntilMs: number | undefined;
  /** When the last walk reached its floor. */
  readonly provedAtMs: number | undefined;
  /** Newest ids of the last finished walk. The next walk must meet one. Empty when the feed was empty. */
  readonly anchors: readonly string[];
  /** When the newest anchor happened; for an empty feed, when its walk began. */
  readonly anchorAtMs: number | undefined;
  readonly open: OpenWalk | undefined;
  readonly holes: readonly Hole[];
}

/** A walk from the top of the feed down to its floor, resumable at its position. */
export interface OpenWalk {
  readonly startedAtMs: number;
  /** Ids of the first page, newest first. They become the anchors once the walk reaches its floor. */
  readonly top: readonly string[];
  readonly topAtMs: number | undefined;
  /** Last id taken in durably; undefined before the first page. */
  readonly position: string | undefined;
  /** True once the walk has met an anchor and rereads the overlap below it. */
  readonly metAnchor: boolean;
  readonly pages: number;
  /** When the last page was taken in; absent before the first. */
  readonly pageAtMs?: number;
}

/** A time without proof that all events were read. It closes when the resync that it started has ended. */
export interface Hole {
  readonly id: string;
  readonly source: string;
  /** Epoch milliseconds; undefined: the beginning of time. */
  readonly fromMs: number | undefined;
  /** Undefined while the hole still grows, as with a disabled endpoint. */
  readonly toMs: number | undefined;
  readonly cause: HoleCause;
  readonly foundAtMs: number;
  /** The request, if an operator or a schedule requested the resync. Such a hole is walked separately. */
  readonly request?: ResyncRequest;
}

/** A requested resync. Without bounds: as far back as the mirrors take objects up. */
export interface ResyncRequest {
  readonly kinds: readonly PlatformKind[];
  /** Epoch milliseconds: when an appointment starts, a conversation begins, a message is written. Contacts are always read in full. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Give every object a turn, whether it is new or not. */
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

export interface WalkProof {
  readonly coveredUntilMs: number;
  readonly provedAtMs: number;
  readonly anchors: readonly string[];
  readonly anchorAtMs: number;
}
