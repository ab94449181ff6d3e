import { setTimeout as sleep } from 'node:timers/promises';
import { type Mirror, ofKind } from '../../../domain/mirror.ts';
import type { Leases } from '../../../ports/leases.ts';
import type { Log } from '../../../ports/runtime.ts';
import { repeat, type WakeAll } from '../../../work/loops.ts';
import { FLUSH_LEASE_MS, flushLease } from '../flush/flush-handler.ts';
import { placesOf } from '../tab/places.ts';

/** The first look comes soon after a start: a worker that is restarted often must not put it off for ever. */
const FIRST_AFTER_MS_MAX = 60_000;
/** A flush is under way: the look waits its turn. */
const LEASE_RETRY_MS = 1_000;

/** Holds every spreadsheet with sheet mirrors against what was written, at its own pace, never while a flush is under way. */
export async function watchSheets(
  parts: {
    readonly mirrors: readonly Mirror[];
    readonly check: (spreadsheetId: string) => Promise<void>;
    /** False while another worker runs with a newer mapping. */
    readonly isCurrent: () => Promise<boolean>;
    /** What was known of the tabs may be forgotten. */
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
        const held = await leases.hold(flushLease(spreadsheetId), () => parts.check(spreadsheetId), {
          ttlMs: FLUSH_LEASE_MS,
        });
        return held === undefined ? LEASE_RETRY_MS : undefined;
      });
    }),
  );
}

/** Spreadsheet to the shortest pace that one of its mirrors asks for. */
function paceOf(mirrors: readonly Mirror[]): ReadonlyMap<string, number> {
  const pace = new Map<string, number>();
  const places = ofKind(mirrors, 'sheet').flatMap((mirror) => placesOf(mirror));
  for (const { spreadsheetId, check } of places) {
    if (check === undefined) continue;
    pace.set(spreadsheetId, Math.min(check.everyMs, pace.get(spreadsheetId) ?? check.everyMs));
  }
  return pace;
}
