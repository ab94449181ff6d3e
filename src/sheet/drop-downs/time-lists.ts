import { WorkerError } from '../../engine/domain/errors.ts';
import type { DayAsked, RowTimes, WishedPlace } from '../../engine/ports/bookings.ts';
import type { Clock, Log } from '../../engine/ports/runtime.ts';

/** A list of free times that a row needs. */
export interface TimesRequest {
  readonly place: WishedPlace;
  /** Absent: the next free times. */
  readonly day?: DayAsked;
}

interface Found {
  readonly atMs: number;
  /** Epoch milliseconds, the earliest first. */
  readonly startsMs: readonly number[];
}

/** Age at which free times are read again: they change with every booking. The verdict is the platform's anyway. */
const FRESH_FOR_MS = 5 * 60_000;
/** How long free times are kept after the last reading: no row has needed them since. */
const KEPT_FOR_MS = 3_600_000;
/** Requests for free times in a minute: a share of the platform's budget, in which all other work goes first. */
const ASKS_A_MINUTE = 6;
const MINUTE_MS = 60_000;

/** The free times last found. A few at a time are read again now and then; what cannot be read now is read later. */
export class TimeLists {
  readonly #parts: { readonly times: Pick<RowTimes, 'free'>; readonly clock: Clock; readonly log: Log };
  readonly #found = new Map<string, Found>();
  #askedMs: number[] = [];

  constructor(parts: { readonly times: Pick<RowTimes, 'free'>; readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts;
  }

  /** Reads the lists that are due, a few at a time. True when it sent a request, which takes time. */
  async fill(asked: ReadonlyMap<string, TimesRequest>, signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#parts.clock.now();
    for (const [name, { atMs }] of this.#found)
      if (Math.abs(nowMs - atMs) >= KEPT_FOR_MS) this.#found.delete(name);
    const ageOf = (name: string) =>
      Math.abs(nowMs - (this.#found.get(name)?.atMs ?? Number.NEGATIVE_INFINITY));
    const due = [...asked].filter(([name]) => ageOf(name) >= FRESH_FOR_MS);
    // Lists that were never read come first, in their order; then the oldest.
    due.sort(([a], [b]) => (ageOf(a) === ageOf(b) ? 0 : ageOf(b) - ageOf(a)));
    let hasAsked = false;
    for (const [name, wanted] of due) {
      if (signal.aborted || !this.#mayAsk()) break;
      hasAsked = true;
      if (!(await this.#ask(name, wanted))) break;
    }
    return hasAsked;
  }

  /** The starts last found, in epoch milliseconds; undefined when they were not read yet. */
  startsOf(name: string): readonly number[] | undefined {
    const nowMs = this.#parts.clock.now();
    return this.#found.get(name)?.startsMs.filter((startMs) => startMs > nowMs);
  }

  #mayAsk(): boolean {
    const nowMs = this.#parts.clock.now();
    this.#askedMs = this.#askedMs.filter((atMs) => Math.abs(nowMs - atMs) < MINUTE_MS);
    return this.#askedMs.length < ASKS_A_MINUTE;
  }

  /** False: no more requests now. */
  async #ask(name: string, wanted: TimesRequest): Promise<boolean> {
    const { times, clock, log } = this.#parts;
    const atMs = clock.now();
    this.#askedMs.push(atMs);
    try {
      this.#found.set(name, { atMs, startsMs: await times.free(wanted.place, wanted.day) });
      return true;
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      // Only this list is refused: a service without a branch, or a resource that does not provide it.
      const isRefused = error.family === 'terminal';
      if (isRefused) this.#found.set(name, { atMs, startsMs: [] });
      else log.info({ err: error }, 'free times for drop-downs are asked for later');
      return isRefused;
    }
  }
}
