// Classifies how a source is being read: its proof is fresh, the reading will complete without help, or a person must act. Pure.

import { FORMATION_MS } from '../engine/coverage.ts';
import { WorkerError } from '../engine/errors.ts';
import type { ClassReader, MirrorTarget } from '../engine/handler.ts';
import type { IntakeStore } from '../engine/intake-store.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { Memory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import { type EntityKey, formatKey, isReadable, type Observation, type Snapshot } from '../engine/object.ts';
import type { EventReader, PlatformEvent, PlatformReader } from '../engine/platform.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';

/**
 * `proved`: its proof is fresh. The others have no fresh proof. `begun`: the worker has not run long enough to read the source once.
 * `walking`: a walk of many pages makes progress. `limited`: Google currently limits the source, or all calls to Google. `unread`: nothing
 * reads it.
 */
export type Reading = 'proved' | 'begun' | 'walking' | 'limited' | 'unread';

export interface ReadSource {
  readonly isFresh: boolean;
  /** How old a proof may be to count as fresh. */
  readonly freshForMs: number;
  readonly coveredUntilMs: number | undefined;
  /** When the open walk took its last page; undefined when no walk is open, or it is at its first page. */
  readonly pageAtMs: number | undefined;
  /** When the worker started; undefined when it does not run. */
  readonly startedAtMs: number | undefined;
  readonly isLimited: boolean;
}

/**
 * Shortest time allowed for a first walk, or for the next page of one. A failing walk is retried, and has become a hole by then
 * (`FAILING_FOR_MS` of the feed walk). Any other walk has ended or shows progress: 200,000 missed events take less than a minute
 * (docs/bench.md).
 */
const BEGIN_MS_MIN = 5 * 60_000;
/**
 * Longest time to catch up. The feed goes back 30 days and no walk needs a day for that, so a walk that still makes progress then keeps
 * restarting. Google's longest quota also lasts a day.
 */
export const CATCH_UP_MS_MAX = 24 * 3_600_000;

export function readingOf(source: ReadSource, nowMs: number): Reading {
  const { isFresh, freshForMs, pageAtMs, startedAtMs, isLimited } = source;
  if (isFresh) return 'proved';
  if (startedAtMs === undefined) return 'unread';
  const isWithin = (ms: number, atMs: number) => distanceMs(atMs, nowMs) <= ms;
  if (!isWithin(CATCH_UP_MS_MAX, unprovedSince(source, nowMs))) return 'unread';
  if (isLimited) return 'limited';
  // A failed first walk is retried in the next round.
  const patienceMs = Math.max(BEGIN_MS_MIN, freshForMs);
  if (pageAtMs !== undefined && isWithin(patienceMs, pageAtMs)) return 'walking';
  return isWithin(patienceMs, startedAtMs) && !isProvedSince(startedAtMs, source, nowMs) ? 'begun' : 'unread';
}

/** True when the source was proved after the start: it worked, so it gets no more time for a first walk. */
function isProvedSince(startedAtMs: number, { coveredUntilMs = 0 }: ReadSource, nowMs: number): boolean {
  return coveredUntilMs <= nowMs && coveredUntilMs + FORMATION_MS >= startedAtMs;
}

/** Not before the worker's start, because nothing can be proved without a worker. */
function unprovedSince({ coveredUntilMs = 0, startedAtMs = 0 }: ReadSource, nowMs: number): number {
  return coveredUntilMs > nowMs ? startedAtMs : Math.max(coveredUntilMs, startedAtMs);
}

/** Single objects, as the platform shows them when an operator asks for them. */
export function openObjects(parts: {
  readonly reader: Pick<PlatformReader & EventReader, 'get' | 'event'>;
  readonly intake: Pick<IntakeStore, 'observe'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly classes: ClassReader;
  /** What a platform event says about an object; undefined when it is about none. */
  readonly observationIn: (event: PlatformEvent) => Observation | undefined;
  /** The mirrors, ready to say what they would do. */
  readonly targets: () => Promise<readonly MirrorTarget[]>;
  readonly clock: Clock;
}) {
  const { reader, intake, view, classes, targets, clock } = parts;
  /** For objects that cannot be read alone, the event is all that the platform shows (platform API, Leads). */
  const shown = new Map<string, Snapshot>();
  return {
    async introduce(key: EntityKey): Promise<boolean> {
      const snapshot = isReadable(key.kind) ? await reader.get(key) : shown.get(formatKey(key));
      if (snapshot === undefined) return false;
      const seen = { as: 'snapshot', snapshot } as const;
      await intake.observe({ key, source: 'operator', occurredAtMs: clock.now(), force: true, seen });
      return true;
    },
    async eventOnPlatform(eventId: string): Promise<EntityKey | undefined> {
      const event = await reader.event(eventId);
      const observation = event && parts.observationIn(event);
      if (observation === undefined) return undefined;
      const { key, seen } = observation;
      if (seen.as === 'snapshot') shown.set(formatKey(key), seen.snapshot);
      return key;
    },
    /** Reads the object from the platform, where possible, and compares it with what the mirrors last wrote. */
    async preview(key: EntityKey): Promise<string> {
      const known = await view.peek(key);
      if (key.kind === 'class' && known !== undefined)
        return previewOf(await targets(), await classes.read(known));
      const found = isReadable(key.kind)
        ? await reader.get(key)
        : (known?.snapshot ?? shown.get(formatKey(key)));
      if (known === undefined) return found === undefined ? 'unknown' : 'created';
      if (found === undefined) return known.deleted ? 'nothing' : 'not shown by the platform';
      return previewOf(await targets(), { ...known, snapshot: found, deleted: false, verify: false });
    },
  };
}

/**
 * What all mirrors together would do about an object: their different actions in alphabetical order, without `nothing`. The code of an
 * error replaces an action that cannot be determined. Writes nothing.
 */
async function previewOf(targets: readonly MirrorTarget[], claim: Claim): Promise<string> {
  const actions = new Set<string>();
  for (const target of targets.filter((each) => each.from === claim.key.kind)) {
    try {
      actions.add(await target.preview(claim));
    } catch (error) {
      actions.add(error instanceof WorkerError ? error.code : 'unexpected');
    }
  }
  actions.delete('nothing');
  const [first = 'nothing', ...others] = [...actions].sort();
  return others.length === 0 ? first : [first, ...others].join(' and ');
}

/** For commands that only look: what they learn is kept until they end, and never stored. */
export function readOnly(memory: Memory): Memory {
  const learned = new Map<string, string | undefined>();
  return {
    get: async (name) => (learned.has(name) ? learned.get(name) : memory.get(name)),
    async set(name, value) {
      learned.set(name, value);
    },
    async forget(name) {
      learned.set(name, undefined);
    },
    async all(prefix) {
      const known = new Map(await memory.all(prefix));
      for (const [name, value] of learned) {
        if (!name.startsWith(prefix)) continue;
        if (value === undefined) known.delete(name.slice(prefix.length));
        else known.set(name.slice(prefix.length), value);
      }
      return known;
    },
  };
}
