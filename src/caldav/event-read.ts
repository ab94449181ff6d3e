// Reads an object of a CalDAV calendar as events. One object holds a whole series: its master and the instances that differ from it.
import ICAL from 'ical.js';
import { isSameToPeople } from '../engine/event-texts.ts';
import { contentHash, given } from '../engine/object.ts';
import { escapedMarkup, plainText } from '../engine/plain-text.ts';
import { dayEndOf, dayStartOf, localAt, readLocal } from '../engine/zone-local.ts';
import { ATTENDEES_READ_MAX, type WholeEvent } from '../google/calendar-event.ts';
import {
  type Component,
  type ContentLine,
  componentsOf,
  isComponent,
  paramOf,
  parseObject,
  plainTextOf,
  propertyLines,
  propertyText,
} from './content-lines.ts';
import { idOfUid } from './event-ids.ts';
import { colourId } from './looks.ts';
import { MARKS_PROPERTY, marksOfId, readOwnData } from './marks.ts';
import { alike, isFollowed, later, seriesSteps, unrollersOf } from './series.ts';
import { bounded } from './time-limit.ts';
import { localStamp, vtimezone, zoneMeant } from './zone-lines.ts';

export interface ReadAbout {
  /** IANA zone of the calendar, for times without one. */
  readonly zone: string;
  /** Addresses of the calendar's owner, and the login, in lower case. */
  readonly own: ReadonlySet<string>;
  /** Id of the event with this UID. Default: as derived. */
  readonly idOf?: (uid: string) => string;
}

/** An event, with the component that shows it. */
export interface ReadEvent {
  readonly event: WholeEvent;
  readonly uid: string;
  readonly component: Component;
}

export interface ReadObject {
  readonly calendar: Component;
  /** Masters and single events, then the instances that differ. Empty for an object of tasks. */
  readonly events: readonly ReadEvent[];
}

/** Undefined for text that is no calendar, or that no program could read in time. */
export function readObject(text: string, about: ReadAbout): ReadObject | undefined {
  const calendar = parseObject(text);
  if (calendar === undefined) return undefined;
  try {
    return bounded(() => {
      const parsed = parsedCalendar(calendar, about.zone);
      const shown = parsed.getAllSubcomponents('vevent');
      const starts = startsOf(calendar, shown);
      const events = componentsOf(calendar, 'VEVENT').map((component, at) =>
        readEvent(component, { parsed: shown[at], starts, about }),
      );
      if (events.includes(undefined)) return undefined;
      const known = events.filter((each) => each !== undefined);
      const isInstance = ({ event }: ReadEvent) => event.recurringEventId !== undefined;
      return {
        calendar,
        events: [...known.filter((each) => !isInstance(each)), ...known.filter(isInstance)],
      };
    });
  } catch {
    // The messages of the library quote what people wrote.
    return undefined;
  }
}

/** Where each series begins, by UID. Programs name its instances in other forms (findings/ical-generator-doubles-a-moved-day.sh). */
function startsOf(
  calendar: Component,
  shown: readonly ICAL.Component[],
): ReadonlyMap<string | undefined, ICAL.Time> {
  const starts = componentsOf(calendar, 'VEVENT').flatMap((each, at) => {
    const start = shown[at]?.getFirstPropertyValue('dtstart');
    const isMaster = propertyText(each, 'RECURRENCE-ID') === undefined && start instanceof ICAL.Time;
    return isMaster ? [[propertyText(each, 'UID')?.trim(), start] as const] : [];
  });
  return new Map(starts);
}

/**
 * The events of a series that end after `fromMs` and begin before `untilMs`; the master itself if it repeats nothing. Undefined if its rule
 * cannot be followed.
 */
