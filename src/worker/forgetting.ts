import { doubtFor, wakeFor } from '../calendar/class-erased.ts';
import { editTally } from '../engine/edit-guard.ts';
import type { Handler } from '../engine/handler.ts';
import type { Clock } from '../engine/runtime.ts';
import { eventsIn } from '../google/calendar-events.ts';
import type { Config } from '../mapping/config.ts';
import { namedCalendars } from '../mapping/needs.ts';
import { personalCalendars, personalSheets } from '../operate/forget/erase-google.ts';
import type { ForgetParts } from '../operate/forget/forget.ts';
import { createForgetDeleted } from '../operate/forget/forget-deleted.ts';
import { outOfReach } from '../operate/whereis.ts';
import { createCustomerCards, createPlatformWriter } from '../platform/client.ts';
import { type Core, spreadsheetsOf } from './core.ts';
import type { Remotes } from './remotes.ts';
import type { Store } from './stores.ts';

/** Where people's data is, and what finds and erases it: for the commands and for the worker. */
export function forgetParts(about: {
  readonly config: Config;
  readonly store: Store;
  readonly remotes: Remotes;
  readonly queue: ForgetParts['queue'];
  readonly clock: Clock;
}): ForgetParts {
  const { config, store, remotes, queue, clock } = about;
  return {
    ...{ erasures: store.erasures, view: store.ledger, known: store.known, search: store.search },
    cards: createCustomerCards(remotes.platform),
    appointments: createPlatformWriter(remotes.platform),
    houseContacts: new Set(config.blocks.map(({ contactId }) => contactId)),
    wakeClasses: wakeFor({ intake: store.intake, clock }),
    queue: {
      turns: (kind) => queue.turns(kind),
      forget: async (keys) => [...(await queue.forget(keys)), ...(await store.work.atWork([...keys]))],
    },
    ...{ leases: store.leases, clock },
    places: [
      ...personalCalendars(namedCalendars(config), {
        eventsOf: (calendarId) => eventsIn(remotes.calendarPolls, calendarId),
        api: remotes.calendarFor('list'),
        doubtClass: doubtFor({
          ...{ intake: store.intake, dirtyMarks: store.dirtyMarks, clock },
          forgiveEdits: (key) => store.tally.clear(editTally(key)),
        }),
      }),
      ...personalSheets(spreadsheetsOf(config), { api: remotes.sheetsFor('list'), leases: store.leases }),
    ],
    outOfReach: outOfReach(config),
  };
}

/** The handler for contacts that the platform has deleted; empty unless `privacy.forget_deleted` is set. */
export function forgetDeleted(core: Core): readonly Handler[] {
  const { config, store, remotes, queues, log } = core;
  if (!config.privacy.forgetDeleted) return [];
  const forgetting = forgetParts({ ...core, queue: queues.objects });
  const { tally, memory, problems, history } = store;
  const { reader } = remotes.platform;
  return [createForgetDeleted({ forgetting, reader, tally, memory, problems, history, log })];
}
