import { isHiddenBy } from '../engine/handler.ts';
import type { PlatformReader } from '../engine/platform.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { createCustomers } from '../mapping/filter-lines.ts';
import { storyParts } from '../operate/story-parts.ts';
import type { Store } from './stores.ts';

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