export async function instancesIn(
  { calendar, events }: ReadObject,
  { master, fromMs, untilMs, about }: InstanceSpan,
): Promise<readonly WholeEvent[] | undefined> {
  if (master.event.recurrence === undefined)
    return isWithin(master.event, { fromMs, untilMs }) ? [master.event] : [];
  const others = events.filter(({ event }) => event.recurringEventId === master.event.id);
  const moved = new Map(others.map(({ event }) => [event.id, event]));
  const rule = contentHash(master.event.recurrence);
  if (endless.has(rule)) return undefined;
  try {
    const unroll = await stepsOf(calendar, { master, fromMs, untilMs, about });
    const steps = unroll && bounded(unroll);
    if (steps === undefined) {
      noteEndless(rule);
      return undefined;
    }
    const onwards = onwardsIn(others);
    const ruled = steps.flatMap((step) => {
      const id = instanceId(master.event.id, step.start);
      if (moved.has(id)) return [];
      const { recurrence: _, ...rest } = master.event;
      const event = {
        ...rest,
        ...shiftedBy(onwards, step),
        id,
        recurringEventId: master.event.id,
        originalStartTime: step.start,
      };
      return [withEtag(event)];
    });
    const live = [...ruled, ...moved.values()].filter(({ status }) => status !== 'cancelled');
    return live.filter((event) => isWithin(event, { fromMs, untilMs }));
  } catch {
    return undefined;
  }
}

interface Onwards {
  readonly fromMs: number;
  readonly event: WholeEvent;
}

/** Changes of "this and all following", the last one first. */
function onwardsIn(instances: readonly ReadEvent[]): readonly Onwards[] {
  const found = instances.flatMap(({ component, event }) => {
    const [original] = propertyLines(component, 'RECURRENCE-ID');
    const isOnwards = original && paramOf(original, 'RANGE')?.toUpperCase() === 'THISANDFUTURE';
    return isOnwards ? [{ fromMs: startMsOf(event.originalStartTime), event }] : [];
  });
  return found.sort((one, other) => other.fromMs - one.fromMs);
}

/** A date by the rule, as the change that covers it has it. */
function shiftedBy(onwards: readonly Onwards[], step: Step): Partial<WholeEvent> & Step {
  if (onwards.length === 0) return step;
  const stepMs = startMsOf(step.start);
  const change = onwards.find(({ fromMs }) => fromMs <= stepMs);
  if (change === undefined) return step;
  const { start, end, originalStartTime: _, ...rest } = change.event;
  const zone = start?.dateTime === undefined ? undefined : (start.timeZone ?? 'UTC');
  const startMs = stepMs + startMsOf(start) - change.fromMs;
  const endMs = startMs + startMsOf(end) - startMsOf(start);
  return { ...rest, start: momentAt(startMs, zone), end: momentAt(endMs, zone) };
}

interface Step {
  readonly start: Moment;
  readonly end: Moment;
}

/** Whether the rule of a series can be followed, as far as its text shows. */
export function hasKnownRule({ component }: ReadEvent): boolean {
  return propertyLines(component, 'RRULE').every(({ value }) => isFollowed(value));
}

/** For a series that nobody can follow: its time on each day from its first to its last. Of one that names hours, the whole days. */
export function everyDayIn(
  { events }: ReadObject,
  { master: { event }, fromMs, untilMs, about }: InstanceSpan,
): readonly WholeEvent[] {
  const { recurrence = [], ...rest } = event;
  const rules = recurrence.join('\n');
  const isTimed = event.start?.dateTime !== undefined;
  const zone = isTimed ? (event.start?.timeZone ?? about.zone) : 'UTC';
  const lengthMs = startMsOf(event.end) - startMsOf(event.start);
  const isHourly = isTimed && /BYHOUR|BYMINUTE|BYSECOND|HOURLY|MINUTELY|SECONDLY/i.test(rules);
  const begin = localAt(startMsOf(event.start), zone);
  const first = isHourly ? dayStartOf(begin) : begin;
  const lastMs = Math.min(untilMs, lastMsOf(rules));
  const found: WholeEvent[] = events.flatMap((each) =>
    each.event.recurringEventId === event.id && each.event.status !== 'cancelled' ? [each.event] : [],
  );
  const skipped = Math.floor((fromMs - lengthMs - first.toMillis()) / DAY_MS) - 1;
  for (let days = Math.max(0, skipped); ; days += 1) {
    const at = first.plus({ days });
    if (!at.isValid || at.toMillis() >= lastMs) break;
    const end = isHourly ? dayEndOf(at).toMillis() + lengthMs : at.toMillis() + lengthMs;
    const start = momentAt(at.toMillis(), isTimed ? zone : undefined);
    const id = instanceId(event.id, start);
    const step = { start, end: momentAt(end, isTimed ? zone : undefined) };
    found.push(withEtag({ ...rest, id, ...step, recurringEventId: event.id }));
  }
  return found.filter((each) => isWithin(each, { fromMs, untilMs }));
}

