// `slotbridge audit` in the background of this worker. One runs at a time, and closing the page does not stop it. The result stays in this
// process until the next comparison or a restart; then people run it again.
import type { Difference } from '../domain/difference.ts';
import { WorkerError } from '../domain/errors.ts';
import type { Act, Visitor } from '../domain/role.ts';
import type { ActLog } from '../ports/console.ts';
import type { Leases } from '../ports/leases.ts';
import type { AuditSummary } from '../ports/operator.ts';
import type { Clock, Log } from '../ports/runtime.ts';

/** Most differences that are kept; all of them are counted. */
const KEPT_MAX = 10_000;

/** An operator's session of its own, separate from the worker's work. */
export interface ComparisonSession {
  audit(about: {
    readonly tell: (difference: Difference) => void;
    readonly progress: (step: { readonly reading: string; readonly objects: number }) => void;
  }): Promise<AuditSummary>;
  close(): Promise<void>;
}

export interface Compared {
  readonly who: string;
  readonly atMs: number;
  /** What is being read now, and how many objects have been compared. */
  readonly reading: string;
  readonly objects: number;
  readonly differences: readonly Difference[];
  /** All differences, including those that are not kept. */
  readonly count: number;
  readonly endedAtMs?: number;
  readonly summary?: AuditSummary;
  /** Why it did not finish. */
  readonly failed?: string;
}

interface Parts {
  readonly acts: ActLog;
  readonly openAudit: () => Promise<ComparisonSession>;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
}

export class Comparison {
  readonly #parts: Parts;
  #now: Compared | undefined;
  #session: ComparisonSession | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The comparison that is running, otherwise the last one. */
  get current(): Compared | undefined {
    return this.#now;
  }

  /** Notes the act and starts. Returns false when a comparison is already running; then it notes nothing. */
  async start(visitor: Visitor, note: () => Promise<Act>): Promise<boolean> {
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
        await this.#run(act);
      })
      // Another worker is running a comparison.
      .then((held) => held === undefined && this.#fail('busy'))
      .catch((error: unknown) => this.#fail(error instanceof WorkerError ? error.code : 'unexpected', error))
      .finally(() => hasBegun(false));
    return begun;
  }

  /** Ends a running comparison. */
  async close(): Promise<void> {
    await this.#session?.close();
  }

  async #run(act: Act): Promise<void> {
    const session = await this.#parts.openAudit();
    this.#session = session;
    const differences: Difference[] = [];
    let count = 0;
    try {
      const summary = await session.audit({
        tell: (difference) => {
          count += 1;
          if (differences.length < KEPT_MAX) differences.push(difference);
        },
        progress: (step) => this.#put({ ...step, count }),
      });
      this.#put({
        differences,
        count,
        summary,
        objects: summary.objects,
        endedAtMs: this.#parts.clock.now(),
      });
      await this.#parts.acts.note({ ...act, chosen: summary.objects, done: summary.objects });
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
