// Reads the event feed, newest first, from its top down to what was proved before. Only a walk that meets its floor moves the coverage. An
// interrupted walk continues at its position. A floor that cannot be met becomes a recorded hole.
import {
  type Coverage,
  FORMATION_MS,
  type Hole,
  type HoleCause,
  type OpenWalk,
} from '../../engine/domain/coverage.ts';
import { RetryableError, TerminalError } from '../../engine/domain/errors.ts';
import type { CoverageStore, Intake } from '../../engine/ports/intake.ts';
import type { Lease, LeaseProof } from '../../engine/ports/leases.ts';
import type { Page, PlatformEvent, PlatformReader } from '../../engine/ports/platform.ts';
import type { Runtime } from '../../engine/ports/runtime.ts';

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

export type WalkEnd = 'proved' | 'hole' | 'interrupted';

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
    cause: causeOf(coverage, walk),
    foundAtMs: parts.clock.now(),
  };
}

function causeOf(coverage: Coverage, walk: OpenWalk): HoleCause {
  if (coverage.coveredUntilMs === undefined) {
    return coverage.holes.some(({ cause }) => cause === 'redis-lost') ? 'redis-lost' : 'first-start';
  }
  return walk.startedAtMs - (coverage.anchorAtMs ?? 0) > FEED_REACH_MS ? 'feed-expired' : 'feed-anchor-lost';
}

function overtaken(): RetryableError {
  return new RetryableError('lease-lost', 'another process took the feed walk over');
}
