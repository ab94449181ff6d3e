import { DateTime } from 'luxon';
import type { MarkedEvents } from '../engine/calendar-events.ts';
import { type ClassSlot, classIdOf, type GuestList, slotIn } from '../engine/class-slot.ts';
import { TerminalError } from '../engine/errors.ts';
import { APPOINTMENT_MARK, CLASS_MARK, GUEST_MARKS, MARK, MIRROR_MARK } from '../engine/event-texts.ts';
import { isClassId, isEventIdOf } from '../engine/ids.ts';
import { linkTo } from '../engine/link.ts';
import type { CalendarMirror, Directory, EventTemplate, NamedColour } from '../engine/mirror.ts';
import { contentHash, resourcesOf, type Snapshot } from '../engine/object.ts';
import { namedAlike } from '../engine/plain-text.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import { type CalendarEvent, type EventBody, otherOrganizer } from '../google/calendar-event.ts';
import {
  appointmentContext,
  branchZone,
  compileTemplate,
  escapeHtml,
  type TemplateContext,
} from '../mapping/template.ts';

/**
 * The private extended properties of an event that mirrors this appointment or class. `named`: further appointments whose people its texts
 * name.
 */
function marksFor(
  { id, slot }: Snapshot,
  mirror: string,
  named: readonly string[] = [],
): Readonly<Record<string, string>> {
  return {
    ...{ [MARK.key]: MARK.value, [APPOINTMENT_MARK]: id, [MIRROR_MARK]: mirror },
    ...(typeof slot === 'string' && isClassId(id) && { [CLASS_MARK]: slot }),
    ...(named.length > 0 && guestMarks(named)),
  };
}

/**
 * Which appointment an event mirrors, and for which mirror; undefined for other events. The properties alone prove nothing, because
 * "Duplicate" in Google Calendar copies them. The event id cannot be copied.
 */
export function readMarks(event: CalendarEvent): { appointmentId: string; mirror: string } | undefined {
  const marks = event.extendedProperties?.private ?? {};
  const appointmentId = marks[APPOINTMENT_MARK];
  if (appointmentId === undefined || !isEventIdOf(event.id, appointmentId)) return undefined;
  return { appointmentId, mirror: marks[MIRROR_MARK] ?? '' };
}

/** Proves nothing for an event that no link names, because copies carry the mark too. */
export function isMarkedFor(event: CalendarEvent, appointmentId: string): boolean {
  return event.extendedProperties?.private?.[APPOINTMENT_MARK] === appointmentId;
}

/** True when the worker may write to an event found under a derived id. A tombstone may have lost its properties; its id is enough. */
export function isOurs(event: CalendarEvent, appointmentId: string): boolean {
  if (event.status === 'cancelled') return isEventIdOf(event.id, appointmentId);
  return readMarks(event)?.appointmentId === appointmentId;
}

/**
 * The slot of a class. It proves itself, because the class's id is its hash. Undefined for events of appointments, and where people have
 * changed the mark.
 */
export function readSlot(event: CalendarEvent): ClassSlot | undefined {
  const slot = slotIn(event.extendedProperties?.private?.[CLASS_MARK]);
  return slot !== undefined && classIdOf(slot) === readMarks(event)?.appointmentId ? slot : undefined;
}

// The names of a class's attendees in the event's description, and the marks that say whose names these are. Pure.

/** Longest value of one mark; Google silently cuts longer values (Calendar API, extended properties), and half an id names nothing. */
const MARK_CHARS_MAX = 1_000;

interface ShownGuests {
  readonly text: string;
  /** Ids of the appointments that the text names. */
  readonly ids: readonly string[];
}

/** As many lines as fit, then the number of people left out. */
export function guestText(
  { lines, people }: GuestList,
  { charsMax, more }: { readonly charsMax: number; readonly more: (people: number) => string },
): ShownGuests {
  const reserve = more(people).length + 1;
  const whole = lines.reduce((sum, { text }) => sum + text.length + 1, -1);
  const isWhole = whole <= charsMax && lines.reduce((sum, line) => sum + line.people, 0) === people;
  const shown: string[] = [];
  const marks = new Marks();
  let [chars, rest] = [-1, people];
  for (const line of lines) {
    const next = chars + line.text.length + 1;
    if (next + (isWhole ? 0 : reserve) > charsMax || !marks.take(line.id)) break;
    shown.push(line.text);
    chars = next;
    rest -= line.people;
  }
  if (shown.length === 0) return { text: '', ids: [] };
  return { text: [...shown, ...(rest > 0 ? [more(rest)] : [])].join('\n'), ids: marks.ids };
}

/** The private properties by which an erasure finds each event that names a person, whatever its lines say. */
export function guestMarks(ids: readonly string[]): Readonly<Record<string, string>> {
  const marks = new Marks();
  for (const id of ids) marks.take(id);
  return marks.properties;
}

/** Names of the guest marks on the event. */
export function guestMarksIn({ extendedProperties }: Pick<CalendarEvent, 'extendedProperties'>): string[] {
  const marks = extendedProperties?.private ?? {};
  return GUEST_MARKS.filter((name) => marks[name] !== undefined);
}

class Marks {
  readonly ids: string[] = [];
  readonly #values: string[] = [];

