/** People protect rows of a booking sheet, and not its columns: over a new row, over one of two entries (P1, P4). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { BOOK, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const TWELVE = '2026-03-03T09:00:00.000Z Anna Nina Belova';
const TEN = '2026-03-03T07:00:00.000Z Anna Vera Orlova';
const NINA = { Name: 'Nina Belova', Phone: '8 495 000-11-02', Start: '03.03.2026 12:00' };

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

function protect(world: IntakeWorld, range: string) {
  const { protectedRange } = world.staff.protectRange({ ...world.at, range }) as {
    protectedRange: { protectedRangeId: number };
  };
  const { protectedRangeId } = protectedRange;
  return () =>
    world.staff.request({ spreadsheetId: BOOK, request: { deleteProtectedRange: { protectedRangeId } } });
}

async function rounds(world: IntakeWorld, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

test('P1, P4: a protected new row keeps no other row from being booked; it is named, and booked once it may be written', async () => {
  const world = await stands.start();
  const locked = world.type();
  const row = world.type(NINA);
  const unprotect = protect(world, `A${locked}:L${locked}`);
  await rounds(world, 2);
  expect(world.booked()).toEqual([TWELVE]);
  expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
  const [problem, ...others] = await world.store.problems.list();
  expect([problem?.target, problem?.code, others]).toEqual([
    'intake:front-submitter',
    'intake-write-refused',
    [],
  ]);
  expect(problem?.message).toContain(`row ${locked} (H)`);
  const { writes } = world.api;
  await rounds(world, 3);
  expect(world.api.writes).toBe(writes);
  unprotect();
  await rounds(world, 2);
  expect(world.booked()).toEqual([TEN, TWELVE]);
  expect(world.row(locked)).toMatchObject({ Status: 'Booked.' });
  expect(await world.problems()).toEqual([]);
});

test('P4: a copy in protected rows cannot be marked, and a copy beside it is', async () => {
  const world = await stands.start();
  const row = world.type();
  await rounds(world, 1);
  world.staff.duplicateRow({ ...world.at, row });
  world.staff.duplicateRow({ ...world.at, row });
  protect(world, `A${row + 1}:L${row + 1}`);
  await rounds(world, 3);
  expect(String(world.row(row + 2)['ID'])).toMatch(/^copy /);
  expect(world.row(row + 1)['ID']).toBe(world.row(row)['ID']);
  expect(await world.problems()).toContain('intake:front-submitter intake-write-refused');
  expect(world.booked()).toEqual([TEN]);
});
