// Writes events of a CalDAV calendar: only the lines of fields that change, and never a guest or an organizer, because servers mail guests.
import { isSameToPeople } from '../engine/event-texts.ts';
import { contentHash } from '../engine/object.ts';
import { escapedMarkup, plainText } from '../engine/plain-text.ts';
import { offsetAt, zoneNamed } from '../engine/zone-rules.ts';
import type {
  CalendarEvent,
  EventMoment,
  EventPatch,
  NoteBody,
  PeoplesFields,
  WholeEvent,
} from '../google/calendar-event.ts';
import {
  type Component,
  type ContentLine,
  componentsOf,
  escapedText,
  isComponent,
  line,
  paramOf,
  plainTextOf,
  propertyLines,
  propertyText,
  withLines,
  writeObject,
} from './content-lines.ts';
import { type ReadAbout, type ReadEvent, type ReadObject, readObject } from './event-read.ts';
import { colourName } from './looks.ts';
import { MARKS_PROPERTY, readOwnData, writeOwnData } from './marks.ts';
import { localStamp, utcStamp, vtimezone } from './zone-lines.ts';

const PRODUCT = '-//slotbridge//slotbridge//EN';

/** Fields that an event gets. A field that is left out stays as it is, and null removes it. */
export type Fields = Partial<
  Omit<EventPatch, 'start' | 'end'> & {
    readonly start: Moment;
    readonly end: Moment;
  } & Pick<PeoplesFields, 'attachments' | 'reminders' | 'visibility' | 'transparency'>
>;

type Moment = EventPatch['start'] | NoteBody['start'];

export interface EditAbout extends ReadAbout {
  readonly nowMs: number;
}

export function newObject(uid: string, fields: Fields, about: EditAbout): string {
  const stamp = utcStamp(about.nowMs);
  const event: Component = {
    name: 'VEVENT',
    items: [line('UID', uid), line('DTSTAMP', stamp), line('CREATED', stamp)],
  };
  const calendar: Component = { name: 'VCALENDAR', items: [line('VERSION', '2.0'), line('PRODID', PRODUCT)] };
  return written({ ...calendar, items: [...calendar.items, event] }, { of: event, fields, about });
}

/** The object with these fields of one of its events. Everything else keeps its bytes. */
export function editedObject(
  { calendar, events }: ReadObject,
  { of, fields, about }: { readonly of: ReadEvent; readonly fields: Fields; readonly about: EditAbout },
): string {
  let items = calendar.items;
  // An appointment happens once: people's changes to single instances go with the series.
  if (fields.recurrence === null) {
    const gone = new Set(
      events.filter((each) => each.event.recurringEventId === of.event.id).map((each) => each.component),
    );
    items = items.filter((item) => !isComponent(item) || !gone.has(item));
  }
  return written({ ...calendar, items }, { of: of.component, fields, about, known: of.event });
}

/** The object with an instance of its own in place of the one by the rule, as an event that can be edited. */
export function withInstance(
  object: ReadObject,
  {
    master,
    instance,
    about,
  }: { readonly master: ReadEvent; readonly instance: WholeEvent; readonly about: EditAbout },
): ReadObject | undefined {
  const { calendar } = object;
  const gone = new Set([
    'RRULE',
    'RDATE',
    'EXDATE',
    'EXRULE',
    'DTSTART',
    'DTEND',
    'DURATION',
    'RECURRENCE-ID',
  ]);
  const own = master.component.items.filter((item) => isComponent(item) || !gone.has(item.name));
  const start = timeLine('DTSTART', instance.start ?? {}, propertyLines(master.component, 'DTSTART')[0]);
  const end = timeLine('DTEND', instance.end ?? {}, propertyLines(master.component, 'DTSTART')[0]);
  const id = { ...start, name: 'RECURRENCE-ID' };
  const times = [line('RECURRENCE-ID', id.value, id.params), start, end];
  const component: Component = { name: 'VEVENT', items: inserted(own, times) };
  return readObject(writeObject({ ...calendar, items: [...calendar.items, component] }), about);
}

