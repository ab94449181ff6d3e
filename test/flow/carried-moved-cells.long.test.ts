// Somebody types into a row; before the worker looks, the column is sorted alone, cells are cut, or swapped. What was typed then stands in
// the row of somebody else, whom nobody wanted to change (P7).

import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { standing, startAppointments, typed } from './carried-appointment-rows.ts';
import { startContacts } from './carried-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const TYPED = 'Typed by hand';

async function startSix() {
  const { world, ada, bea, cleo } = await startContacts(stands);
  const others = ['Dora Finch', 'Eva Stein', 'Fay Hill'].map((name, i) =>
    world.create(name, `+7495000110${4 + i}`, `${name.slice(0, 3).toLowerCase()}@example.com`),
  );
  await world.settle();
  const [dora = '', eva = '', fay = ''] = others;
  return { world, ada, bea, cleo, dora, eva, fay };
}

const letterOf = (world: CarriedWorld, column: string) =>
  String.fromCharCode(65 + (world.rows()[0] ?? []).indexOf(column));

function sortAlone(world: CarriedWorld, column: string, descending: boolean): void {
  const at = letterOf(world, column);
  const range = `${at}2:${at}${world.rows().length}`;
  world.staff.sortRange({ ...world.at, range, column: at, descending });
}

/** Three cells, the row's own among them, one row lower: the first of them is blank then, and what stood below them is gone. */
function cutOneLower(world: CarriedWorld, column: string, id: string): void {
  const [headers = [], ...rows] = world.rows();
  const first = Math.min(Math.max(world.rowNumber(id) - 1, 2), rows.length + 1 - 3);
  const values = rows.slice(first - 2, first + 1).map((row) => row[headers.indexOf(column)] as string);
  for (const [i, value] of ['', ...values].entries())
    world.staff.typeInto({ ...world.at, row: first + i, column, value });
}

function swap(world: CarriedWorld, column: string, [one, other]: readonly [string, string]): void {
  const value = (id: string) => world.row(id)[column] as string;
  const [first, second] = [value(one), value(other)];
  world.put(one, column, second);
  world.put(other, column, first);
}

/** The row in which something was typed, and another one. */
type Rows = { readonly world: CarriedWorld; readonly cleo: string; readonly eva: string };
const slips: readonly [string, (given: Rows, column: string) => void][] = [
  ['the column is sorted alone', ({ world }, column) => sortAlone(world, column, true)],
  ['it is sorted the other way', ({ world }, column) => sortAlone(world, column, false)],
  ['cells are cut and pasted one row lower', ({ world, cleo }, column) => cutOneLower(world, column, cleo)],
  [
    'only the typed cell and its neighbour change places',
    ({ world, cleo, eva }, column) => swap(world, column, [cleo, eva]),
  ],
];

type Six = Awaited<ReturnType<typeof startSix>>;

/** The platform says so in an event. */
async function deleted(world: CarriedWorld, id: string): Promise<void> {
  world.dashboard.deleteContact(id);
  const key = { kind: 'contact', id } as const;
  const seen = { as: 'deleted' } as const;
  await world.store.intake.observe({ key, source: 'webhook', occurredAtMs: world.clock.now(), seen });
}

const contacts = (world: CarriedWorld) =>
  new Map(
    world.platform.sandbox.truth
      .contacts()
      .map((each) => [each['id'], [each['name'], each['phone'], each['email']]] as const),
  );

