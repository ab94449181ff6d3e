import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import type { BusyEvent } from '../engine/block.ts';
import type { CalendarEvents } from '../engine/calendar-events.ts';
import type { AnswerPlace } from '../engine/carriers.ts';
import { DeferredError, isOfQuota, RetryableError, WorkerError } from '../engine/errors.ts';
import { MARK, withAnswer } from '../engine/event-texts.ts';
import { appointmentOfEvent } from '../engine/ids.ts';
import type { BookingAnswer, SeenBooking, SeenEvent } from '../engine/outside-booking.ts';
import { escapedMarkup } from '../engine/plain-text.ts';
import type { CalendarApi } from './calendar-api.ts';
import {
  type CalendarEvent,
  contentInSeries,
  EVENT_PAGE,
  type EventBody,
  otherOrganizer,
} from './calendar-event.ts';
import type { CalendarWatchApi } from './calendar-watch-api.ts';
import { type GoogleApiOptions, GoogleCaller } from './call.ts';
import { ETAG_MISMATCH } from './errors.ts';
import type { SheetsApi } from './sheets-api.ts';

/** Converts Google's events to the domain's types. `known`: calendars of this YAML and of earlier ones. */
export function createCalendarEvents(
  api: CalendarApi,
  known: () => Promise<readonly string[]> = async () => [],
): CalendarEvents {
  return {
    async read(calendarId, eventId) {
      const event = await api.get(calendarId, eventId);
      return event === 'absent' ? 'absent' : toSeen(event, calendarId);
    },
    isNobodys: (calendarId, eventId) => api.isNobodys(calendarId, eventId),
    async keptElsewhere(calendarId, eventId, search) {
      const because = await api.keptElsewhere(calendarId, eventId, search);
      if (because !== undefined) return because;
      const former = (await known()).filter((id) => !search.searched.includes(id));
      for (const id of new Set(former)) if (await isLiveIn(api, id, eventId)) return 'nobodys-calendar';
      return undefined;
    },
    upcoming: (calendarId, fromMs) => api.countUpcoming(calendarId, { property: MARK, fromMs }),
  };
}

/** False for a former calendar that is closed to the worker: otherwise nobody could cancel by a deletion any more. */
async function isLiveIn(api: CalendarApi, calendarId: string, eventId: string): Promise<boolean> {
  try {
    const event = await api.get(calendarId, eventId);
    return event !== 'absent' && event.status !== 'cancelled';
  } catch (error) {
    if (error instanceof RetryableError || isOfQuota(error)) throw error;
    if (error instanceof WorkerError) return false;
    throw error;
  }
}

function toSeen(event: CalendarEvent, calendarId: string): SeenEvent {
  const organizer = otherOrganizer(event, calendarId);
  const content = contentInSeries(event);
  return {
    etag: event.etag,
    isLive: event.status !== 'cancelled',
    ...(content !== undefined && { content }),
    startMs: instantMs(event.start?.dateTime),
    endMs: instantMs(event.end?.dateTime),
    isAllDay: event.start?.date !== undefined,
    isRecurring: (event.recurrence ?? []).length > 0,
    updatedMs: instantMs(event.updated),
    isColoured: event.colorId !== undefined,
    isGuestCopy: organizer !== undefined,
    ...(organizer !== undefined && { organizer }),
    texts: {
      summary: event.summary ?? '',
      description: event.description ?? '',
      location: event.location ?? '',
    },
    marks: event.extendedProperties?.private ?? {},
  };
}

