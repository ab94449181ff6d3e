/** People restore an older version of a tab (Sheets, version history): rows say again what is true, and nothing is booked, moved or cancelled. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
let world: IntakeWorld;
let row: number;
let version: ReturnType<IntakeWorld['rows']>;
beforeEach(async () => {
  world = await stands.start();
  row = world.type();
  await world.settle();
  version = world.rows();
});
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const TWELVE = '2026-03-03T09:00:00.000Z Anna Vera Orlova';

/** Once the worker has read the answers twice: while it writes them, a row is nobody's older version. */
async function restored(): Promise<void> {
  for (const _ of [1, 2]) await world.poll();
  for (const [at, values] of version.entries())
    if (at > 0) world.staff.setRow({ ...world.at, row: at + 1, values });
  await world.settle();
}
const put = async (column: string, value: string | boolean) => {
  world.put(row, column, value);
  await world.settle();
};
const status = () => String(world.row(row)['Status']);

test.each(['a tick', 'the platform'])(
  'P4: a row that was cancelled by %s says so again, however often it is restored',
  async (by) => {
    if (by === 'a tick') await put('Cancel', true);
    else {
      world.dashboard.cancel(String(world.row(row)['Appointment']), { notify: false });
      await world.hear();
      await world.settle();
    }
    expect(status()).toBe('Cancelled.');
    for (const isNewProcess of [false, false, true]) {
      if (isNewProcess) await world.restart();
      await restored();
      expect(status()).toBe('Cancelled.');
    }
    expect(world.booked()).toEqual([]);
    expect(world.appointments()).toHaveLength(1);
  },
);

test('P7: a row that was moved since shows its true time and asks, until people move it once more', async () => {
  await put('Start', '03.03.2026 12:00');
  const time = world.row(row)['Time'];
  // The first poll that reads it dies before the row is handed on.
  world.deaths.observe = true;
  await expect(restored()).rejects.toThrow('killed');
  await world.settle();
  expect(world.booked()).toEqual([TWELVE]);
  expect(world.row(row)['Time']).toBe(time);
  expect(status()).toContain('went back to what it said before');
  world.clock.advance(700_000);
  await world.restart();
  await world.settle();
  expect(world.booked()).toEqual([TWELVE]);
  await put('Ready', false);
  await put('Ready', true);
  expect(world.booked()).toEqual([TEN]);
  expect(status()).toBe('Booked.');
});

test('P2: a row that was moved and then cancelled is not booked again', async () => {
  await put('Start', '03.03.2026 12:00');
  await put('Cancel', true);
  await restored();
  expect(world.booked()).toEqual([]);
  expect(status()).toBe('Cancelled.');
  await put('Start', '03.03.2026 14:00');
  expect(world.booked()).toEqual(['2026-03-03T11:00:00.000Z Anna Vera Orlova']);
});

test('P4: a refusal that is true no longer goes', async () => {
  world.dashboard.cancel(String(world.row(row)['Appointment']), { notify: false });
  const other = world.type({ Name: 'Oleg', Phone: '8 495 000-33-03', Service: 'Unknown' });
  await world.settle();
  version = world.rows();
  world.put(other, 'Service', 'Haircut');
  await world.settle();
  expect(world.row(other)['Status']).toBe('Booked.');
  const { Appointment: id } = world.row(other);
  // Only the cells of the worker: people have not touched theirs.
  for (const column of ['Status', 'Appointment', 'Time'])
    world.put(
      other,
      column,
      String(version[other - 1]?.[['Status', 'Appointment', 'Time'].indexOf(column) + 8] ?? ''),
    );
  await world.settle();
  expect(world.row(other)).toMatchObject({ Status: 'Booked.', Appointment: id });
});

test('P7: a tick that comes back with an older version cancels nothing until it is ticked anew', async () => {
  await put('Cancel', true);
  version = world.rows();
  await put('Cancel', false);
  await put('Ready', false);
  await put('Ready', true);
  expect(world.booked()).toEqual([TEN]);
  await restored();
  expect(world.booked()).toEqual([TEN]);
  expect(status()).toContain('Not changed');
  world.clock.advance(700_000);
  await world.restart();
  await world.settle();
  expect(world.booked()).toEqual([TEN]);
  await put('Cancel', false);
  expect(status()).toBe('Booked.');
  await put('Cancel', true);
  expect(world.booked()).toEqual([]);
  expect(status()).toBe('Cancelled.');
});

