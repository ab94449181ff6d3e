import { DeferredError, RetryableError, TerminalError, TURN_OVER, WorkerError } from '../engine/errors.ts';
import { LATE, within } from '../engine/object.ts';
import type { ProblemBoard, RaisedProblem } from '../engine/problem-board.ts';
import type { Admission, Budget, BudgetRank } from '../engine/quotas.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { refusedBackoffMs } from '../engine/work.ts';
import type { CredentialChoice, GoogleAuthClient, GoogleCredential } from './auth.ts';
import {
  classifyGoogleError,
  DEFAULT_CREDENTIAL,
  EVENT_FORBIDDEN,
  GOOGLE_QUOTA,
  GoogleFailure,
  mayMeanTarget,
  quotaStop,
} from './errors.ts';

// One instance per process, for all targets (calendars and spreadsheets). A target that keeps failing or hanging rests for a while, so that
// the worker can serve the others. Processes do not share it: another process learns the same from five lost calls, and the fault may be
// this process's route to Google.

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

interface Place {
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
  readonly #onDone: ((target: string, direction: Direction) => void) | undefined;
  readonly #targets = new Map<string, Target>();
  #usualMs = USUAL_MS;

  /**
   * `clock`: monotonic. `places`: the worker's concurrency. `onVerdict`: called after each call that says whether Google answers. `onDone`:
   * after each call that Google has carried out.
   */
  constructor(parts: {
    clock: Clock;
    places?: number;
    onVerdict?: (isAnswered: boolean) => void;
    onDone?: (target: string, direction: Direction) => void;
  }) {
    this.#onDone = parts.onDone;
    this.#onVerdict = parts.onVerdict ?? (() => {});
    this.#clock = parts.clock;
    this.#places = parts.places ?? Number.POSITIVE_INFINITY;
  }

