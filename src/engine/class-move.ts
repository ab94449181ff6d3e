// The stored state of a move of a whole class. The platform moves one appointment per request and has no transaction. So the worker stores
// the progress of each appointment, and moves all back if one is refused. Ids and times only. Pure.

import { slotOf } from './class-slot.ts';
import { isMovableStatus } from './mirror.ts';
import { appointmentState, type Snapshot } from './object.ts';

/** Most appointments moved together: each costs several requests, and all may have to go back. */
export const CLASS_MOVE_MAX = 50;

export interface ClassMove {
  /** Start of all appointments before and after the move; ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  /** The main resource of the class. It does not change. */
  readonly resourceId: string;
  readonly notifyCustomer: boolean;
  readonly members: readonly ClassMember[];
  /** Why one of them was refused: those already moved go back. */
  readonly refused?: { readonly code: string /** For people. */; readonly text: string };
}

/**
 * | `is` | where the appointment is | next |
 * |---|---|---|
 * | `waiting` | at `from` | `leaving`, `left` |
 * | `leaving` | its request may have left | `moved`, `stays`, `left` |
 * | `moved` | at `to`, by this move | after a refusal `returning`, `left`, `stuck` |
 * | `returning` | the request that moves it back may have left | `back`, `stuck`, `left` |
 *
 * `stays`: the platform refused it. `left`: someone else moved or cancelled it, so this move leaves it alone. `stuck`: at `to`, while
 * others are at `from`.
 */
export interface ClassMember {
  readonly id: string;
  readonly is: 'waiting' | 'leaving' | 'moved' | 'returning' | 'back' | 'stays' | 'left' | 'stuck';
  /** `appointmentState` when this move last saw the appointment: any later change was made by someone else. */
  readonly state: string;
}

/** The next step for one member. `refused`: all moved members go back. */
export type ClassStep =
  | { readonly type: 'send'; readonly to: string; readonly is: 'leaving' | 'returning' }
  | { readonly type: 'record'; readonly is: ClassMember['is'] }
  | { readonly type: 'refused'; readonly code: string };

/** The member whose turn it is; undefined when the move is over. */
export function nextMember({ members, refused }: ClassMove): ClassMember | undefined {
  const states = refused === undefined ? THERE : BACK;
  for (const state of states) {
    const found = members.find(({ is }) => is === state);
    if (found !== undefined) return found;
  }
  return undefined;
}
/** Requests that may be under way come first. */
const THERE = ['leaving', 'waiting'] as const;
const BACK = ['returning', 'moved'] as const;

/** `now`: the appointment after any earlier request for it has ended. */
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
      // Another state: perhaps it was moved, and someone has moved it back.
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

/** The platform has refused to move it. `now` is read afterwards, because someone else may have moved it first. */
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

/** Where an appointment is, as far as this move is concerned. */
export function whereInMove({ from, to, resourceId }: ClassMove, now: Snapshot): 'from' | 'to' | 'elsewhere' {
  const slot = slotOf(now);
  if (slot === undefined || slot.resourceId !== resourceId) return 'elsewhere';
  if (slot.startMs === Date.parse(from)) return 'from';
  return slot.startMs === Date.parse(to) ? 'to' : 'elsewhere';
}
