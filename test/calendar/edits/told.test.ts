/** Each decision about a change is told once: as a log line, a count and an entry of the history, with its reason. */
import { problemFault } from '@slotbridge/sandbox/platform/problem-fault';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { StaffEdits } from '../../../src/engine/mirror.ts';
import {
  ANNA,
  CLARA,
  EditStands,
  type EditWorld,
  GRACE_MS,
  TUESDAY_12,
  TUESDAY_14,
} from '../../stand/edits.ts';

const stands = new EditStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

interface Row {
  readonly name: string;
  readonly edits: Partial<StaffEdits>;
  readonly act: (world: EditWorld, id: string) => void;
  readonly code: string;
  readonly because?: { readonly reason: string };
  readonly arrivedIn?: string;
  /** What the event says below its text. */
  readonly says?: RegExp;
}

const toNoon: Row['act'] = (world, id) => world.staff.move({ ...world.at(id), start: TUESDAY_12 });
const removed: Row['act'] = (world, id) => world.staff.remove(world.at(id));
const refused = (path: RegExp, code: Parameters<typeof problemFault>[0]) => (world: EditWorld) =>
  world.platform.sandbox.faults.add({ method: 'POST', path, fault: problemFault(code) });

const ROWS: readonly Row[] = [
  { name: 'a move that is carried', edits: { moved: 'reschedule' }, act: toNoon, code: 'moved' },
  {
    name: 'a move whose texts cannot be carried',
    edits: { moved: 'reschedule' },
    act(world, id) {
      toNoon(world, id);
      world.staff.retitle({ ...world.at(id), summary: 'Olga' });
    },
    ...{ code: 'moved', because: { reason: 'not-expressible' }, says: /The text was put back/ },
  },
  {
    name: 'a move that the platform refuses',
    edits: { moved: 'reschedule' },
    act(world, id) {
      refused(/reschedule$/, 'appointment-not-reschedulable')(world);
      toNoon(world, id);
    },
    ...{ code: 'move-refused', because: { reason: 'appointment-not-reschedulable' }, says: /./ },
  },
  { name: 'a move that is put back', edits: { moved: 'revert' }, act: toNoon, code: 'put-back-moved' },
  { name: 'a move that is let be', edits: { moved: 'ignore' }, act: toNoon, code: 'let-be' },
  {
    name: 'a drag to another branch',
    edits: { moved: 'reschedule' },
    act: (world, id) => world.staff.moveToCalendar({ ...world.at(id), to: CLARA }),
    ...{
      code: 'put-back-moved',
      because: { reason: 'other-branch' },
      arrivedIn: CLARA,
      says: /another branch/,
    },
  },
  { name: 'a deletion that is carried', edits: { deleted: 'cancel' }, act: removed, code: 'cancelled' },
  {
    name: 'a deletion that the platform refuses',
    edits: { deleted: 'cancel' },
    act(world, id) {
      refused(/cancel$/, 'appointment-not-cancellable')(world);
      removed(world, id);
    },
    ...{ code: 'cancel-refused', because: { reason: 'appointment-not-cancellable' }, says: /./ },
  },
  { name: 'a deletion that is let be', edits: { deleted: 'ignore' }, act: removed, code: 'let-be' },
  // That the note stays as it was is no reason.
  {
    name: 'a deletion that is put back',
    edits: { deleted: 'restore' },
    act: removed,
    code: 'put-back-deleted',
  },
];

test.each(ROWS)('$name is told once', async ({ edits, act, code, because = {}, arrivedIn, says }) => {
  const world = await stands.start(edits);
  const counted: unknown[] = [];
  world.meter.add = (name, labels) => {
    if (name === 'slotbridge_staff_edits_total') counted.push(labels);
  };
  const id = await world.bookWithEvent();
  act(world, id);
  await world.sight(id);
  if (arrivedIn !== undefined) await world.sight(id, arrivedIn);
  await world.settle(id);
  const decidedMs = world.clock.now() + (code.startsWith('cancel') ? GRACE_MS : 0);
  world.clock.advance(GRACE_MS);
  await world.settle(id);
  const { calendarId, eventId } = world.at(id);
  const key = `appointment/${id}`;
  const acted = (await world.store.history.of(key)).filter(({ what }) => what === 'acted');
  const ids = { calendarId, eventId, ...(arrivedIn && { arrivedIn }), ...because };
  const rule = 'mirrors.staff.staff_edits';
  expect(acted).toEqual([{ what: 'acted', atMs: decidedMs, by: 'staff-edit', code, rule, ids }]);
  expect(world.log.lines.filter(({ message }) => message === 'staff edit decided')).toEqual([
    {
      level: 'info',
      fields: { key, mirror: 'staff', eventId, code, ...because },
      message: expect.anything(),
    },
  ]);
  expect(counted).toEqual([{ mirror: 'staff', code }]);
  const [, said = ''] = world.description(id).split('─\n');
  if (says === undefined) expect(said).toBe('');
  else expect(said).toMatch(says);
});

test('a move costs one look at its event', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_12 });
  await world.sight(id);
  world.forgetCalls();
  await world.settle(id);
  expect(world.appointment(id)).toMatchObject({ starts_at: TUESDAY_12 });
  expect(world.calls()).toEqual({ 'events.get': 1 });
});

test('an appointment that the key no longer shows is named, and where to look', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  world.staff.move({ ...world.at(id), start: TUESDAY_14 });
  await world.sight(id);
  const reader = { ...world.ground.reader, get: async () => undefined };
  await world.turn(id, { ...world.ground, reader });
  const { letters } = await world.store.ledger.deadLetters(9);
  expect(letters.flatMap(({ reasons }) => reasons)).toMatchObject([
    { code: 'object-not-visible', target: 'platform', advice: expect.stringContaining('API key') },
  ]);
  expect(world.startsAt(id)).toBe(TUESDAY_14);
  expect(world.event(id)).toMatchObject({ status: 'confirmed' });
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_14}`]);
});

test('a note stays while people only colour its event', async () => {
  const world = await stands.start({ moved: 'reschedule' });
  const id = await world.bookWithEvent();
  refused(/reschedule$/, 'appointment-not-reschedulable')(world);
  toNoon(world, id);
  await world.sight(id);
  await world.settle(id);
  const said = world.description(id);
  expect(said).toContain('─\n');
  world.staff.recolour({ ...world.at(id), colorId: '5' });
  await world.sight(id);
  await world.settle(id);
  expect(world.description(id)).toBe(said);
});
