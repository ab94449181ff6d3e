import type { Mirror } from '../engine/mirror.ts';
import type { BookingSource, CalendarBookings, EventRule } from '../engine/outside-booking.ts';

/** Mail services where anybody gets an address within a minute. */
const ANYBODYS = new Set(
  ['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'yahoo.com', 'icloud.com', 'proton.me']
    .concat(['gmx.de', 'gmx.net', 'web.de', 'mail.ru', 'bk.ru', 'list.ru', 'inbox.ru', 'yandex.ru', 'ya.ru'])
    .map((domain) => `@${domain}`),
);

/** Warnings for `check`: settings that are allowed, but may admit more than their author expects. */
export function warnOfBookings(
  bookings: readonly BookingSource[],
  mirrors: readonly Mirror[] = [],
): readonly string[] {
  return bookings.flatMap((mapping) =>
    mapping.kind === 'calendar' ? [...warningsOf(mapping), ...seenSeries(mapping, mirrors)] : [],
  );
}

/** Events of a series keep the visibility that people gave the series. */
function seenSeries({ name, series, calendars }: CalendarBookings, mirrors: readonly Mirror[]) {
  if (series === undefined) return [];
  const shown = new Set(calendars.map(({ mirror }) => mirror));
  return mirrors.flatMap((mirror) =>
    mirror.kind === 'calendar' && mirror.event.visibility === 'private' && shown.has(mirror.name)
      ? [
          `mirrors.${mirror.name}.event.visibility: events of series that bookings.${name} books stay as visible as their series. Google would make the whole series private. Who makes the series can set it to private.`,
        ]
      : [],
  );
}

function warningsOf({ name, when }: CalendarBookings): readonly string[] {
  const at = `bookings.${name}.when`;
  const open = (when.organizers ?? []).filter((each) => ANYBODYS.has(each.toLowerCase()));
  return [
    ...(when.creators === undefined ? [restsOnSender(at, when)] : []),
    ...open.map(
      (each) => `${at}.organizer: anybody can get an address at ${each.slice(1)}. Name whole addresses.`,
    ),
  ];
}

function restsOnSender(at: string, { title, attendees, properties, organizers = [] }: EventRule): string {
  const lines = [title && 'title', attendees && 'attendee', properties && 'property']
    .filter(Boolean)
    .join(', ');
  const who =
    organizers.length === 0
      ? 'Therefore only events that the calendar itself organizes are booked; organizer: adds others whose invitations count.'
      : 'Therefore only people named under organizer can book by invitation.';
  return `${at} depends only on ${lines}, which the sender of an invitation chooses. ${who} creator: says who may make them.`;
}
