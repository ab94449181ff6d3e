import { createHash } from 'node:crypto';
import type { Requests } from '@slotbridge/rehearsal/demo/caldav/requests';
import ICAL from 'ical.js';
import { DateTime } from 'luxon';
import { type PlainEvent, STAFF_ZONE, type Staff } from './staff.ts';

/** What a person's program adds, and the worker knows nothing of. */
const DECORATIONS = [
  'CATEGORIES:Regulars',
  'COMMENT:Ask about the colour',
  'CONTACT:Reception',
  'X-SHOP-COUNTER:seven',
];
const ALARM = [
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'DESCRIPTION:Soon',
  'TRIGGER:-PT45M',
  'X-SHOP-BELL:loud',
  'END:VALARM',
];

/** People with a calendar program that knows no ETags: it reads an object, changes it and stores it. */
export function caldavStaff(requests: Requests): Staff {
  const objects = async (calendar: string) => {
    const found: { url: string; text: string }[] = [];
    for (const url of await requests.list(calendar)) {
      const { status, text } = await requests.get(url);
      if (status === 200) found.push({ url, text });
    }
    return found;
  };
  const titled = async (calendar: string, title: string) => {
    for (const object of await objects(calendar)) {
      const root = new ICAL.Component(ICAL.parse(object.text));
      const master = mastersIn(root).find((event) => textIn(event, 'summary') === title);
      if (master !== undefined) return { ...object, root, master };
    }
    throw new Error(`people see no event ${title}`);
  };
  const store = async (url: string, root: ICAL.Component | string): Promise<void> => {
    const { status, text } = await requests.put(url, typeof root === 'string' ? root : root.toString());
    if (status !== 201 && status !== 204)
      throw new Error(`a person's change was answered ${status}: ${text.slice(0, 300)}`);
  };
  return {
    async add(calendar, event) {
      const name = createHash('sha256').update(`${calendar} ${event.title}`).digest('hex').slice(0, 20);
      await store(`${calendar}${name}.ics`, newObject(`${name}@people.example`, event));
    },
    async edit(calendar, title, changes) {
      const { url, root, master } = await titled(calendar, title);
      setTexts(master, changes);
      if (changes.start !== undefined && changes.end !== undefined)
        setTimes(root, master, { ...plainOf(master), ...changes });
      await store(url, root);
    },
    async remove(calendar, title) {
      const { url } = await titled(calendar, title);
      const { status } = await requests.remove(url);
      if (status >= 300) throw new Error(`a person's deletion was answered ${status}`);
    },
    async hand(calendar, title, other) {
      const { url, text } = await titled(calendar, title);
      const { status } = await requests.remove(url);
      if (status >= 300) throw new Error(`a person's deletion was answered ${status}`);
      await store(`${other}${url.split('/').at(-1)}`, text);
    },
    async shift(calendar, title, { at, to }) {
      const { url, root, master } = await titled(calendar, title);
      if (to === undefined) addLine(master, `EXDATE;TZID=${STAFF_ZONE}:${stamp(at)}`);
      else root.addSubcomponent(occurrenceOf(master, { at, to }));
      await store(url, root);
    },
    async decorate(calendar, title) {
      const { url, master, root } = await titled(calendar, title);
      for (const line of DECORATIONS) addLine(master, line);
      master.addSubcomponent(new ICAL.Component(ICAL.parse(ALARM.join('\r\n'))));
      await store(url, root);
    },
    async decorations(calendar, title) {
      const { master } = await titled(calendar, title);
      const alarms = master.getAllSubcomponents('valarm').map((alarm) => JSON.stringify(alarm.jCal));
      const added = ['categories', 'comment', 'contact', 'x-shop-counter'];
      const kept = added.flatMap((name) => master.getAllProperties(name).map((each) => each.toICALString()));
      return [...kept, ...alarms].sort();
    },
    async see(calendar) {
      const seen = (await objects(calendar)).flatMap(({ text }) =>
        mastersIn(new ICAL.Component(ICAL.parse(text))).map(plainOf),
      );
      return seen.sort((a, b) => (a.title < b.title ? -1 : 1));
    },
  };
}

function mastersIn(root: ICAL.Component): readonly ICAL.Component[] {
  return root.getAllSubcomponents('vevent').filter((event) => !event.hasProperty('recurrence-id'));
}

function textIn(event: ICAL.Component, name: string): string | undefined {
  const value = event.getFirstPropertyValue(name);
  return value === null ? undefined : String(value);
}

function addLine(event: ICAL.Component, line: string): void {
  event.addProperty(ICAL.Property.fromString(line));
}

function newObject(uid: string, event: PlainEvent): ICAL.Component {
  const root = new ICAL.Component('vcalendar');
  root.addPropertyWithValue('version', '2.0');
  root.addPropertyWithValue('prodid', '-//people//of the shop//EN');
  const component = new ICAL.Component('vevent');
  root.addSubcomponent(component);
  component.addPropertyWithValue('uid', uid);
  addLine(component, 'DTSTAMP:20261101T000000Z');
  setTimes(root, component, event);
  setTexts(component, event);
  if (event.repeats !== undefined) addLine(component, `RRULE:${event.repeats}`);
  return root;
}

