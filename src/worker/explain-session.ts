import { NO_DIRECTORY } from '../engine/mirror.ts';
import { isHiddenBy } from '../engine/origin.ts';
import type { PlatformReader } from '../engine/platform.ts';
import { type Clock, SILENT, UNCOUNTED } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { compileDeferred } from '../mapping/filter-deferred.ts';
import { createCustomers } from '../mapping/filter-lines.ts';
import { bookedCalendars } from '../mapping/needs.ts';
import { MirroredRows, type RowAsked } from '../operate/mirrored-rows.ts';
import { findObjects } from '../operate/people-index.ts';
import { storyParts } from '../operate/story-parts.ts';
import { openPlatform } from './platform.ts';
import { openStore, type Store } from './stores.ts';

/**
 * What `explain` reads: the state in Redis and the platform's lists. It loads neither Google's library, nor the queue, nor templates, nor
 * fetch.
 */
export async function openExplainSession(written: Config, clock: Clock) {
  const config = { ...written, mirrors: await compileDeferred(written.mirrors) };
  const store = await openStore(config, clock, { sharing: true });
  const { reader } = openPlatform({
    ...{ config, store, clock, log: SILENT, meter: UNCOUNTED },
  });
  // While the platform is unavailable, ids replace the names from its lists.
  const directory = () => reader.directory().catch(() => NO_DIRECTORY);
  return {
    ...store,
    ...explainParts({ config, store, clock, directory, reader }),
    /** Loads Google's library, so only for a row. */
    rowAt: async (asked: RowAsked) => {
      const { openRemotes } = await import('./remotes.ts');
      const remotes = await openRemotes({ config, store, clock, log: SILENT, meter: UNCOUNTED });
      const { mirrors, bookings } = config;
      return new MirroredRows({ api: remotes.sheetsFor('catch-up'), mirrors, bookings }).at(asked);
    },
    find: finderIn({ config, store }),
  };
}

/** Finds the objects that an id may mean. */
export function finderIn({ config, store }: { readonly config: Config; readonly store: Store }) {
  const { ledger: view, journal } = store;
  const search = {
    async objectsBeginning(id: string): Promise<readonly string[]> {
      // A person whose erasure was cut off may stand in its order alone.
      const erased = (await store.erasures.open()).filter(({ contactId }) => contactId.startsWith(id));
      const names = erased.map(({ contactId }) => `contact/${contactId}`);
      return [...(await store.search.objectsBeginning(id)), ...names];
    },
  };
  const parts = { view, journal, search, calendars: bookedCalendars(config) };
  return (what: string, id: string) => findObjects(parts, what, id);
}

/** What a command or the console needs to tell the story of one object. Nothing here stores anything. */
export function explainParts(
  parts: Pick<Parameters<typeof storyParts>[0], 'directory'> & {
    readonly config: Config;
    readonly store: Store;
    readonly clock: Clock;
    /** Reads customers that the stored state does not know for certain. */
    readonly reader: Pick<PlatformReader, 'get'>;
  },
) {
  const { config, store, clock, directory, reader } = parts;
  const { ledger: view, history, deadLetters, outbox } = store;
  const customerOf = createCustomers({ view, reader });
  const isHidden = isHiddenBy(config);
  return storyParts({ view, history, deadLetters, outbox, clock, config, directory, customerOf, isHidden });
}
