import type { Random } from '@slotbridge/sandbox/platform/random';
import { localAt } from '@slotbridge/sandbox/zones/local';

const FIRST_DAY = 1;
const LAST_DAY = 45;
const OPENS_MIN = 9 * 60;
const LAST_START_MIN = 19 * 60 + 30;
const GRID_MIN = 15;

/** A random time in the coming weeks within opening hours of the zone, RFC 3339 in UTC. It may be taken. */
export function someTime(random: Random, zone: string): string {
  return timeOnDay(random, zone, FIRST_DAY + random.below(LAST_DAY - FIRST_DAY));
}

/** The same for the weeks after that, where little is booked yet. */
export function someLaterTime(random: Random, zone: string): string {
  return timeOnDay(random, zone, LAST_DAY + random.below(LAST_DAY - FIRST_DAY));
}

function timeOnDay(random: Random, zone: string, day: number): string {
  const minute = OPENS_MIN + GRID_MIN * random.below((LAST_START_MIN - OPENS_MIN) / GRID_MIN);
  return localAt(Date.now(), zone)
    .startOf('day')
    .plus({ days: day })
    .set({ hour: Math.floor(minute / 60), minute: minute % 60 })
    .toUTC()
    .toFormat("yyyy-MM-dd'T'HH:mm:ss'Z'");
}
