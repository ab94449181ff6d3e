import { afterAll, afterEach, expect, test } from 'vitest';
import { HEADERS, IntakeStands } from '../../stand/intake-sheet.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('a booking that was refused, cleared and typed again in the same row is a new one (P4)', async () => {
  const world = await stands.start();
  const cells = { Start: '02.03.2020 10:00' };
  const row = world.type(cells);
  const values = world.rows()[row - 1]?.slice(0, HEADERS.indexOf('ID')) ?? [];
  await world.settle();
  const first = world.row(row);
  expect(first).toMatchObject({ ID: expect.stringMatching(/./), Status: expect.stringMatching(/./) });
  world.staff.setRow({ ...world.at, row, values: HEADERS.map(() => '') });
  await world.settle();
  world.staff.setRow({ ...world.at, row, values: HEADERS.map((_, i) => (values[i] ?? '') as string) });
  await world.settle();
  const second = world.row(row);
  expect(second).toMatchObject({
    ID: expect.stringMatching(/./),
    Status: expect.stringMatching(/^Not possible/),
  });
  expect(second['ID']).not.toBe(first['ID']);
});

test('two rows that say the same get ids of their own, and both are answered', async () => {
  const world = await stands.start();
  const rows = [world.type({ Resource: '' }), world.type({ Resource: '' })];
  await world.settle();
  const ids = rows.map((row) => world.row(row)['ID']);
  expect(new Set(ids).size).toBe(2);
  for (const row of rows) expect(world.row(row)['Status']).not.toBe('');
});
