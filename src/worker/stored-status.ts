import { NO_DIRECTORY } from '../engine/domain/directory.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { zonesInUse } from '../mapping/needs.ts';
import { installationOf } from '../operate/installation.ts';
import { lagOf } from '../operate/lag.ts';
import {
  createStatusSource,
  type StatusParts,
  type StatusReport,
  type StatusSource,
} from '../operate/status.ts';
import { blockCoverage, bookingCoverage, calendarCoverage } from './coverage.ts';
import { openStore, type Store } from './stores.ts';

/** Builds the status from the stores, in a worker or beside one. */
export function statusParts(
  config: Config,
  parts: Pick<
    StatusParts,
    'version' | 'clock' | 'inFlight' | 'worker' | 'startedAtMs' | 'processStartedAtMs' | 'zones'
  > & {
    readonly store: Store;
  },
): StatusSource {
  const { store, ...own } = parts;
  const { ledger, coverage, outbox, problems, writeProbe, hosts } = store;
  return createStatusSource({
    ...{ ledger, coverage, outbox, problems, writeProbe, hosts, quotas: store.budget },
    lag: async () => lagOf(await store.pace.lagsS()),
    installation: installationOf(config),
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
    const zones = () => zonesInUse(config, NO_DIRECTORY);
    return await statusParts(config, { ...about, zones }).read();
  } finally {
    await store.close();
  }
}
