import { DateTime } from 'luxon';
import * as z from 'zod';
import { type GuestList, isClassId } from '../engine/domain/class-slot.ts';
import type { Directory } from '../engine/domain/directory.ts';
import { TerminalError } from '../engine/domain/errors.ts';
import {
  branchZone,
  type CalendarMirror,
  type EventTemplate,
  type NamedColour,
} from '../engine/domain/mirror.ts';
import { contentHash, type Snapshot } from '../engine/domain/object.ts';
import { namedAlike } from '../engine/domain/plain-text.ts';
import { resourcesOf } from '../engine/domain/subject.ts';
import { withLineFeeds } from '../engine/domain/text-lines.ts';
import type { EventBody, EventMoment } from '../google/calendar-event.ts';
import { appointmentContext, type TemplateContext } from '../mapping/render/context.ts';
import { compileTemplate, escapeHtml } from '../mapping/render/template.ts';
import { guestText, marksFor, type ShownGuests } from './marks.ts';

/** An event as the mapping wants it: the fields that the mirror owns, and their hash. */
export interface WantedEvent {
  readonly body: EventBody;
  readonly hash: string;
  /** Hash of what the event was made from, without the mapping: unchanged while only the YAML changes. */
  readonly sourceHash: string;
}

export interface RenderOptions {
  /** What people must know about this appointment, in plain text. It ends the description. */
  readonly note?: string | undefined;
  /** The calendar to render for. A shared calendar may show less. */
  readonly calendarId?: string;
}

/** Renders how many people an event does not name. */
export type MoreGuests = (people: number) => string;

const INSTANT = z.string().refine((text) => DateTime.fromISO(text, { zone: 'utc' }).isValid);
const TIMES = z.object({ starts_at: INSTANT, ends_at: INSTANT, status: z.string() });

/**
 * Compiles the templates of a mirror. The result renders one appointment for one calendar. It throws `TerminalError` if the appointment has
 * no times (`appointment-unreadable`) or a template fails.
 */
export function compileEvent(
  mirror: CalendarMirror,
  moreGuests: MoreGuests = String,
): (snapshot: Snapshot, directory: Directory, options?: RenderOptions) => WantedEvent {
  const { event } = mirror;
  const textsIn = compileTexts(mirror, moreGuests);
  return (snapshot, directory, options = {}) => {
    const times = readTimes(snapshot);
    const timeZone = branchZone(snapshot, directory) ?? 'UTC';
    const guests = isClassId(snapshot.id) ? (snapshot['guests'] as GuestList | undefined) : undefined;
    const texts = textsIn(appointmentContext(snapshot, directory), { ...options, guests });
    // A colour reveals more than that the time is taken.
    const colorId = texts.isMasked ? undefined : colourFor(event, snapshot, directory);
    const body: EventBody = {
      ...texts.fields,
      start: moment(times.starts_at, timeZone),
      end: moment(times.ends_at, timeZone),
      // A place on the waiting list is held, not yet taken (platform API, Appointment states).
      status: times.status === 'pending' ? 'tentative' : 'confirmed',
      ...(colorId !== undefined && { colorId }),
      ...(event.visibility && { visibility: event.visibility }),
      ...(event.busy && { transparency: event.busy[times.status] === false ? 'transparent' : 'opaque' }),
      extendedProperties: { private: marksFor(snapshot, mirror.name, texts.named) },
    };
    const { updated_at: _, ...content } = snapshot;
    return { body, hash: contentHash(body), sourceHash: contentHash([content, options.note ?? '']) };
  };
}

function readTimes(snapshot: Snapshot): z.infer<typeof TIMES> {
  const parsed = TIMES.safeParse(snapshot);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new TerminalError('appointment-unreadable', `the appointment lacks what an event needs: ${fields}`, {
    target: 'platform',
    advice: 'Look at the appointment on the platform; when it is in order there, its answer has changed.',
  });
}

/**
 * Whole seconds, because Google keeps no more. Always the instant in UTC, because a local time in the doubled hour of autumn would be
 * ambiguous. The zone only affects how the time is shown.
 */
function moment(iso: string, timeZone: string): EventMoment {
  const utc = DateTime.fromISO(iso, { zone: 'utc' }).startOf('second').toISO({ suppressMilliseconds: true });
  return { dateTime: utc ?? iso, timeZone };
}

/** Most characters that Google's own form accepts; longer texts would be refused, and the appointment would not be shown at all. */
const TITLE_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 8_192;
const LOCATION_CHARS_MAX = 1_024;
/** Longest note; keeps a note from crowding out what the mapping shows. */
const NOTE_CHARS_MAX = 2_000;

/** Above a note. Plain characters, because Google does not promise to keep an HTML rule. */
const NOTE_LINE = '──────────';

/** The texts of an event that the mirror owns. Texts left out belong to people. */
interface EventTexts {
  readonly summary: string;
  readonly description?: string;
  readonly location?: string;
}

interface RenderedTexts {
  readonly fields: EventTexts;
  /** The calendar only shows that the time is taken. */
  readonly isMasked: boolean;
  /** Ids of the appointments whose people the description names. */
  readonly named: readonly string[];
}

interface TextOptions {
  readonly note?: string | undefined;
  readonly calendarId?: string;
  /** Classes only: the attendees, where the mapping names them. */
  readonly guests?: GuestList | undefined;
}

/**
 * Title, description and location of a mirror's events. Titles and locations are plain text on one line. Google treats a description as
 * HTML: the template is the operator's, and only values are escaped. Throws `TerminalError` for a template that does not parse.
 */
