import {
  CLASSES,
  type ClassRule,
  type ClassSlot,
  classIdOf,
  slotOf,
} from '../../engine/domain/class-slot.ts';
import type { Directory } from '../../engine/domain/directory.ts';
import type { CalendarMirror } from '../../engine/domain/mirror.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { MirrorTarget } from '../../engine/ports/handler.ts';
import type { DirectorySource } from '../../engine/ports/platform.ts';
import type { ObjectView } from '../../engine/ports/work.ts';
import { type CalendarBySubject, calendarsOf, isOfClass } from '../../mapping/route.ts';

export interface MemberParts {
  readonly mirror: CalendarMirror;
  readonly directory: DirectorySource;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly resolved: () => CalendarBySubject;
}

/**
 * A calendar mirror without single events for appointments of a class. An event from before stays until the class event exists; without it
 * the appointment would be in no calendar. The class then marks the appointment dirty.
 */
export function withoutMembers(target: MirrorTarget, parts: MemberParts): MirrorTarget {
  const { mirror, directory, view, resolved } = parts;
  if (mirror.classes === undefined) return target;
  const slotFor = (claim: Claim) => classOf([mirror.classes], claim, directory.current());
  const told = async (claim: Claim): Promise<Claim> => {
    const slot = slotFor(claim);
    if (slot === undefined || claim.snapshot === undefined) return claim;
    const known = await view.peek({ kind: 'class', id: classIdOf(slot) });
    const isShownByClass = standsIn(known, mirror.name, calendarsOf(claim.snapshot, resolved()));
    return { ...claim, isShownByClass };
  };
  /** The claim as it is in the end: the class event exists. */
  const ended = (claim: Claim): Claim =>
    slotFor(claim) === undefined ? claim : { ...claim, isShownByClass: true };
  return {
    name: target.name,
    from: target.from,
    reconcile: async (claim, failed) => target.reconcile(await told(claim), failed),
    preview: (claim) => target.preview(ended(claim)),
    planned: (claim) => target.planned(ended(claim)),
    expected: (claim) => target.expected(ended(claim)),
    nextTurnAtMs: (claim, nowMs) => target.nextTurnAtMs?.(claim, nowMs),
  };
}

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
