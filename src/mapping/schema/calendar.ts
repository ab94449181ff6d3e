import type { z } from 'zod';
import type {
  CalendarMirror,
  CalendarView,
  EventTemplate,
  MappedCalendar,
  NamedColour,
  StaffEdits,
} from '../../engine/mirror.ts';
import { accountName, IDS_OF_KINDS, readCalendar } from '../calendar-kinds.ts';
import { explained, explanation, ofType, readWith } from '../kinds/reading.ts';
import { eitherOr, entries, oneOrManyOf, section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { choice, duration, flag, text } from '../kinds/text.ts';
import { AS_WRITTEN, complaint } from '../problem.ts';

/** Every default leaves the platform unchanged: what people do in a calendar reaches customers only if the file says so. */
export const staffEditsSection = section({
  moved: explained(
    choice(['reschedule', 'revert', 'ignore'], 'way to treat moved events').prefault('revert'),
    'What happens when somebody moves an event. reschedule: the appointment moves on the platform. revert: the event goes back. ignore: the event stays until the appointment changes. reschedule needs the right appointments:write.',
    { example: 'reschedule' },
  ),
  deleted: explained(
    choice(['cancel', 'restore', 'ignore'], 'way to treat deleted events').prefault('restore'),
    'What happens when somebody deletes an event. cancel: the appointment is cancelled on the platform. restore: the event comes back. ignore: the event stays deleted until the appointment is moved. cancel needs the right appointments:write.',
    { example: 'cancel' },
  ),
  conflict: explained(
    choice(['platform', 'staff', 'latest'], 'way to settle a conflict').prefault('platform'),
    "Which move wins when an appointment was moved in the calendar and on the platform: the platform's, the staff's, or the later one.",
    { example: 'latest' },
  ),
  grace: explained(
    duration({ min: '0s', max: '1h' }).prefault('2m'),
    'How long an event must be gone before it counts as deleted, at least 5 s. A move to another calendar can look like a deletion and a new event.',
    { example: '5m' },
  ),
  notify_customer: explained(
    flag().prefault(false),
    'Whether the platform notifies the customer when staff move or cancel in the calendar.',
    { example: true },
  ),
});

export function toStaffEdits(written: z.output<typeof staffEditsSection>): StaffEdits {
  const { moved, deleted, conflict, grace, notify_customer } = written;
  return { moved, deleted, conflict, graceMs: grace, notifyCustomer: notify_customer };
}

/** Google's names for event colours, as in its own user interface, and their colorId (Calendar API, Colors). */
export const COLOR_IDS = {
  lavender: '1',
  sage: '2',
  grape: '3',
  flamingo: '4',
  banana: '5',
  tangerine: '6',
  peacock: '7',
  graphite: '8',
  blueberry: '9',
  basil: '10',
  tomato: '11',
} as const;

/** Maps a colorId to its name. */
export const COLOR_NAME_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(COLOR_IDS).map(([name, id]) => [id, name]),
);

type ColorName = keyof typeof COLOR_IDS;

export const COLOR_NAMES = [
  'lavender',
  'sage',
  'grape',
  'flamingo',
  'banana',
  'tangerine',
  'peacock',
  'graphite',
  'blueberry',
  'basil',
  'tomato',
] as const satisfies readonly ColorName[];

const CALENDARS_MAX = 5_000;

/** Every id of a Google calendar contains an @. `primary` would be a second name for a calendar that may already be mapped. */
export const calendarId = readWith(text(), readCalendar);

const BUSY_TITLE = 'Busy';

const calendarGroup = section({
  id: explained(calendarId, 'Id of the calendar.', {
    example: 'room1@group.calendar.google.com',
    since: '0.2.0',
  }),
  show: explained(
    choice(['details', 'busy'], 'way to show appointments in a calendar').prefault('details'),
    'details: the event shows all texts of event. busy: the event shows only that the time is taken, for calendars that others can see.',
    { example: 'busy', since: '0.2.0' },
  ),
  title: explained(
    template().optional(),
    `Title of the events with show: busy, a Liquid template. Default: ${BUSY_TITLE}.`,
    { example: 'Taken', since: '0.2.0' },
  ),
  account: accountName(),
});

