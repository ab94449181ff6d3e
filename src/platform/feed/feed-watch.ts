import type { Hole, HoleCause } from '../../engine/domain/coverage.ts';
import { DeferredError, RetryableError, WorkerError } from '../../engine/domain/errors.ts';
import { startedBy } from '../../engine/domain/moments.ts';
import { aborted, asleep, WakeAll } from '../../engine/loops.ts';
import type { CoverageStore } from '../../engine/ports/intake.ts';
import type { Leases } from '../../engine/ports/leases.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { Part } from '../../engine/supervisor.ts';
import { FEED, type FeedWalkParts, type WalkEnd, walkFeed } from './walk.ts';

/** Shortest time between the starts of two walks, however often the feed is rung for. */
const RINGS_APART_MS = 1_000;

interface FeedWatchParts extends FeedWalkParts {
  readonly leases: Leases;
  /**
   * An event may enter the feed only if an enabled endpoint subscribes to it (platform API, Event feed). So the endpoint is checked before
   * anything counts as covered. When it rejects, there is no walk.
   */
  readonly lookAtEndpoint: () => Promise<unknown>;
}

/** Walks the feed when rung for. There is one walk at a time across all processes, and many rings cause one walk. */
export class FeedWatch implements Part {
  readonly name = 'feed walk';
  readonly #parts: FeedWatchParts;
  readonly #failing: FailingWalk;
  readonly #bell = new WakeAll();
  #isWanted = false;
  #insists = false;
  #hasFailed = false;
  /** On the monotonic clock of this process: the wall clock may be set back by hours. */
  #lastBeganAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedWatchParts) {
    this.#parts = parts;
    this.#failing = new FailingWalk(parts);
  }

  /**
   * Returns immediately; a walk follows, after a running one of this process. If another process holds the lease, its walk counts.
   * `insisting`: requires a walk that begins from now on, even after another process's walk or a lease that has yet to expire.
   */
  ring({ insisting = false } = {}): void {
    this.#insists ||= insisting;
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#bell.call();
  }

  /** The signal interrupts a walk after its page; it continues at its position next time. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rung = this.#bell.signal;
      if (!this.#isWanted) await aborted(signal, rung);
      await asleep(this.#lastBeganAtMs + RINGS_APART_MS - performance.now(), [signal]);
      if (signal.aborted) return;
      // From here on, a ring may report something that this walk misses: it gets a walk of its own.
      this.#isWanted = false;
      this.#lastBeganAtMs = performance.now();
      await this.#walk(signal);
    }
  }

  /**
   * After one lost answer among many pages, the newest events must not wait for the next ring, which may be a minute later. Only once:
   * after a second failure the walk waits for the ring, so a platform that is down is not asked more often.
   */
  #takeUpSoon(error: unknown): void {
    const isFirst = !this.#hasFailed;
    this.#hasFailed = true;
    if (isFirst && error instanceof RetryableError) this.ring();
  }

  async #walk(signal: AbortSignal): Promise<void> {
    const insisting = this.#insists;
    this.#insists = false;
    try {
      const held = await this.#parts.leases.hold(
        'feed-walk',
        async (lease): Promise<WalkEnd> => {
          await this.#parts.lookAtEndpoint();
          return walkFeed(this.#parts, lease);
        },
        { until: signal },
      );
      if (held === undefined) return insisting ? this.ring({ insisting }) : undefined;
      this.#parts.meter.add('slotbridge_feed_walks_total', { end: held.result });
      // The lease was lost, perhaps to nobody who walks.
      if (held.result === 'interrupted') return this.ring({ insisting });
      this.#hasFailed = false;
      await this.#failing.proved();
    } catch (error) {
      if (signal.aborted) return;
      // The walk that was required is still missing: the next ring requires it.
      this.#insists ||= insisting;
      const known = error instanceof WorkerError ? error : undefined;
      const fields = {
        code: known?.code ?? 'unexpected',
        reason: known?.message,
        advice: known?.advice,
        requestId: known?.requestId,
      };
      this.#parts.meter.add('slotbridge_feed_walks_total', { end: 'failed' });
      if (known instanceof DeferredError) this.#parts.log.info(fields, 'feed walk put off');
      else this.#parts.log.warn(fields, 'feed walk failed');
      // A store that does not answer is reported elsewhere, and the next failure puts the hole again.
      await this.#failing.failed(error).catch(() => undefined);
      this.#takeUpSoon(error);
    }
  }
}

const HOLE = 'feed-failing';
/** How long walks may fail before a hole is named: after one or two failures, the next walk continues. */
const FAILING_FOR_MS = 5 * 60_000;
/** Error codes for a key without `webhooks:manage`, or without a right that the feed requires. */
const SCOPE_CODES: ReadonlySet<string> = new Set(['forbidden', 'platform-forbidden']);

/**
 * Names what is not covered while walks keep failing. Such a hole grows, and needs no resync. The walk that finally meets its floor has
 * read all of it, and removes the hole. What that walk could not read (older than 30 days) is a hole of its own by then.
 */
export class FailingWalk {
  readonly #coverage: CoverageStore;
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(parts: { readonly coverage: CoverageStore; readonly clock: Clock }) {
    this.#coverage = parts.coverage;
    this.#clock = parts.clock;
  }

  async failed(error: unknown): Promise<void> {
    const now = this.#clock.now();
    this.#sinceMs = startedBy(this.#sinceMs, now);
    if (now - this.#sinceMs < FAILING_FOR_MS) return;
    const { coveredUntilMs, holes } = await this.#coverage.read(FEED);
    const cause = causeOf(error);
    const known = holes.find(({ id }) => id === HOLE);
    if (known?.cause === cause) return;
    const hole: Hole = {
      ...{ id: HOLE, source: FEED, cause },
      fromMs: known?.fromMs ?? coveredUntilMs,
      toMs: undefined,
      foundAtMs: known?.foundAtMs ?? now,
    };
    await this.#coverage.putHole(hole);
  }

  /** The walk has met its floor. This also removes a hole that another process put. */
  async proved(): Promise<void> {
    this.#sinceMs = undefined;
    const { holes } = await this.#coverage.read(FEED);
    if (holes.some(({ id }) => id === HOLE)) await this.#coverage.removeHole(HOLE);
  }
}

function causeOf(error: unknown): HoleCause {
  return error instanceof WorkerError && SCOPE_CODES.has(error.code) ? 'key-without-scope' : 'walk-failed';
}