const DAY_MS = 86_400_000;

/** A day later than the rule says: in some zone it is that day still. */
function lastMsOf(rules: string): number {
  const lines = rules.split('\n').filter((line) => /^RRULE/i.test(line));
  const all = lines.map((line) => {
    const [, y, mo, d] = /UNTIL=(\d{4})(\d\d)(\d\d)/i.exec(line) ?? [];
    return y === undefined
      ? Number.POSITIVE_INFINITY
      : Date.UTC(Number(y), Number(mo) - 1, Number(d)) + 2 * DAY_MS;
  });
  return Math.max(...all);
}

/** Rules that took too long: each further try would hold up the process as long. */
const endless = new Set<string>();
const ENDLESS_MAX = 1_000;

function noteEndless(rule: string): void {
  if (endless.size >= ENDLESS_MAX) endless.clear();
  endless.add(rule);
}

export interface InstanceSpan {
  readonly master: ReadEvent;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly about: ReadAbout;
}

type Moment = NonNullable<WholeEvent['start']>;

/** Ready to unroll the series. Undefined if nobody can follow its rule. */
async function stepsOf(
  calendar: Component,
  { master, fromMs, untilMs, about }: InstanceSpan,
): Promise<(() => readonly Step[]) | undefined> {
  const at = componentsOf(calendar, 'VEVENT').indexOf(master.component);
  const component = bounded(() => parsedCalendar(calendar, about.zone).getAllSubcomponents('vevent')[at]);
  if (component === undefined) return undefined;
  const { startDate: start, duration: length } = new ICAL.Event(component, { exceptions: [] });
  const rules = propertyLines(master.component, 'RRULE').map(({ value }) => value);
  const unrollers = await unrollersOf(rules, { start, fromMs });
  if (unrollers === undefined) return undefined;
  const zone = zoneOfLine(propertyLines(master.component, 'DTSTART')[0], about.zone);
  return () =>
    seriesSteps(component, { start, length, unrollers, fromMs, untilMs }).map((step) => ({
      start: momentOf(step.start, zone, about.zone),
      end: momentOf(step.end, zone, about.zone),
    }));
}

function isWithin(
  { start, end }: Pick<WholeEvent, 'start' | 'end'>,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): boolean {
  return startMsOf(end ?? start) > fromMs && startMsOf(start) < untilMs;
}

/** A day counts from its midnight in UTC. */
function startMsOf(moment: WholeEvent['start']): number {
  return Date.parse(moment?.dateTime ?? moment?.date ?? '');
}

/** `<master>_20260501T080000Z`, or a day, as Google names instances. */
export function instanceId(masterId: string, start: WholeEvent['start']): string {
  if (start?.dateTime === undefined) return `${masterId}_${(start?.date ?? '').replaceAll('-', '')}`;
  return `${masterId}_${localStamp(Date.parse(start.dateTime), 0)}Z`;
}