  /** Throws `DeferredError` (`calendar-resting`, `calendar-crowded`, …) when the call must wait. */
  begin(name: string, direction: Direction = 'read'): Place {
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
        const isLasting = this.#learn(target, call.atMs, error);
        if (error === undefined) this.#onDone?.(name, direction);
        return isLasting;
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
  if (['google-redirected', 'store-unavailable'].includes(error.code)) return 'nothing';
  // The codes of every side end alike: `google-timeout`, `caldav-timeout`.
  if (/-(?:unavailable|timeout)$/.test(error.code)) return 'failed';
  return error.code.endsWith('-unreachable') ? 'nothing' : 'answered';
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

export interface GoogleCall {
  /** Only a write proves the right to write. */
  readonly direction: Direction;
  /** `calendar:<id>` or `spreadsheet:<id>[/<tab>]`. */
  readonly target: string;
  /** Target of problems with the credential as a whole, which every target that uses it shares. Default `google`. */
  readonly credential?: string | undefined;
  readonly budgetName: string;
  readonly budget: Budget;
  /** Default `live`. */
  readonly rank?: BudgetRank | undefined;
  readonly breakers: TargetBreakers;
  /** Read and written at every call. Pass a `KnownProblems`, or each call costs round trips to the board. */
  readonly problems: TargetProblems;
  /** Deadline of the whole call, including fetching a token. */
  readonly timeoutMs: number;
  /**
   * `item`: the call names one thing inside the target. A 404 is then `not-found` and a bare "forbidden" `event-forbidden`; neither says
   * anything about the target.
   */
  readonly about?: 'target' | 'item';
  /** The request leaves once this has resolved. If it rejects, so does the call. */
  readonly after?: Promise<unknown> | undefined;
}

/** Code of a 404 to a call about an item: the item is missing, or the whole target is. */
export const NOT_FOUND = 'not-found';

const PAUSE_MS = 15_000;

/**
 * Makes one request to Google: spends the budget and translates errors. While the target refuses everybody, only one call per 15 s is made;
 * all others are deferred. A refusal that hits every call to the target is raised as its problem; the next call that works clears it. A
 * missing right to write is a problem of writes only.
 * Rejects only with one of the three error families. `run` must pass `signal` to its request, so that nothing is sent after the deadline.
 */
export async function googleCall<T>(call: GoogleCall, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { target, direction, problems, credential = DEFAULT_CREDENTIAL } = call;
  const both = [credential, target];
  const turns: string[] = [];
  let place: Place | undefined;
  let admission: Admission;
  try {
    for (const each of both) {
      const leave = await problems.mayTry(each, direction);
      if (leave === false) throw targetPaused(each);
      if (leave === 'turn') turns.push(each);
    }
    place = call.breakers.begin(target, direction);
    const spent = call.budget.spend(call.budgetName, { rank: call.rank, target });
    [admission] = await Promise.all([spent, call.after]);
  } catch (error) {
    place?.forgone();
    await giveBack(problems, turns);
    throw error;
  }

  let result: T;
  try {
    result = await inTime(call.timeoutMs, run);
  } catch (thrown) {
    const unsent = unsentIn(thrown);
    if (unsent !== undefined) {
      place.forgone();
      await giveBack(problems, turns);
      throw unsent;
    }
    const error = classify(thrown, call);
    if (place.ended(error)) await raiseFailing(problems, target);
    if (error.code === GOOGLE_QUOTA) throw await quotaSpent(error, call, admission);
    // Any other error means that Google had room for the call.
    if (isAnswered(error)) reportAnswered(call, admission);
    if (isProofOfAccess(error)) await clear(call, both);
    else if (isLoggedIn(error)) await clear(call, [credential]);
    if (isAboutItem(error)) await giveBack(problems, turns);
    if (error instanceof DeferredError && error.advice !== undefined) await raise(call, error, error.advice);
    throw error;
  }
  place.ended();
  reportAnswered(call, admission);
  await clear(call, both);
  return result;
}

/** Google checks the state of one item last, so refusing for that state proves access to the target. */
function isProofOfAccess({ cause, status }: WorkerError): boolean {
  return cause instanceof GoogleFailure && !cause.ofToken && [409, 410, 412].includes(status ?? 0);
}

/** Google has identified the caller, whatever else it answers. */
function isLoggedIn(error: WorkerError): boolean {
  const { status = 0 } = error;
  return isAnswered(error) && status !== 401 && status < 500;
}

/** The failure is about the item, not the target: the event is missing, may not be changed, or the request was wrong. */
function isAboutItem({ code, status }: WorkerError): boolean {
  return code === NOT_FOUND || code === EVENT_FORBIDDEN || status === 400;
}

/** Google limits a target, or the budget that all processes share. This is not a failure. */
async function quotaSpent(error: WorkerError, call: GoogleCall, admission: Admission): Promise<WorkerError> {
  const { message, cause, status } = error;
  if (!(cause instanceof GoogleFailure)) return error;
  const stop = quotaStop(cause);
  const refusal = {
    reason: cause.reason ?? `${cause.status}`,
    mayMeanTarget: mayMeanTarget(cause),
    ...(stop === undefined ? {} : { stop }),
  };
  // If the store is unavailable, this call still waits, and other callers learn it from Google.
  const { quota, waitMs } = await call.budget
    .refused(admission, refusal)
    .catch(() => ({ quota: call.budgetName, waitMs: stop?.firstMs ?? 0 }));
  return new DeferredError(GOOGLE_QUOTA, message, {
    target: call.target,
    quota,
    retryAfterMs: Math.max(waitMs, refusedBackoffMs(1)),
    backsOff: true,
    cause,
    ...(status === undefined ? {} : { status }),
  });
}

function isAnswered({ cause }: WorkerError): boolean {
  return cause instanceof GoogleFailure && cause.status !== undefined && !cause.ofToken;
}

/** Not awaited: a lost report only leaves the rate lower, or delays the next try a little. */
function reportAnswered(call: GoogleCall, admission: Admission): void {
  void call.budget.answered(admission).catch(() => undefined);
}

/** A deferred error with advice means that a person must act before any call to the target can work. Quota errors have no advice. */
async function raise(
  call: GoogleCall,
  { target = call.target, code, message, status }: DeferredError,
  advice: string,
): Promise<void> {
  const isOfWrites = call.direction === 'write' && status === 403 && target === call.target;
  const problem = { target, code, message, advice, ...(isOfWrites && { refuses: 'writes' as const }) };
  // A failed board write must not hide Google's answer; the next refusal raises the problem again.
  await call.problems.raise(problem).catch(() => undefined);
}

/** The worker kept the request back: that says nothing about Google. The client library wraps the error. */
function unsentIn(thrown: unknown): WorkerError | undefined {
  const cause = thrown instanceof Error && !(thrown instanceof WorkerError) ? thrown.cause : thrown;
  return cause instanceof WorkerError && cause.code === TURN_OVER ? cause : undefined;
}

/** Google's servers have failed or been too slow for this target for a while. The worker is not the cause. */
async function raiseFailing(problems: TargetProblems, target: string): Promise<void> {
  const isSpreadsheet = target.startsWith('spreadsheet:');
  const advice = 'Nothing to do: the worker retries every 15 s. Check the Google Workspace status dashboard.';
  const code = isSpreadsheet ? 'spreadsheet-failing' : 'calendar-failing';
  const message = `Google returns errors or no timely answer for the ${isSpreadsheet ? 'spreadsheet' : 'calendar'}`;
  await problems.raise({ target, code, message, advice }).catch(() => undefined);
}

export async function clear(
  { problems, direction }: Pick<GoogleCall, 'problems' | 'direction'>,
  targets: readonly string[],
): Promise<void> {
  // The server has performed the write. A failed board write must not make it look undone; the next success clears the problem.
  await Promise.all(targets.map((target) => problems.clear(target, direction))).catch(() => undefined);
}

/** Otherwise such calls would use up the one turn per 15 s, and never show that the target works again. */
export async function giveBack(problems: TargetProblems, targets: readonly string[]): Promise<void> {
  await Promise.all(targets.map((target) => problems.giveBack(target))).catch(() => undefined);
}

/** The request's own deadline does not cover a token that must be fetched first. */
async function inTime<T>(timeoutMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  const answer = await within(timeoutMs, run(deadline.signal));
  if (answer !== LATE) return answer;
  const reason = new DOMException("the call's deadline has passed", 'TimeoutError');
  deadline.abort(reason);
  throw reason;
}

function classify(thrown: unknown, call: GoogleCall): WorkerError {
  const error = classifyGoogleError(thrown, call.target, call);
  if (call.about !== 'item' || !(error.cause instanceof GoogleFailure)) return error;
  const { cause, target } = error;
  const details = target === undefined ? { cause } : { cause, target };
  if (cause.status === 404)
    return new RetryableError(NOT_FOUND, 'the event was not found', { ...details, status: 404 });
  if (cause.status !== 403) return error;
  switch (cause.reason) {
    case 'forbiddenForNonOrganizer':
      return new TerminalError(EVENT_FORBIDDEN, 'the event belongs to another organizer', {
        ...details,
        status: 403,
        advice:
          'Check in the calendar who owns the event now, and correct it manually: the worker may not change it.',
      });
    // Google does not say whether it means the event or the calendar. One odd event must not pause a calendar.
    case 'forbidden':
      return new RetryableError(EVENT_FORBIDDEN, 'Google forbids changing the event', {
        ...details,
        status: 403,
      });
    default:
      return error;
  }
}

export function targetPaused(target: string): DeferredError {
  const kind = target.split(':')[0];
  return new DeferredError(`${kind}-paused`, 'the target refuses every request: waiting for the next try', {
    target,
    retryAfterMs: PAUSE_MS,
  });
}

/** How old this process's knowledge of the shared board may be. */
const BOARD_AGE_MS_MAX = 10_000;

export type Direction = 'read' | 'write';

/** What a call to Google needs of the problem board. Where only writes are refused, reads go freely and clear nothing. */
export interface TargetProblems extends Pick<ProblemBoard, 'raise' | 'giveBack'> {
  mayTry(target: string, direction: Direction): ReturnType<ProblemBoard['mayTry']>;
  clear(target: string, direction: Direction): Promise<void>;
}

/**
 * A problem board that is cheap enough for every call: it calls the real board only for targets with a known problem. It also knows
 * problems of other processes, because the process that raised one may be dead, and any caller that succeeds must clear it. It reads the
 * board at most every 10 s; until then, a problem that another process raised costs one refused call.
 */
export class KnownProblems implements TargetProblems {
  readonly #board: ProblemBoard;
  readonly #clock: Clock;
  #known = new Map<string, Pick<RaisedProblem, 'refuses'>>();
  /** Raised since the last read began, which may not show them. */
  #raised = new Map<string, Pick<RaisedProblem, 'refuses'>>();
  #readAtMs = Number.NEGATIVE_INFINITY;

  /** `clock`: monotonic. */
  constructor(board: ProblemBoard, clock: Clock) {
    this.#board = board;
    this.#clock = clock;
  }

  async raise(problem: RaisedProblem): Promise<void> {
    this.#known.set(problem.target, problem);
    this.#raised.set(problem.target, problem);
    await this.#board.raise(problem);
  }

  async clear(target: string, direction: Direction): Promise<void> {
    if (!(await this.#stands(target, direction))) return;
    await this.#board.clear(target);
    this.#known.delete(target);
    this.#raised.delete(target);
  }

  /**
   * For calls whose outcome says nothing about the target or its account: they raise and clear nothing. They wait while a problem exists,
   * and leave its retries to other calls.
   */
  asBystander(): TargetProblems {
    return {
      raise: async () => {},
      clear: async () => {},
      giveBack: async () => {},
      mayTry: async (target, direction) => ((await this.#stands(target, direction)) ? false : 'free'),
    };
  }

  async mayTry(target: string, direction: Direction): Promise<'free' | 'turn' | false> {
    return (await this.#stands(target, direction)) ? this.#board.mayTry(target) : 'free';
  }

  async giveBack(target: string): Promise<void> {
    await this.#board.giveBack(target);
  }

  /** True when the target has a known problem that concerns this direction. */
  async #stands(target: string, direction: Direction): Promise<boolean> {
    if (this.#clock.now() - this.#readAtMs >= BOARD_AGE_MS_MAX) await this.#read();
    const known = this.#known.get(target);
    return known !== undefined && (known.refuses === undefined || direction === 'write');
  }

  async #read(): Promise<void> {
    // Set before the answer, so that concurrent callers do not read again.
    this.#readAtMs = this.#clock.now();
    this.#raised = new Map();
    try {
      const problems = await this.#board.list();
      this.#known = new Map([
        ...problems.map((problem) => [problem.target, problem] as const),
        ...this.#raised,
      ]);
    } catch (error) {
      this.#readAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }
}

/** What the worker needs to call an API of Google. */
export interface GoogleApiOptions {
  readonly credential: CredentialChoice;
  /** `https://www.googleapis.com/`, or a replacement for it. */
  readonly rootUrl: string;
  readonly budget: Budget;
  /** Shared by all callers of Google in this process; default: its own. */
  readonly breakers?: TargetBreakers;
  /** Rank of every call; default `live`. */
  readonly rank?: BudgetRank;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  /** Deadline of a call. */
  readonly timeoutMs: number;
}

type AskedOfGoogle = Pick<GoogleCall, 'target' | 'direction' | 'about' | 'after'> &
  Partial<Pick<GoogleCall, 'timeoutMs' | 'breakers' | 'problems'>> & {
    readonly quota: 'google-calendar' | 'google-sheets-read' | 'google-sheets-write';
  };

/** Calls one API of Google, each target with the client of its credential. */
export class GoogleCaller<Client> {
  readonly problems: KnownProblems;
  readonly credentialOf: (target: string) => GoogleCredential;
  readonly #options: GoogleApiOptions;
  readonly #breakers: TargetBreakers;
  readonly #open: (auth: GoogleAuthClient) => Client;
  readonly #clients = new Map<GoogleCredential, Client>();

  /** `open`: opens a client of the library, once per credential, on first use. */
  constructor(options: GoogleApiOptions, open: (auth: GoogleAuthClient) => Client) {
    const { credential } = options;
    this.credentialOf = typeof credential === 'function' ? credential : () => credential;
    this.#options = options;
    this.#open = open;
    this.problems = new KnownProblems(options.problems, steadyClock);
    this.#breakers = options.breakers ?? new TargetBreakers(options);
  }

  /** As `googleCall`. */
  call<T>(asked: AskedOfGoogle, run: (client: Client, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { budget, rank, timeoutMs } = this.#options;
    const credential = this.credentialOf(asked.target);
    const client = this.#clients.get(credential) ?? this.#open(credential.auth);
    this.#clients.set(credential, client);
    const shared = { budget, rank, timeoutMs, problems: this.problems, breakers: this.#breakers };
    const spent = { budgetName: `${asked.quota}:${credential.name}`, credential: credential.problems };
    return googleCall({ ...shared, ...asked, ...spent }, (signal) => run(client, signal));
  }
}
