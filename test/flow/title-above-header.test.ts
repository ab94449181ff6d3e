/** People insert a title above the header while the worker writes: the header keeps its texts, and all goes on once the title is gone. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands } from '../stand/carried-sheet.ts';
import { HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
const carried = new CarriedStands();
afterEach(async () => {
  await stands.closeWorlds();
  await carried.closeWorlds();
});
afterAll(async () => {
  await stands.close();
  await carried.close();
});

const TITLE = 'March';
type Hands = Pick<IntakeWorld, 'staff'> & { at: IntakeWorld['at'] };

const insertTitle = ({ staff, at }: Hands) => staff.insertRow({ ...at, row: 1, values: [TITLE] });

async function goOn(world: IntakeWorld): Promise<void> {
  expect(world.rows().slice(0, 2)).toEqual([[TITLE, ...HEADERS.slice(1).map(() => '')], HEADERS]);
  await world.poll();
  expect(await world.problems()).toContain('intake:front-submitter header-missing');
  world.staff.deleteRow({ ...world.at, row: 1 });
  await world.restart();
  for (let round = 0; round < 2; round += 1) await world.settle();
  expect(await world.problems()).toEqual([]);
  expect(world.booked()).toEqual(['2026-03-03T07:00:00.000Z Anna Vera Orlova']);
  expect(world.row(2)).toMatchObject({ Name: 'Vera Orlova', Status: 'Booked.' });
}

test('P6: the id of the first row was on its way', async () => {
  const world = await stands.start();
  world.type();
  world.api.beforeWrite = () => insertTitle(world);
  await world.poll();
  await goOn(world);
});

test('P6: the answer of the first row was on its way', async () => {
  const world = await stands.start();
  world.type();
  await world.poll();
  await world.work();
  world.api.beforeWrite = () => insertTitle(world);
  await world.flush();
  await goOn(world);
});

test('P2, P6: rows of contacts were on their way, a new one among them', async () => {
  const world = await carried.start();
  const ids = ['Anna', 'Boris', 'Clara'].map((name, nth) => world.create(name, `+7495000110${nth}`));
  await world.settle();
  const [header = [], ...rows] = world.rows();
  const [first, second] = rows.map(([id]) => String(id));
  world.dashboard.changeContact(first ?? '', { name: 'First' });
  world.dashboard.changeContact(second ?? '', { name: 'Second' });
  world.create('Dora', '+74950001109');
  await world.hear();
  await world.work();
  world.api.beforeWrite = () => insertTitle(world);
  await world.flush();
  expect(world.rows().slice(0, 2)).toEqual([[TITLE], header]);
  world.staff.deleteRow({ ...world.at, row: 1 });
  await world.restart();
  await world.settle();
  const names = world.rows().flatMap(([id, name]) => (id === 'ID' ? [] : [name]));
  expect(names.sort()).toEqual(
    [
      'Dora',
      'First',
      'Second',
      world.contact(ids.find((id) => ![first, second].includes(id)) ?? '')?.['name'],
    ].sort(),
  );
  expect((await world.store.problems.list()).map(({ code }) => code)).toEqual([]);
});
