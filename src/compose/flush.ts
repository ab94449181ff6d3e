import type { Config } from '../config/config.ts';
import { backoffMs } from '../domain/backoff.ts';
import { DeferredError, WorkerError } from '../domain/errors.ts';
import type { Attempt, Disposition } from '../domain/work.ts';
import type { SheetFlusher } from '../mirrors/sheet/flush.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from './store.ts';

/** Two flushes of one spreadsheet at once could write a new row twice: a holder is given time to come back. */
export const FLUSH_LEASE_MS = 15_000;
/** A lease that somebody else holds is asked for again this soon. */
const LEASE_RETRY_MS = 500;

/** The name under which one process at a time works on a spreadsheet. */
export function flushLease(spreadsheetId: string): string {
  return `flush:${spreadsheetId}`;
}

/**
 * Handles one spreadsheet of the flush queue: one flush at a time across all processes, and not more often than the setting
 * says, so that rows gather. Rows are never given up: what fails is tried again for as long as they wait.
 */
export function flushHandler(parts: {
  readonly config: Config;
  readonly store: Store;
  readonly flusher: SheetFlusher;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): (spreadsheetId: string, attempt: Attempt) => Promise<Disposition> {
  const { store, flusher, clock, log } = parts;
  const nextAtMs = new Map<string, number>();
  return async (spreadsheetId, attempt) => {
    const waitMs = (nextAtMs.get(spreadsheetId) ?? 0) - clock.now();
    // Longer than the setting says: the clock was set back since, and would put the rows off for as long as it was ahead.
    if (waitMs > 0 && waitMs <= parts.config.worker.flushEveryMs) return { next: 'defer', afterMs: waitMs };
    const startedAtMs = clock.now();
    nextAtMs.set(spreadsheetId, startedAtMs + parts.config.worker.flushEveryMs);
    try {
      const held = await store.leases.hold(
        flushLease(spreadsheetId),
        ({ signal }) => flusher.flush(spreadsheetId, signal),
        { ttlMs: FLUSH_LEASE_MS, until: parts.stopping },
      );
      if (held === undefined) return { next: 'defer', afterMs: LEASE_RETRY_MS };
      const { remaining } = held.result;
      return remaining > 0 ? { next: 'defer', afterMs: parts.config.worker.flushEveryMs } : { next: 'done' };
    } catch (error) {
      const known = error instanceof WorkerError ? error : undefined;
      const code = known?.code ?? 'unexpected';
      const waits = known instanceof DeferredError ? known.retryAfterMs : backoffMs(attempt.number);
      log.warn(
        { code, reason: known?.message, advice: known?.advice, retryInMs: waits },
        'sheet not flushed',
      );
      if (known instanceof DeferredError && known.quota !== undefined)
        return { next: 'defer', afterMs: waits, waitsFor: [known.quota] };
      if (known instanceof DeferredError || attempt.isLast) return { next: 'defer', afterMs: waits };
      return { next: 'retry', code };
    }
  };
}
