// `slotbridge reload`: signals the workers of this machine, and waits until each has said what became of its YAML.
import { setTimeout as sleep } from 'node:timers/promises';
import { isProvedDead, type ProcessIdentity } from '../engine/folder-lock.ts';
import type { ProcessSeen } from '../engine/processes.ts';
import type { ReloadOutcome } from '../engine/reload.ts';
import { type Clock, machineClock } from '../engine/runtime.ts';

/** On a terminal SIGHUP ends the worker, because its window was closed. This signal never does. */
export const RELOAD_SIGNAL = 'SIGUSR2';

/** A worker on another machine that has said nothing for so long has ended. It says something every two seconds. */
const ALIVE_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

export interface ReloadedWorker extends WorkerPlace {
  /** `ended`: its process is gone. `not-permitted`: it belongs to another user. `silent`: nothing is known yet. */
  readonly outcome: ReloadOutcome | { readonly as: 'ended' | 'not-permitted' | 'silent' };
}

export interface WorkerPlace {
  readonly pid: number;
  readonly host: string;
}

export interface Reloaded {
  readonly reached: readonly ReloadedWorker[];
  /** Workers on other machines or in other containers, which a signal does not reach. */
  readonly elsewhere: readonly WorkerPlace[];
}

interface Parts {
  /** Rejects while the private Redis restarts with its worker. */
  readonly processes: { all(sinceMs: number): Promise<readonly ProcessSeen[]> };
  /** This process; undefined where the system says too little. */
  readonly own: ProcessIdentity | undefined;
  readonly clock: Clock;
  readonly withinMs: number;
}

export async function reloadWorkers(parts: Parts): Promise<Reloaded> {
  const { processes, own, clock, withinMs } = parts;
  const workers = (await processes.all(0)).filter(({ takesReload }) => takesReload === true);
  const isHere = ({ place }: ProcessSeen) => place === own?.place;
  const isRecent = ({ atMs, hasEnded }: ProcessSeen) =>
    hasEnded !== true && atMs > clock.now() - ALIVE_WITHIN_MS;
  const elsewhere = oneOfEach(workers.filter((worker) => !isHere(worker) && isRecent(worker)));
  const hasGone = (worker: ProcessSeen) => own === undefined || isProvedDead(worker, own);
  const here = oneOfEach(workers.filter((worker) => isHere(worker) && !hasGone(worker)));
  // A YAML that was read after this moment is the one that the operator means.
  const askedAtMs = machineClock.now();
  const outcomes = new Map<ProcessSeen, ReloadedWorker['outcome']>();
  for (const worker of here) {
    const refused = signal(worker);
    if (refused !== undefined) outcomes.set(worker, { as: refused });
  }
  const untilMs = askedAtMs + withinMs;
  for (;;) {
    const open = here.filter((worker) => !outcomes.has(worker));
    const seen = open.length === 0 ? [] : await processes.all(0).catch(() => []);
    for (const worker of open) {
      const told = seen.find((each) => isSame(each, worker) && isNews(each, askedAtMs))?.reload;
      if (told !== undefined) outcomes.set(worker, told);
      else if (hasGone(worker)) outcomes.set(worker, { as: 'ended' });
    }
    if (open.length === 0 || machineClock.now() > untilMs) break;
    await sleep(LOOK_EVERY_MS);
  }
  const reached = here.map((worker) => ({
    ...placeOf(worker),
    outcome: outcomes.get(worker) ?? ({ as: 'silent' } as const),
  }));
  return { reached, elsewhere: elsewhere.map(placeOf) };
}

function signal({ pid }: ProcessSeen): 'ended' | 'not-permitted' | undefined {
  try {
    process.kill(pid, RELOAD_SIGNAL);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'not-permitted' : 'ended';
  }
}

/** The outcome of a YAML that was read before does not count. */
function isNews({ reload }: ProcessSeen, sinceMs: number): boolean {
  return reload !== undefined && reload.readAtMs >= sinceMs;
}

/** A process has an entry for each worker that it has run. */
function oneOfEach(workers: readonly ProcessSeen[]): readonly ProcessSeen[] {
  return workers.filter((worker, at) => workers.findIndex((each) => isSame(each, worker)) === at);
}

function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.place === b.place && a.pid === b.pid && a.startedAt === b.startedAt;
}

/** The name of the host is the last part of `place`. */
function placeOf({ pid, place }: ProcessSeen): WorkerPlace {
  return { pid, host: place.slice(place.lastIndexOf(' ') + 1) };
}
