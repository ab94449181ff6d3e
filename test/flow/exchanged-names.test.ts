/** Two entries of `bookings` exchange their names, and later again: what was decided last counts (P7, P3). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { inheritLinks } from '../../src/operate/mapping-change/inherit-links.ts';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { SILENT_LOG } from '../stand/store.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function pass(world: IntakeWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

/** The worker starts with this name of the entry, and the former one for an entry with another tab. */
async function name(world: IntakeWorld, now: string, other: string): Promise<void> {
  const entry = (each: string, source: string) =>
    ({ kind: 'booking', name: each, from: 'booking', sources: [source] }) as const;
  const mirrors = [entry(now, 'the tab'), entry(other, 'another tab')];
  Object.assign(world.mapping, { name: now });
  await inheritLinks({ mirrors, moves: world.store.linkMoves, memory: world.store.memory, log: SILENT_LOG });
  await world.restart();
}

test.each([2, 3, 4])('P3: after %i exchanges, the platform’s last move stands', async (times) => {
  const world = await stands.start({ conflict: 'staff' });
  await name(world, 'desk', 'front');
  const row = world.type();
  await pass(world);
  for (let n = 1; n < times; n += 1) {
    await (n % 2 === 1 ? name(world, 'front', 'desk') : name(world, 'desk', 'front'));
    await pass(world);
    world.put(row, 'Start', `03.03.2026 ${12 + n}:00`);
    await pass(world);
  }
  const [{ id = '' } = {}] = world.appointments() as { id?: string }[];
  const startsAt = '2026-03-03T15:00:00.000Z';
  world.dashboard.reschedule(id, { startsAt, notify: false });
  await world.hear();
  await pass(world);
  expect(world.booked()).toEqual([`${startsAt} Anna Vera Orlova`]);
  await (times % 2 === 1 ? name(world, 'front', 'desk') : name(world, 'desk', 'front'));
  await pass(world);
  expect(world.booked()).toEqual([`${startsAt} Anna Vera Orlova`]);
});