/** With the zones that the text leaves out, by the worker's own rules. Without the rules of series: of some, ical.js would read nothing. */
function parsedCalendar(calendar: Component, zone: string): ICAL.Component {
  const items = calendar.items.filter((each) => !isEmptyZone(each));
  const text = rawOf({ ...calendar, items });
  const parsed = new ICAL.Component(ICAL.parse(text));
  const given = new Set(
    parsed.getAllSubcomponents('vtimezone').map((each) => each.getFirstPropertyValue('tzid')),
  );
  const named = new Set(
    componentsOf(calendar, 'VEVENT').flatMap(({ items }) =>
      items.flatMap((item) => ('items' in item ? [] : (paramOf(item, 'TZID') ?? []))),
    ),
  );
  if (text.includes(OF_CALENDAR)) named.add(OF_CALENDAR);
  for (const name of named) {
    if (given.has(name)) continue;
    const rules = rulesOf(zoneMeant(name) ?? zone) ?? rulesOf(zone);
    if (rules === undefined) continue;
    const renamed = new ICAL.Component(ICAL.parse(rules));
    renamed.updatePropertyWithValue('tzid', name);
    parsed.addSubcomponent(renamed);
  }
  return parsed;
}

const ZONES_MAX = 1_000;
const zoneTexts = new Map<string, string | undefined>();

/** As text. To write all years of a zone takes longer than to read an event, so it is done once. */
function rulesOf(zone: string): string | undefined {
  if (!zoneTexts.has(zone)) {
    if (zoneTexts.size >= ZONES_MAX) zoneTexts.clear();
    const rules = vtimezone(zone, undefined);
    zoneTexts.set(zone, rules && rawOf(rules));
  }
  return zoneTexts.get(zone);
}

function isEmptyZone(item: ContentLine | Component): boolean {
  return isComponent(item) && item.name === 'VTIMEZONE' && !item.items.some(isComponent);
}

const RULES = new Set(['RRULE', 'EXRULE']);

function rawOf(component: Component): string {
  const isEvent = component.name === 'VEVENT';
  const inner = component.items.flatMap((item) => {
    if ('items' in item) return rawOf(item);
    if (!isEvent) return item.raw;
    return RULES.has(item.name) ? [] : rawDates(item);
  });
  return [`BEGIN:${component.name}`, ...inner, `END:${component.name}`].join('\r\n');
}

/** Stands for the zone of the calendar where a time names none: its moments can then be compared with those of other times. */
const OF_CALENDAR = 'x-slotbridge-calendar';

/** With a list of dates that is empty left out, and days called so: ical.js would read neither. */
function rawDates({ name, params, value, raw }: ContentLine): readonly string[] {
  if (!DATES.has(name)) return [raw];
  const dates = value.split(',').map((each) => each.trim());
  const given = dates.filter((each) => each !== '');
  if (given.length === 0) return [];
  if (given.every((each) => /^\d{8}$/.test(each))) return [`${name};VALUE=DATE:${given.join(',')}`];
  const isBare = BOUNDS.has(name) && !/;(TZID|VALUE=DATE)(=|;|$)/i.test(params);
  if (isBare && /^\d{8}T\d{6}$/.test(given.join(',')))
    return [`${name}${params};TZID=${OF_CALENDAR}:${given.join(',')}`];
  return given.length < dates.length ? [`${name}${params}:${given.join(',')}`] : [raw];
}

const BOUNDS = new Set(['DTSTART', 'DTEND']);
const DATES = new Set([...BOUNDS, 'RECURRENCE-ID', 'EXDATE', 'RDATE']);