function compileTexts(
  mirror: CalendarMirror,
  more: (people: number) => string,
): (context: TemplateContext, options: TextOptions) => RenderedTexts {
  const { event } = mirror;
  const at = (name: string) => ['event', name];
  const title = compileTemplate(event.title, 'text', at('title'));
  const description = optional(event.description, 'html', at('description'));
  const link = optional(event.link, 'url', at('link'));
  const location = optional(event.location, 'text', at('location'));
  const busyTitles = new Map(
    mirror.calendars.flatMap(({ calendarId, busyTitle }) =>
      busyTitle === undefined ? [] : [[calendarId, compileTemplate(busyTitle)] as const],
    ),
  );
  return (context, { note, calendarId, guests }) => {
    const busyTitle = busyTitles.get(calendarId ?? '');
    if (busyTitle !== undefined) {
      const summary = titleOf(busyTitle.text(context));
      // Sent empty instead of left out, because the event may have shown more before the calendar was shared.
      return {
        fields: { summary, description: withNote('', note).text, location: '' },
        isMasked: true,
        named: [],
      };
    }
    const said = [description?.text(context), link && escapeHtml(link.text(context))];
    const body = said.map((part) => withoutControls(part ?? '').trim()).filter((part) => part !== '');
    const isDescribed = description !== undefined || link !== undefined || guests !== undefined;
    const described = withNote(body.join('\n\n'), note, guests && { list: guests, more });
    const fields: EventTexts = {
      // Without a description in the mapping, the event's description belongs to people, and a note must not replace it.
      summary: titleOf(title.text(context), isDescribed ? undefined : note),
      ...(isDescribed && { description: described.text }),
      ...(location && { location: cut(oneLine(location.text(context)), LOCATION_CHARS_MAX) }),
    };
    return { fields, isMasked: false, named: described.ids };
  };
}

function optional(
  source: string | undefined,
  destination: 'text' | 'html' | 'url',
  setting: readonly string[],
) {
  return source === undefined ? undefined : compileTemplate(source, destination, setting);
}

function titleOf(text: string, note = ''): string {
  const title = oneLine(text);
  const said = oneLine(note);
  return cut(said === '' ? title : `${title} — ${said}`, TITLE_CHARS_MAX);
}

/** The note has priority, then the description. Guest names get the room that is left. */
function withNote(
  description: string,
  note = '',
  guests?: { readonly list: GuestList; readonly more: (people: number) => string },
): ShownGuests {
  const said = escapeHtml(cut(withoutControls(note).trim(), NOTE_CHARS_MAX));
  const tail = said === '' ? '' : `${NOTE_LINE}\n${said}`;
  const own = cutMarkup(description, roomBeside(tail));
  const charsMax = roomBeside(own, tail);
  const named =
    guests === undefined ? { text: '', ids: [] } : guestText(guests.list, { charsMax, more: guests.more });
  return { ...named, text: [own, named.text, tail].filter((part) => part !== '').join(PARAGRAPH) };
}

const PARAGRAPH = '\n\n';

function roomBeside(...parts: readonly string[]): number {
  const others = parts.filter((part) => part !== '');
  return others.reduce((room, part) => room - part.length - PARAGRAPH.length, DESCRIPTION_CHARS_MAX);
}

/** Google's colorId for an appointment's event: by status, else by service, else by the first of its resources that has a colour. */
export function colourFor(
  event: EventTemplate,
  snapshot: Snapshot,
  directory: Directory,
): string | undefined {
  const { colorIds, serviceColours = [], resourceColours = [] } = event;
  const { status, service_id: service, service_name: name } = snapshot;
  const ofService = [service, directory.services.get(String(service))?.name ?? name];
  const ofResources = resourcesOf(snapshot).map((id) => [id, directory.resources.get(id)?.name]);
  const found = [
    colorIds[String(status)],
    named(serviceColours, ofService),
    ...ofResources.map((names) => named(resourceColours, names)),
  ];
  return found.find((colorId) => colorId !== undefined);
}

/** Every colour that the mirror may give an event. */
export function coloursOf({
  colorIds,
  serviceColours = [],
  resourceColours = [],
}: EventTemplate): ReadonlySet<string> {
  const byName = [...serviceColours, ...resourceColours].map(({ colorId }) => colorId);
  return new Set([...Object.values(colorIds), ...byName]);
}

/** `names`: id and name of one service or resource. */
function named(colours: readonly NamedColour[], names: readonly unknown[]): string | undefined {
  const known = names.filter((each) => typeof each === 'string');
  const [colour] = known.flatMap((each) => namedAlike(colours, each, ({ name }) => name));
  return colour?.colorId;
}

/** Invisible characters that Google drops or refuses, and lone surrogates. Line breaks and tabs are text. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Cs}/gu;

export function withoutControls(text: string): string {
  return withLineFeeds(text).replace(CONTROLS, '');
}

/** Without line breaks, for fields that are one line in every calendar. */
export function oneLine(text: string): string {
  return withoutControls(text).replace(/\s+/g, ' ').trim();
}

/** Cuts by characters, not by UTF-16 code units, because half an emoji is not text. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length >= charsMax) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The same for HTML. Leaves neither half a tag nor half an entity. */
export function cutMarkup(html: string, charsMax: number): string {
  if (html.length <= charsMax) return html;
  return `${cut(html, charsMax).replace(/(<[^<>]*|&[a-z0-9#]*)?…$/i, '')}…`;
}

/** By calendar, because a shared calendar may show less. */
export type WantedEvents = ReadonlyMap<string, WantedEvent>;

export function renderFor(
  calendars: readonly string[],
  render: (calendarId: string) => WantedEvent | undefined,
): WantedEvents {
  return new Map(
    calendars.flatMap((calendarId) => {
      const event = render(calendarId);
      return event === undefined ? [] : [[calendarId, event] as const];
    }),
  );
}
