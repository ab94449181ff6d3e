/** A formula of a booking row has no value when a worker with an edited YAML reads it first (P7, P1). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Some minutes: also longer than a formula is waited for. */
async function pass(world: IntakeWorld, rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

const CELLS = { Phone: '8 495 000-11-01', Start: '03.03.2026 10:00', Resource: 'Anna' } as const;
const COLUMNS = Object.keys(CELLS) as (keyof typeof CELLS)[];

async function refusedRow(world: IntakeWorld): Promise<{ row: number; taken: string }> {
  const { dashboard, platform } = world;
  const taken = dashboard.bookAs('lk', {
    ...{ serviceId: platform.serviceId, resourceId: platform.annaId, customerName: 'Somebody' },
    ...{ startsAt: '2026-03-03T07:00:00Z', customerPhone: '+74950001199' },
  });
  const row = world.type();
  await pass(world, 2);
  expect(world.booked()).toHaveLength(1);
  return { row, taken };
}

async function edit(world: IntakeWorld, rules: Partial<IntakeWorld['mapping']>): Promise<void> {
  Object.assign(world.mapping, rules);
  await world.restart();
}

test.each(COLUMNS)('P7: a booked row whose %s is loading stays booked as it was', async (column) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const row = world.type();
  await pass(world, 2);
  const before = world.booked();
  world.put(row, column, 'Loading...');
  await edit(world, { timezone: 'Europe/Berlin' });
  await pass(world);
  world.put(row, column, CELLS[column]);
  await pass(world);
  expect(world.booked()).toEqual(before);
});

test.each(COLUMNS)('P7: a refused row whose %s is loading is not booked by the edit', async (column) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const { row, taken } = await refusedRow(world);
  world.dashboard.cancel(taken, { notify: false });
  world.put(row, column, 'Loading...');
  await edit(world, { timezone: 'Europe/Berlin' });
  await pass(world);
  world.put(row, column, CELLS[column]);
  await pass(world);
  expect(world.booked()).toEqual([]);
});

test.each(COLUMNS)('P7: nor if the worker starts again while its %s is loading', async (column) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const { row, taken } = await refusedRow(world);
  world.dashboard.cancel(taken, { notify: false });
  world.put(row, column, 'Loading...');
  await edit(world, { timezone: 'Europe/Berlin' });
  await pass(world);
  await edit(world, { timezone: 'Europe/London' });
  await pass(world);
  world.put(row, column, CELLS[column]);
  await edit(world, {});
  await pass(world);
  expect(world.booked()).toEqual([]);
  world.put(row, 'Start', '04.03.2026 10:00');
  await pass(world);
  expect(world.booked()).toEqual(['2026-03-04T10:00:00.000Z Anna Vera Orlova']);
});

test('P4: a column that is new in the YAML and has no value hinders nobody for long', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const row = world.type({ Notes: '#REF!' });
  await pass(world, 2);
  const before = world.booked();
  await edit(world, { columns: { ...world.mapping.columns, comment: 'Notes' } });
  await pass(world);
  expect(world.booked()).toEqual(before);
  world.put(row, 'Start', '03.03.2026 15:00');
  await pass(world);
  expect(world.row(row)['Status']).toContain('formula');
  world.put(row, 'Notes', 'By the window');
  await pass(world);
  expect(world.row(row)['Status']).toContain('Not moved: this row differs from its appointment');
});

test.each(COLUMNS)('P1: a refused row corrected while its %s was loading is booked', async (column) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const { row } = await refusedRow(world);
  world.put(row, column, 'Loading...');
  await edit(world, { timezone: 'Europe/Berlin' });
  await pass(world);
  world.put(row, 'Start', '03.03.2026 15:00');
  if (column !== 'Start') world.put(row, column, CELLS[column]);
  await pass(world);
  expect(world.booked()).toContain('2026-03-03T14:00:00.000Z Anna Vera Orlova');
});
