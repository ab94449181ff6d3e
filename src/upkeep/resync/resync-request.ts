import type { Hole, ResyncRequest } from '../../domain/coverage.ts';
import type { CoverageStore } from '../../ports/intake.ts';
import type { Clock } from '../../ports/runtime.ts';

const MINUTE_MS = 60_000;

/**
 * Asks for a resync: whoever holds its lease takes it up, behind live work. Returns the id under which it stands among the holes until
 * it has ended. Two processes whose schedules ring in the same minute ask for one.
 */
export async function requestResync(
  parts: { readonly coverage: CoverageStore; readonly clock: Clock },
  asked: { readonly cause: 'operator' | 'scheduled'; readonly request: ResyncRequest },
): Promise<string> {
  const { cause, request } = asked;
  const now = parts.clock.now();
  const id = `${cause}-${cause === 'scheduled' ? Math.floor(now / MINUTE_MS) * MINUTE_MS : now}`;
  const hole: Hole = {
    id,
    source: cause === 'scheduled' ? 'schedule' : 'operator',
    fromMs: request.fromMs,
    toMs: request.toMs ?? now,
    cause,
    foundAtMs: now,
    request,
  };
  await parts.coverage.putHole(hole);
  return id;
}
