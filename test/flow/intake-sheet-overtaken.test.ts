/** A poll loses its lease, and another process reads the rows: its older reading changes nothing (P3). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z';
const ELEVEN = '2026-03-03T08:00:00.000Z';
const TWELVE = '2026-03-03T09:00:00.000Z';
const FROZEN_MS = 20_000;

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('P3: a poll that was frozen past its lease does not move an appointment back to what the row said before', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'Start', '03.03.2026 11:00');
  world.api.afterRead = async () => {
    await world.outliveLease();
    world.put(row, 'Start', '03.03.2026 12:00');
    world.clock.advance(FROZEN_MS);
    await world.pollElsewhere();
    await world.work();
    world.clock.advance(FROZEN_MS);
  };
  await expect(world.poll()).rejects.toMatchObject({ code: 'lease-lost' });
  await world.work();
  expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
  await world.settle();
  expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
  expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
});

test('P7: a poll that was frozen past its lease does not cancel an appointment whose tick was removed meanwhile', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'Cancel', true);
  world.api.afterRead = async () => {
    await world.outliveLease();
    world.put(row, 'Cancel', false);
    world.clock.advance(FROZEN_MS);
    await world.pollElsewhere();
    world.clock.advance(FROZEN_MS);
  };
  await expect(world.poll()).rejects.toMatchObject({ code: 'lease-lost' });
  await world.work();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
});

test('P2: a poll that learns late that its lease is over does not overwrite the id of the row that is now there', async () => {
  const world = await stands.start();
  const row = world.type();
  const over = new AbortController();
  const ids = () => [world.row(row)['ID'], world.row(row + 1)['ID']];
  let given: readonly unknown[] = [];
  world.api.afterRead = async () => {
    over.abort(new Error('the lease was lost'));
    await world.outliveLease();
    world.type({ Name: 'Olga Serova', Phone: '8 495 000-11-02', Start: '03.03.2026 12:00' });
    world.staff.moveRow({ ...world.at, row: row + 1, before: row });
    await world.pollElsewhere();
    given = ids();
  };
  await world.poll(over.signal).catch(() => undefined);
  expect(new Set(given).size).toBe(2);
  expect(ids()).toEqual(given);
});

test('an hour typed into a row counts from when the row was read, however long its neighbours are looked up', async () => {
  const world = await stands.start({ conflict: 'latest' });
  const row = world.type();
  await world.settle();
  world.clock.advance(60_000);
  world.put(row, 'Start', '03.03.2026 12:00');
  // For a row that names an appointment and has no id, the worker looks up on the platform who booked it.
  world.type({ Name: 'Olga Serova', Phone: '8 495 000-11-02', Appointment: crypto.randomUUID() });
  world.meanwhile.lookUp = () => {
    world.clock.advance(10_000);
    world.dashboard.reschedule(String(world.appointments()[0]?.['id']), { startsAt: ELEVEN });
    world.clock.advance(10_000);
  };
  await world.settle();
  expect(world.meanwhile.lookUp).toBeUndefined();
  expect(world.booked()).toContain(`${ELEVEN} Anna Vera Orlova`);
});