/** Google returns times in the calendar's zone; only the instant matters. */
function instantMs(iso: string | undefined): number | undefined {
  const atMs = Date.parse(iso ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Calendars of any kind, as far as people are busy there. */
export type BusyEventsApi = Pick<GoogleBusyEventsApi, keyof GoogleBusyEventsApi>;

/** Page size, Google's own maximum (Calendar API, `events.list`). */
const PAGE_EVENTS_MAX = 2_500;
/** Largest number of pages read: people do not fill it in three months, so a program probably fills such a calendar. */
const PAGES_MAX = 4;

/** Requests no title, description, location or guests, so that none of them can be stored by mistake. */
const TIMES =
  'id,status,start,end,eventType,transparency,recurringEventId,organizer(email,self),attendees(self,responseStatus),extendedProperties/private';
/** The additional fields that rules of `bookings` test. */
const RULED =
  'id,status,start,end,eventType,transparency,recurringEventId,organizer(email,self),attendees(self,responseStatus,email),extendedProperties/private,summary,creator/email';

/** When people are busy, from `events.list`. Free/busy access is enough: Google then returns only times. Rejects with the three error families. */
export class GoogleBusyEventsApi {
  readonly #google: GoogleCaller<calendar_v3.Resource$Events>;
  readonly #timeoutMs: number;

  constructor(options: GoogleApiOptions) {
    const { rootUrl } = options;
    this.#timeoutMs = options.timeoutMs;
    this.#google = new GoogleCaller(
      options,
      (auth) => calendar({ version: 'v3', auth, rootUrl, retry: false }).events,
    );
  }

  /**
   * All live events that end after `fromMs` and begin before `untilMs`, series as their single events. Requests texts only with `ruled`,
   * for calendars in which people book. Rejects unless all of them were read.
   */
  async list(
    calendarId: string,
    window: { readonly fromMs: number; readonly untilMs: number },
    { ruled }: { readonly ruled: boolean },
  ): Promise<readonly BusyEvent[]> {
    const found: BusyEvent[] = [];
    let pageToken: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await this.#page({
        ...{ calendarId, singleEvents: true, maxResults: PAGE_EVENTS_MAX },
        timeMin: new Date(window.fromMs).toISOString(),
        timeMax: new Date(window.untilMs).toISOString(),
        fields: `nextPageToken,items(${ruled ? RULED : TIMES})`,
        ...(pageToken !== undefined && { pageToken }),
      });
      found.push(...page.items.map((event) => toBusy(event, calendarId, ruled)));
      pageToken = page.nextPageToken;
      if (pageToken === undefined) return found;
    }
    throw new RetryableError('busy-too-many', 'the calendar has more events than blocks can handle', {
      target: `calendar:${calendarId}`,
      advice: 'Shorten the horizon, or remove the calendar from blocks.',
    });
  }

  async #page(params: calendar_v3.Params$Resource$Events$List & { readonly calendarId: string }) {
    const target = `calendar:${params.calendarId}`;
    const asked = { target, direction: 'read', quota: 'google-calendar' } as const;
    const { data } = await this.#google.call(asked, (client, signal) =>
      client.list(params, { timeout: this.#timeoutMs, retry: false, signal }),
    );
    const page = EVENT_PAGE.safeParse(data);
    if (page.success) return page.data;
    throw new RetryableError('google-unreadable', "Google's answer is not a list of events", {
      target,
    });
  }
}

export function toBusy(event: CalendarEvent, calendarId: string, ruled: boolean): BusyEvent {
  const { attendees = [], extendedProperties, eventType = 'default', transparency } = event;
  const properties = extendedProperties?.private;
  const response = attendees.find(({ self }) => self === true)?.responseStatus;
  const invitedBy = otherOrganizer(event, calendarId);
  return {
    id: event.id,
    ...(event.recurringEventId !== undefined && { seriesId: event.recurringEventId }),
    start: event.start ?? {},
    end: event.end ?? {},
    type: eventType,
    isFree: transparency === 'transparent',
    isTentative: event.status === 'tentative',
    isInvitation: invitedBy !== undefined,
    ...(response !== undefined && { response }),
    isMarked: properties?.[MARK.key] === MARK.value,
    ...(ruled && {
      ruled: {
        title: event.summary,
        creator: event.creator?.email,
        invitedBy,
        attendees: attendees.flatMap(({ email }) => email ?? []),
        properties,
      },
    }),
  };
}

/** Reads of an event for one answer: each edit by people in between costs another read. */
const READS_MAX = 3;
/** Private property that stores the colour that people gave the event; `none` if it had none of its own, empty once it was restored. */
const FORMER_COLOUR = 'slotbridge_colour';
const NO_COLOUR = 'none';
/** Private property that stores the colour of the refusal. Any other colour was chosen by people since. Version 0.2.0 did not write it. */
const REFUSAL_COLOUR = 'slotbridge_refused_colour';

/** Writes answers into the description and colour of events that belong to people; leaves everything else in them unchanged. */
export function createEventAnswers(
  api: CalendarApi,
  options: { readonly refusedColorId: string | undefined },
): AnswerPlace {
  return {
    async assertWritable(seen) {
      await api.assertWritable(eventPlace(seen).calendarId);
    },
    async answer(seen, answer) {
      const { calendarId, eventId } = eventPlace(seen);
      for (let reads = 0; reads < READS_MAX; reads += 1) {
        const event = await api.get(calendarId, eventId);
        if (event === 'absent' || event.status === 'cancelled') return 'gone';
        const body = changesOf(event, answer, options.refusedColorId);
        if (body === undefined) return 'answered';
        const patched = await api.patch(calendarId, event, body);
        if (patched === 'absent') return 'gone';
        if (patched !== 'changed') return 'answered';
      }
      throw new RetryableError(ETAG_MISMATCH, 'the event keeps changing', {
        target: `calendar:${calendarId}`,
      });
    },
  };
}

