/** Rows of a booking sheet in which people have typed no booking: the header of a second table, and boxes down to the end of the tab. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const TWELVE = '2026-03-03T09:00:00.000Z Anna Nina Belova';
const NINA = { Name: 'Nina Belova', Phone: '8 495 000-11-02', Start: '03.03.2026 12:00' };

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function columnsOf(more: Partial<IntakeWorld['mapping']['columns']>, hasReady: boolean) {
  const { ready, ...columns } = (await stands.start()).mapping.columns;
  return { ...columns, ...(hasReady && ready !== undefined && { ready }), ...more };
}

async function settle(world: IntakeWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

test.each([true, false])(
  'P6: the header of a second table below the first is told nothing, with a column ready: %s',
  async (hasReady) => {
    const world = await stands.start({ columns: await columnsOf({}, hasReady) });
    world.type();
    const { row } = world.staff.addRow({ ...world.at, values: HEADERS });
    world.type(NINA);
    await settle(world);
    expect(world.booked()).toEqual([TEN, TWELVE]);
    expect(world.rows()[row - 1]).toEqual(HEADERS);
  },
);

test('P4: unticked boxes in a column of another meaning make no rows, and a row beside one is booked', async () => {
  const columns = await columnsOf({ comment: 'Notes' }, false);
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
