import type { Fault } from '../faults.ts';
import { Problem, type ProblemCode } from './problem.ts';

/**
 * A fault that answers with the given error code in the document's form, without performing the call. For codes that
 * no request can cause (`internal`, `unavailable`), and for tests of a client with every code.
 */
export function problemFault(
  code: ProblemCode,
  options: { retryAfterSec?: number; requestId?: string } = {},
): Fault {
  const problem = new Problem(code, `Answered by a fault: ${code}.`);
  const { retryAfterSec, requestId = 'req_fault' } = options;
  return {
    kind: 'status',
    status: problem.status,
    body: JSON.stringify(problem.body(requestId)),
    contentType: 'application/problem+json; charset=utf-8',
    headers: retryAfterSec === undefined ? {} : { 'Retry-After': String(retryAfterSec) },
  };
}
