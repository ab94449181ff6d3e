import type { Config } from '../config/config.ts';
import { createStatusSource, type StatusParts, type StatusReport, type StatusSource } from '../ops/status.ts';
import type { Clock } from '../ports/runtime.ts';
import { blockCoverage, bookingCoverage, calendarCoverage } from './coverage.ts';
import { openStore, type Store } from './stores.ts';

/** Builds the status from the stores, in a worker or beside one. */
export function statusParts(
  config: Config,
  parts: Pick<StatusParts, 'version' | 'clock' | 'inFlight' | 'worker' | 'lag' | 'startedAtMs'> & {
    readonly store: Store;
  },
): StatusSource {
  const { store, ...own } = parts;
  const { ledger, coverage, outbox, problems, writeProbe } = store;
  return createStatusSource({
    ...{ ledger, coverage, outbox, problems, writeProbe, quotas: store.budget },
    feedEveryMs: config.platform.feed.everyMs,
    calendars: calendarCoverage(config, store),
    intakeSheets: bookingCoverage(config, store),
    blocks: blockCoverage(config, store),
    ...own,
  });
}

/** Reads the status from Redis when no worker runs. */
export async function readStatusFromStore(
  config: Config,
  { version, clock }: { readonly version: string; readonly clock: Clock },
): Promise<StatusReport> {
  const store = await openStore(config, clock, { sharing: true });
  try {
    const about = { store, version, clock, inFlight: () => undefined, worker: 'not-running' } as const;
    return await statusParts(config, about).read();
  } finally {
    await store.close();
  }
}
