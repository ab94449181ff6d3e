// What nearly every part needs of its process: time, log, metrics.

/** Where time comes from. */
export interface Clock {
  /** Milliseconds: since 1970 for a wall clock, since any moment for a steady one. */
  now(): number;
  /** Measures itself against the clock that all hosts share, and goes by that one from then on. Absent: it goes by itself. */
  follow?(readShared: () => Promise<number>): Promise<void>;
}

/** For durations within one process: the wall clock may jump by hours in either direction, this one never does. */
export const steadyClock: Clock = { now: () => performance.now() };

/** Loops and probes of a process wake together at such moments of its steady clock. */
const TOGETHER_MS = 1_000;

/**
 * The wait, ended at the full second that is nearest to its end. An idle process then wakes once a second instead of for each loop, and
 * what the loops read leaves in one round trip. A shorter wait stays as it is.
 */
export function togetherMs(waitMs: number, nowMs = performance.now()): number {
  if (waitMs < TOGETHER_MS) return waitMs;
  return Math.round((nowMs + waitMs) / TOGETHER_MS) * TOGETHER_MS - nowMs;
}

/** For moments that two processes of one machine compare: it never jumps, and counts from the same moment in both. */
export const machineClock: Clock = { now: () => Number(process.hrtime.bigint() / 1_000_000n) };

/** Structured logging: a constant message, fields beside it. Fields hold ids and codes, never a secret, phone, e-mail or name. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Counts and measures; `operate/metric-list.ts` explains the names. Label values are ids of the mapping and codes, never personal data. */
export interface Meter {
  add(counter: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Seconds. */
  observe(histogram: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}

/** For commands: their output goes to the terminal, and they serve no metrics. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
export const UNCOUNTED: Meter = { add() {}, observe() {} };

export interface Runtime {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Differences that need no correction: a measurement is about as exact. */
const FOLLOWED_MS_MIN = 1_000;
/** Above it the shared clock may be the wrong one. Followed further, it would have the platform's webhooks refused as too old. */
const FOLLOWED_MS_MAX = 2 * 60_000;
/** An answer that took longer does not say which moment it names. */
const MEASURED_WITHIN_MS = 1_000;

/**
 * The clock of this host, corrected by what it differs from the clock that all hosts share. So a moment that one host writes means the same
 * to the others: a proof, a due time, the end of a wait.
 */
export class SharedClock implements Clock {
  readonly #own: Clock;
  readonly #steady: Clock;
  #aheadMs = 0;
  /** The own clock against the steady one, when the difference was measured. */
  #setAtMs = Number.NaN;

  constructor(own: Clock, steady: Clock = steadyClock) {
    this.#own = own;
    this.#steady = steady;
  }

  now(): number {
    const ownMs = this.#own.now();
    // Set since: the measurement says nothing of it any more. The next one comes soon.
    const isSet = Math.abs(ownMs - this.#steady.now() - this.#setAtMs) > FOLLOWED_MS_MIN;
    return isSet ? ownMs : ownMs - this.#aheadMs;
  }

  async follow(readShared: () => Promise<number>): Promise<void> {
    const askedAtMs = this.#steady.now();
    const sharedMs = await readShared();
    const [ownMs, steadyMs] = [this.#own.now(), this.#steady.now()];
    const tookMs = steadyMs - askedAtMs;
    if (tookMs > MEASURED_WITHIN_MS) return;
    const aheadMs = Math.round(ownMs - tookMs / 2 - sharedMs);
    const apartMs = Math.abs(aheadMs);
    this.#aheadMs = apartMs > FOLLOWED_MS_MIN && apartMs <= FOLLOWED_MS_MAX ? aheadMs : 0;
    this.#setAtMs = ownMs - steadyMs;
  }
}

/** Smallest clock setback that counts: time servers correct less, and that delays nothing for long. */
const PUT_BACK_MS_MIN = 30_000;
/** Longest retry delay. A quota may delay longer, but an early turn costs it nothing. */
const PUT_OFF_MS_MAX = 10 * 60_000;
/** How often what lies further ahead is recalled. Another host whose clock was ahead may have put it off. */
const RECALL_EVERY_MS = 10 * 60_000;

interface WatchedClock extends Clock {
  /** Whether the clock was set back since the last call. */
  wasSetBack(): boolean;
}

/**
 * Judges each reading by a clock that cannot be set. So a clock that was ahead for a moment is noticed if anybody read it meanwhile.
 * `steadyMs`: milliseconds since any moment.
 */
export function watchedClock(clock: Clock, steadyMs = () => performance.now()): WatchedClock {
  let aheadMs = clock.now() - steadyMs();
  let isSetBack = false;
  let isMeasured = false;
  const now = (): number => {
    const nowMs = clock.now();
    const before = aheadMs;
    aheadMs = nowMs - steadyMs();
    if (aheadMs < before - PUT_BACK_MS_MIN) isSetBack = true;
    return nowMs;
  };
  const wasSetBack = (): boolean => {
    now();
    const was = isSetBack;
    isSetBack = false;
    return was;
  };
  return {
    now,
    async follow(readShared) {
      await clock.follow?.(readShared);
      // The first measurement is no setting: this clock has put nothing off yet.
      if (!isMeasured) wasSetBack();
      isMeasured = true;
    },
    wasSetBack,
  };
}

/**
 * Returns a function that says from how far ahead on, in milliseconds, what was put off has its turn now. Infinity: nothing has.
 */
export function recallRule(wasSetBack: () => boolean, steadyMs = () => performance.now()): () => number {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const isTime = steadyMs() >= nextAtMs;
    if (isTime) nextAtMs = steadyMs() + RECALL_EVERY_MS;
    if (wasSetBack()) return 0;
    return isTime ? PUT_OFF_MS_MAX : Number.POSITIVE_INFINITY;
  };
}