export function withoutInstance(
  { calendar, events }: ReadObject,
  {
    master,
    instance,
    about,
  }: { readonly master: ReadEvent; readonly instance: WholeEvent; readonly about: EditAbout },
): string {
  const own = events.find(({ event }) => event.id === instance.id)?.component;
  const original = instance.originalStartTime ?? instance.start ?? {};
  const { params, value } = timeLine('EXDATE', original, propertyLines(master.component, 'DTSTART')[0]);
  const component: Component = stamped(
    { ...master.component, items: inserted(master.component.items, [line('EXDATE', value, params)]) },
    about,
  );
  const items = calendar.items.flatMap((item) =>
    item === own ? [] : [item === master.component ? component : item],
  );
  return writeObject({ ...calendar, items });
}

/** The same object as one of another calendar. */
export function renamedObject({ calendar }: ReadObject, uid: string): string {
  const items = calendar.items.map((item) =>
    isComponent(item) && item.name === 'VEVENT' ? withLines(item, 'UID', [line('UID', uid)]) : item,
  );
  return writeObject({ ...calendar, items });
}

interface Edit {
  readonly of: Component;
  readonly fields: Fields;
  readonly about: EditAbout;
  /** What the event shows now; absent for a new one. */
  readonly known?: WholeEvent;
}

/**
 * Times are written in their zone, and in UTC if the object describes this zone by other rules. They would mean another hour to whoever reads
 * it.
 */
function written(calendar: Component, edit: Edit): string {
  const zoned = writeObject(edited(calendar, edit, true));
  return isRight(zoned, edit) ? zoned : writeObject(edited(calendar, edit, false));
}

function isRight(text: string, { of, fields, about, known }: Edit): boolean {
  const object = readObject(text, about);
  const uid = propertyText(of, 'UID')?.trim();
  const original = propertyText(of, 'RECURRENCE-ID');
  const found = object?.events.find(
    (each) => each.uid === uid && propertyText(each.component, 'RECURRENCE-ID') === original,
  );
  const isSame = (wanted: Moment | undefined, shown: WholeEvent['start']) =>
    wanted === undefined || instantOf(wanted) === instantOf(shown ?? {});
  return (
    found !== undefined &&
    isSame(fields.start ?? (known?.start as Moment | undefined), found.event.start) &&
    isSame(fields.end ?? (known?.end as Moment | undefined), found.event.end)
  );
}

function edited(calendar: Component, { of, fields, about, known }: Edit, inZone: boolean): Component {
  let event = of;
  const put = (name: string, lines: readonly ContentLine[]) => {
    event = withLines(event, name, lines);
  };
  const plain = fields.description === undefined ? undefined : plainText(fields.description);
  for (const name of ['summary', 'location', 'description'] as const) {
    const wanted = fields[name];
    if (wanted === undefined || wanted === (known?.[name] ?? '')) continue;
    const value = (name === 'description' ? plain : wanted) ?? '';
    put(name.toUpperCase(), value === '' ? [] : [line(name.toUpperCase(), escapedText(value))]);
  }
  if (fields.recurrence === null) for (const name of ['RRULE', 'RDATE', 'EXDATE', 'EXRULE']) put(name, []);
  const isMoved = putTimes(event, { fields, known, inZone });
  if (isMoved !== undefined) event = isMoved;
  const status = fields.status;
  if (status !== undefined && status !== known?.status) put('STATUS', [line('STATUS', status.toUpperCase())]);
  if (fields.transparency !== undefined && fields.transparency !== (known?.transparency ?? 'opaque'))
    put('TRANSP', [line('TRANSP', fields.transparency.toUpperCase())]);
  if (fields.visibility !== undefined && fields.visibility !== (known?.visibility ?? 'default'))
    put('CLASS', [line('CLASS', fields.visibility === 'default' ? 'PUBLIC' : 'PRIVATE')]);
  if (fields.colorId !== undefined && (fields.colorId ?? undefined) !== known?.colorId) {
    const name = fields.colorId === null ? undefined : colourName(fields.colorId);
    put('COLOR', name === undefined ? [] : [line('COLOR', name)]);
  }
  event = withMarks(event, fields, plain);
  if (fields.attachments !== undefined) {
    const files = fields.attachments.flatMap((each) => {
      const url = (each as { fileUrl?: unknown }).fileUrl;
      return typeof url === 'string' && /^https:\/\/\S+$/.test(url) ? [line('ATTACH', url)] : [];
    });
    event = { ...event, items: inserted(event.items, files) };
  }
  if (fields.reminders !== undefined)
    event = { ...event, items: [...event.items, ...alarmsOf(fields.reminders)] };
  if (isMoved !== undefined) event = withSequence(event);
  event = stamped(event, about);
  const items = calendar.items.map((item) => (item === of ? event : item));
  const zone = isMoved !== undefined && inZone ? zoneOf(fields.start) : undefined;
  return withZone({ ...calendar, items }, zone, fields.start);
}

