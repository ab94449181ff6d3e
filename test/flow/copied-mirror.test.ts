/** The YAML names a copy of a mirrored spreadsheet whose cells people may change: rows that changed since show the truth, and carry nothing. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { standing, startAppointments, typed } from './carried-appointment-rows.ts';
import { ADA, startContacts } from './carried-rows.ts';

const COPY = 'copied-book';
const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const contacts = ({ platform }: CarriedWorld) =>
  platform.sandbox.truth.contacts().map(({ name, phone, email }) => ({ name, phone, email }));

test('P3: contacts keep what they have since, and what people type in the copy is carried', async () => {
  const { world, ada, bea } = await startContacts(stands);
  world.copy(COPY);
  world.dashboard.changeContact(ada, { phone: '+74950009901' });
  world.put(bea, 'Email', 'typed@example.com');
  const dan = world.create('Dan Brown', '+74950001155');
  await world.settle();
  const truth = contacts(world);
  await world.pointAt(COPY);
  await world.settle();
  expect(contacts(world)).toEqual(truth);
  expect(world.row(ada)).toMatchObject({ Name: ADA.name, Phone: '+74950009901' });
  expect(world.row(bea)).toMatchObject({ Email: 'typed@example.com' });
  expect(world.row(dan)).toMatchObject({ Name: 'Dan Brown' });
  expect(world.rows().filter(([key]) => key === ada)).toHaveLength(1);
  world.put(ada, 'Phone', "'+74950009902");
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ phone: '+74950009902' });
});

test('P7: appointments stay where they have been moved since', async () => {
  const { world, ada, bea, cleo, dora } = await startAppointments(stands);
  world.put(dora, 'Cancel', true);
  world.copy(COPY);
  world.put(dora, 'Cancel', false);
  world.dashboard.reschedule(ada, { startsAt: '2026-03-04T07:15:00.000Z' });
  world.put(bea, 'Start', typed('2026-03-04 15:20'));
  await world.settle();
  world.put(cleo, 'Start', typed('2026-03-05 16:40'));
  await world.settle();
  const truth = standing(world);
  await world.pointAt(COPY);
  await world.settle();
  await world.settle();
  expect(standing(world)).toEqual(truth);
  expect(world.startOf(ada)).toBe('2026-03-04 10:15');
  expect(world.row(dora)['Cancel']).toBe(false);
});

test('P7: the worker looks at the copy before it writes there: nothing is carried', async () => {
  const { world, ada, bea } = await startAppointments(stands);
  world.copy(COPY);
  world.dashboard.reschedule(ada, { startsAt: '2026-03-04T07:15:00.000Z' });
  world.put(bea, 'Start', typed('2026-03-04 15:20'));
  await world.settle();
  const truth = standing(world);
  await world.pointAt(COPY);
  await world.look();
  await world.work();
  expect(standing(world)).toEqual(truth);
  await world.settle();
  expect(standing(world)).toEqual(truth);
});