  /** False when no mark has room for the id. */
  take(id: string): boolean {
    const last = this.#values.at(-1);
    const longer = last === undefined ? id : `${last} ${id}`;
    if (longer.length <= MARK_CHARS_MAX) this.#values.splice(-1, 1, longer);
    else if (this.#values.length < GUEST_MARKS.length) this.#values.push(id);
    else return false;
    this.ids.push(id);
    return true;
  }

  get properties(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#values.map((value, at) => [GUEST_MARKS[at], value]));
  }
}

/** Finds the worker's events in the calendars themselves. Skips copies that people made, and events that someone outside organises. */
export function markedEvents(api: CalendarApi, isNamed: (calendarId: string) => boolean): MarkedEvents {
  return {
    async *in(calendarId) {
      for await (const event of api.marked(calendarId, MARK)) {
        const marks = event.status === 'cancelled' ? undefined : readMarks(event);
        const organizer = otherOrganizer(event, calendarId);
        if (marks === undefined || (organizer !== undefined && !isNamed(organizer))) continue;
        const { id: eventId, etag, colorId } = event;
        const link = linkTo({ calendarId, eventId }, { etag, coloured: colorId !== undefined });
        const slot = readSlot(event);
        const startMs = Date.parse(event.start?.dateTime ?? '');
        yield {
          ...{ ...marks, link, marks: event.extendedProperties?.private ?? {} },
          ...(slot && { slot }),
          startMs: Number.isNaN(startMs) ? undefined : startMs,
        };
      }
    },
  };
}

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
    const list = snapshot['guests'] as GuestList | undefined;
    const guests = list !== undefined && isClassId(snapshot.id) ? list : undefined;
    const texts = textsIn(appointmentContext(snapshot, directory), { ...options, guests });
    // A colour reveals more than that the time is taken.
    const colorId = texts.isMasked ? undefined : colourFor(event, snapshot, directory);
    const body: EventBody = {
      ...texts.fields,
      start: { dateTime: times.starts_at, timeZone },
      end: { dateTime: times.ends_at, timeZone },
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

/**
 * Whole seconds, because Google keeps no more. Always the instant in UTC, because a local time in the doubled hour of autumn would be
 * ambiguous. The zone only affects how the time is shown.
 */
function readTimes(snapshot: Snapshot) {
  const [starts_at, ends_at] = [wholeSecond(snapshot['starts_at']), wholeSecond(snapshot['ends_at'])];
  const { status } = snapshot;
  if (starts_at !== undefined && ends_at !== undefined && typeof status === 'string')
    return { starts_at, ends_at, status };
  const known = { starts_at, ends_at, status: typeof status === 'string' || undefined };
  const fields = Object.entries(known).flatMap(([name, value]) => (value === undefined ? [name] : []));
  throw new TerminalError(
    'appointment-unreadable',
    `the appointment lacks what an event needs: ${fields.join(', ')}`,
    {
      target: 'platform',
      advice: 'Look at the appointment on the platform; when it is in order there, its answer has changed.',
    },
  );
}

/** Length of `2026-11-03T09:00:00.000Z`, the platform's form: luxon takes a hundred times as long for it. */
const USUAL_CHARS = 24;

/** Undefined if the text is no time. */
function wholeSecond(iso: unknown): string | undefined {
  if (typeof iso !== 'string') return undefined;
  const at = iso.length === USUAL_CHARS ? Date.parse(iso) : Number.NaN;
  if (!Number.isNaN(at) && new Date(at).toISOString() === iso) return `${iso.slice(0, 19)}Z`;
  const utc = DateTime.fromISO(iso, { zone: 'utc' }).startOf('second');
  return utc.toISO({ suppressMilliseconds: true }) ?? undefined;
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
  const describe = (context: TemplateContext, note?: string, guests?: GuestList) => {
    const said = [description?.text(context), link && escapeHtml(link.text(context))];
    const body = said.map((part) => withoutControls(part ?? '').trim()).filter((part) => part !== '');
    return withNote(body.join(PARAGRAPH), note, guests && { list: guests, more });
  };
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
    const isDescribed = description !== undefined || link !== undefined || guests !== undefined;
    const described = isDescribed ? describe(context, note, guests) : undefined;
    const fields: EventTexts = {
      // Without a description in the mapping, the event's description belongs to people, and a note must not replace it.
      summary: titleOf(title.text(context), isDescribed ? undefined : note),
      ...(described && { description: described.text }),
      ...(location && { location: cut(oneLine(location.text(context)), LOCATION_CHARS_MAX) }),
    };
    return { fields, isMasked: false, named: described?.ids ?? [] };
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
  let room = DESCRIPTION_CHARS_MAX;
  for (const part of parts) if (part !== '') room -= part.length + PARAGRAPH.length;
  return room;
}

/** Google's colorId for an appointment's event: by status, else by service, else by the first of its resources that has a colour. */
export function colourFor(
  event: EventTemplate,
  snapshot: Snapshot,
  directory: Directory,
): string | undefined {
  const { colorIds, serviceColours = [], resourceColours = [] } = event;
  const { status, service_id: service, service_name: name } = snapshot;
  const ofStatus = colorIds[String(status)];
  if (ofStatus !== undefined || serviceColours.length + resourceColours.length === 0) return ofStatus;
  const ofService = [service, directory.services.get(String(service))?.name ?? name];
  const ofResources = resourcesOf(snapshot).map((id) => [id, directory.resources.get(id)?.name]);
  const found = [
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

/** What Unicode calls a line break. Readers of text split lines at any of them. */
const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/** The same lines, with a line feed as the only kind of break. */
export function withLineFeeds(text: string): string {
  return text.replace(LINE_BREAKS, '\n');
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
  const wanted = new Map<string, WantedEvent>();
  for (const calendarId of calendars) {
    const event = render(calendarId);
    if (event !== undefined) wanted.set(calendarId, event);
  }
  return wanted;
}
