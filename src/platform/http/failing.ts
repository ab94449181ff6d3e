// Notices that the platform answers nothing: errors of its own, time-outs, or no connection. One lost answer is no outage, and any answer of
// the API itself ends one, also a refusal.
import type { RetryableError } from '../../engine/domain/errors.ts';
import type { Clock } from '../../engine/ports/runtime.ts';

/** How long nothing may be answered, and the failures it takes: about when a failing calendar is reported (`google/breaker.ts`). */
const FAILING_FOR_MS = 30_000;
const FAILURES_MIN = 2;
/** Shortest time between two reports of a lasting outage, which renew its Request-Id. */
const REPORTED_EVERY_MS = 15_000;

export interface Outage {
  /** Epoch milliseconds of the first failure. */
  readonly sinceMs: number;
  /** The newest failure. Its status is undefined for a time-out or a lost connection. */
  readonly error: RetryableError;
}

interface Run {
  readonly sinceMs: number;
  failures: number;
  error: RetryableError;
  reportedAtMs: number | undefined;
  readonly timer: NodeJS.Timeout;
}

export class OutageWatch {
  readonly #clock: Clock;
  readonly #failingForMs: number;
  readonly #listeners = new Set<(outage: Outage | undefined) => void>();
  #run: Run | undefined;
  /** At first, another process may have reported an outage and died. */
  #mayBeReported = true;

  constructor(parts: { readonly clock: Clock; readonly failingForMs?: number | undefined }) {
    this.#clock = parts.clock;
    this.#failingForMs = parts.failingForMs ?? FAILING_FOR_MS;
  }

  /** Called with each report of an outage, and with undefined when it is over. */
  onChange(listener: (outage: Outage | undefined) => void): void {
    this.#listeners.add(listener);
  }

  failed(error: RetryableError): void {
    this.#run ??= this.#begin(error);
    this.#run.failures += 1;
    this.#run.error = error;
    this.#look();
  }

  answered(): void {
    clearTimeout(this.#run?.timer);
    this.#run = undefined;
    if (!this.#mayBeReported) return;
    this.#mayBeReported = false;
    for (const listener of this.#listeners) listener(undefined);
  }

  #begin(error: RetryableError): Run {
    // An idle worker makes its next call much later.
    const timer = setTimeout(() => this.#look(true), this.#failingForMs).unref();
    return { sinceMs: this.#clock.now(), failures: 0, error, reportedAtMs: undefined, timer };
  }

  #look(isDue = false): void {
    const run = this.#run;
    if (run === undefined || run.failures < FAILURES_MIN) return;
    const nowMs = this.#clock.now();
    if (!isDue && run.reportedAtMs === undefined && nowMs - run.sinceMs < this.#failingForMs) return;
    if (run.reportedAtMs !== undefined && nowMs - run.reportedAtMs < REPORTED_EVERY_MS) return;
    run.reportedAtMs = nowMs;
    this.#mayBeReported = true;
    for (const listener of this.#listeners) listener({ sinceMs: run.sinceMs, error: run.error });
  }
}
