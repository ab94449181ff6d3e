// What people put into events and tabs for themselves during the day. The worker must leave it alone (P6), so the judge checks all of
// it at the end.
import { type Wire, wireText } from '../judge/company.ts';
import type { CellValue } from '../judge/row-picture.ts';

/** People's own fields of one event. */
export interface OwnFields {
  readonly colour?: string;
  /** Reminder time in minutes before the event. */
  readonly reminder?: number;
  readonly transparency?: string;
}

export interface EventAt {
  readonly calendarId: string;
  readonly eventId: string;
}

export class Ledger {
  readonly #events = new Map<string, EventAt & OwnFields>();
  readonly #copies = new Map<string, EventAt & { readonly summary: string }>();
  readonly #notes = new Map<string, string>();
  readonly #deleted = new Set<string>();
  /** Ids of events by which people moved an appointment, by the appointment's id. */
  readonly #moved = new Map<string, ReadonlySet<string>>();

  /** Records what people set in an event, in addition to what they set before. */
  own(at: EventAt, fields: OwnFields): void {
    const name = nameOf(at);
    this.#events.set(name, { ...this.#events.get(name), ...at, ...fields });
  }

  /** The event is gone from this place, and people's fields with it. */
  gone(at: EventAt): void {
    this.#events.delete(nameOf(at));
  }

  /** People deleted the event, in whichever calendar it was. */
  deleted({ eventId }: EventAt): void {
    this.#deleted.add(eventId);
  }

  isDeleted(eventId: string): boolean {
    return this.#deleted.has(eventId);
  }

  /** People moved the event to another hour or to a colleague, and its appointment with it. */
  moved({ eventId }: EventAt, appointmentId: string): void {
    this.#moved.set(appointmentId, new Set([...(this.#moved.get(appointmentId) ?? []), eventId]));
  }

  /** People moved the appointment by another of its events: that of its room or of a team. */
  isMovedBeside(eventId: string, appointmentId: string): boolean {
    return [...(this.#moved.get(appointmentId) ?? [])].some((each) => each !== eventId);
  }

  /** "Duplicate" in Google Calendar: people's own event, even though it looks like the worker's. */
  copied(at: EventAt, summary: string): void {
    this.#copies.set(nameOf(at), { ...at, summary });
  }

  /** Ids of all copies. */
  get copies(): ReadonlySet<string> {
    return new Set([...this.#copies.values()].map(({ eventId }) => eventId));
  }

  isCopy(at: EventAt): boolean {
    return this.#copies.has(nameOf(at));
  }

  /** Records a word in people's own column, by the id in the row. */
  note(rowId: string, word: string): void {
    this.#notes.set(rowId, word);
  }

  /** The row was deleted, and the word with it. */
  rowDeleted(rowId: string): void {
    this.#notes.delete(rowId);
  }

  get counts(): { readonly fields: number; readonly copies: number; readonly notes: number } {
    return { fields: this.#events.size, copies: this.#copies.size, notes: this.#notes.size };
  }

  /** Everything that differs from what people set; one line each, without content. */
  changed(now: {
    readonly event: (at: EventAt) => Wire | undefined;
    /** False where the mapping sets the event's colour. */
    readonly isColourPeoples: (event: Wire) => boolean;
    /** People's own column, by the id in the row. */
    readonly notes: ReadonlyMap<string, CellValue>;
  }): readonly string[] {
    const lost: string[] = [];
    for (const owned of this.#events.values()) {
      const event = now.event(owned);
      // The appointment was cancelled or moved to a colleague, so its event is gone.
      if (event === undefined) continue;
      for (const field of changedFields(owned, event, now.isColourPeoples(event))) {
        lost.push(`${field} of event ${owned.eventId} in ${owned.calendarId}`);
      }
    }
    for (const copy of this.#copies.values()) {
      const event = now.event(copy);
      if (wireText(event?.['summary']) !== copy.summary)
        lost.push(`the copy ${copy.eventId} in ${copy.calendarId}`);
    }
    for (const [rowId, word] of this.#notes) {
      if (now.notes.get(rowId) !== word) lost.push(`the word beside row ${rowId}`);
    }
    return lost;
  }
}

function changedFields(owned: OwnFields, event: Wire, isColourPeoples: boolean): readonly string[] {
  const isSame = {
    colour: owned.colour === undefined || !isColourPeoples || wireText(event['colorId']) === owned.colour,
    reminder: owned.reminder === undefined || remindsAt(event).includes(owned.reminder),
    transparency: owned.transparency === undefined || wireText(event['transparency']) === owned.transparency,
  };
  return Object.entries(isSame).flatMap(([field, same]) => (same ? [] : [field]));
}

function remindsAt(event: Wire): readonly unknown[] {
  const { overrides } = (event['reminders'] ?? {}) as { readonly overrides?: unknown };
  return Array.isArray(overrides) ? overrides.map((each) => (each as Wire)['minutes']) : [];
}

function nameOf({ calendarId, eventId }: EventAt): string {
  return `${calendarId} ${eventId}`;
}