describe('contacts', () => {
  /** What was typed reached nobody, every row is as it was, and somewhere it says what was written. */
  async function expectAsked(world: CarriedWorld, before: ReturnType<typeof contacts>): Promise<void> {
    await world.settle();
    expect(contacts(world)).toEqual(before);
    for (const [id, [name, phone, email]] of before)
      expect(world.row(String(id))).toMatchObject({ Name: name, Phone: phone, Email: email });
  }

  const answers = (world: CarriedWorld) => {
    const [headers = [], ...rows] = world.rows();
    return rows.map((row) => String(row[headers.indexOf('Answer')] ?? '')).join('\n');
  };

  test.each(slips)(
    'a name was typed, then %s: it is carried to nobody, and asked for again',
    async (_, slip) => {
      const given = await startSix();
      const { world, cleo } = given;
      const before = contacts(world);
      world.put(cleo, 'Name', TYPED);
      slip(given, 'Name');
      await expectAsked(world, before);
      expect(answers(world)).toMatch(
        /Please write it once more where it belongs\. Somebody wrote: "Typed by hand"/,
      );
      world.put(cleo, 'Name', TYPED);
      await world.settle();
      expect(world.contact(cleo)).toMatchObject({ name: TYPED });
    },
  );

  test.each<[string, (given: Six) => unknown]>([
    [
      'the row that got it is written',
      ({ world, eva }) => world.dashboard.changeContact(eva, { lifecycle: 'sql' }),
    ],
    [
      'its own row is written',
      ({ world, cleo }) => world.dashboard.changeContact(cleo, { lifecycle: 'sql' }),
    ],
    ['its own row is emptied, as she was deleted', ({ world, cleo }) => deleted(world, cleo)],
  ])('a name was typed and swapped with another; before the look %s: nobody gets it', async (_, write) => {
    const given = await startSix();
    const { world, cleo, eva } = given;
    await write(given);
    await world.hear();
    await world.work();
    const before = contacts(world);
    world.api.beforeWrite = () => {
      world.put(cleo, 'Name', TYPED);
      swap(world, 'Name', [cleo, eva]);
    };
    await world.flush();
    expect(world.api.beforeWrite).toBeUndefined();
    await expectAsked(world, before);
    expect(answers(world)).toContain(TYPED);
  });

  test('a name was typed, and the row that got the other is nobody’s any more: nobody gets it at once', async () => {
    const { world, cleo, eva } = await startSix();
    const before = contacts(world);
    world.put(cleo, 'Name', TYPED);
    swap(world, 'Name', [cleo, eva]);
    world.staff.typeInto({ ...world.at, row: world.rowNumber(cleo), column: 'ID', value: '' });
    await world.settle();
    expect(contacts(world)).toEqual(before);
    expect(world.row(eva)['Answer']).toContain(TYPED);
    // Her name stands in the row of nobody as well: another one is believed once it is written again.
    world.put(eva, 'Name', TYPED);
    await world.settle();
    expect(world.contact(eva)).toMatchObject({ name: TYPED });
  });

  test('a name was filled down, and the row that it came from gets another before the look: nobody gets the old one', async () => {
    const { world, cleo, dora, eva } = await startSix();
    const [name, others] = [world.row(cleo)['Name'] as string, contacts(world)];
    world.put(dora, 'Name', name);
    world.dashboard.changeContact(cleo, { name: 'Cleo King' });
    await world.hear();
    await world.work();
    await world.flush();
    expect(world.row(cleo)['Name']).toBe('Cleo King');
    await world.settle();
    expect(world.contact(dora)).toMatchObject({ name: others.get(dora)?.[0] });
    expect(world.row(dora)['Answer']).toMatch(/Another row says or said the same/);
    // Later, nobody shows it any more.
    world.put(eva, 'Name', name);
    await world.settle();
    expect(world.contact(eva)).toMatchObject({ name });
  });

  test('two people have one name, one is corrected in her row, and the other by the platform before the look: both are', async () => {
    const { world, cleo, eva } = await startSix();
    const name = world.row(cleo)['Name'] as string;
    world.dashboard.changeContact(eva, { name });
    await world.hear();
    await world.settle();
    expect(world.row(eva)['Name']).toBe(name);
    world.put(eva, 'Name', 'Eva King');
    world.dashboard.changeContact(cleo, { name: 'Cleo King' });
    await world.hear();
    await world.work();
    await world.flush();
    await world.settle();
    expect(world.contact(eva)).toMatchObject({ name: 'Eva King' });
    expect(world.contact(cleo)).toMatchObject({ name: 'Cleo King' });
  });

  test('whole rows are sorted, rows are inserted, two names are typed, or one is copied: what was typed is carried', async () => {
    const { world, ada, bea, cleo, dora, eva } = await startSix();
    world.put(ada, 'Name', 'Ada King');
    world.staff.sortTab({ ...world.at, column: 'B', descending: true });
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King' });
    world.put(bea, 'Name', 'Bea King');
    world.staff.insertRow({ ...world.at, row: 3 });
    await world.settle();
    expect(world.contact(bea)).toMatchObject({ name: 'Bea King' });
    world.put(cleo, 'Name', 'Cleo King');
    world.put(dora, 'Name', 'Dora King');
    world.put(ada, 'Name', world.row(eva)['Name'] as string);
    await world.settle();
    expect(world.contact(cleo)).toMatchObject({ name: 'Cleo King' });
    expect(world.contact(dora)).toMatchObject({ name: 'Dora King' });
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King' });
  });
});