function setTexts(
  event: ICAL.Component,
  { title, text, place, isFree, isTentative }: Partial<PlainEvent>,
): void {
  if (title !== undefined) event.updatePropertyWithValue('summary', title);
  if (text !== undefined) event.updatePropertyWithValue('description', text);
  if (place !== undefined) event.updatePropertyWithValue('location', place);
  if (isFree === true) event.updatePropertyWithValue('transp', 'TRANSPARENT');
  if (isTentative === true) event.updatePropertyWithValue('status', 'TENTATIVE');
}

function setTimes(
  root: ICAL.Component,
  event: ICAL.Component,
  { start, end, zone = STAFF_ZONE }: Pick<PlainEvent, 'start' | 'end' | 'zone'>,
): void {
  if (zone !== STAFF_ZONE) throw new Error(`people of this test have clocks of ${STAFF_ZONE} only`);
  for (const [name, at] of [
    ['dtstart', start],
    ['dtend', end],
  ] as const) {
    event.removeAllProperties(name);
    addLine(
      event,
      at.includes('T') ? `${name};TZID=${zone}:${stamp(at)}` : `${name};VALUE=DATE:${stamp(at)}`,
    );
  }
  const zones = root.getAllSubcomponents('vtimezone');
  const isKnown = zones.some((each) => textIn(each, 'tzid') === zone);
  if (start.includes('T') && !isKnown)
    root.addSubcomponent(new ICAL.Component(ICAL.parse(BERLIN.join('\r\n'))));
}

function occurrenceOf(
  master: ICAL.Component,
  { at, to }: { readonly at: string; readonly to: string },
): ICAL.Component {
  const moved = new ICAL.Component(structuredClone(master.jCal));
  for (const name of ['rrule', 'exdate', 'dtstart', 'dtend']) moved.removeAllProperties(name);
  const { start, end } = plainOf(master);
  const lengthMs = DateTime.fromISO(end).toMillis() - DateTime.fromISO(start).toMillis();
  const until = DateTime.fromISO(to).plus(lengthMs).toFormat("yyyy-MM-dd'T'HH:mm");
  addLine(moved, `RECURRENCE-ID;TZID=${STAFF_ZONE}:${stamp(at)}`);
  addLine(moved, `DTSTART;TZID=${STAFF_ZONE}:${stamp(to)}`);
  addLine(moved, `DTEND;TZID=${STAFF_ZONE}:${stamp(until)}`);
  return moved;
}

/** `20261103T100000`, or `20261103`. */
function stamp(at: string): string {
  const digits = at.replaceAll(/[-:]/g, '');
  return at.includes('T') ? `${digits}00` : digits;
}

/** By the clock that the event names; a moment in UTC is shown as such. */
function plainOf(event: ICAL.Component): PlainEvent {
  const [start, end] = [timeIn(event, 'dtstart'), timeIn(event, 'dtend')];
  const [text, place] = [textIn(event, 'description'), textIn(event, 'location')];
  return {
    ...{ title: textIn(event, 'summary') ?? '', start: start.shown, end: end.shown },
    ...(start.zone !== undefined && start.zone !== STAFF_ZONE && { zone: start.zone }),
    ...(text !== undefined && { text }),
    ...(place !== undefined && { place }),
    ...(event.hasProperty('rrule') && { repeats: textIn(event, 'rrule') ?? '' }),
    ...(textIn(event, 'transp') === 'TRANSPARENT' && { isFree: true }),
    ...(textIn(event, 'status') === 'TENTATIVE' && { isTentative: true }),
  };
}

function timeIn(
  event: ICAL.Component,
  name: string,
): { readonly shown: string; readonly zone: string | undefined } {
  const property = event.getFirstProperty(name);
  const value = property?.getFirstValue();
  if (!(value instanceof ICAL.Time)) throw new Error(`an event without ${name}`);
  if (value.isDate) return { shown: value.toString(), zone: undefined };
  const zone = property?.getFirstParameter('tzid');
  return { shown: value.toString().slice(0, 16), zone: zone ?? 'UTC' };
}

const BERLIN = [
  ...['BEGIN:VTIMEZONE', `TZID:${STAFF_ZONE}`],
  ...['BEGIN:DAYLIGHT', 'DTSTART:19810329T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'],
  ...['TZNAME:CEST', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'END:DAYLIGHT'],
  ...['BEGIN:STANDARD', 'DTSTART:19961027T030000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'],
  ...['TZNAME:CET', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100', 'END:STANDARD', 'END:VTIMEZONE'],
];
export const BERLIN_ZONE = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//people//of the shop//EN',
  ...BERLIN,
  'END:VCALENDAR',
  '',
].join('\r\n');
