/** People type between the last look at a booking sheet and the start with an edited YAML. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function pass(world: IntakeWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

const COLUMNS = {
  ...{ service: 'Service', starts_at: 'Start', name: 'Name', phone: 'Phone', resource: 'Resource' },
  ...{ ready: 'Ready', cancel: 'Cancel' },
  ...{ id: 'ID', status: 'Status', appointment: 'Appointment', booked_at: 'Time' },
};
const EDITS: readonly (readonly [string, Partial<IntakeWorld['mapping']>])[] = [
  ['nothing', {}],
  ['another comment', { comment: 'From the desk' }],
  ['another zone', { timezone: 'Europe/Berlin' }],
  ['another name', { name: 'desk' }],
  ['a column for a comment', { columns: { ...COLUMNS, comment: 'Notes' } }],
  ['another column for the resource', { columns: { ...COLUMNS, resource: 'Notes' } }],
];

async function refusedRow(world: IntakeWorld): Promise<number> {
  const { dashboard, platform } = world;
  dashboard.bookAs('lk', {
    ...{ serviceId: platform.serviceId, resourceId: platform.annaId, customerName: 'Somebody' },
    ...{ startsAt: '2026-03-03T07:00:00Z', customerPhone: '+74950001199' },
  });
  const row = world.type();
  await world.settle();
  expect(world.booked()).toHaveLength(1);
  expect(String(world.row(row)['Status'])).toMatch(/taken|free/i);
  return row;
}

test.each(EDITS)('P1: a tick under cancel before the start with %s cancels', async (_, rules) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const row = world.type();
  await pass(world);
  expect(world.booked()).toHaveLength(1);
  world.put(row, 'Cancel', true);
  Object.assign(world.mapping, rules);
  await world.restart();
  await pass(world);
  expect(world.booked()).toEqual([]);
});

test.each(EDITS)('P1: a refused row corrected before the start with %s is booked', async (_, rules) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const row = await refusedRow(world);
  world.put(row, 'Start', '03.03.2026 15:00');
  Object.assign(world.mapping, rules);
  await world.restart();
  await pass(world);
  expect(world.booked()).toHaveLength(2);
});

test.each(EDITS)(
  'P1: a refused row, unticked, corrected and ticked before the start with %s is booked',
  async (_, rules) => {
    const world = await stands.start({ timezone: 'Europe/Moscow' });
    const row = await refusedRow(world);
    world.put(row, 'Ready', false);
    await pass(world);
    world.put(row, 'Start', '03.03.2026 15:00');
    world.put(row, 'Ready', true);
    Object.assign(world.mapping, rules);
    await world.restart();
    await pass(world);
    expect(world.booked()).toHaveLength(2);
  },
);

test.each(EDITS)('P1: a row first typed before the start with %s is booked', async (_, rules) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  world.type({ Start: '04.03.2026 15:00', Name: 'Olga Smirnova', Phone: '8 495 000-11-02' });
  await pass(world);
  world.type();
  Object.assign(world.mapping, rules);
  await world.restart();
  await pass(world);
  expect(world.booked()).toHaveLength(2);
});

test.each<readonly [string, (world: IntakeWorld) => Promise<void>]>([
  ['ends before the turns of its rows', (world) => world.restart()],
  [
    'has read its rows again ten minutes later',
    async (world) => {
      world.clock.advance(11 * 60_000);
      await world.poll();
    },
  ],
])('P7: a worker that %s moves nobody after an edit of the YAML', async (_, then) => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  world.type();
  await pass(world);
  const before = world.booked();
  expect(before).toHaveLength(1);
  Object.assign(world.mapping, { timezone: 'Europe/Berlin' });
  await world.restart();
  await world.poll();
  await then(world);
  await pass(world);
  expect(world.booked()).toEqual(before);
});

test('P7: rules that change there and back while the turns wait move nobody', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const row = world.type();
  await pass(world);
  const before = world.booked();
  for (const timezone of ['Europe/Berlin', 'Asia/Tokyo', 'Europe/Moscow']) {
    Object.assign(world.mapping, { timezone });
    await world.restart();
    await world.poll();
  }
  await pass(world);
  expect(world.booked()).toEqual(before);
  world.put(row, 'Start', '03.03.2026 14:00');
  await pass(world);
  expect(world.booked()).toEqual(['2026-03-03T11:00:00.000Z Anna Vera Orlova']);
});

test('P7: an edit that also brings a column for cancel cancels nothing that was ticked before', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const { cancel, ...columns } = world.mapping.columns;
  world.mapping.columns = columns;
  world.type({ Cancel: true });
  await world.restart();
  await pass(world);
  const before = world.booked();
  expect(before).toHaveLength(1);
  world.mapping.columns = { ...columns, cancel: String(cancel) };
  await world.restart();
  await pass(world);
  expect(world.booked()).toEqual(before);
});
