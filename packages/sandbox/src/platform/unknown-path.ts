/**
 * The refusal of a path that matches no operation: 403, 404 or 405. The document names all three and contradicts
 * itself.
 */
import type { FastifyRequest } from 'fastify';
import type { Operation } from './operation.ts';
import type { SilentSwitches } from './options.ts';
import { Problem } from './problem.ts';

export function pathRefusal(
  request: FastifyRequest,
  operations: readonly Operation[],
  switches: SilentSwitches,
): Problem {
  const path = request.url.split('?')[0] ?? '';
  const methods = operations
    .filter((operation) => patternOf(operation.path).test(path))
    .map(({ method }) => method);
  if (methods.length > 0) {
    return new Problem(
      { http: 405, title: 'Method Not Allowed' },
      `${request.method} is not supported here.`,
      {
        headers: { Allow: [...new Set(methods)].join(', ') },
      },
    );
  }
  const isBelowKnown = operations.some((operation) => firstSegment(operation.path) === firstSegment(path));
  const isForbidden =
    switches.unknownPath === 'forbidden' || (switches.unknownPath === 'split' && !isBelowKnown);
  return isForbidden
    ? new Problem('forbidden', 'The path is not part of the public API.')
    : new Problem('not-found', 'No such path.');
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`);
}

/** The segment after the version. */
function firstSegment(path: string): string {
  return /^\/v1\/([^/]*)/.exec(path)?.[1] ?? '';
}
