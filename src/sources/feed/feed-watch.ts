import { DeferredError, RetryableError, WorkerError } from '../../domain/errors.ts';
import type { Leases } from '../../ports/leases.ts';
import { aborted, asleep, WakeAll } from '../../work/loops.ts';
import type { Part } from '../../work/supervisor.ts';
import { FailingWalk } from './failing-walk.ts';
import { type FeedWalkParts, type WalkEnd, walkFeed } from './walk.ts';

/** However often somebody rings, walks begin at least this far apart. */
const RINGS_APART_MS = 1_000;

interface FeedWatchParts extends FeedWalkParts {
  readonly leases: Leases;
  /**
   * An event may enter the feed only if an enabled endpoint subscribes to it (platform API, Event feed). So the endpoint is checked before
   * anything counts as covered. When it rejects, there is no walk.
   */
  readonly lookAtEndpoint: () => Promise<unknown>;
}

/** Walks the feed when rung for: one walk at a time across all processes, many rings one walk. */
export class FeedWatch implements Part {
  readonly name = 'feed walk';
  readonly #parts: FeedWatchParts;
  readonly #failing: FailingWalk;
  readonly #bell = new WakeAll();
  #isWanted = false;
  #insists = false;
  #hasFailed = false;
  /** On the clock of this process, which nobody sets: the wall clock may be put back by hours. */
  #lastBeganAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedWatchParts) {
    this.#parts = parts;
    this.#failing = new FailingWalk(parts);
  }

  /**
   * Returns at once; a walk follows, here or in another process, while this one runs. `insisting`: one that begins from now on, after one that may be under way,
   * or whose holder's turn has yet to run out.
   */
  ring({ insisting = false } = {}): void {
    this.#insists ||= insisting;
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#bell.call();
  }

  /** The signal interrupts a walk after its page; it goes on at its position next time. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rung = this.#bell.signal;
      if (!this.#isWanted) await aborted(signal, rung);
      await asleep(this.#lastBeganAtMs + RINGS_APART_MS - performance.now(), [signal]);
      if (signal.aborted) return;
      // A ring from here on may tell of something that this walk does not see: it gets a walk of its own.
      this.#isWanted = false;
      this.#lastBeganAtMs = performance.now();
      await this.#walk(signal);
    }
  }

  /**
   * One answer that got lost among many pages must not leave the newest events to the next ring, which may be a minute away. Once: whoever
   * fails again waits for the ring, so a platform that is down is not asked more often.
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
      if (held.result === 'interrupted') return;
      this.#hasFailed = false;
      await this.#failing.proved();
    } catch (error) {
      if (signal.aborted) return;
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
      // A store that does not answer is told elsewhere, and the next failure says it again.
      await this.#failing.failed(error).catch(() => undefined);
      this.#takeUpSoon(error);
    }
  }
}
