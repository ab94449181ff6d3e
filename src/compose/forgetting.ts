import type { Config } from '../config/config.ts';
import { namedCalendars } from '../config/needs.ts';
import { eventsIn } from '../google/everything.ts';
import type { ForgetParts } from '../operator/forget/forget.ts';
import { createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import type { Clock } from '../ports/runtime.ts';
import { spreadsheetsOf } from './core.ts';
import type { Remotes } from './remotes.ts';
import type { Store } from './stores.ts';

/** What an erasure reaches, for the command and for the worker. */
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
    ...{ queue, leases: store.leases, clock },
    calendars: [...namedCalendars(config)],
    eventsOf: (calendarId) => eventsIn(remotes.calendarPolls, calendarId),
    calendarApi: remotes.calendarFor('list'),
    spreadsheets: spreadsheetsOf(config),
    sheetsApi: remotes.sheetsFor('list'),
  };
}