function readEvent(
  component: Component,
  {
    parsed,
    starts,
    about,
  }: {
    readonly parsed: ICAL.Component | undefined;
    readonly starts: ReadonlyMap<string | undefined, ICAL.Time>;
    readonly about: ReadAbout;
  },
): ReadEvent | undefined {
  const uid = propertyText(component, 'UID')?.trim();
  const [startLine] = propertyLines(component, 'DTSTART');
  if (parsed === undefined || uid === undefined || uid === '' || startLine === undefined) return undefined;
  const zone = zoneOfLine(startLine, about.zone);
  const shown = new ICAL.Event(parsed, { exceptions: [] });
  const start = momentOf(shown.startDate, zone, about.zone);
  const length = parsed.hasProperty('dtend') ? null : parsed.getFirstPropertyValue('duration');
  const end = momentOf(
    length instanceof ICAL.Duration ? later(shown.startDate, length, true) : shown.endDate,
    zoneOfLine(propertyLines(component, 'DTEND')[0] ?? startLine, about.zone),
    about.zone,
  );
  if (Number.isNaN(startMsOf(start)) || Number.isNaN(startMsOf(end))) return undefined;
  const baseId = (about.idOf ?? idOfUid)(uid);
  const original = propertyLines(component, 'RECURRENCE-ID')[0];
  const named = shown.recurrenceId;
  const meant = original && alike(named, starts.get(uid) ?? named);
  const of = original && meant && momentOf(meant, zoneOfLine(original, about.zone), about.zone);
  const recurrence = recurrenceOf(component);
  const event = withEtag({
    id: of === undefined ? baseId : instanceId(baseId, of),
    ...{
      iCalUID: uid,
      status: statusOf(component),
      start,
      end,
      ...textsOf(component, baseId),
      ...looksOf(component),
    },
    ...(of === undefined
      ? recurrence.length > 0 && { recurrence: [...recurrence] }
      : { recurringEventId: baseId, originalStartTime: of }),
    ...peopleOf(component, about.own),
    ...extrasOf(component),
    ...timesOf(component),
  });
  return { event, uid, component };
}

/** An event's version is its content: a server's versions may begin anew, and a series shares one (rules 5 and 17 of decision 0050). */
function withEtag(event: Omit<WholeEvent, 'etag'>): WholeEvent {
  const { updated: _, created: __, ...content } = event as WholeEvent;
  return { ...event, etag: `c${contentHash(content).slice(0, 24)}` } as WholeEvent;
}

function statusOf(component: Component): string {
  const status = propertyText(component, 'STATUS')?.trim().toLowerCase();
  return status === 'tentative' || status === 'cancelled' ? status : 'confirmed';
}

function textsOf(component: Component, eventId: string) {
  const text = (name: string) => {
    const value = propertyText(component, name);
    return value === undefined || value === '' ? undefined : plainTextOf(value);
  };
  const data = propertyText(component, MARKS_PROPERTY)?.trim();
  const { marks: written, html } = readOwnData(data);
  const marks = data === undefined ? marksOfId(eventId) : written;
  const plain = text('DESCRIPTION');
  const isWritten =
    html !== undefined &&
    plain !== undefined &&
    isSameToPeople(escapedMarkup(plain), escapedMarkup(plainText(html)));
  return {
    ...given('summary', text('SUMMARY')),
    ...given('description', isWritten ? html : plain && escapedMarkup(plain)),
    ...given('location', text('LOCATION')),
    ...(Object.keys(marks).length > 0 && { extendedProperties: { private: marks } }),
  };
}

function looksOf(component: Component) {
  const colour = propertyText(component, 'COLOR')?.trim();
  const colorId = colour && colourId(colour);
  const isPrivate = /^(?:private|confidential)$/i.test(propertyText(component, 'CLASS')?.trim() ?? '');
  const isFree = /^transparent$/i.test(propertyText(component, 'TRANSP')?.trim() ?? '');
  const isAway = /^oof$/i.test(propertyText(component, 'X-MICROSOFT-CDO-BUSYSTATUS')?.trim() ?? '');
  return {
    ...given('colorId', colorId || undefined),
    ...(colour !== undefined && colour !== '' && colorId === undefined && { eventLabelId: colour }),
    ...(isPrivate && { visibility: 'private' }),
    ...(isFree && { transparency: 'transparent' }),
    ...(isAway && { eventType: 'outOfOffice' }),
  };
}

