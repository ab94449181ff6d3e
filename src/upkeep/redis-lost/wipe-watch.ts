import type { Leases } from '../../ports/leases.ts';
import type { Log } from '../../ports/runtime.ts';
import { every } from '../../work/loops.ts';
import type { Part } from '../../work/supervisor.ts';
import type { MappingMark } from '../mapping-change/mapping-mark.ts';
import type { Adoption } from './adoption.ts';

/** How often the worker checks whether Redis was wiped. */
const LOOK_EVERY_MS = 5_000;

interface WipeParts {
  readonly mark: MappingMark;
  readonly leases: Leases;
  /** Opens a hole that has everything read again. */
  readonly noticeLost: () => Promise<void>;
  readonly readLists: (signal: AbortSignal) => Promise<void>;
  /** Stores which mirrors the links will belong to. Without that, a later edit of the YAML would create events twice. */
  readonly inheritLinks: () => Promise<void>;
  readonly adopt: Adoption;
  readonly lookAtAll: () => void;
  readonly log: Log;
}

/**
 * Rebuilds a Redis that was wiped under the worker. A worker that left the work to a newer mapping leaves the rebuild to it as well. Its
 * own mark would take the work back, and no worker would have it once this one stops.
 */
export function wipeWatch(parts: WipeParts): Part {
  let hasLeft = false;
  return every({ name: 'wiped redis', everyMs: LOOK_EVERY_MS, log: parts.log }, async (signal) => {
    const whose = await parts.mark.whose();
    if (whose === 'none' && !hasLeft) await rebuild(parts, signal);
    if (whose === 'another' && !hasLeft)
      parts.log.info({}, 'another worker has another mapping: the work is left to it');
    if (whose !== 'none') hasLeft = whose === 'another';
  });
}

/**
 * Does what a start does. The mark comes last: until then the rebuild restarts, and nothing is written. The mark is set under a lease that
 * a second wipe invalidates, because that wipe undoes the earlier steps.
 */
async function rebuild(parts: WipeParts, signal: AbortSignal): Promise<void> {
  await parts.leases.hold('rebuild', async (lease) => {
    await parts.noticeLost();
    await parts.readLists(signal);
    await parts.inheritLinks();
    await parts.adopt(signal);
    await parts.mark.take(lease);
    parts.lookAtAll();
  });
}
