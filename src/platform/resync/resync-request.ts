import { isDeepStrictEqual } from 'node:util';
import type { Hole, ResyncRequest } from '../../engine/domain/coverage.ts';
import type { CoverageStore } from '../../engine/ports/intake.ts';
import type { Leases } from '../../engine/ports/leases.ts';
import type { Clock } from '../../engine/ports/runtime.ts';

/**
 * Requests a resync, which the holder of the lease takes up behind live work. Returns the id of its hole, which exists until the resync has
 * ended. Two processes that find a schedule due at the same moment request one resync.
 */
export async function requestResync(
  parts: { readonly coverage: CoverageStore; readonly clock: Clock },
  asked: {
    readonly cause: 'operator' | 'scheduled';
    readonly request: ResyncRequest;
    /** When the schedule was due. */
    readonly dueMs?: number;
  },
): Promise<string> {
  const { cause, request } = asked;
  const now = parts.clock.now();
  const id = `${cause}-${asked.dueMs ?? now}`;
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

const TRIES_MAX = 30;
const TRY_EVERY_MS = 100;

/**
 * The same for an operator, but an identical request that is still open is not repeated. Undefined when other requests keep the lease busy.
 */
export async function requestResyncOnce(
  parts: { readonly coverage: CoverageStore; readonly leases: Leases; readonly clock: Clock },
  request: ResyncRequest,
): Promise<{ readonly id: string; readonly isKnown: boolean } | undefined> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const held = await parts.leases.hold('resync-request', async () => {
      const open = (await parts.coverage.holes()).find(
        (hole) => hole.cause === 'operator' && isDeepStrictEqual(hole.request, request),
      );
      if (open !== undefined) return { id: open.id, isKnown: true };
      return { id: await requestResync(parts, { cause: 'operator', request }), isKnown: false };
    });
    if (held !== undefined) return held.result;
    await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
  }
  return undefined;
}
