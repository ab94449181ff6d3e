import type { Hole, HoleCause } from '../../domain/coverage.ts';
import { WorkerError } from '../../domain/errors.ts';
import type { CoverageStore } from '../../ports/intake.ts';
import type { Clock } from '../../ports/runtime.ts';
import { FEED } from './walk.ts';

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
    this.#sinceMs ??= now;
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
