/** People restore an older version of a mirrored tab (Sheets, version history) whose cells they may change: it shows the truth again. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { standing, startAppointments, typed } from './carried-appointment-rows.ts';
import { ADA, BEA, CLEO, startContacts } from './carried-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

type Version = ReturnType<CarriedWorld['rows']>;

function restore({ staff, at, rows }: CarriedWorld, version: Version): void {
  const now = rows();
  const width = Math.max(...[...now, ...version].map(({ length }) => length));
  for (const row of Array(Math.max(now.length, version.length)).keys()) {
    const values = Array.from({ length: width }, (_, column) => {
      const cell = (version[row]?.[column] ?? '') as string | number | boolean;
      return typeof cell === 'string' && cell !== '' ? `'${cell}` : cell;
    });
    staff.setRow({ ...at, row: row + 1, values });
  }
}

const contacts = ({ platform }: CarriedWorld) =>
  platform.sandbox.truth.contacts().map(({ name, phone, email }) => ({ name, phone, email }));

const OLDER = 'Several rows went back to what they said before';
const FORMER = 'The cell said this before it was changed in the booking system.';

test('P3: contacts keep what they have since, a new one has its row again, and each row says why', async () => {
  const { world, ada, bea } = await startContacts(stands);
  const version = world.rows();
  world.dashboard.changeContact(ada, { phone: '+74950009901' });
  world.dashboard.changeContact(bea, { email: 'new@example.com' });
  const dan = world.create('Dan Brown', '+74950001155');
  await world.settle();
  const truth = contacts(world);
  // However often: nobody confirms it by restoring it once more.
  for (const isNewProcess of [false, false, true]) {
    if (isNewProcess) await world.restart();
    restore(world, version);
    await world.settle();
    expect(contacts(world)).toEqual(truth);
    expect(world.row(ada)).toMatchObject({ Name: ADA.name, Phone: '+74950009901' });
    expect(world.row(bea)).toMatchObject({ Name: BEA.name, Email: 'new@example.com' });
    expect(world.row(dan)).toMatchObject({ Name: 'Dan Brown' });
    for (const id of [ada, bea]) expect(world.row(id)['Answer']).toContain(OLDER);
  }
});

test('P3: what stands in an older version of one row only is asked about, and counts once it is typed again', async () => {
  const { world, ada } = await startContacts(stands);
  const version = world.rows();
  world.dashboard.changeContact(ada, { phone: '+74950009901' });
  await world.settle();
  restore(world, version);
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ phone: '+74950009901' });
  expect(world.row(ada)).toMatchObject({ Phone: '+74950009901' });
  expect(world.row(ada)['Answer']).toContain(FORMER);
  world.put(ada, 'Phone', `'${ADA.phone}`);
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ phone: ADA.phone });
});

test('P4: what people type and take back by hand counts at once, and so does anything new beside it', async () => {
  const { world, ada, cleo } = await startContacts(stands);
  world.put(ada, 'Email', 'typed@example.com');
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ email: 'typed@example.com' });
  world.put(ada, 'Email', ADA.email);
  world.put(cleo, 'Email', 'cleo.stone@example.com');
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ email: ADA.email });
  expect(world.contact(cleo)).toMatchObject({ name: CLEO.name, email: 'cleo.stone@example.com' });
});

test('P4: stages that people set back in several rows count at once', async () => {
  const { world, ada, bea } = await startContacts(stands);
  const before = [ada, bea].map((id) => world.contact(id)?.['lifecycle']);
  for (const id of [ada, bea]) world.dashboard.changeContact(id, { lifecycle: 'churned' });
  await world.settle();
  for (const [nth, id] of [ada, bea].entries()) world.put(id, 'Stage', String(before[nth]));
  await world.settle();
  expect([ada, bea].map((id) => world.contact(id)?.['lifecycle'])).toEqual(before);
});

test('P7: appointments stay where the platform and the office have moved them since, and no tick of then cancels', async () => {
  const { world, ada, bea, cleo, dora } = await startAppointments(stands);
  // Ticked, and taken back before anybody looked: the version has the tick.
  world.put(dora, 'Cancel', true);
  const version = world.rows();
  world.put(dora, 'Cancel', false);
  world.dashboard.reschedule(ada, { startsAt: '2026-03-04T07:15:00.000Z' });
  world.put(bea, 'Start', typed('2026-03-04 15:20'));
  await world.settle();
  world.put(cleo, 'Start', typed('2026-03-05 16:40'));
  await world.settle();
  const truth = standing(world);
  expect(Object.values(truth)).toContain('confirmed 2026-03-05T13:40:00.000Z');
  for (const isNewProcess of [false, true]) {
    if (isNewProcess) await world.restart();
    restore(world, version);
    await world.settle();
    expect(standing(world)).toEqual(truth);
    for (const id of [ada, bea, cleo]) expect(world.row(id)['Answer']).toContain(OLDER);
    expect(world.row(dora)['Cancel']).toBe(false);
  }
  const problems = (await world.store.problems.list()).map(({ code }) => code);
  expect(problems).toContain('rows-changed-at-once');
});

test('P7: an appointment that the platform moved does not go back with the row of an older version', async () => {
  const { world, ada } = await startAppointments(stands);
  const version = world.rows();
  world.dashboard.reschedule(ada, { startsAt: '2026-03-04T07:15:00.000Z' });
  await world.settle();
  restore(world, version);
  await world.settle();
  expect(world.appointment(ada)).toMatchObject({ starts_at: '2026-03-04T07:15:00.000Z' });
  expect(world.startOf(ada)).toBe('2026-03-04 10:15');
  expect(world.row(ada)['Answer']).toContain(FORMER);
  world.put(ada, 'Start', typed('2026-03-03 10:00'));
  await world.settle();
  expect(world.appointment(ada)).toMatchObject({ starts_at: '2026-03-03T07:00:00.000Z' });
});

test('P3: an older version that comes back while the worker writes over it carries nothing', async () => {
  const { world, ada, bea, cleo } = await startContacts(stands);
  const version = world.rows();
  world.dashboard.changeContact(ada, { phone: '+74950009901' });
  world.dashboard.changeContact(bea, { email: 'new@example.com' });
  await world.settle();
  world.dashboard.changeContact(cleo, { phone: '+74950009903' });
  const truth = contacts(world);
  await world.hear();
  await world.work();
  world.api.beforeWrite = () => restore(world, version);
  await world.flush();
  await world.settle();
  expect(contacts(world)).toEqual(truth);
  expect(world.row(cleo)).toMatchObject({ Phone: '+74950009903' });
});
