/** The YAML loses the column that says when a row is ready: what nobody had ticked is no wish by that alone. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { approveParked, waitingApprovals } from '../../src/operate/approvals.ts';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { strideOf } from '../stand/runs.ts';

const HELD = /^Not booked yet: .*a person is asked first/;
const MINUTE_MS = 60_000;
const TEN = '2026-03-03T07:00:00.000Z';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** The worker starts again with another YAML. */
async function rewrite(world: IntakeWorld, columns: IntakeWorld['mapping']['columns']): Promise<void> {
  Object.assign(world.mapping, { columns });
  await world.restart();
  await rest(world);
}

/** Long enough for a row that was left alone. */
async function rest(world: IntakeWorld): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    await world.settle();
    world.clock.advance(MINUTE_MS);
  }
  await world.lookAtHeld();
}

async function withoutReady(world: IntakeWorld): Promise<void> {
  const { ready: _, ...columns } = world.mapping.columns;
  await rewrite(world, columns);
}

async function approve({ store: { memory, deadLetters }, clock }: IntakeWorld): Promise<void> {
  const [waiting] = await waitingApprovals({ memory, deadLetters, clock });
  if (waiting === undefined) throw new Error('nothing waits');
  await approveParked({ memory, clock }, waiting);
}

const guest = (at: number) => ({
  ...{ Start: `${String(3 + at).padStart(2, '0')}.03.2026 10:00`, Name: `Guest ${at}` },
  Phone: `8 495 000-12-0${at}`,
});

test('P7: rows that nobody ticked wait for a person when the YAML loses `ready`; a ticked one and new ones are booked', async () => {
  const world = await stands.start();
  const ticked = world.type();
  const idle = [1, 2, 3].map((at) => world.type({ ...guest(at), Ready: at === 1 ? '' : false }));
  await rest(world);
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  await withoutReady(world);
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  for (const row of idle) expect(world.row(row)['Status']).toMatch(HELD);
  expect(world.row(ticked)['Status']).toBe('Booked.');
  expect(await world.problems()).toEqual(['bookings:front-submitter mass-booking']);
  // A restart changes nothing, nor does another hour; what people type from now on counts by the new rule.
  await world.restart();
  const [first = 0] = idle;
  world.put(first, 'Start', '04.03.2026 12:00');
  world.type({ ...guest(5), Start: '03.03.2026 14:00', Ready: '' });
  await rest(world);
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, '2026-03-03T11:00:00.000Z Anna Guest 5']);
  for (const row of idle) expect(world.row(row)['Status']).toMatch(HELD);
  await approve(world);
  await world.lookAtHeld();
  await rest(world);
  await world.lookAtHeld();
  expect(new Set(idle.map((row) => world.row(row)['Status']))).toEqual(new Set(['Booked.']));
  expect(world.appointments()).toHaveLength(5);
  expect(world.booked()).toContain('2026-03-04T09:00:00.000Z Anna Guest 1');
  expect(await world.problems()).toEqual([]);
});

test('P7: a cancelled appointment whose row is not ready any more is not booked again by that edit alone', async () => {
  const world = await stands.start();
  const row = world.type();
  await rest(world);
  world.dashboard.cancel(String(world.row(row)['Appointment']));
  await world.hear();
  world.put(row, 'Ready', false);
  await rest(world);
  await withoutReady(world);
  expect(world.booked()).toEqual([]);
  expect(world.row(row)['Status']).toMatch(HELD);
});

test('P4: the same rule at work again, and a sheet that never had the column: rows are booked as ever', async () => {
  const world = await stands.start();
  const row = world.type({ ...guest(1), Ready: false });
  await rest(world);
  const { columns } = world.mapping;
  await withoutReady(world);
  await rewrite(world, columns);
  world.put(row, 'Ready', true);
  await rest(world);
  expect(world.row(row)['Status']).toBe('Booked.');
  const { ready: _, ...without } = columns;
  const other = await stands.start({ columns: without });
  const typed = other.type({ ...guest(2), Ready: '' });
  await rest(other);
  expect(other.row(typed)['Status']).toBe('Booked.');
});

test('P7: killed at any step of the polls after that edit: no row is booked that nobody ticked', async () => {
  for (let step = 1, isDead = true; isDead; step += strideOf(9)) {
    const world = await stands.start();
    const row = world.type({ Ready: false });
    await world.settle();
    const { ready: _, ...columns } = world.mapping.columns;
    Object.assign(world.mapping, { columns });
    isDead = false;
    await world.restart();
    for (let polls = 0; polls < 2; polls += 1) {
      isDead = (await world.dieAt(step)) || isDead;
      await world.restart();
      world.clock.advance(MINUTE_MS);
    }
    await rest(world);
    expect(world.booked(), `step ${step}`).toEqual([]);
    expect(world.row(row)['Status'], `step ${step}`).toMatch(HELD);
    await stands.closeWorlds();
  }
}, 60_000);
