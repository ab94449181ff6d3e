// `slotbridge audit` in the background of this worker. One runs at a time, and closing the page does not stop it. The result stays in this
// process until the next comparison or a restart; then people run it again.

import { WorkerError } from '../engine/errors.ts';
import type { Difference, DifferenceKind } from '../engine/finding.ts';
import type { Leases } from '../engine/leases.ts';
import type { Act, ActLog, Visitor } from '../engine/role.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import type { AuditResult } from '../operate/audit/audit.ts';
import type { Healed } from '../operate/audit/fix.ts';
import { healedOf } from '../operate/audit-text.ts';

/** Most differences that are kept; all of them are counted. */
const KEPT_MAX = 10_000;

/** What the session calls while a request limit holds it back, and what ends the wait. */
export interface ComparisonWaiting {
  readonly onWait: (wait: { readonly whose: 'platform' | 'google'; readonly ms: number }) => void;
  readonly signal: AbortSignal;
}

/** An operator's session of its own, separate from the worker's work. */
export interface ComparisonSession {
  /** About how many requests to the platform it takes, and how many minutes its limit makes them last. */
  auditCost?(): Promise<{ readonly platform: number; readonly minutes: number }>;
  audit(about: {
    readonly tell: (difference: Difference) => void;
    readonly progress: (step: { readonly reading: string; readonly objects: number }) => void;
  }): Promise<AuditResult>;
  fixAll?(chosen: readonly Difference[], standingIn: ReadonlyMap<string, number>): Promise<Healed>;
  whoseMapping?(): Promise<'own' | 'another' | 'none'>;
  close(): Promise<void>;
}

export interface Compared {
  readonly who: string;
  readonly atMs: number;
  /** What is being read now, and how many objects have been compared. */
  readonly reading: string;
  readonly objects: number;
  /** The estimate from before it began. */
  readonly cost?: { readonly platform: number; readonly minutes: number } | undefined;
  /** The request limit for which it waits. */
  readonly waits?: { readonly whose: 'platform' | 'google'; readonly untilMs: number } | undefined;
  readonly differences: readonly Difference[];
  /** All differences, including those that are not kept. */
  readonly count: number;
  readonly endedAtMs?: number;
  readonly summary?: AuditResult;
  /** What was done about the differences that a person chose. */
  readonly healed?: Healed;
  /** Why it did not finish. */
  readonly failed?: string;
}

interface Parts {
  readonly acts: ActLog;
  readonly openAudit: (waiting: ComparisonWaiting) => Promise<ComparisonSession>;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
}

export class Comparison {
  readonly #parts: Parts;
  #now: Compared | undefined;
  #session: ComparisonSession | undefined;
  readonly #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The comparison that is running, otherwise the last one. */
  get current(): Compared | undefined {
    return this.#now;
  }

  /**
   * Notes the act and starts. Returns false when a comparison is already running; then it notes nothing. `heal`: differences of the last
   * comparison. Those that are found again are healed.
   */
  async start(visitor: Visitor, note: () => Promise<Act>, heal?: readonly Difference[]): Promise<boolean> {
    const { clock, leases } = this.#parts;
    if (this.#now !== undefined && this.#now.endedAtMs === undefined) return false;
    this.#now = {
      ...{ who: visitor.who, atMs: clock.now(), reading: '', objects: 0, differences: [], count: 0 },
    };
    let hasBegun = (_begun: boolean): void => undefined;
    const begun = new Promise<boolean>((done) => {
      hasBegun = done;
    });
    leases
      .hold('audit', async () => {
        const act = await note();
        hasBegun(true);
        await this.#run(act, heal);
      })
      // Another worker is running a comparison.
      .then((held) => held === undefined && this.#fail('busy'))
      .catch((error: unknown) => this.#fail(error instanceof WorkerError ? error.code : 'unexpected', error))
      .finally(() => hasBegun(false));
    return begun;
  }

  /** Ends a running comparison. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#session?.close();
  }

  async #run(act: Act, heal: readonly Difference[] | undefined): Promise<void> {
    const { clock } = this.#parts;
    const session = await this.#parts.openAudit({
      onWait: ({ whose, ms }) => this.#put({ waits: { whose, untilMs: clock.now() + ms } }),
      signal: this.#closing.signal,
    });
    this.#session = session;
    const differences: Difference[] = [];
    let count = 0;
    try {
      // The links here are of another mapping, and prove nothing about what may go.
      if (heal?.some(isRemoval) && (await session.whoseMapping?.()) === 'another') {
        this.#fail('other-mapping');
        return;
      }
      this.#put({ cost: await session.auditCost?.() });
      const summary = await session.audit({
        tell: (difference) => {
          count += 1;
          if (differences.length < KEPT_MAX) differences.push(difference);
        },
        progress: ({ reading, objects }) => this.#put({ reading, objects, count, waits: undefined }),
      });
      const meant = new Set(heal?.map(nameOf));
      const still = differences.filter((difference) => meant.has(nameOf(difference)));
      const healed = heal && (await session.fixAll?.(still, summary.standingIn));
      this.#put({
        ...{ differences, count, summary, objects: summary.objects },
        ...(healed && { healed }),
        endedAtMs: this.#parts.clock.now(),
      });
      const done = healed && healedOf(healed);
      const counts = { chosen: heal?.length ?? summary.objects, done: done ?? summary.objects };
      await this.#parts.acts.note({ ...act, ...counts });
    } finally {
      this.#session = undefined;
      await session.close();
    }
  }

  #fail(code: string, error?: unknown): void {
    if (error !== undefined) this.#parts.log.warn({ err: error }, 'comparison ended without a result');
    this.#put({ failed: code, endedAtMs: this.#parts.clock.now() });
  }

  #put(news: Partial<Compared>): void {
    if (this.#now !== undefined) this.#now = { ...this.#now, ...news };
  }
}

/** Healing these may remove something. */
const REMOVALS: ReadonlySet<DifferenceKind> = new Set(['doubled', 'orphaned', 'unmapped']);

function isRemoval({ what }: Difference): boolean {
  return REMOVALS.has(what);
}

/** The same difference has the same name in every comparison. A row may have moved meanwhile. */
function nameOf({ what, key, mirror, place, name }: Difference): string {
  const event = place.startsWith('calendar:') ? (name ?? '') : '';
  return JSON.stringify([what, key, mirror, place, event]);
}
