// Leads are on no list of the platform's API, so what a hole swallowed of them cannot be read again. All that can be done is to say
// so, with the window, for as long as somebody may still act on it.
import type { Hole, HoleCause } from '../domain/coverage.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/problem-board.ts';

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

/** Raises the problem for holes in which leads may have come in or changed. A window that is told already grows. */
export async function tellOfLostLeads(parts: LostLeadsParts, holes: readonly Hole[]): Promise<void> {
  const windows = holes.filter((hole) => !HARMLESS.includes(hole.cause));
  if (windows.length === 0) return;
  const before = await told(parts);
  const now = parts.clock.now();
  const fromMs = Math.min(before?.fromMs ?? now, ...windows.map((hole) => hole.fromMs ?? now));
  const toMs = Math.max(before?.toMs ?? 0, ...windows.map((hole) => hole.toMs ?? now));
  // A resync that died at its beginning begins again, with the same holes.
  if (before?.fromMs === fromMs && before.toMs === toMs) return;
  const window = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const problem = {
    target: TARGET,
    code: CODE,
    message: `leads that came in or changed between ${window.from} and ${window.to} may be missing or old in the sheets`,
    advice:
      'The platform has no list of leads to read them from: compare the leads of that time in its dashboard with the sheet. A lead that changes again is put right by itself. This notice goes after three days.',
  };
  await parts.problems.raise(problem);
  await parts.memory.set(MEMORY, JSON.stringify({ fromMs, toMs, atMs: now } satisfies Told));
  parts.log.warn({ code: CODE, ...window, advice: problem.advice }, 'leads may have been missed');
}

/** Takes the notice down when its time has come. */
export async function clearToldLeads(parts: LostLeadsParts): Promise<void> {
  const known = await told(parts);
  if (known === undefined || parts.clock.now() - known.atMs < TOLD_FOR_MS) return;
  await parts.problems.clear(TARGET);
  await parts.memory.forget(MEMORY);
}

async function told({ memory }: LostLeadsParts): Promise<Told | undefined> {
  const text = await memory.get(MEMORY);
  return text === undefined ? undefined : (JSON.parse(text) as Told);
}
