import type { PlatformKind } from '../../domain/entity.ts';
import { kindsFor } from '../../domain/mirror.ts';
import type { Leases } from '../../ports/leases.ts';
import { every } from '../../work/loops.ts';
import type { Part } from '../../work/supervisor.ts';
import { ringAt } from '../schedule.ts';
import { type ResyncParts, resyncHoles } from './resync.ts';
import { requestResync } from './resync-request.ts';

const LOOK_EVERY_MS = 1_000;

interface ResyncLoopParts extends ResyncParts {
  readonly leases: Leases;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
}

/** Resyncs all holes that have an end, one process at a time. */
export function resyncs(parts: ResyncLoopParts): Part {
  return every({ name: 'resync', everyMs: LOOK_EVERY_MS, log: parts.log }, async (signal) => {
    if (!(await parts.isCurrent())) return;
    await parts.leases.hold('resync', (lease) => resyncHoles(parts, lease), { until: signal });
  });
}

/** Finds by reading what no event reports: imported contacts, and deletions whose webhook was lost (platform API, Event types). */
export function scheduledResyncs(
  parts: Pick<ResyncParts, 'coverage' | 'mirrors' | 'clock' | 'log'>,
  asked: { readonly schedule?: string | undefined; readonly kinds: readonly Exclude<PlatformKind, 'lead'>[] },
): readonly Part[] {
  const { coverage, mirrors, clock, log } = parts;
  const { schedule } = asked;
  const needed = kindsFor(mirrors);
  const kinds = asked.kinds.filter((kind) => needed.has(kind));
  if (schedule === undefined || kinds.length === 0) return [];
  const ask = () => {
    requestResync({ coverage, clock }, { cause: 'scheduled', request: { kinds } }).catch((err: unknown) =>
      log.warn({ err }, 'scheduled resync could not be asked for'),
    );
  };
  return [ringAt('scheduled resyncs', schedule, ask)];
}
