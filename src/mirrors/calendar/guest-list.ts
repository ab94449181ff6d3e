// The names of a class's attendees in the event's description, and the marks that say whose names these are. Pure.
import type { GuestList } from '../../domain/class-slot.ts';
import { GUEST_MARKS } from '../../domain/event-marks.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';

/** Longest value of one mark; Google silently cuts longer values (Calendar API, extended properties), and half an id names nothing. */
const MARK_CHARS_MAX = 1_000;

export interface ShownGuests {
  readonly text: string;
  /** Ids of the appointments that the text names. */
  readonly ids: readonly string[];
}

/** As many lines as fit, then the number of people left out. */
export function guestText(
  { lines, people }: GuestList,
  { charsMax, more }: { readonly charsMax: number; readonly more: (people: number) => string },
): ShownGuests {
  const reserve = more(people).length + 1;
  const whole = lines.reduce((sum, { text }) => sum + text.length + 1, -1);
  const isWhole = whole <= charsMax && lines.reduce((sum, line) => sum + line.people, 0) === people;
  const shown: string[] = [];
  const marks = new Marks();
  let [chars, rest] = [-1, people];
  for (const line of lines) {
    const next = chars + line.text.length + 1;
    if (next + (isWhole ? 0 : reserve) > charsMax || !marks.take(line.id)) break;
    shown.push(line.text);
    chars = next;
    rest -= line.people;
  }
  if (shown.length === 0) return { text: '', ids: [] };
  return { text: [...shown, ...(rest > 0 ? [more(rest)] : [])].join('\n'), ids: marks.ids };
}

/** The private properties by which an erasure finds each event that names a person, whatever its lines say. */
export function guestMarks(ids: readonly string[]): Readonly<Record<string, string>> {
  const marks = new Marks();
  for (const id of ids) marks.take(id);
  return marks.properties;
}

/** Names of the guest marks on the event. */
export function guestMarksIn({ extendedProperties }: Pick<CalendarEvent, 'extendedProperties'>): string[] {
  const marks = extendedProperties?.private ?? {};
  return GUEST_MARKS.filter((name) => marks[name] !== undefined);
}

class Marks {
  readonly ids: string[] = [];
  readonly #values: string[] = [];

  /** False when no mark has room for the id. */
  take(id: string): boolean {
    const last = this.#values.at(-1);
    const longer = last === undefined ? id : `${last} ${id}`;
    if (longer.length <= MARK_CHARS_MAX) this.#values.splice(-1, 1, longer);
    else if (this.#values.length < GUEST_MARKS.length) this.#values.push(id);
    else return false;
    this.ids.push(id);
    return true;
  }

  get properties(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#values.map((value, at) => [GUEST_MARKS[at], value]));
  }
}
