// A difference that a person has named is healed by the ordinary way: its object gets a turn in which nothing that was remembered is
// relied on. Only what no object of the platform stands for any more is taken away here.
import type { Difference } from '../../domain/difference.ts';
import { type EntityKey, parseKey } from '../../domain/entity.ts';
import type { CalendarLink } from '../../domain/link.ts';
import type { DeadLetters } from '../../ports/dead-letters.ts';
import type { IntakeStore } from '../../ports/intake-store.ts';
import type { ObjectView } from '../../ports/ledger.ts';
import type { LinkStore } from '../../ports/link-store.ts';
import type { Nudges } from '../../ports/nudges.ts';
import type { WorkQueue } from '../../ports/work-queue.ts';

export interface FixParts {
  readonly nudges: Nudges;
  readonly deadLetters: DeadLetters;
  readonly view: ObjectView;
  readonly links: LinkStore;
  readonly intake: IntakeStore;
  readonly queue: WorkQueue;
  /** Takes up an object that was never seen here; false when the platform does not show it. */
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly removeEvent: (calendarId: string, eventId: string) => Promise<unknown>;
  readonly nowMs: () => number;
}

/** What was done about it; `nothing` where a person has to. */
export type Fixed = 'given a turn' | 'taken away' | 'nothing';

export async function fix(parts: FixParts, difference: Difference): Promise<Fixed> {
  const key = parseKey(difference.key);
  if (key === undefined || difference.why === 'pending') return 'nothing';
  if (difference.why === 'dead-letter') return retry(parts, difference);
  switch (difference.what) {
    case 'missing':
    case 'stale':
      return lookAgain(parts, key, difference);
    case 'unmapped':
      return release(parts, key, difference);
    case 'doubled':
      return removeDouble(parts, key, difference);
    case 'orphaned':
      return takeAway(parts, key, difference);
    default:
      return difference.what satisfies never;
  }
}

async function retry({ deadLetters, queue }: FixParts, { key }: Difference): Promise<Fixed> {
  const letters = (await deadLetters.all()).filter((letter) => letter.key === key);
  for (const letter of letters) await deadLetters.retry(letter);
  queue.add([key]);
  return letters.length === 0 ? 'nothing' : 'given a turn';
}

async function lookAgain(parts: FixParts, key: EntityKey, { mirror, key: name }: Difference): Promise<Fixed> {
  await parts.nudges.doubt([key], mirror);
  const strangers = await parts.nudges.nudge([key], { read: true });
  if (strangers.length > 0 && !(await parts.introduce(key))) return 'nothing';
  parts.queue.add([name]);
  return 'given a turn';
}

async function release(parts: FixParts, key: EntityKey, { mirror, key: name }: Difference): Promise<Fixed> {
  await parts.nudges.release([key], mirror);
  parts.queue.add([name]);
  return 'given a turn';
}

/** Copies of rows were made by people, and may hold what they wrote. */
async function removeDouble(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const calendarId = calendarOf(difference);
  if (calendarId === undefined || difference.name === undefined) return 'nothing';
  if (await isLinked(parts, key, difference)) return lookAgain(parts, key, difference);
  await parts.removeEvent(calendarId, difference.name);
  return 'taken away';
}

/** Whether it may go is decided by the object's handler, which knows what the platform says of it; nobody's events go at once. */
async function takeAway(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const { mirror, name } = difference;
  const calendarId = calendarOf(difference);
  const isKnown = (await parts.view.peek(key)) !== undefined || (await parts.introduce(key));
  if (!isKnown) return takeAwayNobodys(parts, key, { calendarId, name });
  if (calendarId !== undefined && name !== undefined && !(await isLinked(parts, key, difference))) {
    const link: CalendarLink = { calendarId, eventId: name, etag: '', hash: '', coloured: false };
    const isTaken = await parts.links.adopt(difference.key, mirror, link);
    // Another event of the visit is linked in that calendar: this one is a double.
    if (!isTaken) return removeDouble(parts, key, difference);
  }
  return release(parts, key, difference);
}

async function takeAwayNobodys(
  parts: FixParts,
  key: EntityKey,
  at: { readonly calendarId: string | undefined; readonly name: string | undefined },
): Promise<Fixed> {
  if (at.calendarId !== undefined && at.name !== undefined) {
    await parts.removeEvent(at.calendarId, at.name);
    return 'taken away';
  }
  // The platform deletes no appointments (platform API, Appointment): whose row it is, a person has to find out.
  if (key.kind !== 'contact') return 'nothing';
  const seen = { as: 'deleted' } as const;
  await parts.intake.observe({ key, source: 'operator', occurredAtMs: parts.nowMs(), seen });
  parts.queue.add([`${key.kind}/${key.id}`]);
  return 'given a turn';
}

async function isLinked(parts: FixParts, key: EntityKey, { mirror, name }: Difference): Promise<boolean> {
  const known = await parts.view.peek(key);
  return (known?.links[mirror]?.calendars ?? []).some((link) => link.eventId === name);
}

function calendarOf({ place }: Difference): string | undefined {
  return place.startsWith('calendar:') ? place.slice('calendar:'.length) : undefined;
}
