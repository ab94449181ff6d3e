/** Maps an unsuccessful answer to the error family that decides what happens next (platform API, Errors). */

import {
  DeferredError,
  type FailureDetails,
  RetryableError,
  TerminalError,
  type WorkerError,
} from '../engine/errors.ts';
import {
  type Answer,
  detailsOf,
  OPERATIONS,
  type Operation,
  type Problem,
  readProblem,
  scopeProvedMissing,
} from './http-answer.ts';
import { RateGate, readRateFacts } from './http-rate.ts';

/** Wait before a call with a refused key is retried. */
export const REFUSED_RETRY_MS = 60_000;

/** Gateways' "not now" outside 5xx: Request Timeout and Too Early. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425]);

export interface Refused {
  readonly operation: Operation;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Refusal {
  readonly error: WorkerError;
  /** The platform's own code; undefined when the body was not the platform's. */
  readonly code: string | undefined;
}

export function refusalOf(request: Refused, answer: Answer, nowMs: number): Refusal {
  const problem = readProblem(answer.text);
  const code = problem?.code;
  const details = detailsOf(answer, problem);
  return { error: errorOf(request, { answer, problem, details, nowMs }), code };
}

/** The answer cannot come from the platform. Retryable, because a gateway may have a temporary problem. */
export function badAnswer(operation: Operation, what: string, details: FailureDetails): RetryableError {
  return new RetryableError('platform-bad-answer', `${operation}: ${what}`, {
    advice:
      'If this continues, check platform.base_url: it must be the API itself with its version segment, not a web page or a proxy.',
    ...details,
  });
}

interface Evidence {
  readonly answer: Answer;
  readonly problem: Problem | undefined;
  readonly details: FailureDetails;
  readonly nowMs: number;
}

function errorOf(request: Refused, evidence: Evidence): WorkerError {
  const { answer, problem, details } = evidence;
  const { operation } = request;
  const { status } = answer;
  // 401, 402, 429 and 5xx count in any format, even from a gateway in front of the platform.
  if (status === 401) return unauthenticated(operation, details);
  if (status === 402) return addonRequired(operation, details);
  if (status === 429) return rateLimited(operation, evidence);
  if (status >= 500 || PASSING_STATUSES.has(status)) return unavailable(operation, status, details);
  // Any other refusal counts only in the platform's own format: a gateway's 404 must never count as a deleted object.
  if (status < 400 || !problem)
    return badAnswer(operation, `answered ${status} without an error in the platform's format`, details);
  if (status === 403) return forbidden(request, details);
  if (problem.code === 'idempotency-in-progress') return stillRunning(operation, details);
  const fields = namedByUs(problem.fields, request);
  const about = fields.length > 0 ? `, fields ${fields.join(', ')}` : '';
  return new TerminalError(problem.code, `${operation}: refused with ${status} ${problem.code}${about}`, {
    ...details,
    fields,
  });
}

function unauthenticated(operation: Operation, details: FailureDetails): DeferredError {
  return new DeferredError(
    'platform-unauthenticated',
    `${operation}: the platform does not accept the API key`,
    {
      ...details,
      advice:
        "Put a valid key into platform.api_key (the platform's dashboard, developer settings) and restart. If the key is right, work continues automatically.",
      retryAfterMs: REFUSED_RETRY_MS,
    },
  );
}

function addonRequired(operation: Operation, details: FailureDetails): DeferredError {
  return new DeferredError(
    'platform-addon-required',
    `${operation}: the company does not have the Public API add-on`,
    {
      ...details,
      advice:
        'Enable the Public API add-on for the company on the platform. Work continues automatically within two minutes.',
      retryAfterMs: REFUSED_RETRY_MS,
    },
  );
}

function rateLimited(operation: Operation, { answer, details, nowMs }: Evidence): DeferredError {
  return new DeferredError('platform-rate-limited', `${operation}: the platform's request limit is spent`, {
    ...details,
    retryAfterMs: RateGate.retryMs(readRateFacts(answer.headers, nowMs)),
  });
}

/**
 * The answer names the missing scope only in `detail`, which may change and may quote data. So the error names the scope that the document
 * lists for the operation.
 */
function forbidden(request: Refused, details: FailureDetails): WorkerError {
  const { operation } = request;
  const { scope } = OPERATIONS[operation];
  if (scopeProvedMissing(request)) {
    return new DeferredError('platform-forbidden', `${operation}: the key lacks the scope ${scope}`, {
      ...details,
      advice: `Create a key with the scope ${scope} and at least one project (both are fixed when a key is created), and put it into platform.api_key.`,
      retryAfterMs: REFUSED_RETRY_MS,
    });
  }
  return new TerminalError('forbidden', `${operation}: refused with 403 forbidden`, {
    ...details,
    advice: `Use a key that has the scope ${scope} and the read scopes of the events asked for, and that covers the project.`,
  });
}

/** 500 `internal`, 503 `unavailable`, or a gateway's 502 and 504. Creates must be retried with the same Idempotency-Key. */
function unavailable(operation: Operation, status: number, details: FailureDetails): RetryableError {
  return new RetryableError(
    'platform-unavailable',
    `${operation}: the platform failed with ${status}`,
    details,
  );
}

function stillRunning(operation: Operation, details: FailureDetails): RetryableError {
  const message = `${operation}: the first request with this Idempotency-Key is still running`;
  return new RetryableError('idempotency-in-progress', message, details);
}

/** Keeps only field names that this worker wrote into the request: other keys of `errors` may be anyone's text. */
function namedByUs(fields: readonly string[], request: Refused): readonly string[] {
  const ours = new Set([...Object.keys(request.body ?? {}), ...Object.keys(request.query ?? {})]);
  return [...new Set(fields.map((field) => field.split('.')[0] ?? ''))].filter((field) => ours.has(field));
}
