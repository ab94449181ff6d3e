import type { Config } from '../config/config.ts';
import { bookedCalendars } from '../config/needs.ts';
import { NO_DIRECTORY } from '../domain/directory.ts';
import { compileDeferred } from '../mirrors/filter/deferred.ts';
import { findObjects } from '../operator/find.ts';
import { plainExchange } from '../platform/http/exchange.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../ports/runtime.ts';
import { explainParts } from './explain-parts.ts';
import { openPlatform } from './platform.ts';
import { openStore } from './stores.ts';

/**
 * What `explain` reads: the state in Redis and the platform's lists. It loads neither Google's library, nor the queue, nor templates, nor
 * fetch.
 */
export async function openExplainSession(written: Config, clock: Clock) {
  const config = { ...written, mirrors: await compileDeferred(written.mirrors) };
  const store = await openStore(config, clock, { sharing: true });
  const { reader } = openPlatform({
    ...{ config, store, clock, log: SILENT, meter: UNCOUNTED },
    exchange: plainExchange,
  });
  // While the platform is unavailable, ids replace the names from its lists.
  const directory = () => reader.directory().catch(() => NO_DIRECTORY);
  return {
    ...store,
    ...explainParts({ config, store, clock, directory, reader }),
    find: (what: string, id: string) =>
      findObjects(
        { view: store.ledger, journal: store.journal, calendars: bookedCalendars(config) },
        what,
        id,
      ),
  };
}
