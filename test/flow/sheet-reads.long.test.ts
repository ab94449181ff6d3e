// What flushes and polls of one spreadsheet cost together. Google allows 60 reads and 60 writes a minute.
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const ROUNDS = 12;

test('a booking tab that is polled all the while costs no reading beside the flushes: one read and one write a flush', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const rows = [world.type({ Name: 'Vera Orlova' }), world.type({ Name: 'Ivan Petrov', Resource: 'Boris' })];
  await world.settle();
  for (const row of rows) expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
  /** People move both appointments; the next poll sees it, and its answers wait for the next flush. */
  const move = (hour: number) => {
    for (const row of rows) world.put(row, 'Start', `03.03.2026 ${hour}:00`);
  };
  move(12);
  await world.poll();
  await world.work();
  world.google.resetCounts();
  for (let round = 0; round < ROUNDS; round += 1) {
    const hour = round % 2 === 0 ? 10 : 12;
    move(hour);
    // Nobody changes an appointment so often that it looks like a loop.
    world.clock.advance(120_000);
    const { polled } = await world.pollAlong();
    expect(await world.flush()).toBe(true);
    await polled;
    await world.work();
  }
  expect(world.google.stats().callsByMethod).toEqual({
    'spreadsheets.values.batchGetByDataFilter': ROUNDS,
    'spreadsheets.batchUpdate': ROUNDS,
  });
  await world.flush();
  const times = rows.map((row) => Number(world.row(row)['Time']) % 1);
  expect(times).toEqual(times.map(() => 0.5));
  expect(world.booked()).toHaveLength(2);
});
