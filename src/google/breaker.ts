// One instance per process, for all targets (calendars and spreadsheets). A target that keeps failing or hanging rests for a while, so that
// the worker can serve the others. Processes do not share it: another process learns the same from five lost calls, and the fault may be
// this process's route to Google.
import { DeferredError, RetryableError } from '../engine/domain/errors.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import { GoogleFailure } from './errors.ts';

/** Failures in a row, without an answer in between, that open the breaker. */
const FAILURES_MAX = 5;
const FIRST_PAUSE_MS = 2_000;
/** Longest pause of a failing target: at this pause the failure is raised on the problem board, which then admits one call per 15 s. */
const LONGEST_PAUSE_MS = 15_000;
/** A call is late after this many times the usual duration, within these bounds. */
const LATE_TIMES = 4;
const LATE_MS_MIN = 250;
const LATE_MS_MAX = 2_000;
/** Share of the worker's handlers that a target with a late call may occupy; at least one. */
const LATE_PLACES_SHARE = 0.25;
const LATE_WAIT_MS = 1_000;
/** Share of the handlers that one target may occupy while others are active: a time-out must not block all of them. */
const PLACES_SHARE = 0.75;
const CROWDED_WAIT_MS = 250;
/** A target without calls for this long gets no handlers reserved. */
const ACTIVE_MS = 30_000;
/** Weight of one answer in the moving average of the duration. */
const USUAL_WEIGHT = 0.1;
/** Assumed duration before the first answer. */
const USUAL_MS = 50;

/** A call under way. */
export interface Place {
  /** Call once, with the error if the call failed. True: the target has failed long enough that an operator should know. */
  ended(error?: unknown): boolean;
  /** The call was never sent. */
  forgone(): void;
}

interface Target {
  failures: number;
  pauseMs: number;
  openUntilMs: number;
  isProbing: boolean;
  /** The problem board decides who may try, not this breaker. */
  isOnBoard: boolean;
  calledAtMs: number;
  /** Calls under way with their start times, oldest first. */
  readonly underWay: Set<{ readonly atMs: number }>;
}

export class TargetBreakers {
  readonly #clock: Clock;
  readonly #places: number;
  readonly #onVerdict: (isAnswered: boolean) => void;
  readonly #targets = new Map<string, Target>();
  #usualMs = USUAL_MS;

  /** `clock`: monotonic. `places`: the worker's concurrency. `onVerdict`: called after each call that says whether Google answers. */
  constructor(parts: { clock: Clock; places?: number; onVerdict?: (isAnswered: boolean) => void }) {
    this.#onVerdict = parts.onVerdict ?? (() => {});
    this.#clock = parts.clock;
    this.#places = parts.places ?? Number.POSITIVE_INFINITY;
  }

  /** Throws `DeferredError` (`calendar-resting`, `calendar-crowded`, …) when the call must wait. */
  begin(name: string): Place {
    const nowMs = this.#clock.now();
    const target = this.#target(name);
    const isOpen = target.openUntilMs > 0 && !target.isOnBoard;
    if (isOpen && (target.isProbing || nowMs < target.openUntilMs)) {
      const waitMs = Math.max(target.openUntilMs - nowMs, FIRST_PAUSE_MS / 2);
      throw later(name, 'resting', waitMs);
    }
    const crowdedMs = isOpen ? 0 : this.#crowdedForMs(name, target, nowMs);
    if (crowdedMs > 0) throw later(name, 'crowded', crowdedMs);
    if (isOpen) target.isProbing = true;
    target.calledAtMs = nowMs;
    const call = { atMs: nowMs };
    target.underWay.add(call);
    return {
      ended: (error) => {
        target.underWay.delete(call);
        if (isOpen) target.isProbing = false;
        return this.#learn(target, call.atMs, error);
      },
      forgone: () => {
        target.underWay.delete(call);
        if (isOpen) target.isProbing = false;
      },
    };
  }

  #learn(target: Target, leftAtMs: number, error: unknown): boolean {
    const nowMs = this.#clock.now();
    const verdict = verdictOf(error);
    if (verdict === 'nothing') return false;
    this.#onVerdict(verdict === 'answered');
    if (verdict === 'answered') {
      this.#usualMs += (nowMs - leftAtMs - this.#usualMs) * USUAL_WEIGHT;
      Object.assign(target, { failures: 0, pauseMs: 0, openUntilMs: 0, isProbing: false });
      return false;
    }
    target.failures += 1;
    if (target.failures < FAILURES_MAX) return false;
    // Failures of calls that left before the breaker opened add nothing new.
    if (nowMs < target.openUntilMs || leftAtMs < target.openUntilMs - target.pauseMs) return false;
    const isLasting = target.pauseMs >= LONGEST_PAUSE_MS;
    target.pauseMs = Math.min(target.pauseMs === 0 ? FIRST_PAUSE_MS : target.pauseMs * 2, LONGEST_PAUSE_MS);
    target.openUntilMs = nowMs + target.pauseMs;
    target.isOnBoard = isLasting;
    return isLasting;
  }

  /** The calls of one target must not occupy all handlers, least of all when they are late. 0: the call may go. */
  #crowdedForMs(name: string, { underWay }: Target, nowMs: number): number {
    const [oldest] = underWay;
    if (oldest === undefined || !this.#hasOthers(name, nowMs)) return 0;
    if (underWay.size >= Math.max(1, Math.floor(this.#places * PLACES_SHARE))) return CROWDED_WAIT_MS;
    if (underWay.size < Math.max(1, Math.floor(this.#places * LATE_PLACES_SHARE))) return 0;
    const lateMs = Math.min(Math.max(this.#usualMs * LATE_TIMES, LATE_MS_MIN), LATE_MS_MAX);
    return nowMs - oldest.atMs < lateMs ? 0 : LATE_WAIT_MS;
  }

  #hasOthers(name: string, nowMs: number): boolean {
    for (const [other, { calledAtMs }] of this.#targets)
      if (other !== name && nowMs - calledAtMs < ACTIVE_MS) return true;
    return false;
  }

  #target(name: string): Target {
    const known = this.#targets.get(name);
    if (known !== undefined) return known;
    const target: Target = {
      failures: 0,
      pauseMs: 0,
      openUntilMs: 0,
      isProbing: false,
      isOnBoard: false,
      calledAtMs: 0,
      underWay: new Set(),
    };
    this.#targets.set(name, target);
    return target;
  }
}

/**
 * `failed`: the target returned a 5xx or timed out. `nothing`: the error says nothing about the target, because Google was unreachable or
 * its token endpoint failed.
 */
function verdictOf(error: unknown): 'answered' | 'failed' | 'nothing' {
  if (!(error instanceof RetryableError)) return 'answered';
  if (error.cause instanceof GoogleFailure && error.cause.ofToken) return 'nothing';
  switch (error.code) {
    case 'google-unavailable':
    case 'google-timeout':
      return 'failed';
    case 'google-redirected':
    case 'google-unreachable':
    case 'store-unavailable':
      return 'nothing';
    default:
      return 'answered';
  }
}

function later(target: string, state: 'resting' | 'crowded', waitMs: number): DeferredError {
  const kind = target.startsWith('spreadsheet:') ? 'spreadsheet' : 'calendar';
  const why =
    state === 'resting' ? 'has failed several times in a row' : 'already uses its share of parallel calls';
  return new DeferredError(`${kind}-${state}`, `the ${kind} ${why}: waiting for the next try`, {
    target,
    retryAfterMs: Math.ceil(waitMs * (1 + Math.random() / 4)),
  });
}
