import { setTimeout as sleep } from 'node:timers/promises';
import {
  addReminder,
  drag,
  dragToColleague,
  duplicate,
  makeAllDay,
  recolour,
  remove,
  resize,
  retitle,
  showAsFree,
} from './calendar-acts.ts';
import type { StaffAct, StaffCast } from './cast.ts';
import { correctName, deleteRow, insertBlankRow, overtype, sort, writeNote } from './sheet-acts.ts';

/** Acts and their relative frequencies. */
const ACTS: readonly (readonly [share: number, act: StaffAct])[] = [
  [14, drag],
  [4, dragToColleague],
  [8, remove],
  [5, resize],
  [6, retitle],
  [9, recolour],
  [9, addReminder],
  [4, showAsFree],
  [2, makeAllDay],
  [4, duplicate],
  [4, sort],
  [3, insertBlankRow],
  [3, deleteRow],
  [8, writeNote],
  [4, overtype],
  [8, correctName],
];
const SHARES = ACTS.reduce((sum, [share]) => sum + share, 0);
const PAUSE_MS = 80;

/** Plays staff until the signal aborts. Returns the number of acts. */
export async function playStaff(cast: StaffCast, over: AbortSignal): Promise<number> {
  let acts = 0;
  while (!over.aborted) {
    someAct(cast.random.next())(cast);
    acts += 1;
    await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return acts;
}

function someAct(dice: number): StaffAct {
  let left = dice * SHARES;
  for (const [share, act] of ACTS) {
    left -= share;
    if (left < 0) return act;
  }
  throw new RangeError('the dice shows 0 to 1');
}