/** People restore the version while no worker runs, so that only Redis knows what the rows have said since. */
async function restoredUnseen(): Promise<void> {
  for (const [at, values] of version.entries())
    if (at > 0) world.staff.setRow({ ...world.at, row: at + 1, values });
  await world.restart();
  await world.settle();
  await world.settle();
}

test('P7: while the worker is down, an older version moves nothing back, books nothing again and cancels nothing', async () => {
  const cancelled = world.type({ Name: 'Oleg', Phone: '8 495 000-33-03', Start: '03.03.2026 15:00' });
  const ticked = world.type({ Name: 'Nina', Phone: '8 495 000-33-04', Start: '03.03.2026 17:00' });
  await world.settle();
  world.put(ticked, 'Cancel', true);
  await world.settle();
  version = world.rows();
  world.put(row, 'Start', '03.03.2026 12:00');
  world.put(cancelled, 'Start', '03.03.2026 16:00');
  world.put(ticked, 'Cancel', false);
  world.put(ticked, 'Ready', false);
  await world.settle();
  world.put(ticked, 'Ready', true);
  world.put(cancelled, 'Cancel', true);
  await world.settle();
  const booked = [TWELVE, '2026-03-03T14:00:00.000Z Anna Nina'];
  expect(world.booked()).toEqual(booked);
  for (const _ of [1, 2]) {
    await restoredUnseen();
    expect(world.booked()).toEqual(booked);
    expect(status()).toContain('went back to what it said before');
    expect(world.row(cancelled)['Status']).toBe('Cancelled.');
    expect(world.row(ticked)['Status']).toContain('Not changed');
  }
  await put('Start', '03.03.2026 14:00');
  expect(world.booked()).toContain('2026-03-03T11:00:00.000Z Anna Vera Orlova');
});

test('P7: a worker that last read the tab long before takes an older version for none of its own', async () => {
  // The other one carries the move meanwhile.
  world.put(row, 'Start', '03.03.2026 12:00');
  for (const _ of [1, 2]) {
    await world.pollElsewhere();
    await world.work();
    await world.flush();
  }
  expect(world.booked()).toEqual([TWELVE]);
  for (const [at, values] of version.entries())
    if (at > 0) world.staff.setRow({ ...world.at, row: at + 1, values });
  for (const waitMs of [0, 700_000]) {
    world.clock.advance(waitMs);
    await world.settle();
    expect(world.booked()).toEqual([TWELVE]);
    expect(status()).toContain('went back to what it said before');
  }
});

/** Redis as it was, when its file lost its end: the sheet is newer then. */
async function redisNow(): Promise<() => Promise<void>> {
  const { redis } = world.store;
  const names = await redis.keys('*');
  const dumps = await Promise.all(names.map((name) => redis.dumpBuffer(name)));
  return async () => {
    await redis.flushall();
    for (const [at, name] of names.entries()) await redis.restore(name, 0, dumps[at] ?? '');
  };
}

test.each([
  ['and the worker has noticed', true],
  ['and the worker has not noticed yet', false],
])(
  'P4: a row that Redis forgot to have moved is not taken for an older version, %s',
  async (_, isNoticed) => {
    const lose = await redisNow();
    world.put(row, 'Start', '03.03.2026 12:00');
    await world.poll();
    await world.work();
    await world.flush();
    await lose();
    if (isNoticed) world.forget();
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([TWELVE]);
    expect(status()).toBe('Booked.');
  },
);

test('P4: a row that Redis forgot to have booked again is not taken for an older version', async () => {
  await put('Cancel', true);
  await put('Cancel', false);
  const lose = await redisNow();
  await put('Start', '03.03.2026 12:00');
  expect(status()).toBe('Booked.');
  const { Appointment: id } = world.row(row);
  await lose();
  world.forget();
  await world.settle();
  await world.settle();
  expect(world.booked()).toEqual([TWELVE]);
  expect(world.row(row)).toMatchObject({ Status: 'Booked.', Appointment: id });
});
