import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import type { BusyEvent } from '../engine/domain/block.ts';
import { RetryableError } from '../engine/domain/errors.ts';
import { MARK } from '../engine/domain/event-texts.ts';
import type { BusyCalendars } from '../engine/ports/blocks.ts';
import { steadyClock } from '../engine/ports/runtime.ts';
import { TargetBreakers } from './breaker.ts';
import type { CalendarApiOptions } from './calendar-api.ts';
import { type CalendarEvent, EVENT_PAGE, otherOrganizer } from './calendar-event.ts';
import { googleCall } from './call.ts';
import { type Access, accessBy } from './credentials.ts';
import { KnownProblems } from './known-problems.ts';

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

/** When people are busy, from `events.list`. Free/busy access is enough: Google then returns only times. */
export class BusyEventsApi implements BusyCalendars {
  readonly #access: (target: string) => Access<calendar_v3.Resource$Events>;
  readonly #options: CalendarApiOptions;
  readonly #problems: KnownProblems;
  readonly #breakers: TargetBreakers;

  constructor(options: CalendarApiOptions) {
    this.#options = options;
    this.#problems = new KnownProblems(options.problems, steadyClock);
    this.#breakers = options.breakers ?? new TargetBreakers(options);
    const { rootUrl } = options;
    this.#access = accessBy(
      options.credential,
      (auth) => calendar({ version: 'v3', auth, rootUrl, retry: false }).events,
    );
  }

  async list(...[calendarId, window, { ruled }]: Parameters<BusyCalendars['list']>) {
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
    const { budget, rank, clock, timeoutMs } = this.#options;
    const target = `calendar:${params.calendarId}`;
    const { credential, client } = this.#access(target);
    const { data } = await googleCall(
      {
        ...{
          target,
          direction: 'read',
          credential: credential.problems,
          budgetName: `google-calendar:${credential.name}`,
          budget,
          rank,
          clock,
          timeoutMs,
        },
        ...{ breakers: this.#breakers, problems: this.#problems },
      },
      (signal) => client.list(params, { timeout: timeoutMs, retry: false, signal }),
    );
    const page = EVENT_PAGE.safeParse(data);
    if (page.success) return page.data;
    throw new RetryableError('google-unreadable', "Google's answer is not a list of events", {
      target,
    });
  }
}

function toBusy(event: CalendarEvent, calendarId: string, ruled: boolean): BusyEvent {
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