function peopleOf(component: Component, own: ReadonlySet<string>) {
  const [organizer] = propertyLines(component, 'ORGANIZER');
  const attendees = propertyLines(component, 'ATTENDEE').slice(0, ATTENDEES_READ_MAX + 1);
  const person = (written: ContentLine) => {
    const email = addressOf(written);
    const name = paramOf(written, 'CN');
    return {
      ...given('email', email),
      ...given('displayName', name),
      ...(email !== undefined && own.has(email.toLowerCase()) && { self: true }),
    };
  };
  return {
    ...(organizer && { organizer: person(organizer) }),
    ...(attendees.length > 0 && {
      attendees: attendees.map((written) => ({
        ...person(written),
        ...(/^(?:room|resource)$/i.test(paramOf(written, 'CUTYPE') ?? '') && { resource: true }),
        responseStatus: RESPONSES[paramOf(written, 'PARTSTAT')?.toUpperCase() ?? ''] ?? 'needsAction',
      })),
    }),
  };
}

const RESPONSES: Readonly<Record<string, string>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};

function addressOf({ value }: ContentLine): string | undefined {
  return /^mailto:\s*(\S+)\s*$/i.exec(value)?.[1];
}

/** What only people give. */
function extrasOf(component: Component) {
  const alarms = componentsOf(component, 'VALARM');
  const minutes = alarms.flatMap((alarm) => minutesBefore(propertyText(alarm, 'TRIGGER')) ?? []);
  const files = propertyLines(component, 'ATTACH').filter(({ value }) => /^https:\/\/\S+$/.test(value));
  return {
    ...(alarms.length > 0 && {
      reminders: {
        useDefault: false,
        overrides: minutes.map((each) => ({ method: 'popup', minutes: each })),
      },
    }),
    ...(files.length > 0 && { attachments: files.map(({ value }) => ({ fileUrl: value })) }),
  };
}

function minutesBefore(trigger = ''): number | undefined {
  const [whole, days = 0, hours = 0, minutes = 0] =
    /^-P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+S)?)?$/.exec(trigger.trim()) ?? [];
  return whole === undefined ? undefined : (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
}

function timesOf(component: Component) {
  const instant = (name: string) => isoOf(propertyText(component, name));
  return {
    ...given('updated', instant('LAST-MODIFIED') ?? instant('DTSTAMP')),
    ...given('created', instant('CREATED')),
  };
}

function isoOf(stamp: string | undefined): string | undefined {
  const [whole, y, mo, d, h, mi, s] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/.exec(stamp?.trim() ?? '') ?? [];
  const iso = `${y}-${mo}-${d}T${h}:${mi}:${s}Z`;
  return whole === undefined || Number.isNaN(Date.parse(iso)) ? undefined : iso;
}

function recurrenceOf(component: Component): readonly string[] {
  return ['RRULE', 'RDATE', 'EXDATE', 'EXRULE'].flatMap((name) =>
    propertyLines(component, name).map(({ params, value }) => `${name}${params}:${value}`),
  );
}

/** The zone that is shown with a time. */
function zoneOfLine(written: ContentLine | undefined, zone: string): string {
  const named = written && paramOf(written, 'TZID');
  return (named && zoneMeant(named)) ?? zone;
}

/** `zone`: in which it is shown. `floating`: the zone of a time without one. */
function momentOf(time: ICAL.Time, zone: string, floating: string): Moment {
  const two = (number: number) => String(number).padStart(2, '0');
  const date = `${String(time.year).padStart(4, '0')}-${two(time.month)}-${two(time.day)}`;
  if (time.isDate) return { date };
  const isFloating = time.zone === ICAL.Timezone.localTimezone || time.zone?.tzid === OF_CALENDAR;
  const local = `${date}T${two(time.hour)}:${two(time.minute)}:${two(time.second)}`;
  return momentAt(isFloating ? readLocal(local, floating).toMillis() : time.toUnixTime() * 1_000, zone);
}

/** Without a zone: the day, by UTC. */
function momentAt(ms: number, zone: string | undefined): Moment {
  if (zone === undefined) return { date: new Date(ms).toISOString().slice(0, 10) };
  const iso = localAt(ms, zone).toISO({ suppressMilliseconds: true });
  return { dateTime: iso ?? new Date(ms).toISOString(), timeZone: zone };
}
