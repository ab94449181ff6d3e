import { expect, type TestContext, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { rowsOf } from '../stand/runs.ts';
import { ANNA, BORIS, ROOM, slot } from '../stand/world.ts';
import { ANNA_NEW, type Edited, FIRST, startEdited, Truth, type Yaml } from '../stand/yaml-edits.ts';

/** Worlds of their own, which mostly wait: three stand beside each other. */
async function begin({ onTestFinished }: TestContext): Promise<Edited> {
  const edited = await startEdited();
  onTestFinished(() => edited.close());
  return edited;
}

const { staff = {} } = FIRST.calendars;
const mapped = (lines: typeof staff, name = 'staff', sheet = 'visits'): Yaml => ({
  calendars: { [name]: lines },
  sheet,
});
const { anna: _, ...withoutAnna } = staff;
const { room: __, ...withoutRoom } = staff;

const otherCalendar = mapped({ ...staff, anna: ANNA_NEW });
const swapped = { ...staff, anna: BORIS, boris: ANNA };
const renamed = mapped(staff, 'people', 'bookings');

const EDITS: readonly (readonly [string, readonly Yaml[]])[] = [
  ['two resources change places, and change back', [mapped(swapped), FIRST]],
  ['a resource is given another calendar, and gets the old one back', [otherCalendar, FIRST]],
  [
    'another calendar, changed places, changed back',
    [otherCalendar, mapped({ anna: ROOM, boris: BORIS, room: ANNA_NEW }), otherCalendar],
  ],
  ['mirrors are renamed, and named as before', [renamed, FIRST]],
  ['mirrors are renamed while resources change places', [mapped(swapped, 'people', 'bookings'), FIRST]],
  [
    'mirrors are renamed while a resource is given another calendar',
    [mapped({ ...staff, anna: ANNA_NEW }, 'people', 'bookings'), FIRST],
  ],
  [
    'calendars are spelled in capitals, and as before',
    [mapped({ ...staff, anna: ANNA.toUpperCase(), room: ROOM.toUpperCase() }), FIRST],
  ],
  ['a resource is removed, and added again', [mapped(withoutAnna), FIRST]],
  [
    'a resource goes to a mirror of its own, and comes back',
    [{ calendars: { staff: withoutRoom, rooms: { room: ROOM } }, sheet: 'visits' }, FIRST],
  ],
];

/** A whole minute: Google keeps no more than seconds. */
const RUNNING_SINCE_MS = Math.floor(Date.now() / 60_000 - 10) * 60_000;

/** Appointments of one run: `down` are changed while no worker runs, `up` beside one. */
function bookAll({ world }: Edited) {
  const { company, platform } = world;
  const { anna, boris, haircut, massage } = company;
  const book = (name: string, startsAt: string | number, fields: { by?: string; serviceId?: string } = {}) =>
    platform.dashboard.bookAs('lk', {
      serviceId: fields.serviceId ?? haircut,
      resourceId: fields.by ?? anna,
      startsAt,
      customerName: name,
    });
  const over = [
    book('Over', slot(-30)),
    book('Over in the room', slot(-32), { serviceId: massage }),
    book('Over at Boris', slot(-34), { by: boris }),
  ];
  const running = [
    book('Running', RUNNING_SINCE_MS, { serviceId: massage }),
    book('Running at Boris', RUNNING_SINCE_MS, { by: boris }),
  ];
  const quiet = [book('Quiet', slot(20)), book('Quiet in the room', slot(22), { serviceId: massage })];
  const lively = ['down', 'up'].map((when, at) => ({
    marked: book(`Marked ${when}`, slot(-40 - 2 * at), { serviceId: massage }),
    moved: book(`Moved ${when}`, slot(40 + 10 * at)),
    movedInRoom: book(`Moved in the room ${when}`, slot(42 + 10 * at), { serviceId: massage }),
    handed: book(`Handed ${when}`, slot(44 + 10 * at)),
    cancelled: book(`Cancelled ${when}`, slot(46 + 10 * at)),
    at,
  }));
  return { over, running, quiet, lively };
}

/** Away from where it was at the first edit, and back at the next. */
function change(
  { world }: Edited,
  { marked, moved, movedInRoom, handed, cancelled, at }: Lively,
  step: number,
) {
  const { dashboard } = world.platform;
  const isAway = step % 2 === 1;
  dashboard.markAppointment(marked, isAway ? 'no_show' : 'completed');
  dashboard.reschedule(moved, { startsAt: slot((isAway ? 100 : 40) + 10 * at) });
  dashboard.reschedule(movedInRoom, { startsAt: slot((isAway ? 102 : 42) + 10 * at) });
  const resourceId = isAway ? world.company.boris : world.company.anna;
  dashboard.reschedule(handed, { startsAt: slot(44 + 10 * at), resourceId });
  if (step === 2) dashboard.cancel(cancelled);
}
type Lively = ReturnType<typeof bookAll>['lively'][number];

test.concurrent.for(rowsOf(EDITS, 8))('P1, P2, P7: %s', async ([_, steps], context) => {
  const edited = await begin(context);
  const { world } = edited;
  const truth = new Truth(world);
  const { lively } = bookAll(edited);
  const [down, up] = lively;
  await edited.start(FIRST);
  await edited.idle();
  expect(truth.differences(FIRST)).toEqual([]);

  for (const [at, yaml] of steps.entries()) {
    await edited.stop();
    if (down !== undefined) change(edited, down, at + 1);
    await edited.start(yaml);
    await edited.idle();
    if (up !== undefined) change(edited, up, at + 1);
    const status = await edited.idle();
    expect(status.problems).toEqual([]);
    // A resource that is in the YAML no more leaves its events behind, and nobody looks after them.
    const isWhole = Object.values(yaml.calendars).flatMap(Object.keys).length === 3;
    if (isWhole)
      await vi.waitFor(() => expect(truth.differences(yaml)).toEqual([]), { timeout: PATIENCE_MS });
    if (isWhole) expect(await edited.audit()).toEqual([]);
  }
  expect(world.platform.truth.customerMails().filter(({ reason }) => reason === 'cancelled').length).toBe(2);
});

test.concurrent('P1, P7: a calendar that was deleted for good and replaced in the YAML holds nothing up', async (context) => {
  const edited = await begin(context);
  const { world } = edited;
  const truth = new Truth(world);
  const { lively } = bookAll(edited);
  await edited.start(FIRST);
  await edited.idle();
  expect(truth.differences(FIRST)).toEqual([]);
  await edited.stop();
  world.google.revokeAccess(ANNA);
  for (const each of lively) change(edited, each, 1);
  await edited.start(otherCalendar);
  const status = await edited.idle();
  expect(status.problems).toEqual([]);
  expect(truth.differences(otherCalendar, [BORIS, ROOM, ANNA_NEW])).toEqual([]);
  expect(await edited.audit()).toEqual([]);
  // It comes back after all: what stands there is found.
  world.google.grantAccess(ANNA);
  expect((await edited.audit()).every((line) => line.includes(`in calendar:${ANNA}`))).toBe(true);
  expect((await edited.audit()).some((line) => line.startsWith('orphaned'))).toBe(true);
});
