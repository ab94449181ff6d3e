// One object and one mirror come in; the events or the row as the worker would write them come out. Nothing is written or asked.
import { COLOR_IDS } from '../../config/schema/colours.ts';
import type { Directory } from '../../domain/directory.ts';
import { type EntityKey, formatKey } from '../../domain/entity.ts';
import type { KnownCustomer } from '../../domain/known-customer.ts';
import type { CalendarMirror, Mirror, SheetMirror } from '../../domain/mirror.ts';
import type { Cell, CellFormat } from '../../domain/sheet-row.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { calendarPlace, sheetPlace } from '../../domain/standing.ts';
import type { Claim } from '../../domain/work.ts';
import type { EventBody } from '../../google/calendar-event.ts';
import { compileEvent } from '../../mirrors/calendar/wanted.ts';
import { appointmentContext, sheetContext, type TemplateContext } from '../../mirrors/render/context.ts';
import { renderingProblem } from '../../mirrors/render/failing.ts';
import { TEMPLATE_NAMES } from '../../mirrors/render/names.ts';
import { maskPeople } from '../../mirrors/render/personal.ts';
import { calendarsOf, resolveCalendars } from '../../mirrors/route.ts';
import { createRowRenderer } from '../../mirrors/sheet/target/row-content.ts';
import { opinionOf } from '../../mirrors/why.ts';
import { localTime } from '../../ops/local-time.ts';
import type { RenderedField, RenderedPlace, Rendering } from '../../ops/render-text.ts';
import { sampleFor } from './sample.ts';
import { templatesOf } from './templates.ts';

