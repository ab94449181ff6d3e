import { calendarPlace } from '../engine/ids.ts';
import { type CalendarMirror, lineName } from '../engine/mirror.ts';
import type { EventBody } from '../google/calendar-event.ts';
import { calendarsOf, resolveCalendars } from '../mapping/route.ts';
import type { PlacedTemplate, RenderedObject, RenderedPlaces, ShownKind } from '../mapping/shown-kind.ts';
import { appointmentContext } from '../mapping/template.ts';
import { compileEvent } from './wanted.ts';

export const shownCalendar: ShownKind<CalendarMirror> = {
  templates,
  context: (_, snapshot, directory) => appointmentContext(snapshot, directory),
  rendered,
};

function templates({ event, calendars }: CalendarMirror): readonly PlacedTemplate[] {
  const { title, description, location, link } = event;
  const texts = { title, description, location, link };
  return [
    ...Object.entries(texts).flatMap(([setting, source]) =>
      source === undefined ? [] : [{ path: ['event', setting], source }],
    ),
    ...calendars.flatMap((line) => {
      const { by, name } = lineName(line);
      const entry = by === 'all' ? ['calendar'] : ['map', name];
      return line.busyTitle === undefined
        ? []
        : [{ path: ['calendars', ...entry, 'title'], source: line.busyTitle }];
    }),
  ];
}

function rendered(mirror: CalendarMirror, { snapshot, directory }: RenderedObject): RenderedPlaces {
  const eventFor = compileEvent(mirror);
  const { resolved, problems } = resolveCalendars(mirror, directory);
  const calendars = calendarsOf(snapshot, resolved);
  const unknown = problems.map(({ name, message }) => `"${name}": ${message}`);
  if (calendars.length === 0) {
    const { body } = eventFor(snapshot, directory);
    const notes = ['Nothing in the mapping gives it a calendar here: no event is made of it.', ...unknown];
    return { shown: [{ place: 'an event of this mirror', values: valuesOf(body) }], notes };
  }
  const shown = calendars.map((calendarId) => ({
    place: calendarPlace(calendarId),
    values: valuesOf(eventFor(snapshot, directory, { calendarId }).body),
  }));
  return { shown, notes: unknown };
}

function valuesOf(body: EventBody) {
  const { summary, description, location, start, end, status, colorId, visibility, transparency } = body;
  const values: Readonly<Record<string, unknown>> = {
    ...{ title: summary, start, end, description, location },
    color: typeof colorId === 'string' ? { colorId } : undefined,
    ...{ status, visibility },
    busy: transparency === undefined ? undefined : transparency === 'opaque',
  };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
