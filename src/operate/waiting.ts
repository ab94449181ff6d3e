// A command reads for minutes, and the platform and Google admit so many requests a minute. It waits for the next window and says so, because
// an error would lose all that was read.

import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../engine/counts.ts';
import { DeferredError, isLimit, RetryableError, type WorkerError } from '../engine/errors.ts';
import { LATE, within } from '../engine/object.ts';
import type { Budget, PlatformBudget } from '../engine/quotas.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { backoffMs } from '../engine/work.ts';
import { askedResyncs, realHoles } from './holes.ts';
import type { StatusReport } from './status-report.ts';

export interface Waiting {
  /** Called once for each wait that people notice. */
  readonly onWait: (wait: LimitWait) => void;
  /** Called before a read without an answer is repeated. */
  readonly onLost?: (lost: WorkerError, ms: number) => void;
  /** Ends a wait, which then rejects with the request's own error. */
  readonly signal?: AbortSignal;
  /** Rejects when the signal aborts. */
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

export interface LimitWait {
  readonly whose: 'platform' | 'google';
  readonly ms: number;
}

/** Shorter waits are told only when they add up to this. */
const TOLD_MS_MIN = 1_500;
/** How often a read is repeated that gets no answer amid others that did: about three minutes, in which a platform restarts. */
const LOST_MAX = 8;
const LOST = ['platform-unreachable', 'platform-timeout', 'platform-unavailable'];

export class Limits {
  readonly #waiting: Waiting;
  /** Until when a wait was told, by limit, on the monotonic clock: several reads wait for the same window. */
  readonly #toldUntilMs = new Map<string, number>();
  /** By limit: the short waits since the last one that was told, in ms. */
  readonly #untoldMs = new Map<string, number>();
  #hasAnswered = false;

  constructor(waiting: Waiting = { onWait: () => undefined }) {
    this.#waiting = waiting;
  }

  /**
   * Repeats one request until no limit holds it back. `isPage`: also when it gets no answer, once others got one, because an error would
   * lose all that was read. Rejects with any other error.
   */
  async outlast<T>(request: () => Promise<T>, { isPage = false } = {}): Promise<T> {
    for (let lost = 0; ; ) {
      try {
        const answer = await request();
        this.#hasAnswered ||= isPage;
        return answer;
      } catch (error) {
        if (this.#waiting.signal?.aborted) throw error;
        if (error instanceof DeferredError && isLimit(error.code)) await this.#waitForLimit(error);
        else if (isPage && this.#hasAnswered && lost < LOST_MAX && isLost(error)) {
          lost += 1;
          const ms = backoffMs(lost);
          this.#waiting.onLost?.(error, ms);
          await this.#pause(ms, error);
        } else throw error;
      }
    }
  }

  async #waitForLimit(error: DeferredError): Promise<void> {
    const whose = error.code === 'platform-rate-limited' ? 'platform' : 'google';
    const ms = Math.max(1, error.retryAfterMs);
    const nowMs = performance.now();
    if ((this.#toldUntilMs.get(whose) ?? 0) <= nowMs) {
      const untoldMs = (this.#untoldMs.get(whose) ?? 0) + ms;
      const isTold = untoldMs >= TOLD_MS_MIN;
      this.#untoldMs.set(whose, isTold ? 0 : untoldMs);
      if (isTold) {
        this.#toldUntilMs.set(whose, nowMs + ms);
        this.#waiting.onWait({ whose, ms });
      }
    }
    await this.#pause(ms, error);
  }

  /** Rejects with the error when the wait is ended. */
  async #pause(ms: number, error: WorkerError): Promise<void> {
    const { signal, pause = pauseFor } = this.#waiting;
    await pause(ms, signal).catch(() => {
      throw error;
    });
  }

  /** The same budget, which lets walks over whole lists wait instead of rejecting them. */
  outlasting(budget: Budget): Budget {
    return {
      spend: (name, spending) =>
        spending?.rank === 'list'
          ? this.outlast(() => budget.spend(name, spending))
          : budget.spend(name, spending),
      refused: (admission, refusal) => budget.refused(admission, refusal),
      answered: (admission) => budget.answered(admission),
    };
  }
}

/** Share of the platform's limit that walks over whole lists may use (`platform/http-rate.ts`); Google's is the same (`google/budget.ts`). */
export const WALK_SHARE = 0.75;
/** The platform's limit is one per minute. */
const WINDOW_MS = 60_000;
/** Largest difference between two reported ends of the same window. */
const SAME_WINDOW_MS = 1_500;
/** Shortest work from which a pace is taken: the first requests also open connections. */
const PACE_AFTER_MS = 5_000;
/** After so much work, what is newer counts more. */
const PACE_FORGETS_MS = 300_000;

/** What is to be read of one kind. */
export interface ReadingPhase {
  readonly objects: number;
  readonly requests: number;
}

interface Window {
  readonly endsAtMs: number;
  /** Requests that were left when it began; absent if it began before the first step. */
  readonly from?: number | undefined;
  readonly wasSpent: boolean;
}

/**
 * How long the rest of a walk lasts. The platform admits a window's worth of requests at once, then none until the next window. So it counts
 * the windows that the remaining requests take, from the end of this one. A machine slower than that goes by its own pace.
 */
export class TimeLeft {
  readonly #phases: ReadonlyMap<string, ReadingPhase>;
  readonly #besides: number;
  readonly #steady: Clock;
  readonly #begun = new Set<string>();
  #reading = '';
  #phaseFrom = 0;
  #last: { readonly atMs: number; readonly objects: number; readonly requests: number } | undefined;
  #busy = { ms: 0, objects: 0 };
  /** The work so far shows a pace: it took long enough, or was faster than the limit. */
  #hasPace = false;
  #window: Window | undefined;
  /** Requests of this walk that the last whole window admitted. */
  #admitted: number | undefined;

