import { DeferredError } from '../engine/errors.ts';
import type { Leases } from '../engine/leases.ts';
import type { SheetBookings } from '../engine/outside-booking.ts';
import type { QuotaLedger } from '../engine/quotas.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { repeat, type WakeAll } from '../engine/supervisor.ts';
import type { BookingSheets } from './booking-sheets.ts';

/** Lease of a poll, longer than the default: a holder that was only frozen must not write ids beside the next one. */
const POLL_LEASE_MS = 15_000;
/** Share of the pace, at its end, in which a poll waits to share the reading of a flush. */
const ALONG_SHARE = 0.6;
/** Longest wait for a flush, also limited to two flush intervals: the lease is held meanwhile. */
const ALONG_WAIT_MS_MAX = 10_000;
/** Longest pace that counts for a noted wait: a sheet that is polled less often does not count as waiting all the time. */
const NEXT_POLL_MS_MAX = 60_000;

interface PollParts {
  readonly mappings: readonly SheetBookings[];
  readonly sheets: BookingSheets;
  /** Time between two flushes of one spreadsheet. */
  readonly flushEveryMs: number;
  readonly leases: Leases;
  readonly quotas: Pick<QuotaLedger, 'waits'>;
  readonly isCurrent: () => Promise<boolean>;
  /** Called when Redis may have forgotten the rows. */
  readonly wakeAll: WakeAll;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads every booking sheet at its own pace, one process at a time, until the signal aborts. */
export async function pollBookingSheets(parts: PollParts, signal: AbortSignal): Promise<void> {
  const { sheets, leases, log, wakeAll } = parts;
  let called = wakeAll.signal;
  const wasCalled = (): boolean => {
    const { aborted } = called;
    called = wakeAll.signal;
    return aborted;
  };
  await Promise.all(
    [...paceOf(parts.mappings)].map(([spreadsheetId, everyMs]) => {
      const alongMs = alongWaitMs(parts.flushEveryMs, everyMs);
      let seen: AbortSignal | undefined;
      return repeat({ name: 'booking sheet', everyMs, signal, log, wakeAll }, async () => {
        if (wasCalled()) sheets.forget();
        // After a start and after a call, the poll does not wait.
        const waitMs = seen === undefined || seen.aborted ? 0 : alongMs;
        seen = wakeAll.signal;
        if (!(await parts.isCurrent())) return undefined;
        try {
          await leases.hold(
            `intake:${spreadsheetId}`,
            (lease) => sheets.poll(spreadsheetId, lease, { waitMs }),
            { ttlMs: POLL_LEASE_MS, until: signal },
          );
        } catch (error) {
          await noteWait(parts, { spreadsheetId, everyMs, error });
          throw error;
        }
        return everyMs - alongMs;
      });
    }),
  );
}

/** How long a poll waits for a flush. Polls stay at most `everyMs` apart. */
export function alongWaitMs(flushEveryMs: number, everyMs: number): number {
  return Math.min(ALONG_SHARE * everyMs, 2 * flushEveryMs, ALONG_WAIT_MS_MAX);
}

/** Shows people why the sheet is not read. The note lasts until the next poll has its answer. */
async function noteWait(
  { quotas, clock }: PollParts,
  { spreadsheetId, everyMs, error }: { spreadsheetId: string; everyMs: number; error: unknown },
): Promise<void> {
  if (!(error instanceof DeferredError) || error.quota === undefined) return;
  const nextMs = Math.max(error.retryAfterMs, Math.min(everyMs, NEXT_POLL_MS_MAX));
  const untilMs = clock.now() + nextMs + POLL_LEASE_MS;
  await quotas.waits(`intake:${spreadsheetId}`, [error.quota], untilMs).catch(() => undefined);
}

/** Shortest pace of a spreadsheet's entries. */
function paceOf(mappings: readonly SheetBookings[]): ReadonlyMap<string, number> {
  const pace = new Map<string, number>();
  for (const { spreadsheetId, everyMs } of mappings)
    pace.set(spreadsheetId, Math.min(everyMs, pace.get(spreadsheetId) ?? everyMs));
  return pace;
}