/** Undefined if nothing changes. */
function putTimes(
  event: Component,
  {
    fields,
    known,
    inZone,
  }: { readonly fields: Fields; readonly known: WholeEvent | undefined; readonly inZone: boolean },
): Component | undefined {
  const { start, end } = fields;
  if (start === undefined || end === undefined) return undefined;
  const isSame = (moment: Moment, shown: WholeEvent['start']) => instantOf(moment) === instantOf(shown ?? {});
  if (known !== undefined && isSame(start, known.start) && isSame(end, known.end)) return undefined;
  const put = (name: string, moment: Moment) => [inZone ? timeLine(name, moment) : utcLine(name, moment)];
  const started = withLines(event, 'DTSTART', put('DTSTART', start));
  return withLines(withLines(started, 'DURATION', []), 'DTEND', put('DTEND', end));
}

function instantOf(moment: { readonly dateTime?: unknown; readonly date?: unknown }): string {
  return typeof moment.dateTime === 'string'
    ? String(Date.parse(moment.dateTime))
    : `day ${String(moment.date)}`;
}

/** `like`: a line whose zone it takes. */
function timeLine(
  name: string,
  moment: { dateTime?: unknown; date?: unknown; timeZone?: unknown },
  like?: ContentLine,
): ContentLine {
  if (typeof moment.dateTime !== 'string')
    return line(name, String(moment.date).replaceAll('-', ''), ';VALUE=DATE');
  const ms = Date.parse(moment.dateTime);
  const likeZone = like && paramOf(like, 'TZID');
  const written = likeZone ?? (typeof moment.timeZone === 'string' ? moment.timeZone : 'UTC');
  const rules = like !== undefined && likeZone === undefined ? undefined : zoneNamed(written);
  if (rules === undefined || vtimezone(written, ms) === undefined) return line(name, utcStamp(ms));
  return line(name, localStamp(ms, offsetAt(rules, ms)), `;TZID=${likeZone ?? rules.name}`);
}

function utcLine(name: string, moment: Moment): ContentLine {
  return 'dateTime' in moment ? line(name, utcStamp(Date.parse(moment.dateTime))) : timeLine(name, moment);
}

function zoneOf(moment: Moment | undefined): string | undefined {
  return moment !== undefined && 'timeZone' in moment ? (moment as EventMoment).timeZone : undefined;
}

