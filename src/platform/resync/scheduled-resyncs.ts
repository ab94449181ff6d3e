// Requests the resyncs of `platform.resync.schedule`. They find by reading what no event reports: imported contacts, and deletions whose
// webhook was lost (platform API, Event types).
import { kindsFor } from '../../engine/domain/mirror.ts';
import { canHaveBeen } from '../../engine/domain/moments.ts';
import type { PlatformKind } from '../../engine/domain/object.ts';
import { every } from '../../engine/loops.ts';
import type { Leases } from '../../engine/ports/leases.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import { latestDue, type Zone } from '../../engine/schedule.ts';
import type { Part } from '../../engine/supervisor.ts';
import { type ResyncParts, resyncHoles } from './resync.ts';
import { requestResync } from './resync-request.ts';

/** How late a scheduled resync is requested at most, while the worker runs. */
const LOOK_EVERY_MS = 5_000;
const ANSWERED = 'resync-due';
/** When nothing was due for so long, the answer is renewed: a look goes through all days since. */
const ANSWERED_ANEW_MS = 24 * 3_600_000;

/** Up to which moment the schedule is answered. Kept in Redis: all workers share it, and a restart misses nothing. */
interface Answered {
  readonly schedule: string;
  readonly untilMs: number;
}

interface ScheduledParts extends Pick<ResyncParts, 'coverage' | 'memory' | 'mirrors' | 'clock' | 'log'> {
  /** The zone of the schedule. */
  readonly zone: () => Zone;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
}

interface AskedResyncs {
  readonly schedule?: string | undefined;
  readonly kinds: readonly Exclude<PlatformKind, 'lead'>[];
}

/** Looks on a monotonic loop: what was due while the process stood still, or did not run, is requested late. */
export function scheduledResyncs(
  parts: ScheduledParts,
  { schedule, kinds: asked }: AskedResyncs,
): readonly Part[] {
  const needed = kindsFor(parts.mirrors);
  const kinds = asked.filter((kind) => needed.has(kind));
  if (schedule === undefined || kinds.length === 0) return [];
  return [
    every({ name: 'scheduled resyncs', everyMs: LOOK_EVERY_MS, log: parts.log }, () =>
      requestDue(parts, { schedule, kinds }),
    ),
  ];
}

/** Requests the resync if one is due. Many that were missed are one. */
export async function requestDue(
  parts: ScheduledParts,
  { schedule, kinds }: AskedResyncs & { readonly schedule: string },
): Promise<void> {
  const { coverage, memory, clock, log } = parts;
  if (!(await parts.isCurrent())) return;
  const nowMs = clock.now();
  const afterMs = await answeredUntil(memory, { schedule, nowMs });
  const dueMs =
    afterMs === undefined ? undefined : latestDue(schedule, { zone: parts.zone(), afterMs, untilMs: nowMs });
  const isAnswered = afterMs !== undefined && dueMs === undefined;
  if (isAnswered && nowMs - afterMs < ANSWERED_ANEW_MS) return;
  if (dueMs !== undefined) {
    await requestResync({ coverage, clock }, { cause: 'scheduled', request: { kinds }, dueMs });
    log.info({ due: new Date(dueMs).toISOString() }, 'scheduled resync requested');
  }
  // Afterwards: a crash in between requests it again, instead of never.
  const answered: Answered = { schedule, untilMs: dueMs ?? nowMs };
  await memory.set(ANSWERED, JSON.stringify(answered));
}

/** Undefined if nothing is known of this schedule, or if the clock that answered it was ahead. */
async function answeredUntil(
  memory: Memory,
  { schedule, nowMs }: { readonly schedule: string; readonly nowMs: number },
): Promise<number | undefined> {
  const text = await memory.get(ANSWERED);
  if (text === undefined) return undefined;
  const known = JSON.parse(text) as Answered;
  return known.schedule === schedule && canHaveBeen(known.untilMs, nowMs) ? known.untilMs : undefined;
}

const REQUESTS_LOOK_EVERY_MS = 1_000;

interface ResyncLoopParts extends ResyncParts {
  readonly leases: Leases;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
}

/** Resyncs all holes that have an end, one process at a time. */
export function resyncs(parts: ResyncLoopParts): Part {
  return every({ name: 'resync', everyMs: REQUESTS_LOOK_EVERY_MS, log: parts.log }, async (signal) => {
    if (!(await parts.isCurrent())) return;
    await parts.leases.hold('resync', (lease) => resyncHoles(parts, lease), { until: signal });
  });
}
