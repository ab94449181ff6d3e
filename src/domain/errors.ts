/** What every failure of the worker carries: ids and codes to act on, never a secret, phone, e-mail or name. */
export interface FailureDetails {
  /** What the operator can do about it; one sentence, imperative. */
  readonly advice?: string;
  /** The platform's `Request-Id`, for its support. */
  readonly requestId?: string;
  /** What refused: `platform`, `calendar:<id>`, `spreadsheet:<id>`. */
  readonly target?: string;
  readonly status?: number;
  /** Names of the request's own fields that were complained about, never what stood in them. */
  readonly fields?: readonly string[];
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

  constructor(code: string, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.advice = details.advice;
    this.requestId = details.requestId;
    this.target = details.target;
    this.status = details.status;
    this.fields = details.fields ?? [];
    this.name = new.target.name;
  }
}

/** May go away by itself soon: time-outs, 5xx, a lost race. Counts as an attempt. */
export class RetryableError extends WorkerError {
  readonly family = 'retryable';
}

/** Not this object's fault and not worth an attempt before `retryAfterMs`: quotas, a key or a target that refuses everybody. */
export class DeferredError extends WorkerError {
  readonly family = 'deferred';
  readonly retryAfterMs: number;
  /** Name of the budget that is waited for, when it is one. */
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

/** Repeating it would fail the same way: the object goes to the dead letters with this reason. */
export class TerminalError extends WorkerError {
  readonly family = 'terminal';
}

/** A closed list was meant to be handled whole; the compiler proves it, this says so should the wire disagree. */
export function assertNever(value: never, what: string): never {
  throw new TerminalError('unhandled-case', `unhandled ${what}: ${String(value)}`);
}

/** A defect of ours is told by the kind of error only: its text may hold anything. */
export function asWorkerError(error: unknown): WorkerError {
  if (error instanceof WorkerError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  return new RetryableError('unexpected', `unexpected ${kind}`, { cause: error });
}