/** A calendar: its id alone, or a group that also says what it shows. */
const calendarEntry = eitherOr(calendarId, calendarGroup, {
  wrong: complaint(
    'is neither the id of a calendar nor a group of settings',
    'write the Calendar ID, or { id: room1@group.calendar.google.com, show: busy }',
  ),
});

/** How appointments can be divided among calendars. */
export const DIVISIONS = ['resource', 'branch', 'service', 'all'] as const;

const calendarsRule = section({
  by: explained(
    choice(DIVISIONS, 'way to divide appointments among calendars').prefault('resource'),
    'What selects the calendar of an appointment: its resources, its branch or its service. all: one calendar for every appointment.',
    { example: 'branch' },
  ),
  map: explained(
    entries(calendarEntry, {
      noun: 'calendar',
      example: '"Anna Petrova": anna@clinic.example',
      max: CALENDARS_MAX,
    }).optional(),
    `Calendar of each resource, branch or service, which is given by name or id. Write the Calendar ID ("Settings", "Integrate calendar"), or { id, show, title, account }. ${IDS_OF_KINDS} Share each calendar with the worker ("Make changes to events"). Several lines of one mirror may name the same calendar; two mirrors may not. An appointment with several resources has an event in each of their calendars. If a resource gets another calendar, its current and future events move there. If it is removed from the map, its events stay.`,
    {
      example: {
        'Anna Petrova': 'anna@clinic.example',
        'Room 1': { id: 'room1@group.calendar.google.com', show: 'busy', title: 'Taken' },
        Director: { id: 'director@clinic.example', account: 'director' },
        'Vera Sokolova': { id: 'https://cloud.clinic.example/dav/vera/work/', account: 'office' },
      },
    },
  ),
  calendar: calendarEntry.optional().meta({
    ...ofType('id of a calendar, or a group'),
    ...explanation('With by: all, the calendar, instead of map: its id, or { id, show, title, account }.', {
      example: { id: 'team@group.calendar.google.com', show: 'busy' },
      since: '0.3.0',
    }),
  }),
});

const RULES_MAX = 20;

export const calendarsSection = oneOrManyOf(calendarsRule, {
  max: RULES_MAX,
  empty: complaint('is an empty list', 'write map: below it, with one calendar per line'),
  long: complaint(`has more than ${RULES_MAX} rules`, 'put lines of one sort into one map'),
});

const colour = () =>
  explained(
    choice(COLOR_NAMES, 'Google event colour').optional(),
    `Colour of events with this status: ${COLOR_NAMES.join(', ')}.`,
    { example: 'banana' },
  );

const named = (noun: string, example: string, description: string) =>
  entries(choice(COLOR_NAMES, 'Google event colour'), {
    noun: 'colour',
    example: `${example}: grape`,
    max: COLOURS_MAX,
  })
    .optional()
    .meta({
      ...ofType(`${noun} to colour`),
      ...explanation(description, { example: { [example]: 'grape' }, since: '0.3.0' }),
    });
const COLOURS_MAX = 200;

const busy = () =>
  explained(flag().optional(), 'Whether events with this status show the time as busy.', { example: false });

