// Reads an object of a CalDAV calendar as a calendar program does, and shows its events in Google's form, which the judge knows.
import ICAL from 'ical.js';
import type { Wire } from '../judge/company.ts';
import { asHtml } from '../judge/event-picture.ts';

/** The names of CSS that stand for the colours of the mapping and of people (RFC 7986, 5.9), and Google's colorId. */
const COLOURS: Readonly<Record<string, string>> = {
  ...{ gold: '5', mediumseagreen: '2', dimgray: '8', crimson: '11' },
  ...{ darkorchid: '3', orangered: '6', royalblue: '9' },
};
/** The mapping uses none of them. */
export const PEOPLES_COLOURS = ['darkorchid', 'orangered', 'royalblue'] as const;

/** Cancelled events are no events of the calendar. */
export function eventsIn(text: string): readonly Wire[] {
  return componentsIn(ICAL.Component.fromString(text)).map(eventOf).filter(isLive);
}

/** The components of events. */
export function componentsIn(root: ICAL.Component): readonly ICAL.Component[] {
  return root.getAllSubcomponents('vevent');
}

export function eventOf(component: ICAL.Component): Wire {
  const { startDate, endDate } = new ICAL.Event(component);
  const colour = textIn(component, 'color').toLowerCase();
  return {
    id: textIn(component, 'uid'),
    status: textIn(component, 'status').toLowerCase() || 'confirmed',
    summary: textIn(component, 'summary'),
    description: asHtml(textIn(component, 'description')),
    location: textIn(component, 'location'),
    start: sideOf(startDate),
    end: sideOf(endDate),
    colorId: COLOURS[colour] ?? colour,
    transparency: textIn(component, 'transp').toLowerCase() || 'opaque',
    attendees: component.getAllProperties('attendee').map((each) => String(each.getFirstValue())),
    reminders: { overrides: component.getAllSubcomponents('valarm').map(reminderOf) },
  };
}

function isLive({ status }: Wire): boolean {
  return status !== 'cancelled';
}

function textIn(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? '');
}

/** The moment by the rules of the zone that the object itself describes. */
function sideOf(time: ICAL.Time): Wire {
  if (time.isDate) return { date: time.toString() };
  return { dateTime: time.toJSDate().toISOString(), timeZone: time.zone?.tzid ?? '' };
}

function reminderOf(alarm: ICAL.Component): Wire {
  const before = alarm.getFirstPropertyValue('trigger');
  return { minutes: before instanceof ICAL.Duration ? -before.toSeconds() / 60 : undefined };
}