/** A template that cannot be rendered for the object; line and column count from 1 inside the template. */
export interface FailedTemplate {
  readonly path: readonly string[];
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface RenderedObject {
  readonly key: EntityKey;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  readonly customer?: KnownCustomer | undefined;
}

/** With the object's own values only when `showPeople`. */
export function renderObject(
  mirror: Mirror,
  object: RenderedObject,
  about: { readonly nowMs: number; readonly showPeople: boolean },
): Rendering | { readonly failed: readonly FailedTemplate[] } {
  const { key, directory } = object;
  const masked = !about.showPeople;
  const snapshot = masked ? maskPeople(mirror.from, object.snapshot) : object.snapshot;
  const resolved = mirror.kind === 'calendar' ? resolveCalendars(mirror, directory).resolved : new Map();
  const claim = { ...claimOf(key, object.snapshot), customer: object.customer };
  const opinion = opinionOf(mirror, claim, { directory, resolved, nowMs: about.nowMs });
  const made = render(mirror, snapshot, directory);
  if ('failed' in made) return made;
  return {
    mirror: mirror.name,
    object: formatKey(key),
    masked,
    opinion,
    ...made,
    notes: [...made.notes, ...(masked ? [MASKED_NOTE] : [])],
  };
}

/** The invented object of the mirror's kind, shown whole: it has no personal data. */
export function renderSample(mirror: Mirror): Rendering | { readonly failed: readonly FailedTemplate[] } {
  const { snapshot, directory } = sampleFor(mirror);
  const made = render(mirror, snapshot, directory);
  if ('failed' in made) return made;
  return { mirror: mirror.name, object: `sample ${mirror.from}`, masked: false, ...made };
}

const MASKED_NOTE = 'Personal values stand as ‹field›; --show-people shows them.';

type Made = Pick<Rendering, 'shown' | 'fields' | 'notes'>;

function render(
  mirror: Mirror,
  snapshot: Snapshot,
  directory: Directory,
): Made | { readonly failed: readonly FailedTemplate[] } {
  const context = contextOf(mirror, snapshot, directory);
  const failed = templatesOf(mirror).flatMap(({ path, source }) => {
    const problem = renderingProblem(source, context);
    return problem === undefined ? [] : [{ path, ...problem }];
  });
  if (failed.length > 0) return { failed };
  const fields = TEMPLATE_NAMES[mirror.from].map((name) => ({ name, value: context[name] ?? null }));
  const made =
    mirror.kind === 'calendar'
      ? events(mirror, snapshot, directory)
      : row(mirror, context, zoneFor(mirror, snapshot));
  return { ...made, fields };
}

function contextOf(mirror: Mirror, snapshot: Snapshot, directory: Directory): TemplateContext {
  if (mirror.kind === 'calendar') return appointmentContext(snapshot, directory);
  const { timezone } = mirror;
  return sheetContext(mirror.from, snapshot, { directory, timezone, deleted: false });
}

function events(
  mirror: CalendarMirror,
  snapshot: Snapshot,
  directory: Directory,
): Pick<Made, 'shown' | 'notes'> {
  const eventFor = compileEvent(mirror);
  const { resolved, problems } = resolveCalendars(mirror, directory);
  const calendars = calendarsOf(snapshot, resolved);
  const unknown = problems.map(({ name, message }) => `"${name}": ${message}`);
  if (calendars.length === 0) {
    const { body } = eventFor(snapshot, directory);
    const notes = ['Nothing in the mapping gives it a calendar here: no event is made of it.', ...unknown];
    return { shown: [{ place: 'an event of this mirror', values: eventValues(body) }], notes };
  }
  const shown = calendars.map(
    (calendarId): RenderedPlace => ({
      place: calendarPlace(calendarId),
      values: eventValues(eventFor(snapshot, directory, { calendarId }).body),
    }),
  );
  return { shown, notes: unknown };
}

function eventValues(body: EventBody): readonly RenderedField[] {
  const { summary, description, location, start, end, colorId, visibility, transparency } = body;
  const local = ({ dateTime, timeZone }: EventBody['start']) =>
    `${localTime(dateTime, timeZone)} ${timeZone}`;
  const values: Readonly<Record<string, unknown>> = {
    title: summary,
    start: local(start),
    end: local(end),
    description,
    location,
    color: colourOf(colorId),
    status: body.status,
    visibility,
    busy: transparency === undefined ? undefined : transparency === 'opaque',
  };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function colourOf(colorId: string | null | undefined): string | undefined {
  if (colorId === undefined || colorId === null) return undefined;
  return Object.entries(COLOR_IDS).find(([, id]) => id === colorId)?.[0] ?? colorId;
}

function row(mirror: SheetMirror, context: TemplateContext, zone: string): Pick<Made, 'shown' | 'notes'> {
  const renderer = createRowRenderer(mirror);
  const { cells, formats } = renderer.render(context, zone);
  const values = mirror.columns.map(({ header }) => {
    const name = header.trim();
    const isKey = name === mirror.keyHeader.trim();
    return { name, value: isKey ? context['id'] : shownCell(cells[name] ?? null, formats[name]) };
  });
  const isGuess = renderer.needsZone && mirror.timezone === undefined;
  const notes = isGuess ? [`Dates are shown in ${zone}; in the sheet they stand in its own time zone.`] : [];
  return { shown: [{ place: sheetPlace(mirror), values }], notes };
}

/** A date is a number in a sheet: it is told as people see it. */
function shownCell(cell: Cell, format: CellFormat | undefined): unknown {
  if (typeof cell !== 'number' || format === undefined) return cell;
  const { type, pattern } = format;
  if (type === 'CHECKBOX') return cell;
  if (type === 'NUMBER' || type === 'CURRENCY') return `${cell}  (${pattern})`;
  return `${shownSerial(cell, type)}  (${pattern})`;
}

const DAY_MS = 86_400_000;
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

function shownSerial(days: number, type: 'DATE' | 'DATE_TIME' | 'TIME'): string {
  const iso = new Date(DAY_ZERO_MS + Math.round(days * DAY_MS)).toISOString();
  if (type === 'DATE') return iso.slice(0, 10);
  return type === 'TIME' ? iso.slice(11, 19) : iso.slice(0, 16).replace('T', ' ');
}

function zoneFor({ timezone }: SheetMirror, snapshot: Snapshot): string {
  const own = snapshot['timezone'];
  return timezone ?? (typeof own === 'string' && own !== '' ? own : 'UTC');
}

/** An object as if nothing of it were mirrored yet. */
function claimOf(key: EntityKey, snapshot: Snapshot): Claim {
  const revisions = { fence: '', desiredRev: 0, syncedRev: 0 };
  const nothing = { links: {}, sightings: [], pendingSinceMs: undefined, projectId: undefined };
  return { key, snapshot, deleted: false, verify: false, ...revisions, ...nothing };
}
