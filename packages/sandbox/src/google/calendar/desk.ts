// calendars.*: a calendar's own data, and secondary calendars that a caller creates, changes and deletes.

import { isZone } from '../../zones/local.ts';
import { type JsonObject, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';
import type { Calendar } from './calendar.ts';
import { cancelEvent } from './change.ts';
import { isCancelled } from './event.ts';
import { type CalendarOffice, needs } from './office.ts';

export class CalendarDesk {
  readonly #office: CalendarOffice;

  constructor(office: CalendarOffice) {
    this.#office = office;
  }

  get(call: Call): Answer {
    return { body: show(this.#office.reach(call.path['calendarId'] ?? '', call.principal)) };
  }

  /** Creates a secondary calendar, owned by the caller. */
  insert(call: Call): Answer {
    const summary = stringOf(call.body['summary']);
    if (summary === undefined || summary === '') throw required('Missing title.');
    const timeZone = zoneOf(call.body) ?? 'UTC';
    const id = `${this.#office.randomId()}@group.calendar.google.com`;
    const calendar = this.#office.addCalendar({ id, timeZone, summary, madeBy: call.principal.email });
    calendar.share(call.principal.email, 'owner');
    calendar.about = { ...calendar.about, ...textsOf(call.body) };
    return { body: show(calendar) };
  }

  /** patch and update. An update replaces everything, so it requires a title. */
  change(call: Call): Answer {
    const calendar = this.#owned(call);
    const isWhole = call.methodId === 'calendars.update';
    if (isWhole && stringOf(call.body['summary']) === undefined) throw required('Missing title.');
    const zone = zoneOf(call.body);
    const base = isWhole
      ? { summary: calendar.about.summary, timeZone: calendar.about.timeZone }
      : calendar.about;
    calendar.about = { ...base, ...textsOf(call.body), ...(zone === undefined ? {} : { timeZone: zone }) };
    return { body: show(calendar) };
  }

  delete(call: Call): Answer {
    const calendar = this.#owned(call);
    if (calendar.id === call.principal.email)
      throw calendarRefusal(403, {
        domain: 'calendar',
        reason: 'cannotRemovePrimary',
        message: 'Primary calendars cannot be deleted.',
      });
    this.#office.removeCalendar(calendar.id);
    return { status: 204 };
  }

  /** Google clears only primary calendars. */
  clear(call: Call): Answer {
    const calendar = this.#owned(call);
    if (calendar.id !== call.principal.email) throw invalidValue('Invalid Value');
    for (const event of calendar.live()) if (!isCancelled(event)) cancelEvent(this.#office, calendar, event);
    return { status: 204 };
  }

  #owned(call: Call): Calendar {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    if (calendar.roleOf(call.principal.email) !== 'owner') throw needs('owner');
    return calendar;
  }
}

/** The fields that calendars and calendar lists share. */
export function aboutOf(calendar: Calendar): JsonObject {
  return { etag: `"c${calendar.epoch}"`, id: calendar.id, ...calendar.about };
}

function show(calendar: Calendar): JsonObject {
  const owner = calendar.madeBy === undefined ? {} : { dataOwner: calendar.madeBy };
  return { kind: 'calendar#calendar', ...aboutOf(calendar), ...owner };
}

function zoneOf(body: JsonObject): string | undefined {
  const zone = stringOf(body['timeZone']);
  if (zone !== undefined && !isZone(zone)) throw invalidValue('Invalid time zone definition.');
  return zone;
}

function textsOf(body: JsonObject): { summary?: string; description?: string; location?: string } {
  const texts: Record<string, string> = {};
  for (const name of ['summary', 'description', 'location']) {
    const text = stringOf(body[name]);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

function required(message: string) {
  return calendarRefusal(400, { reason: 'required', message });
}
