import { classIdOf } from '../../domain/class-slot.ts';
import type { CalendarMirror } from '../../domain/mirror.ts';
import type { Claim } from '../../domain/work.ts';
import type { MirrorTarget } from '../../ports/handler.ts';
import type { DirectorySource } from '../../ports/platform.ts';
import type { ObjectView } from '../../ports/work.ts';
import { type CalendarBySubject, calendarsOf } from '../route.ts';
import { classOf, standsIn } from './membership.ts';

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
