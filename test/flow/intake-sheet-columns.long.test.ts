/** People move, insert and delete columns of a booking sheet while the worker writes ids and answers into it. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { HEADERS, IntakeStands } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

type World = Awaited<ReturnType<IntakeStands['start']>>;

const move = (column: string, before: string) => (world: World) =>
  world.staff.moveColumn({ ...world.at, column, before });
const CHANGES: Readonly<Record<string, (world: World) => void>> = {
  'the notes moved before the id': move('Notes', 'ID'),
  'the notes moved before the status': move('Notes', 'Status'),
  'the notes moved to the front': move('Notes', 'Service'),
  'the id moved to the front': move('ID', 'Service'),
  'the status moved before the id': move('Status', 'ID'),
  'a column inserted before the id': (world) =>
    world.staff.insertColumn({ ...world.at, before: 'ID', header: 'Room' }),
  'a column inserted before the status': (world) =>
    world.staff.insertColumn({ ...world.at, before: 'Status', header: 'Room' }),
  'the notes deleted, which stood before the id': (world) =>
    world.staff.deleteColumn({ ...world.at, column: 'Notes' }),
};

/** By header, wherever the columns are now. */
function table(world: World): readonly Readonly<Record<string, unknown>>[] {
  const [header = [], ...rows] = world.google.truth.values(world.at.spreadsheetId, world.at.tab);
  return rows.map((cells) => Object.fromEntries(header.map((name, i) => [String(name), cells[i] ?? ''])));
}

async function typeTwo(world: World, change: string): Promise<void> {
  if (change.includes('deleted')) move('Notes', 'ID')(world);
  const of = (name: string, start: string, note: string) =>
    ({ Name: name, Start: start, Notes: note }) as Record<string, string>;
  for (const cells of [
    of('Vera Orlova', '03.03.2026 10:00', 'first'),
    of('Nina Belova', '03.03.2026 12:00', 'second'),
  ]) {
    const header = world.google.truth.values(world.at.spreadsheetId, world.at.tab)[0] ?? [];
    const all: Record<string, unknown> = {
      ...{
        Service: 'Haircut',
        Phone: cells['Name'] === 'Vera Orlova' ? '8 495 000-11-01' : '8 495 000-11-02',
      },
      ...{ Resource: 'Anna', Ready: true, ...cells },
    };
    world.staff.addRow({ ...world.at, values: header.map((name) => (all[String(name)] ?? '') as string) });
  }
}

/** `overwritten`: Sheets has no precondition, so an answer may have replaced the note that was moved into its place. */
function expectWhole(world: World, change: string, overwritten = ''): void {
  expect(world.booked()).toHaveLength(2);
  const rows = table(world).filter((row) => Object.values(row).some((cell) => cell !== ''));
  expect(rows).toHaveLength(2);
  for (const [i, row] of rows.entries()) {
    expect(row).toMatchObject({
      ...{ Service: 'Haircut', Name: i === 0 ? 'Vera Orlova' : 'Nina Belova', Resource: 'Anna', Ready: true },
      ...(change.includes('deleted') || change === overwritten
        ? {}
        : { Notes: i === 0 ? 'first' : 'second' }),
      Status: expect.stringMatching(/^Booked/),
      ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(['first', 'second', '']).toContain(row['Notes'] ?? '');
    const others = Object.keys(row).filter((name) => !HEADERS.includes(name));
    expect(others.map((name) => row[name]).filter((cell) => cell !== '')).toEqual([]);
  }
}

test.each(Object.keys(CHANGES))(
  'P2, P4, P6: %s while ids are written: each row is booked once, and no cell of people holds an id',
  async (change) => {
    const world = await stands.start();
    await typeTwo(world, change);
    world.api.beforeWrite = () => CHANGES[change]?.(world);
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await world.settle();
      world.clock.advance(60_000);
    }
    expectWhole(world, change);
  },
);

test.each(Object.keys(CHANGES))(
  'P2, P4, P6: %s while answers are written: each row has its own, and no cell of people holds one',
  async (change) => {
    const world = await stands.start();
    await typeTwo(world, change);
    await world.poll();
    await world.poll();
    await world.work();
    world.api.beforeWrite = () => CHANGES[change]?.(world);
    for (let rounds = 0; rounds < 4; rounds += 1) {
      // Google refuses a write past the last column.
      await world.flush().catch(() => undefined);
      await world.settle();
      world.clock.advance(60_000);
    }
    expectWhole(world, change, 'the notes moved before the status');
  },
);

test('P6: a column that the entry needs, deleted while ids are written: no other column holds one, and the rows are booked once it is back', async () => {
  const world = await stands.start();
  await typeTwo(world, '');
  world.api.beforeWrite = () => world.staff.deleteColumn({ ...world.at, column: 'Cancel' });
  await world.settle();
  expect(await world.problems()).toEqual(['intake:front-submitter header-missing']);
  const ids = table(world).flatMap((row) =>
    Object.entries(row).filter(([name, cell]) => name !== 'ID' && /^[0-9a-f-]{36}$/.test(String(cell))),
  );
  expect(ids).toEqual([]);
  world.staff.insertColumn({ ...world.at, before: 'ID', header: 'Cancel' });
  for (let rounds = 0; rounds < 3; rounds += 1) await world.settle();
  expectWhole(world, '');
});
