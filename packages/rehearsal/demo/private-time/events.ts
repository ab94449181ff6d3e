// Staff's private events in their own calendars, early in the morning when few customers come. Their time must be unbookable.
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount, type GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { Random } from '@slotbridge/sandbox/platform/random';
import { localAt } from '@slotbridge/sandbox/zones/local';
import type { DateTime } from 'luxon';
import { wireText } from '../judge/company.ts';

/** A person, and the private calendar whose events take that person's time. */
export interface PrivateLife {
  readonly resourceId: string;
  readonly calendarId: string;
  readonly zone: string;
}

export interface PrivateCast {
  readonly google: GoogleSandbox;
  readonly random: Random;
  readonly lives: readonly PrivateLife[];
}

const EVENTS_EACH = 12;
/** The worker blocks time for 30 days unless the mapping sets another period. */
const LAST_DAY = 28;
const FIRST_START_MIN = 6 * 60;
const STARTS = 12;
const QUARTER_MIN = 15;
const LONGEST = 6;
const PAUSE_MS = 900;

/**
 * Creates one calendar for each life, with events. The worker may see free and busy times, and in every second calendar also the
 * events.
 */
export function furnishPrivateLife({ google, random, lives }: PrivateCast): void {
  for (const [index, life] of lives.entries()) {
    const role = index % 2 === 0 ? 'freeBusyReader' : 'reader';
    google.addCalendar(life.calendarId, { shareWith: [defaultAccount], role, timeZone: life.zone });
    for (let made = 0; made < EVENTS_EACH; made += 1) add(google, random, life);
  }
}

/** Adds, moves or deletes events until the signal aborts. Returns how often. */
export async function playPrivateLife(cast: PrivateCast, over: AbortSignal): Promise<number> {
  let acts = 0;
  while (!over.aborted) {
    act(cast);
    acts += 1;
    await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return acts;
}

function act({ google, random, lives }: PrivateCast): void {
  const life = random.pick(lives);
  const { calendarId } = life;
  const ids = google.truth.events(calendarId).map((event) => wireText(event['id']));
  const dice = random.below(3);
  const at = { calendarId, eventId: ids.length === 0 ? '' : random.pick(ids) };
  if (dice === 0 || at.eventId === '') add(google, random, life);
  else if (dice === 1) google.staff.calendar.remove(at);
  else {
    const { start, end } = someTimes(random, life.zone);
    google.staff.calendar.move({ ...at, start: start.dateTime, end: end.dateTime });
  }
}

function add(google: GoogleSandbox, random: Random, { calendarId, zone }: PrivateLife): void {
  google.staff.calendar.add({ calendarId, event: { summary: 'Private', ...someTimes(random, zone) } });
}

function someTimes(random: Random, zone: string) {
  const start = localAt(Date.now(), zone)
    .startOf('day')
    .plus({ days: 1 + random.below(LAST_DAY) })
    .set({ minute: FIRST_START_MIN + QUARTER_MIN * random.below(STARTS) });
  const end = start.plus({ minutes: QUARTER_MIN * (1 + random.below(LONGEST)) });
  const side = (at: DateTime) => ({ dateTime: at.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss'Z'") });
  return { start: side(start), end: side(end) };
}