describe('appointments', () => {
  const SOON = '2026-03-05 12:10';

  async function expectAsked(world: CarriedWorld, before: Record<string, string>): Promise<void> {
    await world.settle();
    expect(standing(world)).toEqual(before);
    for (const id of Object.keys(before))
      expect(world.row(id)['Start']).toBeCloseTo(typed(world.startOf(id)), 6);
  }

  test.each(slips)(
    'a start was typed, then %s: nobody is moved, and it is asked for again',
    async (_, slip) => {
      const given = await startAppointments(stands);
      const { world, ids, ada } = given;
      // Few rows, so that they are not too many at once.
      for (const id of ids.slice(5)) world.staff.deleteRow({ ...world.at, row: world.rowNumber(id) });
      const before = standing(world);
      world.put(given.cleo, 'Start', typed(SOON));
      slip(given, 'Start');
      await world.look();
      await world.work();
      await world.flush();
      expect(standing(world)).toEqual(before);
      expect(world.row(ada)['Start']).toBeCloseTo(typed(world.startOf(ada)), 6);
      expect(
        world
          .rows()
          .map((row) => row.join())
          .join(),
      ).toMatch(/once more where it belongs\. Somebody wrote: "2026-03-05 12:10"/);
      await expectAsked(world, before);
      world.put(given.cleo, 'Start', typed(SOON));
      await world.settle();
      expect(world.startOf(given.cleo)).toBe(SOON);
    },
  );

  test('a start was typed and swapped with another, whose row is written before the look: nobody is moved', async () => {
    const { world, cleo, eva } = await startAppointments(stands);
    await world.store.sheetRows.restore([`appointment/${cleo}`], 'visits');
    await world.work();
    const before = standing(world);
    world.api.beforeWrite = () => {
      world.put(cleo, 'Start', typed(SOON));
      swap(world, 'Start', [cleo, eva]);
    };
    await world.flush();
    expect(world.api.beforeWrite).toBeUndefined();
    await expectAsked(world, before);
    expect(world.row(eva)['Answer']).toMatch(/Somebody wrote: "2026-03-05 12:10"/);
  });

  test('a start was typed, and its row, which is nobody’s any more, got another: nobody is moved at once', async () => {
    const { world, cleo, eva } = await startAppointments(stands);
    const before = standing(world);
    world.put(cleo, 'Start', typed(SOON));
    swap(world, 'Start', [cleo, eva]);
    const row = world.rowNumber(cleo);
    world.staff.typeInto({ ...world.at, row, column: 'ID', value: '' });
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(eva)['Answer']).toMatch(/Somebody wrote: "2026-03-05 12:10"/);
    world.put(eva, 'Start', typed(SOON));
    await world.settle();
    expect(world.startOf(eva)).toBe(SOON);
  });
});
