import { setTimeout as sleep } from 'node:timers/promises';
import { type Mirror, ofKind } from '../../engine/domain/mirror.ts';
import { repeat, type WakeAll } from '../../engine/loops.ts';
import type { Lease, Leases } from '../../engine/ports/leases.ts';
import type { Log } from '../../engine/ports/runtime.ts';
import { FLUSH_LEASE_MS, flushLease } from '../flush/flush-handler.ts';
import { placesOf } from '../tab/places.ts';

/** Longest wait before the first look after a start: a worker that restarts often must not postpone it forever. */
const FIRST_AFTER_MS_MAX = 60_000;
/** How soon the check tries again while a flush is in progress. */
const LEASE_RETRY_MS = 1_000;

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
    readonly leases: Leases;
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<void> {
  const { leases, log, wakeAll } = parts;
  await Promise.all(
    [...paceOf(parts.mirrors)].map(async ([spreadsheetId, everyMs]) => {
      const early = AbortSignal.any([signal, wakeAll.signal]);
      await sleep(Math.min(everyMs, FIRST_AFTER_MS_MAX), undefined, { signal: early }).catch(() => undefined);
      await repeat({ name: 'sheet check', everyMs, signal, log, wakeAll }, async () => {
        if (!(await parts.isCurrent())) return undefined;
        const held = await leases.hold(
          flushLease(spreadsheetId),
          (lease) => parts.check(spreadsheetId, lease),
          { ttlMs: FLUSH_LEASE_MS, until: signal },
        );
        return held === undefined ? LEASE_RETRY_MS : undefined;
      });
    }),
  );
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
