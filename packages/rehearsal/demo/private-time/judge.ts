// Compares the quarter hours that must be unbookable with those that are: private events against the blocks.
import { isBlock, texts, type Wire, wireText } from '../judge/company.ts';
import type { PrivateLife } from './events.ts';

export interface BlockedVerdict {
  /** Busy quarter hours, except those that customers took. */
  readonly expected: number;
  /** How many of them are blocked exactly once. */
  readonly found: number;
  /** One line each, without content. */
  readonly wrong: readonly string[];
}

const QUARTER_MS = 15 * 60_000;

/** Compares each person's blocks with the current private events. */
export function judgePrivateTime(
  lives: readonly PrivateLife[],
  truth: {
    readonly appointments: readonly Wire[];
    /** Live events. */
    readonly events: (calendarId: string) => readonly Wire[];
  },
): BlockedVerdict {
  const told = { expected: 0, found: 0, wrong: [] as string[] };
  const live = truth.appointments.filter((one) => one['status'] !== 'cancelled');
  for (const { resourceId, calendarId } of lives) {
    const own = live.filter((one) => texts(one['resource_ids']).includes(resourceId));
    const busy = new Set(truth.events(calendarId).flatMap((event) => quartersOf(timeOf(event))));
    const blocked = own.filter(isBlock).flatMap((one) => quartersOf(timesOf(one)));
    // The quarter hour before and after a customer's appointment may be taken, too, as a buffer.
    const taken = new Set(
      own.filter((one) => !isBlock(one)).flatMap((one) => quartersOf(timesOf(one), QUARTER_MS)),
    );
    const times = new Map<number, number>();
    for (const quarter of blocked) times.set(quarter, (times.get(quarter) ?? 0) + 1);
    const say = (quarter: number, what: string) =>
      told.wrong.push(`private time of ${resourceId}, ${new Date(quarter).toISOString()}: ${what}`);
    for (const quarter of busy) {
      const count = times.get(quarter) ?? 0;
      times.delete(quarter);
      if (count === 0 && taken.has(quarter)) continue;
      told.expected += 1;
      if (count === 1) told.found += 1;
      else say(quarter, count === 0 ? 'not blocked' : `blocked ${count} times`);
    }
    for (const quarter of times.keys()) say(quarter, 'blocked, and nobody is busy');
  }
  return told;
}

interface Times {
  readonly start: number;
  readonly end: number;
}

function timeOf(event: Wire): Times {
  const at = (side: unknown) => Date.parse(wireText((side as Wire | undefined)?.['dateTime']));
  return { start: at(event['start']), end: at(event['end']) };
}

function timesOf(appointment: Wire): Times {
  return {
    start: Date.parse(wireText(appointment['starts_at'])),
    end: Date.parse(wireText(appointment['ends_at'])),
  };
}

/** The quarter hours that a time touches, with a margin on both sides. */
function quartersOf({ start, end }: Times, marginMs = 0): number[] {
  const first = Math.floor((start - marginMs) / QUARTER_MS);
  const last = Math.ceil((end + marginMs) / QUARTER_MS);
  return Array.from({ length: Math.max(0, last - first) }, (_, at) => (first + at) * QUARTER_MS);
}
