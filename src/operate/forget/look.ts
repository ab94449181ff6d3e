// Finds every place that holds something about a person, by the terms that identify them. Says what may be done about each place.

import { guestMarksIn, readMarks } from '../../calendar/wanted.ts';
import type { Erased, MovedRow } from '../../engine/erasure.ts';
import { WorkerError } from '../../engine/errors.ts';
import { objectOf } from '../../engine/ids.ts';
import {
  hasNameWord,
  isAbout,
  matchesIn,
  namesIds,
  type PersonMatch,
  type PersonTerms,
  withoutPerson,
} from '../../engine/person.ts';
import type { CalendarEvent, EventPatch } from '../../google/calendar-event.ts';
import { textOfEvent } from '../../google/calendar-events.ts';
import type { PersonPlace } from '../personal-data.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * - `remove`: it belongs to the person alone.
 * - `rewrite`: it belongs to other people, and names the person.
 * - `leave`: it may be about another person, or belongs to another object.
 */
export type Verdict = 'remove' | 'rewrite' | 'leave';

/** Undefined when the event contains nothing about the person. Deleted events are Google's: they cannot be written. */
export function judgeEvent(event: CalendarEvent, terms: PersonTerms): Verdict | undefined {
  if (event.status === 'cancelled') return undefined;
  const owner = readMarks(event)?.appointmentId ?? objectOf(event.id)?.id;
  const text = textOfEvent(event);
  if (owner !== undefined && terms.ids.includes(owner)) return 'remove';
  if (matchesIn(text, terms).length === 0) return undefined;
  if (isClassEvent(event) && namesIds(text, terms)) return 'rewrite';
  if (owner !== undefined || !isAbout(text, terms)) return 'leave';
  return Object.keys(rewritten(event, terms)).length === 0 ? 'leave' : 'rewrite';
}

/** Such an event may name the guests of the class, each by a line and a mark. */
export function isClassEvent({ id }: Pick<CalendarEvent, 'id'>): boolean {
  return objectOf(id)?.kind === 'class';
}

/**
 * The texts and marks of the event that name the person, without the person. Guests are left to the owner of the calendar. The event of a
 * class loses its whole description, because nobody can say which words of it concern the person. Its class writes it again.
 */
export function rewritten(event: CalendarEvent, terms: PersonTerms): Partial<EventPatch> {
  const named = isClassEvent(event) ? guestMarksIn(event) : [];
  if (named.length > 0)
    return {
      description: '',
      extendedProperties: { private: Object.fromEntries(named.map((name) => [name, null])) },
    };
  const { summary, description, location, extendedProperties } = event;
  const texts = Object.entries({ summary, description, location }).flatMap(([field, text]) =>
    text === undefined || withoutPerson(text, terms) === text
      ? []
      : [[field, withoutPerson(text, terms)] as const],
  );
  const marks = Object.entries(extendedProperties?.private ?? {}).flatMap(([name, value]) =>
    withoutPerson(value, terms) === value ? [] : [[name, withoutPerson(value, terms)] as const],
  );
  const body: Partial<EventPatch> = Object.fromEntries(texts);
  return marks.length === 0 ? body : { ...body, extendedProperties: { private: Object.fromEntries(marks) } };
}

/** The verdict about a row: the columns whose cells are emptied, counted from 0. */
export interface RowVerdict {
  readonly verdict: Verdict;
  readonly columns: readonly number[];
}

/**
 * A row with an id of the person loses all its texts. A row without any id loses the cells that name the person. A row with another
 * person's id is left alone: the platform decides what it contains.
 */
export function judgeRow(cells: readonly unknown[], terms: PersonTerms): RowVerdict | undefined {
  const texts = cells.map((cell) => (cell === null || cell === undefined ? '' : String(cell)));
  const whole = texts.join('\n');
  if (matchesIn(whole, terms).length === 0) return undefined;
  const ids = texts.filter((text) => UUID.test(text.trim())).map((text) => text.trim().toLowerCase());
  if (ids.some((id) => terms.ids.includes(id))) {
    const columns = texts.flatMap((text, column) =>
      text !== '' && (typeof cells[column] === 'string' || matchesIn(text, terms).length > 0) ? [column] : [],
    );
    return { verdict: 'remove', columns };
  }
  if (ids.length > 0 || !isAbout(whole, terms)) return { verdict: 'leave', columns: [] };
  const columns = texts.flatMap((text, column) =>
    matchesIn(text, terms).length > 0 || hasNameWord(text, terms) ? [column] : [],
  );
  return { verdict: 'rewrite', columns };
}

/** A place outside Redis that may hold something about a person. */
export interface PersonalPlace {
  /** `calendar …` or `spreadsheet …`. */
  readonly name: string;
  /** Everything in it that may name somebody. */
  texts(): AsyncIterable<Omit<PersonPlace, 'by'> & { readonly text: string }>;
  /** With `act` false, only counts what would be done. `moved` is filled immediately, because no later look finds these rows again. */
  erase(about: {
    readonly terms: PersonTerms;
    readonly act: boolean;
    readonly moved: MovedRow[];
    /** Called after each write with what it erased: whatever fails later, that is done. */
    readonly count?: CountErased;
  }): Promise<
    Partial<Pick<Erased, 'events' | 'rewritten' | 'cells'>> & { readonly left: readonly LeftPlace[] }
  >;
}

export type CountErased = (more: Partial<Erased>) => Promise<void>;

/** A place that was left, with what identified the person there. */
export interface LeftPlace {
  readonly kind: 'event' | 'row' | 'key';
  readonly where: string;
  readonly name: string;
  readonly by: readonly PersonMatch[];
  /** Why it cannot be erased. Absent: it may be about another person, or belongs to another object. */
  readonly why?: LeftReason;
}

/** `moved`: people moved rows while a write hit this one by mistake; its own cells may be empty. */
export type LeftReason = 'forbidden' | 'formula' | 'moved';

export interface Unread {
  readonly place: string;
  readonly code: string;
}

/** Reports a place that cannot be read or written now, and goes on with the others. */
export async function orUnread(unread: Unread[], place: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    unread.push({ place, code: error.code });
  }
}
