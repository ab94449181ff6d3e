// What people do in Google Calendar, without regard to the worker. Every action takes one object, so that it can
// also be called over HTTP.

import type { Calendar } from '../calendar/calendar.ts';
import { cancelEvent, insertEvent, moveEvent, writeEvent } from '../calendar/change.ts';
import { isCancelled, type StoredEvent } from '../calendar/event.ts';
import { answered, type ResponseStatus } from '../calendar/guests.ts';
import { mergePatch } from '../calendar/merge.ts';
import type { CalendarOffice } from '../calendar/office.ts';
import { instanceCalled } from '../calendar/series.ts';
import { splitSeries } from '../calendar/split.ts';
import { type JsonObject, listOf, objectOf } from '../json.ts';

/** Identifies an event. */
export interface EventAt {
  calendarId: string;
  eventId: string;
}

export class CalendarStaff {
  readonly #office: CalendarOffice;

  constructor(office: CalendarOffice) {
    this.#office = office;
  }

  /**
   * Adds an event given as the API's Event (`start`, `end`, `summary`, …; attendees are allowed). Returns it as
   * shown.
   */
  add(what: {
    calendarId: string;
    event: JsonObject;
    id?: string;
    by?: string;
    organizer?: JsonObject;
  }): JsonObject {
    const calendar = this.#calendar(what.calendarId);
    const author = { email: what.by ?? what.calendarId };
    const event = insertEvent(this.#office, calendar, {
      fields: what.event,
      author,
      id: what.id,
      ...(what.organizer === undefined ? {} : { organizer: what.organizer }),
    });
    return this.#office.show(calendar, event);
  }

  /** Moves an event to another time, as RFC 3339. The duration stays unless an end is given. */
  move(what: EventAt & { start: string; end?: string }): JsonObject {
    const { event } = this.#at(what);
    const end = what.end ?? new Date(Date.parse(what.start) + event.endMs - event.startMs).toISOString();
    return this.edit({
      ...what,
      patch: { start: { dateTime: what.start, date: null }, end: { dateTime: end, date: null } },
    });
  }

  resize(what: EventAt & { end: string }): JsonObject {
    return this.edit({ ...what, patch: { end: { dateTime: what.end } } });
  }

  /** Drags the event into the all-day row: one day, `date`. */
  makeAllDay(what: EventAt & { date: string }): JsonObject {
    const next = new Date(Date.parse(`${what.date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    const side = (date: string): JsonObject => ({ date, dateTime: null, timeZone: null });
    return this.edit({ ...what, patch: { start: side(what.date), end: side(next) } });
  }

  retitle(what: EventAt & { summary: string }): JsonObject {
    return this.edit({ ...what, patch: { summary: what.summary } });
  }

  describe(what: EventAt & { description: string }): JsonObject {
    return this.edit({ ...what, patch: { description: what.description } });
  }

  /** `colorId` 1 to 11. */
  recolour(what: EventAt & { colorId: string }): JsonObject {
    return this.edit({ ...what, patch: { colorId: what.colorId } });
  }

  addReminder(what: EventAt & { minutes: number; method?: 'popup' | 'email' }): JsonObject {
    const { event } = this.#at(what);
    const overrides = [
      ...listOf(objectOf(event.fields['reminders'])['overrides']),
      { method: what.method ?? 'popup', minutes: what.minutes },
    ];
    return this.edit({ ...what, patch: { reminders: { useDefault: false, overrides } } });
  }

  addGuest(what: EventAt & { email: string; displayName?: string }): JsonObject {
    const { event } = this.#at(what);
    const guest: JsonObject = {
      email: what.email,
      ...(what.displayName === undefined ? {} : { displayName: what.displayName }),
    };
    return this.edit({ ...what, patch: { attendees: [...listOf(event.fields['attendees']), guest] } });
  }

  /** A guest answers the invitation. */
  respond(what: EventAt & { email: string; status: ResponseStatus; comment?: string }): JsonObject {
    const { event } = this.#at(what);
    return this.edit({ ...what, patch: { attendees: answered(listOf(event.fields['attendees']), what) } });
  }

  /** `private` hides the details from readers; `default` shows them again. */
  setVisibility(what: EventAt & { visibility: 'default' | 'public' | 'private' }): JsonObject {
    return this.edit({ ...what, patch: { visibility: what.visibility } });
  }

  /** "Show as": `transparent` is free, `opaque` busy. */
  showAs(what: EventAt & { transparency: 'opaque' | 'transparent' }): JsonObject {
    return this.edit({ ...what, patch: { transparency: what.transparency } });
  }

  relocate(what: EventAt & { location: string }): JsonObject {
    return this.edit({ ...what, patch: { location: what.location } });
  }

  /** Any change, as a patch of the API's Event. */
  edit(what: EventAt & { patch: JsonObject }): JsonObject {
    const { calendar, event } = this.#at(what);
    writeEvent(this.#office, calendar, { event, fields: mergePatch(event.fields, what.patch) });
    return this.#office.show(calendar, event);
  }

  remove(what: EventAt): void {
    const { calendar, event } = this.#at(what);
    if (!isCancelled(event)) cancelEvent(this.#office, calendar, event);
  }

  /** Restores an event from the bin. */
  restore(what: EventAt): JsonObject {
    return this.edit({ ...what, patch: { status: 'confirmed' } });
  }

  /** "Duplicate" in the menu: a new id, with the private properties copied. */
  duplicate(what: EventAt): JsonObject {
    const { calendar, event } = this.#at(what);
    const copy = insertEvent(this.#office, calendar, {
      fields: structuredClone(event.fields),
      author: { email: calendar.id },
    });
    return this.#office.show(calendar, copy);
  }

  /** "Copy to" another calendar: a new id there, with the private properties copied. */
  copyToCalendar(what: EventAt & { to: string }): JsonObject {
    const { event } = this.#at(what);
    const to = this.#calendar(what.to);
    const fields = structuredClone(event.fields);
    return this.#office.show(to, insertEvent(this.#office, to, { fields, author: { email: to.id } }));
  }

  /** "Move to another calendar": the same id there, a bare tombstone here. */
  moveToCalendar(what: EventAt & { to: string }): JsonObject {
    const { calendar, event } = this.#at(what);
    const to = this.#calendar(what.to);
    return this.#office.show(to, moveEvent(this.#office, calendar, { event, to }));
  }

  /** "Change owner": someone else now organises the event. It stays here as a guest's copy. */
  giveAway(what: EventAt & { to: string }): JsonObject {
    const { calendar, event } = this.#at(what);
    event.organizer = { email: what.to };
    writeEvent(this.#office, calendar, { event, fields: event.fields });
    return this.#office.show(calendar, event);
  }

  /**
   * Edits "this and following events" of a series from the one at `at` (RFC 3339, its start by the rule). `asShown`: people edit what that
   * event shows, also the texts and private properties of a changed one; false: what the series says. Returns the second master.
   */
  splitSeries(what: {
    calendarId: string;
    masterId: string;
    at: string;
    patch?: JsonObject;
    asShown?: boolean;
    keepExceptions?: boolean;
  }): JsonObject {
    const { calendar, event: master } = this.#at({ calendarId: what.calendarId, eventId: what.masterId });
    const part = splitSeries(this.#office, calendar, {
      master,
      atMs: Date.parse(what.at),
      patch: what.patch ?? {},
      asShown: what.asShown ?? true,
      keepsExceptions: what.keepExceptions ?? false,
    });
    return this.#office.show(calendar, part);
  }

  /** Books a room for the event. Google lists it first, and the calendar itself among the guests. */
  addRoom(what: EventAt & { email: string; displayName?: string }): JsonObject {
    const { calendar, event } = this.#at(what);
    const guests = listOf(event.fields['attendees']);
    const isListed = guests.some((guest) => objectOf(guest)['email'] === calendar.id);
    const accepted = (email: string): JsonObject => ({ email, responseStatus: 'accepted' });
    const room: JsonObject = {
      ...accepted(what.email),
      resource: true,
      ...(what.displayName === undefined ? {} : { displayName: what.displayName }),
    };
    const attendees = [room, ...(isListed ? [] : [accepted(calendar.id)]), ...guests];
    return this.edit({ ...what, patch: { attendees } });
  }

  /** Deletes every event. Returns how many. */
  clear(what: { calendarId: string }): { removed: number } {
    const calendar = this.#calendar(what.calendarId);
    const live = calendar.live();
    for (const event of live) if (!isCancelled(event)) cancelEvent(this.#office, calendar, event);
    return { removed: live.length };
  }

  /** Simulates that time passes and tombstones disappear: their ids give 404 and are free again. */
  purgeTombstones(what: { calendarId: string }): { purged: number } {
    const calendar = this.#calendar(what.calendarId);
    const gone = calendar.all().filter(isCancelled);
    for (const event of gone) calendar.remove(event.id);
    return { purged: gone.length };
  }

  /** Makes every sync token of the calendar give 410 from now on. */
  expireSyncTokens(what: { calendarId: string }): void {
    this.#calendar(what.calendarId).voidSyncTokens();
  }

  #calendar(id: string): Calendar {
    const calendar = this.#office.calendar(id);
    if (calendar === undefined) throw new Error(`the sandbox has no calendar ${id}`);
    return calendar;
  }

  #at({ calendarId, eventId }: EventAt): { calendar: Calendar; event: StoredEvent } {
    const calendar = this.#calendar(calendarId);
    const event = calendar.get(eventId) ?? instanceCalled(this.#office, calendar, eventId);
    if (event === undefined) throw new Error(`the calendar ${calendarId} has no event ${eventId}`);
    return { calendar, event };
  }
}
