import { setTimeout as sleep } from 'node:timers/promises';
import { isOfQuota } from '../engine/errors.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import { type Mirror, ofKind } from '../engine/mirror.ts';
import type { QuotaLedger } from '../engine/quotas.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { repeat, type WakeAll } from '../engine/supervisor.ts';
import { FLUSH_LEASE_MS, flushLease } from './flush.ts';
import { placesOf } from './tab-survey.ts';

/** Longest wait before the first look after a start: a worker that restarts often must not postpone it forever. */
const FIRST_AFTER_MS_MAX = 60_000;
/** How soon the check tries again while a flush is in progress. */
const LEASE_RETRY_MS = 1_000;
/** Pause after a check that a spent quota ended; a quarter of a minute's calls are free then. Doubles each time, up to the interval. */
const LIMITED_PAUSE_MS = 15_000;
/** Longest time that such a check counts as waiting. Otherwise its quota would explain any standstill. */
const NOTED_MS_MAX = 60_000;

/** Compares every spreadsheet of sheet mirrors with what was written, at its own pace and never during a flush. */
export async function watchSheets(
  parts: {
    readonly mirrors: readonly Mirror[];
    /** Must ask the lease right before each write that only its holder may make. */
    readonly check: (spreadsheetId: string, lease: Lease) => Promise<void>;
    /** False while another worker runs with a newer mapping. */
    readonly isCurrent: () => Promise<boolean>;
    /** Starts the next look immediately, because Redis may have lost what was known of the tabs. */
    readonly wakeAll: WakeAll;
    readonly leases: Pick<Leases, 'hold'>;
    readonly quotas: Pick<QuotaLedger, 'waits'>;
    readonly clock: Clock;
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<void> {
  const { leases, quotas, clock, log, wakeAll } = parts;
  await Promise.all(
    [...paceOf(parts.mirrors)].map(async ([spreadsheetId, everyMs]) => {
      const early = AbortSignal.any([signal, wakeAll.signal]);
      await sleep(Math.min(everyMs, FIRST_AFTER_MS_MAX), undefined, { signal: early }).catch(() => undefined);
      let limited = 0;
      await repeat({ name: 'sheet check', everyMs, signal, log, wakeAll }, async () => {
        if (!(await parts.isCurrent())) return undefined;
        try {
          const held = await leases.hold(
            flushLease(spreadsheetId),
            (lease) => parts.check(spreadsheetId, lease),
            { ttlMs: FLUSH_LEASE_MS, until: signal },
          );
          if (held === undefined) return LEASE_RETRY_MS;
          limited = 0;
          return undefined;
        } catch (error) {
          if (!isOfQuota(error)) throw error;
          const waitMs = limitedPauseMs(limited, { retryAfterMs: error.retryAfterMs, everyMs });
          limited += 1;
          log.info({ spreadsheetId, retryInMs: waitMs }, 'sheet check waits for a quota');
          const untilMs = clock.now() + Math.min(waitMs, NOTED_MS_MAX);
          await quotas.waits(`check:${spreadsheetId}`, [error.quota], untilMs).catch(() => undefined);
          return waitMs;
        }
      });
    }),
  );
}

/** `limited`: checks that a quota has ended before, in a row. */
export function limitedPauseMs(
  limited: number,
  { retryAfterMs, everyMs }: { readonly retryAfterMs: number; readonly everyMs: number },
): number {
  return Math.min(everyMs, Math.max(retryAfterMs, LIMITED_PAUSE_MS * 2 ** limited));
}

/** Spreadsheet to the shortest interval that one of its mirrors sets. */
function paceOf(mirrors: readonly Mirror[]): ReadonlyMap<string, number> {
  const pace = new Map<string, number>();
  const places = ofKind(mirrors, 'sheet').flatMap((mirror) => placesOf(mirror));
  for (const { spreadsheetId, check } of places) {
    if (check === undefined) continue;
    pace.set(spreadsheetId, Math.min(check.everyMs, pace.get(spreadsheetId) ?? check.everyMs));
  }
  return pace;
}
