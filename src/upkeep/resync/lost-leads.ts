// Leads are on no list of the platform's API. Leads lost in a hole are read again from the event feed, except those that are older than the
// feed or were never sent. For these, the worker can only report the window while a person can still act on it.
import type { Hole, HoleCause } from '../../domain/coverage.ts';
import type { Memory } from '../../ports/memory.ts';
import type { ProblemBoard } from '../../ports/operator.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { FEED_REACH_MS } from './resync-walk.ts';

interface LostLeadsParts {
  readonly problems: ProblemBoard;
  readonly memory: Memory;
  readonly clock: Clock;
  readonly log: Log;
}

const TARGET = 'leads';
const CODE = 'leads-cannot-be-read-again';
const MEMORY = 'lost-leads';
/** How long the notice stays; the worker cannot see that it is resolved, so everyone gets time to read it. */
const TOLD_FOR_MS = 3 * 24 * 3_600_000;
/** Causes by which no lead is missed: no lead was promised at a first start, and a mapping changes on this side. */
const HARMLESS: readonly HoleCause[] = ['first-start', 'mapping-changed', 'operator', 'scheduled'];

interface Told {
  readonly fromMs: number;
  readonly toMs: number;
  readonly atMs: number;
}

/** Epoch milliseconds. */
export interface LostWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The parts of these holes that the feed cannot bring back. While no enabled endpoint subscribed, events may never have entered it
 * (platform API, Event feed). Such a hole is lost entirely, whatever the feed still shows. Of any other hole, the part older than the feed
 * is lost.
 */
export function lostWindows(holes: readonly Hole[], nowMs: number): readonly LostWindow[] {
  const oldestMs = nowMs - FEED_REACH_MS;
  return holes
    .filter((hole) => !HARMLESS.includes(hole.cause))
    .flatMap(({ cause, fromMs, toMs = nowMs, foundAtMs }) => {
      if (cause.startsWith('endpoint-')) return [{ fromMs: fromMs ?? foundAtMs, toMs }];
      return fromMs === undefined || fromMs >= oldestMs ? [] : [{ fromMs, toMs: Math.min(toMs, oldestMs) }];
    });
}

/** Raises the problem for windows in which leads may have come in or changed. A window that is already reported grows. */
export async function tellOfLostLeads(parts: LostLeadsParts, windows: readonly LostWindow[]): Promise<void> {
  if (windows.length === 0) return;
  const before = await told(parts);
  const now = parts.clock.now();
  const fromMs = Math.min(before?.fromMs ?? now, ...windows.map((window) => window.fromMs));
  const toMs = Math.max(before?.toMs ?? 0, ...windows.map((window) => window.toMs));
  // A resync that died at its start restarts with the same holes.
  if (before?.fromMs === fromMs && before.toMs === toMs) return;
  const problem = problemOf({ fromMs, toMs });
  await parts.problems.raise(problem);
  await parts.memory.set(MEMORY, JSON.stringify({ fromMs, toMs, atMs: now } satisfies Told));
  const { code, advice } = problem;
  parts.log.warn({ code, ...spokenOf({ fromMs, toMs }), advice }, 'leads may have been missed');
}

/** Removes the notice when its time is over. Until then, puts it back on a board that a restart has cleared. */
export async function tendToldLeads(parts: LostLeadsParts): Promise<void> {
  const known = await told(parts);
  if (known === undefined) return;
  if (parts.clock.now() - known.atMs < TOLD_FOR_MS) {
    const isTold = (await parts.problems.list()).some(({ target }) => target === TARGET);
    if (!isTold) await parts.problems.raise(problemOf(known));
    return;
  }
  await parts.problems.clear(TARGET);
  await parts.memory.forget(MEMORY);
}

function problemOf(lost: LostWindow) {
  const window = spokenOf(lost);
  return {
    target: TARGET,
    code: CODE,
    message: `leads that came in or changed between ${window.from} and ${window.to} may be missing or old in the sheets`,
    advice:
      'The platform has no list of leads, and its event feed may lack some. Compare the leads of that time in its dashboard with the sheet. A lead that changes again is corrected automatically. This notice disappears after three days.',
  };
}

function spokenOf({ fromMs, toMs }: LostWindow) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

async function told({ memory }: LostLeadsParts): Promise<Told | undefined> {
  const text = await memory.get(MEMORY);
  return text === undefined ? undefined : (JSON.parse(text) as Told);
}