export const eventSection = section({
  title: explained(
    template(
      complaint('is missing or empty', 'write title: "{{ service_name }}, {{ customer_name }}" below event:'),
    ),
    'Title of the event, a Liquid template.',
    { example: '{{ service_name }}, {{ customer_name }}' },
  ),
  description: explained(
    template().optional(),
    'Description of the event, a Liquid template. Google shows it as HTML: markup in the template works, values are escaped. The filter raw passes a value unescaped: {{ comment | raw }}.',
    { example: '{{ customer_phone }}' },
  ),
  location: explained(
    template().optional(),
    'Location of the event, a Liquid template. Default: the event keeps what people enter.',
    { example: '{{ branch_name }}' },
  ),
  color: section({
    pending: colour(),
    confirmed: colour(),
    arrived: colour(),
    completed: colour(),
    cancelled: colour(),
    no_show: colour(),
    service: named(
      'service',
      'Massage',
      'Colour of events by service, given by name or id. A colour of the status has priority.',
    ),
    resource: named(
      'resource',
      'Anna Petrova',
      'Colour of events by resource, given by name or id. With several resources, the main one decides. Colours of the status and of the service have priority.',
    ),
  })
    .prefault({})
    .describe(
      'Colours of events by status, service or resource. Other events keep the colour that people gave them.',
    ),
  visibility: explained(
    choice(['default', 'private'], 'visibility of an event').optional(),
    "private: others see only that the time is taken. default: the calendar's own setting applies, which also undoes private. If not set, people's choice stays. Not written to events of a series: Google would make all of it private, events that nobody booked included.",
    { example: 'private', since: '0.2.0' },
  ),
  busy: explained(
    section({
      pending: busy(),
      confirmed: busy(),
      arrived: busy(),
      completed: busy(),
      cancelled: busy(),
      no_show: busy(),
    }).optional(),
    "Whether events show the time as busy, by status. A status that is not named shows it as busy. If the section is missing, people's choice stays.",
    { since: '0.2.0' },
  ),
  link: explained(
    template()
      .refine((written) => /^\s*https?:\/\/[^\s{]/.test(written), {
        error: complaint(
          `${AS_WRITTEN} is not a template of a web address`,
          'begin it with the address itself: https://app.example/appointments/{{ id }}',
        ),
      })
      .optional(),
    'Web address of the appointment, a Liquid template whose values are percent-encoded. It becomes the last line of the description.',
    { example: 'https://app.example/appointments/{{ id }}', since: '0.2.0' },
  ),
  cancelled: explained(
    choice(['remove', 'keep'], 'way to treat cancelled appointments').prefault('remove'),
    'Whether the event of a cancelled appointment is removed or kept.',
    { example: 'keep' },
  ),
});

/** `order`: names of the map in the order of the file. */
export function toCalendars(
  { by, map = {}, calendar }: z.output<typeof calendarsRule>,
  order: readonly string[],
): CalendarMirror['calendars'] {
  if (by === 'all') return calendar === undefined ? [] : [{ all: true, ...viewOf(calendar) }];
  return order.flatMap((written): readonly MappedCalendar[] => {
    const entry = map[written];
    if (entry === undefined) return [];
    const name = written.trim();
    const view = viewOf(entry);
    if (by === 'branch') return [{ branch: name, ...view }];
    return [by === 'service' ? { service: name, ...view } : { resource: name, ...view }];
  });
}

function viewOf(entry: z.output<typeof calendarEntry>): CalendarView {
  const { id: calendarId, show, title, account } = typeof entry === 'string' ? { id: entry } : entry;
  const busyTitle = show === 'busy' ? { busyTitle: title ?? BUSY_TITLE } : {};
  return { calendarId, ...busyTitle, ...(account === undefined ? {} : { account }) };
}

export function toEvent(written: z.output<typeof eventSection>): EventTemplate {
  const { service, resource, ...byStatus } = written.color;
  const colours = Object.entries(byStatus).flatMap(([status, name]) =>
    name === undefined ? [] : [[status, COLOR_IDS[name]] as const],
  );
  return {
    title: written.title,
    description: written.description,
    location: written.location,
    colorIds: Object.fromEntries(colours),
    ...(service && { serviceColours: namedColours(service) }),
    ...(resource && { resourceColours: namedColours(resource) }),
    cancelled: written.cancelled,
    ...(written.visibility && { visibility: written.visibility }),
    ...(written.busy && { busy: blocking(written.busy) }),
    ...(written.link && { link: written.link.trim() }),
  };
}

function namedColours(written: Readonly<Record<string, ColorName>>): readonly NamedColour[] {
  return Object.entries(written).map(([name, colour]) => ({ name: name.trim(), colorId: COLOR_IDS[colour] }));
}

function blocking(written: Readonly<Record<string, boolean | undefined>>): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([status, takesTime]) =>
      takesTime === undefined ? [] : [[status, takesTime]],
    ),
  );
}
