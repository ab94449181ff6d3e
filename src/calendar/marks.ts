import { type ClassSlot, classIdOf, type GuestList, isClassId, slotIn } from '../engine/domain/class-slot.ts';
import {
  APPOINTMENT_MARK,
  CLASS_MARK,
  GUEST_MARKS,
  MARK,
  MIRROR_MARK,
} from '../engine/domain/event-texts.ts';
import { isEventIdOf } from '../engine/domain/ids.ts';
import { linkTo } from '../engine/domain/link.ts';
import type { Snapshot } from '../engine/domain/object.ts';
import type { MarkedEvents } from '../engine/ports/calendars.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import { type CalendarEvent, otherOrganizer } from '../google/calendar-event.ts';

/**
 * The private extended properties of an event that mirrors this appointment or class. `named`: further appointments whose people its texts
 * name.
 */
export function marksFor(
  { id, slot }: Snapshot,
  mirror: string,
  named: readonly string[] = [],
): Readonly<Record<string, string>> {
  return {
    ...{ [MARK.key]: MARK.value, [APPOINTMENT_MARK]: id, [MIRROR_MARK]: mirror },
    ...(isClassId(id) && typeof slot === 'string' && { [CLASS_MARK]: slot }),
    ...guestMarks(named),
  };
}

/**
 * Which appointment an event mirrors, and for which mirror; undefined for other events. The properties alone prove nothing, because
 * "Duplicate" in Google Calendar copies them. The event id cannot be copied.
 */
export function readMarks(event: CalendarEvent): { appointmentId: string; mirror: string } | undefined {
  const marks = event.extendedProperties?.private ?? {};
  const appointmentId = marks[APPOINTMENT_MARK];
  if (appointmentId === undefined || !isEventIdOf(event.id, appointmentId)) return undefined;
  return { appointmentId, mirror: marks[MIRROR_MARK] ?? '' };
}

/** Proves nothing for an event that no link names, because copies carry the mark too. */
export function isMarkedFor(event: CalendarEvent, appointmentId: string): boolean {
  return event.extendedProperties?.private?.[APPOINTMENT_MARK] === appointmentId;
}

/** True when the worker may write to an event found under a derived id. A tombstone may have lost its properties; its id is enough. */
export function isOurs(event: CalendarEvent, appointmentId: string): boolean {
  if (event.status === 'cancelled') return isEventIdOf(event.id, appointmentId);
  return readMarks(event)?.appointmentId === appointmentId;
}

/**
 * The slot of a class. It proves itself, because the class's id is its hash. Undefined for events of appointments, and where people have
 * changed the mark.
 */
export function readSlot(event: CalendarEvent): ClassSlot | undefined {
  const slot = slotIn(event.extendedProperties?.private?.[CLASS_MARK]);
  return slot !== undefined && classIdOf(slot) === readMarks(event)?.appointmentId ? slot : undefined;
}

// The names of a class's attendees in the event's description, and the marks that say whose names these are. Pure.

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

/** Finds the worker's events in the calendars themselves. Skips copies that people made, and events that someone outside organises. */
export function markedEvents(api: CalendarApi, isNamed: (calendarId: string) => boolean): MarkedEvents {
  return {
    async *in(calendarId) {
      for await (const event of api.marked(calendarId, MARK)) {
        const marks = event.status === 'cancelled' ? undefined : readMarks(event);
        const organizer = otherOrganizer(event, calendarId);
        if (marks === undefined || (organizer !== undefined && !isNamed(organizer))) continue;
        const { id: eventId, etag, colorId } = event;
        const link = linkTo({ calendarId, eventId }, { etag, coloured: colorId !== undefined });
        const slot = readSlot(event);
        const startMs = Date.parse(event.start?.dateTime ?? '');
        yield {
          ...{ ...marks, link, marks: event.extendedProperties?.private ?? {} },
          ...(slot && { slot }),
          startMs: Number.isNaN(startMs) ? undefined : startMs,
        };
      }
    },
  };
}
