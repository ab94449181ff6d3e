import { isLimit } from '../engine/domain/errors.ts';
import type { PersonMatch } from '../engine/domain/person.ts';
import { counted } from './idle.ts';

/** One place that holds data about a person. Contains names of places, never their contents. */
export interface PersonPlace {
  readonly kind: 'event' | 'row' | 'key';
  readonly where: string;
  readonly name: string;
  /** How the person was recognised; a name alone may belong to someone else. */
  readonly by: readonly PersonMatch[];
}

export interface PersonReport {
  /** Ids. */
  readonly contacts: readonly string[];
  readonly appointments: readonly string[];
  readonly places: readonly PersonPlace[];
  /** Places that could not be read. */
  readonly unread: readonly { readonly place: string; readonly code: string }[];
  readonly outOfReach: readonly string[];
}

export function formatPerson({ contacts, appointments, places, unread, outOfReach }: PersonReport): string {
  const lines = [...new Set(places.map(({ where }) => where))].flatMap((where) => {
    const found = places.filter((each) => each.where === where);
    return [`${where}: ${found.length}`, ...found.map(({ name, by }) => `  ${name}  (${by.join(', ')})`)];
  });
  return [
    `${counted(contacts.length, 'contact')}${contacts.length === 0 ? '' : `: ${contacts.join(', ')}`}`,
    counted(appointments.length, 'appointment'),
    ...(places.length === 0 ? ['Nothing was found in calendars, sheets and Redis.'] : lines),
    ...unread.map(
      ({ place, code }) =>
        `NOT READ: ${place} (${code}). ${isLimit(code) ? 'The limit ends by itself: run the command again in a minute.' : 'Fix this, then run the command again.'}`,
    ),
    ...(places.some(({ by }) => by.join() === 'name')
      ? ['If only the name matches, it may be another person.']
      : []),
    `Not searched: ${outOfReach.join('; ')}.`,
  ].join('\n');
}
