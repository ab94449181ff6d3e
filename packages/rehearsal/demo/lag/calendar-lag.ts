import { type CompanyNames, type Wire, wireText } from '../judge/company.ts';
import {
  appointmentShown,
  differingParts,
  type EventPicture,
  expectedEvents,
  pictureOf,
} from '../judge/event-picture.ts';
import { type LagSamples, Stopwatch } from './stopwatch.ts';

type Wanted = ReadonlyMap<string, EventPicture>;

interface Standing {
  readonly calendarId: string;
  readonly picture: EventPicture;
}

/**
 * Measures from an appointment's change to the Google write after which all its calendars show that state or a later
 * one.
 */
export class CalendarLag {
  readonly #names: CompanyNames;
  readonly #watch = new Stopwatch<Wanted>();
  /** Live events by appointment, then by calendar and event id. */
  readonly #standing = new Map<string, Map<string, Standing>>();
  /** By calendar and event id: a deleted event may show nothing but its id. */
  readonly #appointments = new Map<string, string>();

  constructor(names: CompanyNames) {
    this.#names = names;
  }

  changed(appointment: Wire, atMs: number): void {
    const id = wireText(appointment['id']);
    const wanted = expectedEvents(appointment, this.#names);
    this.#watch.changed(id, { atMs, wanted, isShown: this.#shows(id, wanted) });
  }

  lost(id: string, atMs: number): void {
    this.#watch.lost(id, atMs);
  }

  written(calendarId: string, event: Wire, atMs: number): void {
    const key = `${calendarId} ${wireText(event['id'])}`;
    const id = appointmentShown(event) ?? this.#appointments.get(key);
    if (id === undefined) return;
    this.#appointments.set(key, id);
    const standing = this.#standing.get(id) ?? new Map<string, Standing>();
    this.#standing.set(id, standing);
    if (event['status'] === 'cancelled') standing.delete(key);
    else standing.set(key, { calendarId, picture: pictureOf(event) });
    this.#watch.written(id, { atMs, shows: (wanted) => this.#shows(id, wanted) });
  }

  samples(): LagSamples {
    return this.#watch.samples();
  }

  #shows(id: string, wanted: Wanted): boolean {
    const standing = [...(this.#standing.get(id)?.values() ?? [])];
    return (
      standing.length === wanted.size &&
      standing.every(({ calendarId, picture }) => {
        const expected = wanted.get(calendarId);
        return expected !== undefined && differingParts(expected, picture).length === 0;
      })
    );
  }
}
