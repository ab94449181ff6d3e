// A class at four hours. Customers join, leave and change the hour, and staff move or delete its events, which the worker must
// restore.
import { setTimeout as sleep } from 'node:timers/promises';
import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { Company } from '@slotbridge/sandbox/platform/company';
import type { Random } from '@slotbridge/sandbox/platform/random';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { localAt } from '@slotbridge/sandbox/zones/local';
import { isDone, somePhone } from '../day/attempts.ts';
import { CUSTOMER_NAMES } from '../day/people.ts';
import { wireText } from '../judge/company.ts';

/** A class that the company offers. */
export interface CourseOffer {
  readonly serviceId: string;
  readonly title: string;
  readonly resourceId: string;
  /** The places of a class; by default the capacity of its resource. */
  readonly places: number;
  /** The hours of the class, RFC 3339 in UTC. */
  readonly hours: readonly string[];
}

/** The class with the calendar of its events. */
export interface Course extends CourseOffer {
  readonly calendarId: string;
}

export interface CourseCast {
  readonly platform: PlatformSandbox;
  readonly google: GoogleSandbox;
  readonly random: Random;
  readonly course: Course;
  /** Pause between two acts in ms. Default 250. */
  readonly pauseMs?: number;
}

const TITLE = 'Yoga';
const PLACES = 8;
const DAYS = [1, 2, 3, 9];
const HOUR = 18;
const PAUSE_MS = 250;
/** Staff change an event once in this many acts. */
const HANDS_EVERY = 6;

/** Creates a coach, a service, and the first customer for each hour but the last. */
export function furnishCourse({ dashboard, truth }: PlatformSandbox, company: Company): CourseOffer {
  const { projectId, branchIds } = company;
  const [branchId = ''] = branchIds;
  const zone = wireText(truth.branches().find((one) => one['id'] === branchId)?.['timezone']);
  const resourceId = dashboard.createResource({ branchId, name: 'Coach', capacity: PLACES });
  const serviceId = dashboard.createService({
    ...{ projectId, name: TITLE, durationMin: 60, resourceIds: [resourceId] },
  });
  const hours = DAYS.map((days) =>
    localAt(Date.now(), zone)
      .startOf('day')
      .plus({ days })
      .set({ hour: HOUR })
      .toUTC()
      .toFormat("yyyy-MM-dd'T'HH:mm:ss'Z'"),
  );
  for (const [index, startsAt] of hours.slice(0, -1).entries())
    dashboard.bookAs('page', {
      ...{ serviceId, resourceId, startsAt },
      ...{ customerName: CUSTOMER_NAMES[index] ?? '', customerPhone: `+7913000000${index}` },
    });
  return { serviceId, title: TITLE, resourceId, places: PLACES, hours };
}

/** Runs until the signal aborts. Returns how often staff changed an event; customers only book, move and cancel. */
export async function playCourse(cast: CourseCast, over: AbortSignal): Promise<number> {
  let hands = 0;
  for (let acts = 1; !over.aborted; acts += 1) {
    if (acts % HANDS_EVERY === 0) hands += changeEvent(cast);
    else comeOrGo(cast);
    await sleep(cast.pauseMs ?? PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return hands;
}

function comeOrGo({ platform, random, course }: CourseCast): void {
  const { dashboard, truth } = platform;
  const booked = truth
    .appointments()
    .filter((one) => one['service_id'] === course.serviceId && one['status'] === 'confirmed')
    .map((one) => wireText(one['id']));
  const dice = random.below(10);
  const startsAt = random.pick(course.hours);
  if (dice < 5 || booked.length === 0)
    isDone(() => {
      dashboard.bookAs('widget', {
        ...{ serviceId: course.serviceId, resourceId: course.resourceId, startsAt },
        ...{ customerName: random.pick(CUSTOMER_NAMES), customerPhone: somePhone(random) },
        guests: 1 + random.below(2),
      });
    });
  else if (dice < 8) dashboard.cancel(random.pick(booked), { by: 'client' });
  else isDone(() => dashboard.reschedule(random.pick(booked), { startsAt }));
}

/** Staff delete or move a random event. Returns 1, or 0 when there is no event. */
function changeEvent({ google, random, course }: CourseCast): number {
  const { calendarId } = course;
  const ids = google.truth.events(calendarId).map((event) => wireText(event['id']));
  if (ids.length === 0) return 0;
  const at = { calendarId, eventId: random.pick(ids) };
  const { calendar } = google.staff;
  const startsAt = Date.parse(random.pick(course.hours)) + 3_600_000 * (1 + random.below(3));
  if (random.below(2) === 0) calendar.remove(at);
  else calendar.move({ ...at, start: new Date(startsAt).toISOString() });
  return 1;
}
