// Finds every place that holds something about one person: events, rows, and keys in Redis. It only reads.

import type { Ledger } from '../engine/ledger.ts';
import type { Appointment, Snapshot } from '../engine/object.ts';
import { customerMarks, matchesIn, type PersonMatch, type PersonTerms } from '../engine/person.ts';
import type { ContactLookup, PlatformWriter } from '../engine/platform.ts';
import type { StateSearch } from '../engine/state-search.ts';
import type { Config } from '../mapping/config.ts';
import { blockCalendars, isNamedIn } from '../mapping/needs.ts';
import { orUnread, type PersonalPlace, type Unread } from './forget/look.ts';
import type { PersonPlace, PersonReport } from './personal-data.ts';

export interface WhereIsParts {
  readonly cards: ContactLookup;
  readonly appointments: Pick<PlatformWriter, 'list'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly search: StateSearch;
  readonly places: readonly Pick<PersonalPlace, 'name' | 'texts'>[];
  /** The result of `outOfReach`. */
  readonly outOfReach: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Places that only Google, the platform or people themselves can search. */
export function outOfReach(config: Config): readonly string[] {
  const isNamed = isNamedIn(config);
  const isPrivateRead = blockCalendars(config).some((calendarId) => !isNamed(calendarId));
  return [
    'the platform itself',
    'versions and bins of calendars and sheets at Google',
    'copies, exports and e-mails that people made',
    ...(config.feeds.length === 0
      ? []
      : ['copies in programs and phones that read a feed, until their next refresh']),
    ...(isPrivateRead ? ['private events of staff in the calendars of `blocks`'] : []),
    'log files and backups',
    'data deleted from Redis, until Redis has rewritten its append-only file',
    'calendars and sheets that the YAML no longer names',
  ];
}

/** `asked`: the id of a contact, a phone number or an e-mail address. */
export async function whereIs(asked: string, parts: WhereIsParts): Promise<PersonReport> {
  const contacts = await contactsOf(asked, parts);
  const appointments = await appointmentsOf(asked, contacts, parts);
  const terms = termsOf(asked, contacts, appointments);
  const places: PersonPlace[] = [];
  const unread: Unread[] = [];
  for (const place of parts.places) {
    await orUnread(unread, place.name, async () => {
      for await (const { text, ...about } of place.texts()) {
        const by = matchesIn(text, terms);
        if (by.length > 0) places.push({ ...about, by });
      }
    });
  }
  places.push(...(await keysOf(terms, parts.search)));
  return {
    contacts: contacts.map(({ id }) => id),
    appointments: appointments.map(({ id }) => id),
    ...{ places, unread, outOfReach: parts.outOfReach },
  };
}

/** A contact that the platform no longer shows may still be known here. */
export async function contactsOf(
  asked: string,
  { cards, view }: Pick<WhereIsParts, 'cards' | 'view'>,
): Promise<readonly Snapshot[]> {
  if (UUID.test(asked)) {
    const contact = (await cards.byId(asked)) ?? (await view.peek({ kind: 'contact', id: asked }))?.snapshot;
    return [contact ?? { id: asked }];
  }
  return asked.includes('@') ? cards.byEmail(asked, undefined) : cards.byPhone(asked, undefined);
}

export async function appointmentsOf(
  asked: string,
  contacts: readonly Snapshot[],
  { appointments }: Pick<WhereIsParts, 'appointments'>,
): Promise<readonly Appointment[]> {
  const filters: Record<string, string>[] = contacts.map(({ id }) => ({ contact_id: id }));
  if (!UUID.test(asked) && !asked.includes('@')) filters.push({ customer_phone: asked });
  const found = new Map<string, Appointment>();
  for (const filter of filters) {
    let after: string | undefined;
    do {
      const page = await appointments.list(filter, after);
      for (const appointment of page.data) found.set(appointment.id, appointment);
      after = page.hasMore ? page.data.at(-1)?.id : undefined;
    } while (after !== undefined);
  }
  return [...found.values()];
}

function termsOf(
  asked: string,
  contacts: readonly Snapshot[],
  appointments: readonly Appointment[],
): PersonTerms {
  const cards = contacts.map(({ id, phone, email, name }) => ({ contactId: id, phone, email, name }));
  const booked = appointments.map((each) => ({
    contactId: each['contact_id'],
    phone: each['customer_phone'],
    email: each['customer_email'],
    name: each['customer_name'],
  }));
  const typed = { contactId: undefined, phone: undefined, email: undefined, name: undefined };
  const isEmail = asked.includes('@');
  const own = UUID.test(asked) ? typed : { ...typed, ...(isEmail ? { email: asked } : { phone: asked }) };
  const all = [...cards, ...booked, own];
  const texts = (field: 'phone' | 'email' | 'name') =>
    [...new Set(all.map((each) => each[field]))].filter(
      (text) => typeof text === 'string' && text !== '',
    ) as string[];
  return {
    ids: [...new Set([...contacts, ...appointments].map(({ id }) => id))],
    phones: texts('phone'),
    emails: texts('email'),
    names: texts('name'),
    hashes: [...new Set(all.flatMap((each) => Object.values(customerMarks(each))))],
  };
}

/** Each key once, with everything that identified the person in it. */
export async function keysOf(terms: PersonTerms, search: StateSearch): Promise<readonly PersonPlace[]> {
  const found = new Map<string, Set<PersonMatch>>();
  for await (const { key, text } of search.all()) {
    const by = matchesIn(text, terms);
    if (by.length > 0) found.set(key, new Set([...(found.get(key) ?? []), ...by]));
  }
  return [...found]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, by]) => ({ kind: 'key', where: `Redis, ${familyOf(name)}`, name, by: [...by] }));
}

/** The family of `object:contact/…` is `object`. */
function familyOf(key: string): string {
  return key.split(':')[0] ?? key;
}