/** The object with a description of the zone, if it has none that a program wrote by its rules. */
function withZone(calendar: Component, name: string | undefined, start: Moment | undefined): Component {
  if (name === undefined || start === undefined || !('dateTime' in start)) return calendar;
  const zone = vtimezone(name, Date.parse(start.dateTime));
  if (zone === undefined) return calendar;
  const tzid = propertyText(zone, 'TZID');
  const there = componentsOf(calendar, 'VTIMEZONE').find((each) => propertyText(each, 'TZID') === tzid);
  const isRuled =
    there?.items.some((item) => isComponent(item) && propertyText(item, 'RRULE') !== undefined) ?? false;
  if (isRuled) return calendar;
  if (there !== undefined) {
    const isShared = componentsOf(calendar, 'VEVENT').length > 1;
    if (isShared) return calendar;
    return { ...calendar, items: calendar.items.map((item) => (item === there ? zone : item)) };
  }
  return { ...calendar, items: inserted(calendar.items, [zone]) };
}

function withMarks(
  event: Component,
  { extendedProperties, description }: Fields,
  plain: string | undefined,
): Component {
  const before = readOwnData(propertyText(event, MARKS_PROPERTY)?.trim());
  const marks: Record<string, string> = { ...before.marks };
  for (const [name, value] of Object.entries(extendedProperties?.private ?? {})) {
    if (value === null) delete marks[name];
    else marks[name] = value;
  }
  const isPlain = plain === undefined || escapedMarkup(plain) === description;
  const html = description === undefined ? before.html : isPlain ? undefined : description;
  const data = { marks, ...(html !== undefined && { html }) };
  const isSame =
    JSON.stringify(data) ===
    JSON.stringify({ marks: before.marks, ...(before.html !== undefined && { html: before.html }) });
  if (isSame) return event;
  const isEmpty = Object.keys(marks).length === 0 && html === undefined;
  return withLines(event, MARKS_PROPERTY, isEmpty ? [] : [line(MARKS_PROPERTY, writeOwnData(data))]);
}

function alarmsOf(reminders: NonNullable<PeoplesFields['reminders']>): readonly Component[] {
  return (reminders.overrides ?? []).flatMap((each) => {
    const { minutes } = each as { minutes?: unknown };
    if (typeof minutes !== 'number' || !Number.isInteger(minutes) || minutes < 0) return [];
    const items = [
      line('ACTION', 'DISPLAY'),
      line('DESCRIPTION', 'Reminder'),
      line('TRIGGER', `-PT${minutes}M`),
    ];
    return [{ name: 'VALARM', items }];
  });
}

/** Other programs take the newer of two versions. */
function withSequence(event: Component): Component {
  const number = Number(propertyText(event, 'SEQUENCE') ?? 0);
  return withLines(event, 'SEQUENCE', [
    line('SEQUENCE', String(Number.isSafeInteger(number) ? number + 1 : 1)),
  ]);
}

function stamped(event: Component, { nowMs }: EditAbout): Component {
  const stamp = utcStamp(nowMs);
  return withLines(withLines(event, 'DTSTAMP', [line('DTSTAMP', stamp)]), 'LAST-MODIFIED', [
    line('LAST-MODIFIED', stamp),
  ]);
}

/** Before the first component. */
function inserted(items: Component['items'], added: Component['items']): Component['items'] {
  const at = items.findIndex(isComponent);
  const end = at < 0 ? items.length : at;
  return [...items.slice(0, end), ...added, ...items.slice(end)];
}

/** Servers write texts and properties in their own way, and one unescapes them twice: only what the worker relies on is compared. */
export function isAsWritten(wanted: CalendarEvent, shown: CalendarEvent): boolean {
  const timesOf = ({ start, end }: CalendarEvent) =>
    [start, end]
      .map((each) => (each?.dateTime === undefined ? each?.date : Date.parse(each.dateTime)))
      .join(' ');
  const marksOf = ({ extendedProperties }: CalendarEvent) => contentHash(extendedProperties?.private ?? {});
  const isSameText = (one = '', other = '') => isSameToPeople(plainTextOf(one), plainTextOf(other));
  return (
    timesOf(wanted) === timesOf(shown) &&
    marksOf(wanted) === marksOf(shown) &&
    wanted.status === shown.status &&
    isSameText(wanted.summary, shown.summary) &&
    isSameText(wanted.description, shown.description) &&
    isSameText(wanted.location, shown.location)
  );
}
