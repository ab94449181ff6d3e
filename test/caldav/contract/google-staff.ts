import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { DateTime } from 'luxon';
import { type PlainEvent, STAFF_ZONE, type Staff } from './staff.ts';

type Event = ReturnType<GoogleSandbox['truth']['events']>[number];

export function googleStaff(google: GoogleSandbox): Staff {
  const { calendar: staff } = google.staff;
  const titled = (calendarId: string, title: string) => {
    const event = google.truth.events(calendarId).find(({ summary }) => summary === title);
    if (event === undefined) throw new Error(`people see no event ${title}`);
    return { event, at: { calendarId, eventId: String(event['id']) } };
  };
  return {
    async add(calendarId, event) {
      staff.add({ calendarId, event: fieldsOf(event) });
    },
    async edit(calendarId, title, changes) {
      const { event, at } = titled(calendarId, title);
      const { start, end } = changes;
      const moved =
        start === undefined && end === undefined ? {} : timesOf({ ...plainOf(event), ...changes });
      const { start: _, end: __, ...rest } = fieldsOf(changes);
      staff.edit({ ...at, patch: { ...rest, ...moved } });
    },
    async remove(calendarId, title) {
      staff.remove(titled(calendarId, title).at);
    },
    async hand(calendarId, title, to) {
      staff.moveToCalendar({ ...titled(calendarId, title).at, to });
    },
    async shift(calendarId, title, { at, to }) {
      const { event } = titled(calendarId, title);
      const stamp = instant(at, STAFF_ZONE).toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
      const occurrence = { calendarId, eventId: `${event['id']}_${stamp}` };
      if (to === undefined) staff.remove(occurrence);
      else staff.move({ ...occurrence, start: instant(to, STAFF_ZONE).toUTC().toISO() ?? '' });
    },
    async decorate(calendarId, title) {
      staff.addReminder({ ...titled(calendarId, title).at, minutes: 45 });
      staff.recolour({ ...titled(calendarId, title).at, colorId: '7' });
    },
    async decorations(calendarId, title) {
      const { event } = titled(calendarId, title);
      return [JSON.stringify(event['reminders']), String(event['colorId'])];
    },
    async see(calendarId) {
      const seen = google.truth.events(calendarId).map(plainOf);
      return seen.sort((a, b) => (a.title < b.title ? -1 : 1));
    },
    async loseTokens(calendarId) {
      staff.expireSyncTokens({ calendarId });
    },
  };
}

function fieldsOf(event: Partial<PlainEvent>): { [field: string]: never } {
  const { title, text, place, repeats, isFree, isTentative, start, end } = event;
  return {
    ...(title !== undefined && { summary: title }),
    ...(text !== undefined && { description: text }),
    ...(place !== undefined && { location: place }),
    ...(repeats !== undefined && { recurrence: [`RRULE:${repeats}`] }),
    ...(isFree === true && { transparency: 'transparent' }),
    ...(isTentative === true && { status: 'tentative' }),
    ...(start !== undefined && end !== undefined && timesOf({ ...event, start, end })),
  } as { [field: string]: never };
}

function timesOf({ start, end, zone = STAFF_ZONE }: Pick<PlainEvent, 'start' | 'end' | 'zone'>) {
  const moment = (at: string) =>
    at.includes('T')
      ? { dateTime: instant(at, zone).toISO() ?? '', timeZone: zone, date: null }
      : { date: at, dateTime: null, timeZone: null };
  return { start: moment(start), end: moment(end) };
}

function instant(at: string, zone: string): DateTime {
  return DateTime.fromISO(at, { zone });
}

function plainOf(event: Event): PlainEvent {
  const [start, end] = [event['start'], event['end']] as {
    dateTime?: string;
    date?: string;
    timeZone?: string;
  }[];
  const zone = start?.timeZone ?? STAFF_ZONE;
  const shown = (moment: typeof start) =>
    moment?.dateTime === undefined
      ? (moment?.date ?? '')
      : DateTime.fromISO(moment.dateTime).setZone(zone).toFormat("yyyy-MM-dd'T'HH:mm");
  const rule = (event['recurrence'] as string[] | undefined)?.[0];
  return {
    ...{ title: String(event['summary']), start: shown(start), end: shown(end) },
    ...(zone !== STAFF_ZONE && { zone }),
    ...(event['description'] !== undefined && { text: String(event['description']) }),
    ...(event['location'] !== undefined && { place: String(event['location']) }),
    ...(rule !== undefined && { repeats: rule.slice('RRULE:'.length) }),
    ...(event['transparency'] === 'transparent' && { isFree: true }),
    ...(event['status'] === 'tentative' && { isTentative: true }),
  };
}
