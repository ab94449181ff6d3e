import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '../../src/engine/handler.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import { placeKey, type Waits } from '../../src/engine/work.ts';
import {
  ANNA,
  APPOINTMENT_ID,
  appointment,
  BORIS,
  mirror,
  NOW_MS,
  openStand,
  ROOM,
  type Stand,
} from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

/** One turn in which failures are told of by their place. */
async function turn(snapshot: Snapshot, rests: readonly string[] = []) {
  const reason = { mirror: mirror.name, code: 'c', message: 'm' };
  const wait = {
    family: 'deferred',
    rev: 1,
    sinceMs: NOW_MS,
    untilMs: NOW_MS + 1,
    attempts: 0,
    reason,
  } as const;
  const waits: Waits = Object.fromEntries(rests.map((place) => [placeKey(mirror.name, place), wait]));
  const failed: string[] = [];
  const claim = { ...stand.claim(snapshot), waits };
  const action: Action = await stand.target.reconcile(claim, (place) => failed.push(place));
  return { action, failed };
}

const refuse = (calendarId: string) =>
  stand.google.faults.add({
    path: new RegExp(`calendars/${calendarId}`),
    fault: { kind: 'status', status: 500 },
  });
const withRoom = (more: Record<string, unknown> = {}) =>
  appointment({ resource_ids: ['r-anna', 'r-room'], ...more });
const given = (more: Record<string, unknown> = {}) =>
  appointment({ resource_id: 'r-boris', resource_ids: ['r-boris', 'r-room'], ...more });
const stands = () => [ANNA, BORIS, ROOM].filter((id) => stand.titles(id).length > 0);

describe('a calendar that fails', () => {
  test('is told of by its id, and what was done elsewhere is told as well', async () => {
    refuse(ROOM);
    expect(await turn(withRoom())).toEqual({ action: 'created', failed: [ROOM] });
    expect(stands()).toEqual([ANNA]);
  });

  test('keeps no cancelled event in another calendar', async () => {
    await turn(withRoom());
    const heal = refuse(ANNA);
    expect(await turn(withRoom({ status: 'cancelled', resource_ids: [] }))).toEqual({
      action: 'removed',
      failed: [ANNA],
    });
    expect(stands()).toEqual([ANNA]);
    heal();
    await turn(withRoom({ status: 'cancelled', resource_ids: [] }));
    expect(stands()).toEqual([]);
  });

  test('keeps no event in the former resource’s calendar once the new resource’s calendar has one', async () => {
    await turn(withRoom());
    refuse(ROOM);
    expect(await turn(given({ comment: 'x' }))).toEqual({ action: 'moved', failed: [ROOM] });
    expect(stands()).toEqual([BORIS, ROOM]);
  });

  test('keeps the event where it was while it cannot be made where it goes', async () => {
    await turn(withRoom());
    refuse(BORIS);
    expect(await turn(given({ comment: 'x' }))).toEqual({ action: 'updated', failed: [BORIS] });
    expect(stands()).toEqual([ANNA, ROOM]);
  });
});

describe('a calendar that rests', () => {
  test('is not called, and all others are written', async () => {
    stand.google.resetCounts();
    expect(await turn(withRoom(), [ROOM])).toEqual({ action: 'created', failed: [] });
    expect(stand.calls()).toEqual({ 'events.insert': 1 });
    expect(await turn(withRoom())).toEqual({ action: 'created', failed: [] });
    expect(stands()).toEqual([ANNA, ROOM]);
  });

  test('keeps the event where it was while it cannot be made there', async () => {
    await turn(withRoom());
    expect(await turn(given(), [BORIS])).toEqual({ action: 'nothing', failed: [] });
    expect(stands()).toEqual([ANNA, ROOM]);
    expect(await turn(given())).toEqual({ action: 'moved', failed: [] });
    expect(stands()).toEqual([BORIS, ROOM]);
  });

  test('leaves nothing behind when its turn comes after the appointment was cancelled', async () => {
    await turn(withRoom());
    const cancelled = withRoom({ status: 'cancelled', resource_ids: [] });
    expect(await turn(cancelled, [ROOM])).toEqual({ action: 'removed', failed: [] });
    expect(stands()).toEqual([ROOM]);
    await turn(cancelled);
    expect([stands(), stand.links.calendars(APPOINTMENT_ID, mirror.name)]).toEqual([[], []]);
  });
});

test('a booked event that cannot be looked for keeps no other calendar waiting, and is not made a second time', async () => {
  const target = stand.targetOf(mirror, {
    editsFor: () => undefined,
    async bookedBy(_, calendarId) {
      if (calendarId === ROOM) throw new Error('no answer');
      return undefined;
    },
  });
  const failed: string[] = [];
  const metadata = { slotbridge_origin: 'calendar of somebody' };
  await target.reconcile(stand.claim(withRoom({ metadata })), (place) => failed.push(place));
  expect([failed, stands()]).toEqual([[ROOM], [ANNA]]);
});
