import { CLASSES, type ClassRule, type ClassSlot, slotOf } from '../../domain/class-slot.ts';
import type { Directory } from '../../domain/directory.ts';
import type { Claim } from '../../domain/work.ts';
import { isOfClass } from '../route.ts';

/** The class in which one of the rules shows the appointment; undefined if the appointment is shown singly. */
export function classOf(
  rules: readonly (ClassRule | undefined)[],
  { snapshot, deleted, links }: Pick<Claim, 'snapshot' | 'deleted' | 'links'>,
  directory: Directory,
): ClassSlot | undefined {
  if (snapshot === undefined || deleted) return undefined;
  const isKnown = (links[CLASSES]?.slots ?? []).length > 0;
  return rules.some((rule) => isOfClass(rule, snapshot, { directory, isKnown }))
    ? slotOf(snapshot)
    : undefined;
}

/** Whether the mirror has written an event of the object in each of these calendars. */
export function standsIn(claim: Claim | undefined, mirror: string, calendars: readonly string[]): boolean {
  const links = claim?.links[mirror]?.calendars ?? [];
  return calendars.every((id) =>
    links.some(({ calendarId, event }) => calendarId === id && event.is === 'written'),
  );
}
