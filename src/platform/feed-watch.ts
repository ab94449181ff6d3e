import { type Coverage, FORMATION_MS, type Hole, type HoleCause, type OpenWalk } from '../engine/coverage.ts';
import type { CoverageStore } from '../engine/coverage-store.ts';
import { DeferredError, RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { Intake } from '../engine/intake.ts';
import type { Lease, LeaseProof, Leases } from '../engine/leases.ts';
import { startedBy } from '../engine/moments.ts';
import type { Page, PlatformEvent, PlatformReader } from '../engine/platform.ts';
import type { Clock, Runtime } from '../engine/runtime.ts';
import { aborted, asleep, type Part, WakeAll } from '../engine/supervisor.ts';

/** Shortest time between the starts of two walks, however often the feed is woken. */
const WAKES_APART_MS = 1_000;

interface FeedWatchParts extends FeedWalkParts {
  readonly leases: Leases;
  /**
   * An event may enter the feed only if an enabled endpoint subscribes to it (platform API, Event feed). So the endpoint is checked before
   * anything counts as covered. When it rejects, there is no walk.
   */
  readonly lookAtEndpoint: () => Promise<unknown>;
}

/** Walks the feed when woken. There is one walk at a time across all processes, and many wakes cause one walk. */
export class FeedWatch implements Part {
  readonly name = 'feed walk';
  readonly #parts: FeedWatchParts;
  readonly #failing: FailingWalk;
  readonly #waker = new WakeAll();
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
  wake({ insisting = false } = {}): void {
    this.#insists ||= insisting;
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#waker.call();
  }

  /** The signal interrupts a walk after its page; it continues at its position next time. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const woken = this.#waker.signal;
      if (!this.#isWanted) await aborted(signal, woken);
      await asleep(this.#lastBeganAtMs + WAKES_APART_MS - performance.now(), [signal]);
      if (signal.aborted) return;
      // From here on, a wake may report something that this walk misses: it gets a walk of its own.
      this.#isWanted = false;
      this.#lastBeganAtMs = performance.now();
      await this.#walk(signal);
    }
  }

  /**
   * After one lost answer among many pages, the newest events must not wait for the next wake, which may be a minute later. Only once:
   * after a second failure the walk waits for the wake, so a platform that is down is not asked more often.
   */
  #takeUpSoon(error: unknown): void {
    const isFirst = !this.#hasFailed;
    this.#hasFailed = true;
    if (isFirst && error instanceof RetryableError) this.wake();
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
      if (held === undefined) return insisting ? this.wake({ insisting }) : undefined;
      this.#parts.meter.add('slotbridge_feed_walks_total', { end: held.result });
      // The lease was lost, perhaps to nobody who walks.
      if (held.result === 'interrupted') return this.wake({ insisting });
      this.#hasFailed = false;
      await this.#failing.proved();
    } catch (error) {
      if (signal.aborted) return;
      // The walk that was required is still missing: the next wake requires it.
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

// Reads the event feed, newest first, from its top down to what was proved before. Only a walk that meets its floor moves the coverage. An
// interrupted walk continues at its position. A floor that cannot be met becomes a recorded hole.

export const FEED = 'feed';

const PAGE_EVENTS = 100;
/** Newest events of a walk that serve as anchors: meeting any of them is meeting its top, in whatever order ties appear. */
const ANCHORS_MAX = 10;
/** How far back the feed reaches: 30 days (platform API, Event feed), less an hour for clocks. */
const FEED_REACH_MS = 30 * 24 * 3_600_000 - 3_600_000;

export interface FeedWalkParts extends Runtime {
  readonly reader: PlatformReader;
  readonly intake: Intake;
  readonly coverage: CoverageStore;
  /** How far below its floor a walk reads again, for events that became visible late. */
  readonly overlapMs: number;
  /** Default `FORMATION_MS`. */
  readonly formationMs?: number | undefined;
}

type WalkEnd = 'proved' | 'hole' | 'interrupted';

/** Walks once, or continues the walk that is open. The caller holds the lease. */
export async function walkFeed(parts: FeedWalkParts, lease: Lease): Promise<WalkEnd> {
  const coverage = await parts.coverage.read(FEED);
  let walk = coverage.open ?? newWalk(parts.clock.now());
  let hasBegunAgain = false;
  while (!lease.signal.aborted) {
    const page = await readPage(parts, walk, lease.signal);
    if (page === 'position-refused') {
      // Only once: a platform that refuses its own positions again would be asked endlessly.
      if (hasBegunAgain)
        throw new RetryableError('position-refused', 'the platform refuses positions in its feed', {
          target: 'platform',
        });
      hasBegunAgain = true;
      parts.log.warn({ pages: walk.pages }, 'feed walk begins again: the platform refuses its position');
      walk = newWalk(parts.clock.now());
      continue;
    }
    const outcomes = await parts.intake.takeEvents(page.data, 'feed');
    const recovered = outcomes.filter((outcome) => NEWS.has(outcome)).length;
    if (recovered > 0) parts.meter.add('slotbridge_feed_recovered_total', {}, recovered);
    const step = advance(walk, page, { coverage, overlapMs: parts.overlapMs });
    walk = { ...step.walk, pageAtMs: parts.clock.now() };
    if (step.floor === 'not-yet') {
      if (!(await parts.coverage.saveWalk(FEED, walk, lease))) throw overtaken();
      continue;
    }
    const end = await finish(parts, {
      coverage,
      walk,
      metFloor: step.floor === 'met',
      lease,
    });
    // A walk that was continued proves only what was there when it began: newer events get their own walk immediately.
    return coverage.open === undefined || end !== 'proved' ? end : walkFeed(parts, lease);
  }
  return 'interrupted';
}

/** Outcomes of events that no webhook had delivered. */
const NEWS: ReadonlySet<string> = new Set(['fresh', 'verify', 'deleted']);

/**
 * The position may be refused for good, because its event left the feed or its project left the key. The platform answers 422 to an unknown
 * `starting_after`. The floor stays as it was, so beginning at the top loses nothing.
 */
async function readPage(
  parts: FeedWalkParts,
  walk: OpenWalk,
  signal: AbortSignal,
): Promise<Page<PlatformEvent> | 'position-refused'> {
  const { position } = walk;
  try {
    return await parts.reader.eventPage({
      limit: PAGE_EVENTS,
      ...(position === undefined ? {} : { startingAfter: position }),
      signal,
    });
  } catch (error) {
    if (position !== undefined && error instanceof TerminalError && error.status === 422)
      return 'position-refused';
    throw error;
  }
}

function newWalk(startedAtMs: number): OpenWalk {
  return { startedAtMs, top: [], topAtMs: undefined, position: undefined, metAnchor: false, pages: 0 };
}

/** What earlier walks have proved. A walk meets its floor `overlapMs` below that. */
interface Proved {
  readonly coverage: Coverage;
  readonly overlapMs: number;
}

/** Pure: where the walk is after one more page, and whether its floor is met. */
export function advance(
  walk: OpenWalk,
  page: Page<PlatformEvent>,
  { coverage, overlapMs }: Proved,
): { walk: OpenWalk; floor: 'met' | 'missing' | 'not-yet' } {
  const isFirstPage = walk.pages === 0;
  let metAnchor = walk.metAnchor;
  let metFloor = false;
  for (const event of page.data) {
    metAnchor ||= coverage.anchors.includes(event.id);
    // The time alone proves nothing: an event that was sent late is above its neighbours with an older time.
    if (metAnchor && isBelow(event, coverage, overlapMs)) metFloor = true;
  }
  const next: OpenWalk = {
    ...walk,
    metAnchor,
    pages: walk.pages + 1,
    position: page.data.at(-1)?.id ?? walk.position,
    top: isFirstPage ? page.data.slice(0, ANCHORS_MAX).map((event) => event.id) : walk.top,
    topAtMs: isFirstPage ? newestOf(page.data) : walk.topAtMs,
  };
  // The very first walk has no floor: it only records the top.
  if (coverage.coveredUntilMs === undefined) return { walk: next, floor: 'missing' };
  if (metFloor) return { walk: next, floor: 'met' };
  if (page.hasMore && page.data.length > 0) return { walk: next, floor: 'not-yet' };
  return {
    walk: next,
    floor: metAnchor || wasEmptyAndIsWhole(coverage, walk.startedAtMs) ? 'met' : 'missing',
  };
}

function isBelow(event: PlatformEvent, coverage: Coverage, overlapMs: number): boolean {
  return coverage.anchorAtMs !== undefined && Date.parse(event.createdAt) < coverage.anchorAtMs - overlapMs;
}

/** The feed was empty when last proved, and nothing can have dropped out of it since: its end is the floor. */
function wasEmptyAndIsWhole(coverage: Coverage, nowMs: number): boolean {
  const isRecent = coverage.coveredUntilMs !== undefined && nowMs - coverage.coveredUntilMs < FEED_REACH_MS;
  return coverage.anchors.length === 0 && isRecent;
}

function newestOf(events: readonly PlatformEvent[]): number | undefined {
  const times = events
    .slice(0, ANCHORS_MAX)
    .map((event) => Date.parse(event.createdAt))
    .filter(Number.isFinite);
  return times.length === 0 ? undefined : Math.max(...times);
}

async function finish(
  parts: FeedWalkParts,
  told: { coverage: Coverage; walk: OpenWalk; metFloor: boolean; lease: LeaseProof },
): Promise<WalkEnd> {
  const { coverage, walk, metFloor } = told;
  // The hole first: if this process dies in between, the hole is found again, and nothing claims a proof that does not exist.
  if (!metFloor) await parts.coverage.putHole(holeBelow(coverage, walk, parts));
  const isClosed = await parts.coverage.closeWalk(
    FEED,
    {
      coveredUntilMs: walk.startedAtMs - (parts.formationMs ?? FORMATION_MS),
      provedAtMs: parts.clock.now(),
      anchors: walk.top,
      anchorAtMs: walk.topAtMs ?? walk.startedAtMs,
    },
    told.lease,
  );
  if (!isClosed) throw overtaken();
  const fields = { pages: walk.pages, tookMs: parts.clock.now() - walk.startedAtMs, metFloor };
  if (metFloor) parts.log.debug(fields, 'feed walk met its floor');
  else if (coverage.coveredUntilMs === undefined) parts.log.info(fields, 'first feed walk ended');
  else parts.log.warn(fields, 'feed walk left a hole');
  return metFloor ? 'proved' : 'hole';
}

function holeBelow(coverage: Coverage, walk: OpenWalk, parts: FeedWalkParts): Hole {
  const from = coverage.coveredUntilMs;
  return {
    id: `feed-${walk.startedAtMs}`,
    source: FEED,
    fromMs: from === undefined ? undefined : from - parts.overlapMs,
    toMs: walk.startedAtMs,
    cause: holeCauseOf(coverage, walk),
    foundAtMs: parts.clock.now(),
  };
}

function holeCauseOf(coverage: Coverage, walk: OpenWalk): HoleCause {
  if (coverage.coveredUntilMs === undefined) {
    return coverage.holes.some(({ cause }) => cause === 'redis-lost') ? 'redis-lost' : 'first-start';
  }
  return walk.startedAtMs - (coverage.anchorAtMs ?? 0) > FEED_REACH_MS ? 'feed-expired' : 'feed-anchor-lost';
}

function overtaken(): RetryableError {
  return new RetryableError('lease-lost', 'another process took the feed walk over');
}
