import { bookedCalendars, namedCalendars } from '../config/needs.ts';
import { eventsIn, rowsIn } from '../google/everything.ts';
import { findObjects } from '../operator/find.ts';
import { outOfReach, whereIs } from '../operator/whereis.ts';
import { createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import { type Core, spreadsheetsOf } from './core.ts';

/** Lookups for operators: everything about one person, or one object by any of its ids. */
export function openSearch({ config, store, remotes }: Pick<Core, 'config' | 'store' | 'remotes'>) {
  return {
    whereIs: (asked: string) =>
      whereIs(asked, {
        cards: createCustomerCards(remotes.platform),
        appointments: createPlatformWriter(remotes.platform),
        ...{ view: store.ledger, search: store.search, calendars: [...namedCalendars(config)] },
        eventsIn: (calendarId) => eventsIn(remotes.calendarPolls, calendarId),
        spreadsheets: spreadsheetsOf(config),
        rowsIn: (spreadsheetId) => rowsIn(remotes.sheetsFor('list'), spreadsheetId),
        outOfReach: outOfReach(config),
      }),
    find: (what: string, id: string) =>
      findObjects(
        { view: store.ledger, journal: store.journal, calendars: bookedCalendars(config) },
        what,
        id,
      ),
  };
}