  /** `phases`: by kind. `besides`: requests that follow all of them. */
  constructor(phases: ReadonlyMap<string, ReadingPhase>, besides = 0, steady: Clock = steadyClock) {
    this.#phases = phases;
    this.#besides = besides;
    this.#steady = steady;
  }

  /** Milliseconds; undefined while nothing shows them. `objects`: of all kinds so far. */
  after(
    { reading, objects }: { readonly reading: string; readonly objects: number },
    budget: PlatformBudget,
  ): number | undefined {
    const nowMs = this.#steady.now();
    const isSameReading = reading === this.#reading;
    if (!isSameReading) this.#phaseFrom = this.#last?.objects ?? 0;
    this.#reading = reading;
    this.#begun.add(reading);
    const left = this.#left(objects);
    const isRenewed = this.#see(budget, nowMs);
    if (this.#last !== undefined && isSameReading && !isRenewed)
      this.#work(nowMs - this.#last.atMs, objects - this.#last.objects);
    this.#last = { atMs: nowMs, objects, requests: left.requests };
    if (left.objects + left.requests === 0) return undefined;
    const wait = this.#wait(left.requests, budget);
    const { ms, objects: took } = this.#busy;
    this.#hasPace ||= took > 0 && (ms >= PACE_AFTER_MS || this.#window?.wasSpent === true);
    if (!this.#hasPace) return undefined;
    const workMs = (left.objects * ms) / took;
    return Math.max(workMs, wait.ms + workMs * wait.lastShare);
  }

  #left(objects: number): ReadingPhase {
    let left: ReadingPhase = { objects: 0, requests: this.#besides };
    for (const [kind, phase] of this.#phases) {
      if (kind !== this.#reading && this.#begun.has(kind)) continue;
      const done = kind === this.#reading ? objects - this.#phaseFrom : 0;
      const rest = Math.max(0, phase.objects - done);
      const requests = phase.objects === 0 ? 0 : Math.ceil((phase.requests * rest) / phase.objects);
      left = { objects: left.objects + rest, requests: left.requests + requests };
    }
    return left;
  }

  #work(ms: number, objects: number): void {
    const keeps = this.#busy.ms > PACE_FORGETS_MS ? 0.5 : 1;
    this.#busy = { ms: this.#busy.ms * keeps + ms, objects: this.#busy.objects * keeps + objects };
  }

  /** True in the first step of another window, which may have waited for it. */
  #see({ limit, left, renewedInMs }: PlatformBudget, nowMs: number): boolean {
    if (limit === undefined || left === undefined || renewedInMs <= 0) return false;
    const endsAtMs = nowMs + renewedInMs;
    const known = this.#window;
    const isRenewed = known !== undefined && endsAtMs > known.endsAtMs + SAME_WINDOW_MS;
    const from = this.#last?.requests;
    if (isRenewed && known.wasSpent && known.from !== undefined && from !== undefined)
      this.#admitted = Math.max(1, known.from - from);
    const window = known === undefined || isRenewed ? { endsAtMs, ...(known && { from }) } : known;
    this.#window = { ...window, wasSpent: left <= keptOf(limit) };
    return isRenewed;
  }

  /** How long so many requests are held back, and which share of them leaves in the last window. */
  #wait(
    requests: number,
    { limit, left, renewedInMs, pausedForMs }: PlatformBudget,
  ): { readonly ms: number; readonly lastShare: number } {
    if (limit === undefined || left === undefined || requests === 0) return { ms: pausedForMs, lastShare: 1 };
    const atOnce = Math.max(0, left - keptOf(limit));
    if (requests <= atOnce) return { ms: 0, lastShare: 1 };
    const perWindow = this.#admitted ?? Math.max(1, limit - keptOf(limit));
    const further = Math.ceil((requests - atOnce) / perWindow) - 1;
    const firstMs = Math.max(renewedInMs > 0 ? renewedInMs : WINDOW_MS, pausedForMs);
    return {
      ms: firstMs + further * WINDOW_MS,
      lastShare: (requests - atOnce - further * perWindow) / requests,
    };
  }
}

function keptOf(limit: number): number {
  return Math.floor(limit * (1 - WALK_SHARE));
}

function pauseFor(ms: number, signal?: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, signal === undefined ? {} : { signal });
}

function isLost(error: unknown): error is RetryableError {
  return error instanceof RetryableError && LOST.includes(error.code);
}

/** Deadline of an HTTP answer: a probe or a person gives up after 4 s, and a store itself reports a time-out after 3 s. */
const ANSWER_WITHIN_MS = 3_500;

/** The result, or `RetryableError` `store-unavailable` after 3.5 s, so that an HTTP caller always gets an answer. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const answer = await within(ANSWER_WITHIN_MS, work);
  if (answer !== LATE) return answer;
  const details = { target: 'redis', advice: 'Check that Redis runs and has memory and disk left.' };
  throw new RetryableError('store-unavailable', `no answer within ${ANSWER_WITHIN_MS} ms`, details);
}

/**
 * Why the mirrors may differ from the platform, one sentence per reason; empty when they are up to date. Invisible work in flight (null:
 * another process) is no reason of its own, because unsettled work is still pending or a waiting row.
 */
export function whyNotIdle({
  coverage,
  holes,
  pending,
}: Pick<StatusReport, 'holes' | 'pending'> & {
  readonly coverage: Pick<StatusReport['coverage'], 'feed'>;
}): string[] {
  const { feed } = coverage;
  const inFlight = pending.in_flight ?? 0;
  const missed = realHoles(holes).length;
  const asked = askedResyncs(holes).length;
  return [
    ...(pending.objects > 0 ? [`${counted(pending.objects, 'object')} pending`] : []),
    ...(inFlight > 0 ? [`${inFlight} in flight`] : []),
    ...(pending.sheet_rows > 0 ? [`${counted(pending.sheet_rows, 'sheet row')} waiting to be written`] : []),
    ...(feed.walk_open ? ['a walk through the event feed has not reached its floor yet'] : []),
    ...(missed > 0 ? [`${counted(missed, 'hole')} in the coverage`] : []),
    ...(asked > 0 ? [counted(asked, 'requested resync')] : []),
    ...(feed.fresh ? [] : [staleness(feed.proved_ago_s)]),
  ];
}

function staleness(ageS: number | null): string {
  return ageS === null
    ? 'the event feed has not been read completely yet'
    : `the event feed was last proved ${counted(ageS, 'second')} ago`;
}
