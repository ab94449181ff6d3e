/** What every failure of the worker carries: ids and codes to act on, never a secret, phone, e-mail or name. */
export interface FailureDetails {
  /** What the operator can do about it; one imperative sentence. */
  readonly advice?: string;
  /** The platform's `Request-Id`, for its support. */
  readonly requestId?: string;
  /** What refused: `platform`, `calendar:<id>`, `spreadsheet:<id>`. */
  readonly target?: string;
  readonly status?: number;
  /** Names of the request's own fields that were rejected, never their contents. */
  readonly fields?: readonly string[];
  /** The setting of a mirror that fails, as a path below it: `columns`, then the header. */
  readonly setting?: readonly string[];
  readonly cause?: unknown;
}

/** Base of the three families. `code` is stable, lower-case and hyphenated; `message` may be logged. */
export abstract class WorkerError extends Error {
  abstract readonly family: 'retryable' | 'deferred' | 'terminal';
  readonly code: string;
  readonly advice: string | undefined;
  readonly requestId: string | undefined;
  readonly target: string | undefined;
  readonly status: number | undefined;
  readonly fields: readonly string[];
  readonly setting: readonly string[];

  constructor(code: string, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.advice = details.advice;
    this.requestId = details.requestId;
    this.target = details.target;
    this.status = details.status;
    this.fields = details.fields ?? [];
    this.setting = details.setting ?? [];
    this.name = new.target.name;
  }
}

/** May succeed soon without help: time-outs, 5xx, a lost race. Counts as an attempt. */
export class RetryableError extends WorkerError {
  readonly family = 'retryable';
}

/** Not this object's fault and not worth an attempt before `retryAfterMs`: quotas, a key or a target that refuses every call. */
export class DeferredError extends WorkerError {
  readonly family = 'deferred';
  readonly retryAfterMs: number;
  /** Name of the budget to wait for, if a budget is the cause. */
  readonly quota: string | undefined;
  /** This call itself was refused: each refusal in a row makes its next wait longer (`deferredForMs`). */
  readonly backsOff: boolean;

  constructor(
    code: string,
    message: string,
    details: FailureDetails & {
      readonly retryAfterMs: number;
      readonly quota?: string;
      readonly backsOff?: boolean;
    },
  ) {
    super(code, message, details);
    this.retryAfterMs = details.retryAfterMs;
    this.quota = details.quota;
    this.backsOff = details.backsOff ?? false;
  }
}

/** A retry would fail the same way: the object becomes a dead letter with this reason. */
export class TerminalError extends WorkerError {
  readonly family = 'terminal';
}

/** Another handler holds the object now: this one may store nothing more about it. Every store that writes under a fence rejects with it. */
export function fenced(): RetryableError {
  return new RetryableError('fenced', 'another handler took the object over');
}

export function isFenced(error: unknown): boolean {
  return error instanceof RetryableError && error.code === 'fenced';
}

/** Ends the handling of a closed list. The compiler proves that it is complete; this throws if wire data disagrees. */
export function assertNever(value: never, what: string): never {
  throw new TerminalError('unhandled-case', `unhandled ${what}: ${String(value)}`);
}

/** Reports a defect of the worker only by its kind of error, because its text may contain anything. */
export function asWorkerError(error: unknown): WorkerError {
  if (error instanceof WorkerError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  return new RetryableError('unexpected', `unexpected ${kind}`, { cause: error });
}

/** Code of the error after which nothing was sent: the turn was over. */
export const TURN_OVER = 'stopped';

/** Codes of a request limit: it ends by itself, with its window. Nobody has to do anything. */
const LIMITS: readonly string[] = ['quota-spent', 'quota-paused', 'google-quota', 'platform-rate-limited'];

export function isLimit(code: string): boolean {
  return LIMITS.includes(code);
}

/** It waits for a budget, whose name it has. */
export function isOfQuota(error: unknown): error is DeferredError & { readonly quota: string } {
  return error instanceof DeferredError && error.quota !== undefined;
}
