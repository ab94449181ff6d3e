/** Rows of a booking sheet in which people have typed no booking: boxes down to the end of the tab. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function settle(world: IntakeWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

test('P4: unticked boxes in a column of another meaning make no rows, and a row beside one is booked', async () => {
  const { ready: _, ...others } = (await stands.start()).mapping.columns;
  const columns = { ...others, comment: 'Notes' };
  const world = await stands.start({ columns, comment: '{{ comment }}' });
  for (let row = 2; row <= 50; row += 1) world.put(row, 'Notes', false);
  await settle(world);
  expect(world.api.writes).toBe(0);
  const cells = { Service: 'Haircut', Start: '03.03.2026 10:00', Name: 'Vera Orlova', Resource: 'Anna' };
  for (const [header, cell] of Object.entries({ ...cells, Phone: '8 495 000-11-01' }))
    world.put(20, header, cell);
  await settle(world);
  expect(world.booked()).toEqual([TEN]);
  expect(world.row(20)).toMatchObject({ Status: 'Booked.', Notes: false });
  expect(world.rows().filter((row) => row[HEADERS.indexOf('ID')] !== '')).toHaveLength(2);
});
