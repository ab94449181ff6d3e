import * as z from 'zod';
import type { BlockRule, PrivateCalendar, WeekHours } from '../../engine/block.ts';
import { accountName, readCalendar } from '../calendar-kinds.ts';
import { explained, ofType, readWith } from '../kinds/reading.ts';
import { eitherOr, entries, oneOrMany, oneOrManyOf, section } from '../kinds/section.ts';
import { duration, flag, text } from '../kinds/text.ts';
import { AS_WRITTEN, complain, complaint } from '../problem.ts';

const PEOPLE_MAX = 500;
const CALENDARS_MAX = 50;
const DAY_MINUTES = 1_440;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const WORKDAYS = 5;

const NO_SPAN = complaint(`${AS_WRITTEN} are not hours of a day`, 'write them as "09:00-18:00"');

const ofDay = (what: string, example: string | string[]) =>
  explained(
    oneOrMany(
      z
        .string(complain(NO_SPAN))
        .meta({ pattern: '^\\d{1,2}:\\d{2}-\\d{1,2}:\\d{2}$', ...ofType('hours of a day') }),
      readSpan,
    ).optional(),
    `Hours ${what}.`,
    { example },
  );

const hoursSection = section({
  daily: ofDay('of every day', '10:00-14:00'),
  mon_fri: ofDay('from Monday to Friday; overrides daily', '09:00-18:00'),
  mon: ofDay('on Mondays; a single day overrides mon_fri and daily', ['09:00-13:00', '14:00-18:00']),
  tue: ofDay('on Tuesdays', '09:00-18:00'),
  wed: ofDay('on Wednesdays', '09:00-18:00'),
  thu: ofDay('on Thursdays', '09:00-18:00'),
  fri: ofDay('on Fridays', '09:00-16:00'),
  sat: ofDay('on Saturdays', '10:00-14:00'),
  sun: ofDay('on Sundays', '10:00-12:00'),
}).refine((written) => Object.values(written as object).some((value) => value !== undefined), {
  error: complaint('names no hours', 'write for example { mon_fri: "09:00-18:00", sat: "10:00-14:00" }'),
});

const counts = (standard: boolean, what: string) =>
  explained(flag().prefault(standard), what, { example: !standard });

const eventsSection = section({
  free: counts(false, 'Whether events that are shown as free count.'),
  declined: counts(false, 'Whether events that the person has declined count.'),
  tentative: counts(true, 'Whether tentative events, and events answered with maybe, count.'),
  unanswered: counts(
    false,
    "Whether unanswered invitations count. Set it only if needed: anybody can send one and so block the person's time.",
  ),
  all_day: counts(true, 'Whether all-day events count. They block the hours of these days.'),
  out_of_office: counts(true, 'Whether out-of-office events count.'),
  at_least: explained(
    duration({ min: '0s', max: '1d' }).prefault('0s'),
    'Events shorter than this do not count. 0s: all count.',
    { example: '15m' },
  ),
  padding: explained(
    duration({ min: '0s', max: '4h' }).prefault('0s'),
    'Time that is also blocked before and after each event.',
    { example: '10m' },
  ),
});

const calendarId = readWith(text(), readCalendar);

const privateCalendars = oneOrManyOf(
  eitherOr(
    calendarId,
    section({
      id: explained(calendarId, 'Id of the calendar.', { example: 'boris.private@example.com' }),
      account: accountName(),
    }),
    {
      wrong: complaint(
        'is neither the id of a calendar nor a group of settings',
        'write the Calendar ID, or { id: anna.private@example.com, account: branch }',
      ),
    },
  ),
  {
    max: CALENDARS_MAX,
    empty: complaint('is an empty list', 'name at least one calendar, or remove the person'),
    long: complaint(`has more than ${CALENDARS_MAX} calendars`, 'shorten the list'),
  },
);

