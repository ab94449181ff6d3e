// The worker's own data in an event: one property, in letters, digits, `-` and `_` only. Servers cut X- values at a comma, and add or drop
// backslashes in them (rule 6 of decision 0050).
import * as z from 'zod';
import { APPOINTMENT_MARK, MARK } from '../engine/event-texts.ts';
import { isEventIdOf, objectOf } from '../engine/ids.ts';
import type { WholeEvent } from '../google/calendar-event.ts';

export const MARKS_PROPERTY = 'X-SLOTBRIDGE';
const CHARS_MAX = 100_000;

const DATA = z.object({
  /** As Google's private extended properties. */
  marks: z.record(z.string(), z.string()).default({}),
  /** The description as HTML, where the plain text alone would not give it back. */
  html: z.string().optional(),
});

export type OwnData = z.infer<typeof DATA>;

/** Empty if the value is not the worker's. */
export function readOwnData(value: string | undefined): OwnData {
  if (value === undefined || value.length > CHARS_MAX || !/^[\w-]+$/.test(value)) return { marks: {} };
  try {
    return DATA.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  } catch {
    return { marks: {} };
  }
}

/** What the worker's own id says, for an event that a program stored without the property. */
export function marksOfId(eventId: string): Readonly<Record<string, string>> {
  const object = objectOf(eventId);
  return object === undefined ? {} : { [MARK.key]: MARK.value, [APPOINTMENT_MARK]: object.id };
}

export function writeOwnData(data: OwnData): string {
  return Buffer.from(JSON.stringify(data), 'utf8').toString('base64url');
}

// Copies. Some programs move an event by storing it under a new UID and deleting the old one.

/** Characters of a mark that may name an appointment: anybody may write one. */
const MARK_CHARS_MAX = 64;
/** Marks of one object by which copies are found. */
const MARKS_MAX = 20;

/** The appointments whose mark these events carry, without having their id. */
export function foreignMarks(events: readonly WholeEvent[]): readonly string[] {
  const found = events.flatMap((event) => {
    const mark = markOf(event);
    return mark === undefined || mark.length > MARK_CHARS_MAX || isEventIdOf(event.id, mark) ? [] : [mark];
  });
  return [...new Set(found)].slice(0, MARKS_MAX);
}

function markOf({ extendedProperties }: WholeEvent): string | undefined {
  return extendedProperties?.private?.[APPOINTMENT_MARK];
}
