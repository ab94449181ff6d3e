// Leads are on no list of the platform's API. What a hole swallowed of them is read again from the event feed; what is older than the feed,
// or was never sent, cannot be. All that can be done is to say so, with the window, for as long as somebody may still act on it.
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
/** Nothing the worker can see would ever end this notice: it goes when everybody has had the time to read it. */
const TOLD_FOR_MS = 3 * 24 * 3_600_000;
/** No lead is missed by them: at a first start none was promised, and a mapping changes on this side. */
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
 * What of these holes the feed cannot bring back. While no enabled endpoint subscribed, events may never have entered it (platform API,
 * Event feed). Such a hole is lost whole, whatever the feed still shows. Of any other hole, what is older than the feed is lost.
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

/** Raises the problem for windows in which leads may have come in or changed. A window that is told already grows. */
export async function tellOfLostLeads(parts: LostLeadsParts, windows: readonly LostWindow[]): Promise<void> {
  if (windows.length === 0) return;
  const before = await told(parts);
  const now = parts.clock.now();
  const fromMs = Math.min(before?.fromMs ?? now, ...windows.map((window) => window.fromMs));
  const toMs = Math.max(before?.toMs ?? 0, ...windows.map((window) => window.toMs));
  // A resync that died at its beginning begins again, with the same holes.
  if (before?.fromMs === fromMs && before.toMs === toMs) return;
  const problem = problemOf({ fromMs, toMs });
  await parts.problems.raise(problem);
  await parts.memory.set(MEMORY, JSON.stringify({ fromMs, toMs, atMs: now } satisfies Told));
  const { code, advice } = problem;
  parts.log.warn({ code, ...spokenOf({ fromMs, toMs }), advice }, 'leads may have been missed');
}

/** Takes the notice down when its time has come, and until then puts it back on a board that a restart has cleared. */
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
      'The platform has no list of leads, and its event feed may lack some. Compare the leads of that time in its dashboard with the sheet. A lead that changes again is put right by itself. This notice goes after three days.',
  };
}

function spokenOf({ fromMs, toMs }: LostWindow) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

async function told({ memory }: LostLeadsParts): Promise<Told | undefined> {
  const text = await memory.get(MEMORY);
  return text === undefined ? undefined : (JSON.parse(text) as Told);
}