function eventPlace(seen: SeenBooking): { calendarId: string; eventId: string } {
  if (seen.place !== 'calendar')
    throw new TypeError("an answer can only be written into the event's own calendar");
  return { calendarId: seen.calendar_id, eventId: seen.event_id };
}

/** Undefined when the event already shows the answer. */
function changesOf(
  event: CalendarEvent,
  answer: BookingAnswer,
  refusedColorId: string | undefined,
): Partial<EventBody> | undefined {
  const description = withAnswer(event.description ?? '', escapedMarkup(answer.text));
  const colour = colourOf(event, { isRefused: answer.state === 'refused', refusedColorId });
  const isSame = description === (event.description ?? '');
  return isSame && colour === undefined ? undefined : { description, ...colour };
}

/** Sets the colour of refusals. Once the answer is no longer a refusal, restores the colour from before, unless people chose another. */
function colourOf(
  event: CalendarEvent,
  { isRefused, refusedColorId }: { readonly isRefused: boolean; readonly refusedColorId: string | undefined },
): Pick<Partial<EventBody>, 'colorId' | 'extendedProperties'> | undefined {
  const marks = event.extendedProperties?.private ?? {};
  const former = marks[FORMER_COLOUR] ?? '';
  const isOurs = former !== '' && event.colorId === (marks[REFUSAL_COLOUR] ?? refusedColorId);
  // People gave it a label, which a colour must not replace.
  const isLabelled = (event.eventLabelId ?? '') !== '';
  if (isRefused && isLabelled) return undefined;
  if (isRefused && refusedColorId !== undefined) {
    if (event.colorId === refusedColorId) return undefined;
    const kept = isOurs ? former : (event.colorId ?? NO_COLOUR);
    const added = { [FORMER_COLOUR]: kept, [REFUSAL_COLOUR]: refusedColorId };
    return { colorId: refusedColorId, extendedProperties: { private: added } };
  }
  if (former === '') return undefined;
  return {
    ...(isOurs && !isLabelled && { colorId: former === NO_COLOUR ? null : former }),
    extendedProperties: { private: { [FORMER_COLOUR]: '' } },
  };
}

/** Rows per read. */
const ROWS_PER_READ = 5_000;
const LIST_LOST_PAUSE_MS = 15_000;

/** Every event of a calendar: each series once, and deleted events while Google still returns them. */
export async function* eventsIn(
  api: Pick<CalendarWatchApi, 'changes'>,
  calendarId: string,
): AsyncGenerator<CalendarEvent> {
  let pageToken: string | undefined;
  do {
    const page = await api.changes(calendarId, { syncToken: undefined, pageToken });
    if (page === 'lost' || page === 'place-refused') {
      throw new DeferredError('calendar-list-lost', 'Google lost its position in the list of a calendar', {
        target: `calendar:${calendarId}`,
        retryAfterMs: LIST_LOST_PAUSE_MS,
      });
    }
    yield* page.events;
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
}

/** All texts of an event that may identify a person. */
export function textOfEvent({
  id,
  summary,
  description,
  location,
  attendees = [],
  extendedProperties,
}: CalendarEvent): string {
  const guests = attendees.flatMap(({ email, displayName }) => [email, displayName]);
  const marks = Object.values(extendedProperties?.private ?? {});
  return [id, appointmentOfEvent(id), summary, description, location, ...guests, ...marks]
    .filter((text) => text !== undefined)
    .join('\n');
}

/** Every row of every tab of a spreadsheet, its cells joined. */
export async function* rowsIn(
  api: Pick<SheetsApi, 'tabs' | 'read'>,
  spreadsheetId: string,
): AsyncGenerator<{ readonly tab: string; readonly row: number; readonly text: string }> {
  for (const { sheetId, title, rows } of await api.tabs(spreadsheetId)) {
    for (let startRow = 0; startRow < rows; startRow += ROWS_PER_READ) {
      const endRow = Math.min(startRow + ROWS_PER_READ, rows);
      const [area] = await api.read(spreadsheetId, [{ sheetId, startRow, endRow }]);
      for (const [at, cells] of (area?.rows ?? []).entries())
        yield { tab: title, row: startRow + at + 1, text: cells.map(String).join('\n') };
    }
  }
}
