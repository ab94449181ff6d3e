import { type CompanyNames, type Wire, wireText } from './company.ts';
import type { Difference, PlaceVerdict } from './difference.ts';
import {
  appointmentShown,
  differingParts,
  type EventPicture,
  expectedEvents,
  pictureOf,
} from './event-picture.ts';

/** Compares one calendar, event by event, with the platform's appointments. */
export function judgeCalendar(given: {
  readonly calendarId: string;
  readonly label: string;
  readonly appointments: readonly Wire[];
  readonly names: CompanyNames;
  /** Live events, as Google stores them. */
  readonly events: readonly Wire[];
  /** Ids of events that people made, even if they look like the worker's. */
  readonly peoples: ReadonlySet<string>;
}): PlaceVerdict {
  const place = `calendar ${given.calendarId}`;
  const events = given.events.filter((event) => !given.peoples.has(wireText(event['id'])));
  const found = byAppointment(events);
  const differences: Difference[] = [];
  let expected = 0;
  for (const appointment of given.appointments) {
    const id = wireText(appointment['id']);
    const wanted = expectedEvents(appointment, given.names).get(given.calendarId);
    const standing = found.get(id) ?? [];
    found.delete(id);
    if (wanted !== undefined) expected += 1;
    differences.push(...compare({ place, id, status: wireText(appointment['status']), wanted, standing }));
  }
  for (const [id, strangers] of found) {
    for (const _ of strangers)
      differences.push({ kind: 'doubled', place, id, what: 'an event of no appointment' });
  }
  return { place, label: given.label, expected, found: events.length, differences };
}

/** Groups events by the appointment they name. An event without an appointment is listed under its own id. */
function byAppointment(events: readonly Wire[]): Map<string, Wire[]> {
  const groups = new Map<string, Wire[]>();
  for (const event of events) {
    const id = appointmentShown(event) ?? `event ${wireText(event['id'])}`;
    groups.set(id, [...(groups.get(id) ?? []), event]);
  }
  return groups;
}

function compare(one: {
  place: string;
  id: string;
  status: string;
  wanted: EventPicture | undefined;
  standing: readonly Wire[];
}): Difference[] {
  const { place, id, wanted, standing } = one;
  if (standing.length === 0) {
    return wanted === undefined ? [] : [{ kind: 'missing', place, id, what: 'no event' }];
  }
  const copies = standing
    .slice(1)
    .map((): Difference => ({ kind: 'doubled', place, id, what: 'one event more' }));
  if (wanted === undefined) {
    const what = `the event still stands, the appointment is ${one.status} or elsewhere`;
    return [{ kind: 'stale', place, id, what }, ...copies];
  }
  const [first = []] = standing.map((event) => differingParts(wanted, pictureOf(event))).sort(byLength);
  if (first.length === 0) return copies;
  return [{ kind: 'stale', place, id, what: `differs in ${first.join(', ')}` }, ...copies];
}

function byLength(a: readonly string[], b: readonly string[]): number {
  return a.length - b.length;
}
