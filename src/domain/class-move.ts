// A move of a whole class, as it is stored while it is under way. The platform moves one appointment per request and has no transaction. So
// the progress of each is stored, and all go back when one is refused. Ids and hours only. Pure.
import { slotOf } from './class-slot.ts';
import { appointmentState, isMovableStatus } from './placement.ts';
import type { Snapshot } from './snapshot.ts';

/** Appointments that are moved together at most: each costs several requests, and all may have to go back. */
export const CLASS_MOVE_MAX = 50;

export interface ClassMove {
  /** Where all of them stood when it began, and where they are to stand; ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  /** The main one of the class. It stays. */
  readonly resourceId: string;
  readonly notifyCustomer: boolean;
  readonly members: readonly ClassMember[];
  /** Why one of them was refused: those that were moved go back. */
  readonly refused?: { readonly code: string /** For people. */; readonly text: string };
}

/**
 * | `is` | stands | next |
 * |---|---|---|
 * | `waiting` | at `from` | `leaving`, `left` |
 * | `leaving` | its request may have left | `moved`, `stays`, `left` |
 * | `moved` | at `to`, by this move | after a refusal `returning`, `left`, `stuck` |
 * | `returning` | the request that moves it back may have left | `back`, `stuck`, `left` |
 *
 * `stays`: it was refused. `left`: somebody else moved or cancelled it, and it is theirs. `stuck`: at `to`, while others are at `from`.
 */
export interface ClassMember {
  readonly id: string;
  readonly is: 'waiting' | 'leaving' | 'moved' | 'returning' | 'back' | 'stays' | 'left' | 'stuck';
  /** `stateOf` the appointment when it was last seen by this move: whatever happens to it afterwards was somebody else's doing. */
  readonly state: string;
}

/** What is next for one member. `refused`: all that were moved go back. */
export type ClassStep =
  | { readonly type: 'send'; readonly to: string; readonly is: 'leaving' | 'returning' }
  | { readonly type: 'record'; readonly is: ClassMember['is'] }
  | { readonly type: 'refused'; readonly code: string };

/** The member that has its turn; undefined when the move is over. */
export function nextMember({ members, refused }: ClassMove): ClassMember | undefined {
  const states = refused === undefined ? THERE : BACK;
  for (const state of states) {
    const found = members.find(({ is }) => is === state);
    if (found !== undefined) return found;
  }
  return undefined;
}
/** What may be on its way comes first. */
const THERE = ['leaving', 'waiting'] as const;
const BACK = ['returning', 'moved'] as const;

/** `now`: the appointment as it is after whatever had left for it has ended. */
export function stepOf(move: ClassMove, member: ClassMember, now: Snapshot): ClassStep {
  const where = whereInMove(move, now);
  const isSame = member.state === appointmentState(now);
  switch (member.is) {
    case 'waiting':
      if (where !== 'from') return { type: 'record', is: 'left' };
      if (!isMovableStatus(now['status'])) return { type: 'refused', code: 'appointment-not-reschedulable' };
      return { type: 'send', to: move.to, is: 'leaving' };
    case 'leaving':
      if (where === 'to') return { type: 'record', is: 'moved' };
      if (where !== 'from') return { type: 'record', is: 'left' };
      // Perhaps it was moved, and somebody has moved it back.
      return isSame
        ? { type: 'send', to: move.to, is: 'leaving' }
        : { type: 'refused', code: 'moved-meanwhile' };
    case 'moved':
    case 'returning':
      if (where === 'from') return { type: 'record', is: member.is === 'returning' ? 'back' : 'left' };
      if (where !== 'to') return { type: 'record', is: 'left' };
      return isSame ? { type: 'send', to: move.from, is: 'returning' } : { type: 'record', is: 'stuck' };
    default:
      return { type: 'record', is: member.is };
  }
}

/** The platform has refused to move it. `now`: read afterwards; somebody may have been quicker. */
export function stepAfterRefusal(
  move: ClassMove,
  member: ClassMember,
  { now, code }: { readonly now: Snapshot; readonly code: string },
): Exclude<ClassStep, { type: 'send' }> {
  const where = whereInMove(move, now);
  if (member.is === 'leaving')
    return where === 'from' ? { type: 'refused', code } : { type: 'record', is: 'left' };
  return { type: 'record', is: where === 'to' ? 'stuck' : 'left' };
}

export function withMember(move: ClassMove, changed: ClassMember): ClassMove {
  return { ...move, members: move.members.map((each) => (each.id === changed.id ? changed : each)) };
}

export function membersWho({ members }: ClassMove, is: ClassMember['is']): readonly string[] {
  return members.filter((each) => each.is === is).map(({ id }) => id);
}

/** Where an appointment stands, as far as this move is concerned. */
export function whereInMove({ from, to, resourceId }: ClassMove, now: Snapshot): 'from' | 'to' | 'elsewhere' {
  const slot = slotOf(now);
  if (slot === undefined || slot.resourceId !== resourceId) return 'elsewhere';
  if (slot.startMs === Date.parse(from)) return 'from';
  return slot.startMs === Date.parse(to) ? 'to' : 'elsewhere';
}
