import { seriesOfInstance } from '../engine/domain/ids.ts';
import type { CalendarEvent } from './calendar-event.ts';

/** Largest number of events kept: all handlers of a process together use fewer. */
const EVENTS_MAX = 100;

/**
 * Events that were just read, so that the code that decides and the code that writes share one read. A write sends the etag that was read,
 * so Google refuses it if the event has changed since.
 */
export class RecentEvents {
  /** Those of series, which share one version. */
  readonly series = new SeriesEvents();
  readonly #events = new Map<string, CalendarEvent>();

  keep(calendarId: string, event: CalendarEvent): void {
    const key = eventKey(calendarId, event.id);
    this.#events.delete(key);
    // A deleted event may carry nothing but its id.
    if (event.status === 'cancelled' || event.etag === '') return;
    this.#events.set(key, event);
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= EVENTS_MAX) break;
      this.#events.delete(oldest);
    }
  }

  /** Returns an event once; a second caller must read again. Undefined when the event was not read, or was last read in another state. */
  take(calendarId: string, eventId: string, etag: string): CalendarEvent | undefined {
    const key = eventKey(calendarId, eventId);
    const event = this.#events.get(key);
    this.#events.delete(key);
    return event?.etag === etag ? event : undefined;
  }
}

function eventKey(calendarId: string, eventId: string): string {
  return `${calendarId} ${eventId}`;
}

/** Series that are remembered: those at which the handlers of a process work. */
const SERIES_MAX = 40;
/** Events of one series that are remembered. */
const SERIES_EVENTS_MAX = 250;
/** Own writes of one series through which an etag is followed. */
const SERIES_WRITES_MAX = 1_000;

/** One series with its exceptions and the parts split from it, in one calendar. */
interface Series {
  readonly events: Map<string, { readonly event: CalendarEvent; readonly atMs: number }>;
  /** By the etag that a write of ours replaced: the new etag, and the event that was written. */
  readonly writes: Map<string, { readonly etag: string; readonly id: string; readonly nth: number }>;
  /** By the new etag: the event that was written. */
  readonly written: Map<string, string>;
  /** The last write in the line. */
  turn: Promise<unknown>;
}

/**
 * What this process knows of the events of series. Google gives a series and its exceptions one version, so each own write makes the etags
 * of all siblings stale. Own writes of one series therefore take turns, and an etag is followed through them. A write that Google accepted
 * under an etag proves that nobody else changed the series before it. The next reading shows whether Google really shares the version.
 */
export class SeriesEvents {
  readonly #series = new Map<string, Series>();
  #writes = 0;
  #areVersionsShared = true;

  /** A number that grows with each own write: taken before a reading, it tells what the reading must show. */
  get writes(): number {
    return this.#writes;
  }

  /** Remembers an event that was read at this moment, if it belongs to a series. `asOf`: `writes` before the reading. */
  keep(
    calendarId: string,
    event: CalendarEvent,
    read: { readonly atMs: number; readonly asOf: number },
  ): void {
    if (event.recurringEventId === undefined) return;
    const series = this.#seriesOf(calendarId, event.id);
    if (series === undefined) return;
    series.events.delete(event.id);
    if (event.status === 'cancelled' || event.etag === '') return;
    const replaced = series.writes.get(event.etag);
    if (replaced !== undefined && replaced.id !== event.id && replaced.nth <= read.asOf)
      this.#areVersionsShared = false;
    const written = series.written.get(event.etag);
    if (written !== undefined && written !== event.id) this.#areVersionsShared = true;
    series.events.set(event.id, { event, atMs: read.atMs });
    trim(series.events, SERIES_EVENTS_MAX);
  }

  /** The event as it was read since this moment, with its etag of now. */
  since(calendarId: string, eventId: string, fromMs: number): CalendarEvent | undefined {
    const kept = this.#seriesOf(calendarId, eventId)?.events.get(eventId);
    if (kept === undefined || kept.atMs < fromMs) return undefined;
    return { ...kept.event, etag: this.etagNow(calendarId, eventId, kept.event.etag) };
  }

  /** The master of the event, as it was last read. */
  masterOf(calendarId: string, eventId: string): string | undefined {
    const kept = this.#seriesOf(calendarId, eventId)?.events.get(eventId);
    return kept?.event.recurringEventId ?? seriesOfInstance(eventId);
  }

  /** The etag of the event's known state, after the own writes of its siblings. */
  etagNow(calendarId: string, eventId: string, etag: string): string {
    const series = this.#seriesOf(calendarId, eventId);
    if (series === undefined || !this.#areVersionsShared) return etag;
    let now = etag;
    for (let next = series.writes.get(now); next !== undefined; next = series.writes.get(now)) {
      // The event itself was written since: its known state is no longer the last one.
      if (next.id === eventId) return etag;
      now = next.etag;
    }
    return now;
  }

  /** Performs a write when the earlier ones of the same series have ended. Other events have no line. */
  async inTurn<T>(calendarId: string, eventId: string, write: () => Promise<T>): Promise<T> {
    const series = this.#seriesOf(calendarId, eventId);
    if (series === undefined) return write();
    const mine = series.turn.then(write, write);
    series.turn = mine.catch(() => undefined);
    return mine;
  }

  /** Google has replaced this state of the event by another. */
  wrote(
    calendarId: string,
    former: { readonly id: string; readonly etag: string },
    now: CalendarEvent,
  ): void {
    const series = this.#seriesOf(calendarId, former.id);
    if (series === undefined) return;
    this.#writes += 1;
    series.events.delete(former.id);
    if (former.etag === '' || now.etag === '') return;
    series.writes.set(former.etag, { etag: now.etag, id: former.id, nth: this.#writes });
    series.written.set(now.etag, former.id);
    for (const all of [series.writes, series.written]) trim(all, SERIES_WRITES_MAX);
  }

  /** Somebody else changed the series, or a write has an unknown outcome: what was read of it may be old. */
  forget(calendarId: string, eventId: string): void {
    this.#seriesOf(calendarId, eventId)?.events.clear();
  }

  #seriesOf(calendarId: string, eventId: string): Series | undefined {
    const base = seriesOfInstance(eventId);
    if (base === undefined) return undefined;
    const key = `${calendarId} ${base}`;
    const known = this.#series.get(key) ?? {
      events: new Map(),
      writes: new Map(),
      written: new Map(),
      turn: Promise.resolve(),
    };
    this.#series.delete(key);
    this.#series.set(key, known);
    trim(this.#series, SERIES_MAX);
    return known;
  }
}

/** Drops the oldest entries. */
function trim(entries: Map<string, unknown>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
