// Which classes take place with how many guests, and what the calendar shows of them.
import { type Wire, wireText } from '../judge/company.ts';
import { appointmentShown, pictureOf } from '../judge/event-picture.ts';
import type { Course } from './play.ts';

export interface ClassesVerdict {
  /** Classes with at least one guest. */
  readonly expected: number;
  /** How many of them have exactly one event, with the right time and guests. */
  readonly right: number;
  /** One line each, without content. */
  readonly wrong: readonly string[];
}

interface Held {
  readonly end: number;
  readonly guests: number;
}

/**
 * Compares the events of the course's calendar with the appointments of its classes. Also searches all calendars for separate events
 * of class members.
 */
export function judgeClasses(
  { serviceId, calendarId, title, places }: Pick<Course, 'serviceId' | 'calendarId' | 'title' | 'places'>,
  truth: {
    readonly appointments: readonly Wire[];
    /** Live events. */
    readonly events: (calendarId: string) => readonly Wire[];
    /** All calendars of the mapping. */
    readonly calendars: readonly string[];
  },
): ClassesVerdict {
  const members = truth.appointments.filter(
    (one) => one['service_id'] === serviceId && one['status'] !== 'cancelled',
  );
  const held = new Map<number, Held>();
  for (const one of members) {
    const start = Date.parse(wireText(one['starts_at']));
    const { guests = 0 } = held.get(start) ?? {};
    held.set(start, {
      end: Date.parse(wireText(one['ends_at'])),
      guests: guests + Number(one['guests_count']),
    });
  }
  const events = truth.events(calendarId).map(pictureOf);
  const wrong: string[] = [];
  const say = (start: number, what: string) => wrong.push(`class of ${timeOf(start)}: ${what}`);
  let right = 0;
  for (const [start, { end, guests }] of held) {
    const standing = events.filter((event) => event.start === start);
    const [event, ...others] = standing;
    if (event === undefined || others.length > 0) say(start, `${standing.length} events`);
    else if (event.title !== `${title} (${guests}/${places})`)
      say(start, `${guests} come, and the event says ${COUNT.exec(event.title)?.[1] ?? 'something else'}`);
    else if (event.description !== `${places - guests} free`)
      say(start, 'the description says something else');
    else if (event.end !== end) say(start, 'the event ends at another time');
    else right += 1;
  }
  for (const { start } of events) if (!held.has(start)) say(start, 'an event, and nobody comes');
  const ids = new Set(members.map((one) => wireText(one['id'])));
  for (const each of truth.calendars)
    for (const event of truth.events(each)) {
      const id = appointmentShown(event);
      if (id !== undefined && ids.has(id))
        wrong.push(`appointment ${id}: in a class, with an event of its own`);
    }
  return { expected: held.size, right, wrong };
}

const COUNT = /\((\d{1,3}\/\d{1,3})\)$/;

/** All-day events have no instant. */
function timeOf(start: number): string {
  return Number.isNaN(start) ? 'a whole day' : new Date(start).toISOString();
}
