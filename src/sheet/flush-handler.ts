import { DeferredError, isOfQuota, WorkerError } from '../engine/errors.ts';
import type { Leases } from '../engine/leases.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { type Attempt, backoffMs, type Disposition, deferredForMs } from '../engine/work.ts';
import { type SheetFlusher, TabsAtFault } from './flush.ts';

/**
 * How long a process that stops renewing keeps a spreadsheet's lease. Two flushes at once could write a new row twice, so a frozen holder
 * gets time to return.
 */
export const FLUSH_LEASE_MS = 15_000;
/** How soon a flush tries again while another process holds the lease. */
const LEASE_RETRY_MS = 500;

/** Longest pause after flushes without a result; the pause doubles up to this. */
const FRUITLESS_PAUSE_MS_MAX = 15_000;

/** Lease under which one process at a time works on a spreadsheet. */
export function flushLease(spreadsheetId: string): string {
  return `flush:${spreadsheetId}`;
}

/**
 * Handles one spreadsheet of the flush queue, with one flush at a time across all processes. It keeps the configured interval, so that rows
 * gather. It never gives rows up: it retries for as long as they wait.
 */
export function flushHandler(parts: {
  readonly leases: Leases;
  /** Shortest interval between two flushes of one spreadsheet. */
  readonly flushEveryMs: number;
  readonly flusher: Pick<SheetFlusher, 'flush'>;
  /** A monotonic clock. */
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): (spreadsheetId: string, attempt: Attempt) => Promise<Disposition> {
  const { leases, flushEveryMs, flusher, clock, log } = parts;
  const nextAtMs = new Map<string, number>();
  /** Consecutive flushes that wrote no row and left some behind, by spreadsheet. */
  const fruitless = new Map<string, number>();
  /** Consecutive flushes that a quota ended, by spreadsheet. */
  const refusals = new Map<string, number>();
  return async (spreadsheetId, attempt) => {
    const waitMs = (nextAtMs.get(spreadsheetId) ?? 0) - clock.now();
    if (waitMs > 0) return { next: 'defer', afterMs: waitMs };
    const startedAtMs = clock.now();
    nextAtMs.set(spreadsheetId, startedAtMs + flushEveryMs);
    try {
      const held = await leases.hold(
        flushLease(spreadsheetId),
        (lease) => flusher.flush(spreadsheetId, lease),
        { ttlMs: FLUSH_LEASE_MS, until: parts.stopping },
      );
      if (held === undefined) return { next: 'defer', afterMs: LEASE_RETRY_MS };
      refusals.delete(spreadsheetId);
      const { written, remaining } = held.result;
      if (remaining === 0 || written > 0) fruitless.delete(spreadsheetId);
      if (remaining === 0) return { next: 'done' };
      const inVain = fruitless.get(spreadsheetId) ?? 0;
      if (written === 0) fruitless.set(spreadsheetId, inVain + 1);
      const pauseMs = Math.min(flushEveryMs * 2 ** inVain, FRUITLESS_PAUSE_MS_MAX);
      return { next: 'defer', afterMs: Math.max(pauseMs, flushEveryMs) };
    } catch (error) {
      const known = error instanceof WorkerError ? error : undefined;
      const code = known?.code ?? 'unexpected';
      const refused = (refusals.get(spreadsheetId) ?? 0) + 1;
      const isLimited = isOfQuota(known);
      if (isLimited) refusals.set(spreadsheetId, refused);
      // A flush takes several calls, and begins with the first one each time. Growing pauses let the budget fill up for all of them.
      const waits =
        known instanceof DeferredError
          ? deferredForMs({ retryAfterMs: known.retryAfterMs, backsOff: isLimited }, refused)
          : backoffMs(attempt.number);
      log.warn(
        { code, reason: known?.message, advice: known?.advice, retryInMs: waits },
        'sheet not flushed',
      );
      // The sweep queues the waiting rows again. A delayed job would swallow the waker for rows of the other tabs.
      if (known instanceof TabsAtFault) return { next: 'done' };
      if (isOfQuota(known)) return { next: 'defer', afterMs: waits, waitsFor: [known.quota] };
      if (known instanceof DeferredError || attempt.isLast) return { next: 'defer', afterMs: waits };
      return { next: 'retry', code, afterMs: waits };
    }
  };
}
