import { DeferredError, RetryableError, TerminalError, WorkerError } from '../engine/domain/errors.ts';
import { LATE, within } from '../engine/domain/within.ts';
import { refusedBackoffMs } from '../engine/domain/work.ts';
import type { Admission, Budget, BudgetRank } from '../engine/ports/quotas.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { Place, TargetBreakers } from './breaker.ts';
import {
  classifyGoogleError,
  DEFAULT_CREDENTIAL,
  EVENT_FORBIDDEN,
  GOOGLE_QUOTA,
  GoogleFailure,
  mayMeanTarget,
  quotaStop,
} from './errors.ts';
import type { Direction, TargetProblems } from './known-problems.ts';
import { TURN_OVER } from './transporter.ts';

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
  readonly clock: Clock;
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
      if (leave === false) throw paused(each);
      if (leave === 'turn') turns.push(each);
    }
    place = call.breakers.begin(target);
    admission = await call.budget.spend(call.budgetName, { rank: call.rank, target });
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

async function clear({ problems, direction }: GoogleCall, targets: readonly string[]): Promise<void> {
  // Google has performed the write. A failed board write must not make it look undone; the next success clears the problem.
  await Promise.all(targets.map((target) => problems.clear(target, direction))).catch(() => undefined);
}

/** Otherwise such calls would use up the one turn per 15 s, and never show that the target works again. */
async function giveBack(problems: TargetProblems, targets: readonly string[]): Promise<void> {
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

function paused(target: string): DeferredError {
  const kind = target.split(':')[0];
  return new DeferredError(`${kind}-paused`, 'the target refuses every request: waiting for the next try', {
    target,
    retryAfterMs: PAUSE_MS,
  });
}
