import type { Config } from '../config/config.ts';
import { createStatusSource, type StatusReport } from '../ops/status.ts';
import type { Clock } from '../ports/clock.ts';
import { intakeCoverage } from '../sources/booking-sheet/poll-loop.ts';
import { calendarCoverage } from '../sources/calendar/watch-loops.ts';
import { openStore } from './stores.ts';

/** The status as it stands in Redis, when no worker runs to be asked. */
export async function readStatusFromStore(
  config: Config,
  parts: { readonly version: string; readonly clock: Clock },
): Promise<StatusReport> {
  const store = await openStore(config, parts.clock, { sharing: true });
  try {
    return await createStatusSource({
      version: parts.version,
      ledger: store.ledger,
      coverage: store.coverage,
      outbox: store.outbox,
      problems: store.problems,
      quotas: store.budget,
      writeProbe: store.writeProbe,
      inFlight: () => undefined,
      feedEveryMs: config.platform.feed.everyMs,
      calendars: calendarCoverage(config, store),
      intakeSheets: intakeCoverage(config, store),
      clock: parts.clock,
      worker: 'not-running',
    }).read();
  } finally {
    await store.close();
  }
}
