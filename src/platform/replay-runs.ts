// Replays that were started in the console. They do what `slotbridge replay` does, but the worker continues them after the page is closed.
// The remaining keys are in the memory, so that a restart or another worker can continue.

import type { WorkQueue } from '../engine/handler.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { type EntityKey, formatKey, parseKey, readFact } from '../engine/object.ts';
import { REPLAY_AT_ONCE, ReplayPace } from '../engine/poll-pace.ts';
import type { Act, ActLog } from '../engine/role.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { every, type Part } from '../engine/supervisor.ts';
import type { DirtyMarks } from '../engine/sweep.ts';

export interface ReplayRun {
  /** Who requested it, and when. */
  readonly who: string;
  readonly atMs: number;
  readonly objects: number;
  /** Objects given a turn so far. */
  readonly handed: number;
  /** Objects that are no longer known. */
  readonly unknown: number;
  readonly batch: number;
  /** Absent while it runs. */
  readonly endedAtMs?: number;
  readonly isStopped?: boolean;
}

const RUN = 'replay-run';
const KEYS = 'replay-keys ';
const LEASE = 'replay';
const LOOK_EVERY_MS = 1_000;
/** Most tries for the lease; another holder keeps it only for one step. */
const TRIES_MAX = 30;
const TRY_EVERY_MS = 100;

interface Parts {
  readonly memory: RedisMemory;
  readonly leases: Leases;
  readonly acts: ActLog;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly ledger: Pick<Ledger, 'pending'>;
  readonly queue: WorkQueue;
  readonly clock: Clock;
}

/** A run as stored. Its act is noted again with its end. */
interface Kept extends ReplayRun {
  readonly act: Act;
}

/** Gives chosen objects a turn at a user's request, in batches. One such run at a time. */
export class KeptReplayRuns {
  readonly #parts: Parts;
  /** How long the next batch of a run has waited in this process. */
  #pace: { readonly batch: string; readonly pace: ReplayPace } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The open run, else the last one that ended. */
  async current(): Promise<ReplayRun | undefined> {
    const kept = await this.#read();
    if (kept === undefined) return undefined;
    const { act: _, ...run } = kept;
    return run;
  }

  async isOpen(): Promise<boolean> {
    return isOpen(await this.#read());
  }

  /** Notes the act and begins. `busy`: another run is open, and nothing was noted. */
  async start(keys: readonly EntityKey[], note: () => Promise<Act>): Promise<'started' | 'busy'> {
    const begun = await this.#inTurn(async (lease) => {
      const { memory } = this.#parts;
      if (isOpen(await this.#read())) return 'busy';
      // Remove what an interrupted start left behind.
      if (!(await memory.setUnder(lease, await this.#noBatches()))) return 'busy';
      const act = await note();
      const batches = Math.ceil(keys.length / REPLAY_AT_ONCE);
      for (let at = 0; at < batches; at += 1) {
        const names = keys.slice(at * REPLAY_AT_ONCE, (at + 1) * REPLAY_AT_ONCE).map(formatKey);
        // If this process froze, it must not overwrite the batches of a replay that another operator started meanwhile.
        if (!(await memory.setUnder(lease, { [`${KEYS}${at}`]: names.join('\n') }))) return 'busy';
      }
      const run = { who: act.who, atMs: act.atMs, objects: keys.length, handed: 0, unknown: 0 };
      const isKept = await this.#keep(lease, { ...run, batch: 0, act });
      return isKept ? 'started' : 'busy';
    });
    return begun ?? 'busy';
  }

  /** Objects already handed over keep their turn. False if there was nothing to stop. */
  async stop(): Promise<boolean> {
    const stopped = await this.#inTurn(async (lease) => {
      const kept = await this.#read();
      if (kept === undefined || !isOpen(kept)) return false;
      return this.#end(lease, { ...kept, isStopped: true });
    });
    return stopped ?? false;
  }

  /** Takes one step of the open run, if there is one. Repeating an interrupted step only gives the same objects another turn. */
  async advance(lease: Lease): Promise<void> {
    const kept = await this.#read();
    if (kept === undefined || !isOpen(kept)) return;
    const { memory, ledger, dirtyMarks, queue, clock } = this.#parts;
    const batch = `${kept.atMs} ${kept.batch}`;
    if (this.#pace?.batch !== batch) this.#pace = { batch, pace: new ReplayPace() };
    if (!this.#pace.pace.mayGoOn((await ledger.pending()).objects, clock.now())) return;
    if (kept.batch >= Math.ceil(kept.objects / REPLAY_AT_ONCE)) {
      await this.#end(lease, kept);
      return;
    }
    // All objects of a batch may have been forgotten meanwhile.
    const names = (await memory.get(`${KEYS}${kept.batch}`)) ?? '';
    const keys = names.split('\n').flatMap((name) => parseKey(name) ?? []);
    const strangers = await dirtyMarks.markDirty(keys, { read: true });
    queue.add(keys.map(formatKey));
    const handed = kept.handed + keys.length - strangers.length;
    const unknown = kept.unknown + strangers.length;
    await this.#keep(
      lease,
      { ...kept, handed, unknown, batch: kept.batch + 1 },
      { [`${KEYS}${kept.batch}`]: '' },
    );
  }

  async #end(lease: Lease, kept: Kept): Promise<boolean> {
    const { acts, clock } = this.#parts;
    await acts.note({ ...kept.act, done: kept.handed });
    return this.#keep(lease, { ...kept, endedAtMs: clock.now() }, await this.#noBatches());
  }

  /** Facts that remove every stored batch. */
  async #noBatches(): Promise<Readonly<Record<string, string>>> {
    const names = [...(await this.#parts.memory.all(KEYS)).keys()];
    return Object.fromEntries(names.map((at) => [`${KEYS}${at}`, '']));
  }

  #keep(lease: Lease, run: Kept, besides: Readonly<Record<string, string>> = {}): Promise<boolean> {
    return this.#parts.memory.setUnder(lease, { ...besides, [RUN]: JSON.stringify(run) });
  }

  #read(): Promise<Kept | undefined> {
    return readFact(this.#parts.memory, RUN);
  }

  async #inTurn<T>(work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const held = await this.#parts.leases.hold(LEASE, work);
      if (held !== undefined) return held.result;
      await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
    }
    return undefined;
  }
}

function isOpen(run: Kept | undefined): boolean {
  return run !== undefined && run.endedAtMs === undefined;
}

/** Continues an open run, one process at a time. */
export function replayRuns(
  runs: KeptReplayRuns,
  { leases, log }: { readonly leases: Leases; readonly log: Log },
): Part {
  return every({ name: 'replay', everyMs: LOOK_EVERY_MS, log }, async (signal) => {
    if (await runs.isOpen()) await leases.hold(LEASE, (lease) => runs.advance(lease), { until: signal });
  });
}