export const blockSchema = section({
  service: explained(
    text({
      missing: complaint('is missing', 'name the time-rental service that blocks time, such as Busy'),
    }),
    'Time-rental service, by name or id, that the worker books to block time.',
    { example: 'Busy' },
  ),
  contact: explained(
    text({
      missing: complaint('is missing', 'write the id of the contact for whom blocks are booked'),
      pattern: UUID,
      wrong: complaint(
        `${AS_WRITTEN} is not the id of a contact`,
        'write the id of a contact that nobody else is booked for; `slotbridge whereis` finds it by its e-mail address',
      ),
    }),
    'Id of the contact for whom blocks are booked. Use one that is not a real customer: no mirror shows it.',
    { example: '5b0c0000-0000-4000-8000-00000000b10c' },
  ),
  people: explained(
    entries(privateCalendars, {
      noun: 'person',
      example: '"Anna Petrova": [anna.private@example.com, family@group.calendar.google.com]',
      max: PEOPLE_MAX,
    }),
    "Calendars of each person, whose resource is given by name or id. Their events block the resource's time. Write { id, account } for a calendar that another account of google.accounts reads. The right to see free and busy times is enough.",
    {
      example: {
        'Anna Petrova': ['anna.private@example.com', 'family@group.calendar.google.com'],
        'Boris Ivanov': { id: 'boris.private@example.com', account: 'branch' },
      },
    },
  ),
  hours: hoursSection.describe(
    'Hours in which these people can be booked, in the time zone of their branch. Nothing is blocked outside them, because the platform would refuse it.',
  ),
  events: eventsSection.prefault({}).describe('Which events block time.'),
  horizon: explained(
    duration({ min: '1d', max: '92d' }).prefault('30d'),
    'How far ahead time is blocked, up to the end of that day.',
    { example: '60d' },
  ),
  every: explained(
    duration({ min: '1s', max: '1h' }).prefault('1m'),
    'How often the worker reads the calendars, with one request for each.',
    { example: '5m' },
  ),
  paused: explained(
    flag().prefault(false),
    'Whether the worker stops booking and cancelling blocks. Set it to true before `slotbridge blocks clear`.',
    { example: true },
  ),
});

export type WrittenBlock = z.output<typeof blockSchema>;

export function toBlockRule(name: string, written: WrittenBlock, people: readonly string[]): BlockRule {
  const { events } = written;
  return {
    name,
    service: written.service,
    contactId: written.contact.toLowerCase(),
    people: people.map((resource) => ({
      resource: resource.trim(),
      calendars: toCalendars(written.people[resource] ?? []),
    })),
    hours: toWeek(written.hours),
    busy: {
      free: events.free,
      declined: events.declined,
      tentative: events.tentative,
      unanswered: events.unanswered,
      allDay: events.all_day,
      outOfOffice: events.out_of_office,
      shortestMs: events.at_least,
      paddingMs: events.padding,
    },
    horizonMs: written.horizon,
    everyMs: written.every,
    paused: written.paused,
  };
}

function toCalendars(written: WrittenBlock['people'][string]): readonly PrivateCalendar[] {
  const found = new Map<string, PrivateCalendar>();
  for (const entry of written) {
    const { id, account } = typeof entry === 'string' ? { id: entry } : entry;
    const known = found.get(id.toLowerCase());
    const own = known?.account ?? account;
    found.set(id.toLowerCase(), { calendarId: id, ...(own !== undefined && { account: own }) });
  }
  return [...found.values()];
}

type Minutes = readonly [fromMin: number, toMin: number];

function toWeek(written: WrittenBlock['hours']): WeekHours {
  const days = WEEKDAYS.map((day, at) => {
    const spans = written[day] ?? (at < WORKDAYS ? written.mon_fri : undefined) ?? written.daily ?? [];
    return [at + 1, spans] as const;
  });
  return Object.fromEntries(days);
}

function readSpan(seen: string): { value: Minutes } | { complaint: string } {
  const [, fromHour, from, toHour, to] = /^\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*$/.exec(seen) ?? [];
  const [fromMin, toMin] = [minuteOf(fromHour, from), minuteOf(toHour, to)];
  if (fromMin === undefined || toMin === undefined || fromMin >= toMin) return { complaint: NO_SPAN };
  return { value: [fromMin, toMin] };
}

function minuteOf(hour: string | undefined, minute: string | undefined): number | undefined {
  const value = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && value <= DAY_MINUTES ? value : undefined;
}
