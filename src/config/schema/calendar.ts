import type { z } from 'zod';
import type { CalendarMirror, EventTemplate } from '../../domain/mirror.ts';
import { AS_WRITTEN, complaint } from '../complaint.ts';
import { choice } from '../kinds/choice.ts';
import { entries } from '../kinds/entries.ts';
import { section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { text } from '../kinds/text.ts';
import { COLOR_IDS, COLOR_NAMES } from './colours.ts';

const CALENDARS_MAX = 1_000;

/** Every id of Google's calendars has an @ in it; `primary` would be a second name for one that may be mapped already. */
const calendarId = text({
  pattern: /^[^\s@]+@[^\s@]+$/,
  wrong: complaint(
    `${AS_WRITTEN} is no id of a calendar`,
    "write the Calendar ID from the calendar's settings, such as anna@clinic.example or …@group.calendar.google.com",
  ),
});

export const calendarsSection = section({
  by: choice(['resource'], 'way to divide appointments among calendars')
    .prefault('resource')
    .describe('What decides in which calendar an appointment stands: its resources.'),
  map: entries(calendarId, {
    noun: 'calendar',
    example: '"Anna Petrova": anna@clinic.example',
    max: CALENDARS_MAX,
  }).describe(
    'Resource, by name or id, and the id of the calendar in which its appointments stand. Share each calendar with the worker ("Make changes to events"). No calendar can be mapped twice.',
  ),
});

const colour = () =>
  choice(COLOR_NAMES, "name of one of Google's colours for events")
    .optional()
    .describe(`Colour of events in this status: ${COLOR_NAMES.join(', ')}.`);

export const eventSection = section({
  title: template(
    complaint('is missing or empty', 'write title: "{{ service_name }}, {{ customer_name }}" below event:'),
  ).describe('Title of the event, a Liquid template.'),
  description: template().optional().describe('Description of the event, a Liquid template.'),
  location: template()
    .optional()
    .describe("Place of the event, a Liquid template. Without it people's own entry stays."),
  color: section({
    pending: colour(),
    confirmed: colour(),
    arrived: colour(),
    completed: colour(),
    cancelled: colour(),
    no_show: colour(),
  })
    .prefault({})
    .describe(
      'Status of the appointment to colour of the event. Other events keep the colour that people gave them.',
    ),
  cancelled: choice(['remove', 'keep'], 'way to treat cancelled appointments')
    .prefault('remove')
    .describe('Whether the event of a cancelled appointment is removed or kept.'),
});

export function toCalendars(
  written: z.output<typeof calendarsSection>,
  order: readonly string[],
): CalendarMirror['calendars'] {
  return order.flatMap((name) => {
    const calendarId = written.map[name];
    return calendarId === undefined ? [] : [{ resource: name.trim(), calendarId }];
  });
}

export function toEvent(written: z.output<typeof eventSection>): EventTemplate {
  const colours = Object.entries(written.color).flatMap(([status, name]) =>
    name === undefined ? [] : [[status, COLOR_IDS[name]] as const],
  );
  return {
    title: written.title,
    description: written.description,
    location: written.location,
    colorIds: Object.fromEntries(colours),
    cancelled: written.cancelled,
  };
}
