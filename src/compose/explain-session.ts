import type { Config } from '../config/config.ts';
import { bookedCalendars } from '../config/needs.ts';
import { NO_DIRECTORY } from '../domain/directory.ts';
import { type EntityKey, formatKey } from '../domain/entity.ts';
import { asksForCustomers } from '../domain/mirror.ts';
import type { Claim } from '../domain/work.ts';
import { createCustomers } from '../mirrors/filter/customers.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import { findObjects } from '../operator/find.ts';
import { opinionsOf } from '../operator/opinions.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../ports/runtime.ts';
import { openPlatform } from './platform.ts';
import { openStore } from './stores.ts';

/** What `explain` looks at: the state in Redis and the platform's lists. It loads neither Google's library nor the queue. */
export async function openExplainSession(config: Config, clock: Clock) {
  const store = await openStore(config, clock, { sharing: true });
  const { reader } = openPlatform({ config, store, clock, log: SILENT, meter: UNCOUNTED });
  // Whoever looks stores nothing.
  const customerOf = createCustomers({ view: store.ledger, reader });
  return {
    ...store,
    clock,
    view: store.ledger,
    find: (what: string, id: string) =>
      findObjects(
        { view: store.ledger, journal: store.journal, calendars: bookedCalendars(config) },
        what,
        id,
      ),
    async waitingRows({ kind, id }: EntityKey) {
      const key = formatKey({ kind, id });
      const sheets = config.mirrors.filter((mirror) => mirror.kind === 'sheet' && mirror.from === kind);
      const rows = sheets
        .flatMap((mirror) => (mirror.kind === 'sheet' ? placesOf(mirror) : []))
        .map(({ name, spreadsheetId, tab }) => ({ mirror: name, spreadsheetId, tab }));
      const waits = await Promise.all(rows.map((row) => store.outbox.waits({ ...row, key })));
      return rows.filter((_, at) => waits[at]);
    },
    /** The names of the platform's lists; ids stand for them while it is away. Leads, contacts and chats are taken without. */
    async opinions(claim: Claim) {
      const hasNames = claim.key.kind === 'appointment';
      const directory = hasNames ? await reader.directory().catch(() => NO_DIRECTORY) : NO_DIRECTORY;
      const isAsked = asksForCustomers(config.mirrors) && hasNames;
      const customer =
        isAsked && claim.snapshot ? await customerOf(claim.snapshot).catch(() => undefined) : undefined;
      return opinionsOf({ ...claim, customer }, { config, directory, nowMs: clock.now() });
    },
  };
}
