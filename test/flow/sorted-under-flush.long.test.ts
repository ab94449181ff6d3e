/** People sort a tab, or insert rows, while the worker writes it: what the write puts into other rows is nobody's wish. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { strideOf } from '../stand/runs.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const HANDS: Readonly<Record<string, (world: CarriedWorld) => void>> = {
  'the tab is sorted': (world) => world.staff.sortTab({ ...world.at, column: 'ID', descending: true }),
  'a row is inserted': (world) => world.staff.insertRow({ ...world.at, row: 2 }),
  'a title is inserted above the header': (world) =>
    world.staff.insertRow({ ...world.at, row: 1, values: ['March'] }),
};

/** The write goes into other rows than those that it was meant for. */
async function hit(world: CarriedWorld, hands: string, isLost = false): Promise<void> {
  world.clock.advance(3_000);
  await world.hear();
  await world.work();
  world.api.beforeWrite = () => HANDS[hands]?.(world);
  if (isLost)
    world.google.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
  await world.flush().catch((error: unknown) => {
    if (!isLost) throw error;
  });
  if (world.rows()[0]?.[0] !== 'ID') {
    world.staff.deleteRow({ ...world.at, row: 1 });
    await world.restart();
  }
}

const CASES = Object.keys(HANDS).flatMap((hands) => [[hands, 'look'] as const, [hands, 'flush'] as const]);
const LOST: [string, string, boolean][] = [
  ['the tab is sorted', 'look', true],
  ['the tab is sorted', 'flush', true],
];

test.each<[hands: string, next: string, isLost: boolean]>([
  ...CASES.map(([hands, next]): [string, string, boolean] => [hands, next, false]),
  ...LOST,
])(
  'P7: %s, then comes a %s: no other appointment of the customer is moved (answer lost: %s)',
  async (hands, next, isLost) => {
    const world = await stands.start({ kind: 'appointment' });
    for (const [day, resourceId] of [
      ['10', world.platform.annaId],
      ['11', world.platform.borisId],
      ['12', world.platform.annaId],
    ] as const)
      world.book('Vera Orlova', `2026-03-${day}T07:00:00Z`, { resourceId });
    await world.settle();
    const ids = world
      .rows()
      .slice(1)
      .map(([id]) => String(id));
    const starts = () => ids.map((id) => [id, world.startOf(id)]);
    world.dashboard.reschedule(ids[0] ?? '', { startsAt: '2026-03-05T09:00:00Z' });
    const before = starts();
    await hit(world, hands, isLost);
    if (next === 'look') await world.look();
    for (let round = 0; round < 3; round += 1) {
      world.clock.advance(90_000);
      await world.settle(1);
    }
    expect(starts()).toEqual(before);
    expect(ids.map((id) => world.row(id)['Answer'])).toEqual(['', '', '']);
    expect(await world.open()).toEqual([]);
  },
);

test.each(CASES)('P3: %s, then comes a %s: no contact is told what nobody wrote', async (hands, next) => {
  const world = await stands.start();
  for (const [nth, name] of ['Anna', 'Boris', 'Clara', 'Dora'].entries())
    world.create(name, `+7495000110${nth}`, `${name}@x.example`.toLowerCase());
  await world.settle();
  const ids = world
    .rows()
    .slice(1)
    .map(([id]) => String(id));
  for (const at of [0, 2]) world.dashboard.changeContact(ids[at] ?? '', { name: `New ${at}` });
  await hit(world, hands);
  if (next === 'look') await world.look();
  for (let round = 0; round < 3; round += 1) {
    world.clock.advance(90_000);
    await world.settle(1);
  }
  expect(ids.map((id) => world.row(id)['Answer'])).toEqual(['', '', '', '']);
  expect(ids.map((id) => world.row(id)['Name'])).toEqual(ids.map((id) => world.contact(id)?.['name']));
});

test('P7: the tab is sorted and the worker dies at any step of its write, then comes a look: no appointment is moved', async () => {
  let isDead = true;
  for (let step = 1; isDead; step += strideOf(1)) {
    const world = await stands.start({ kind: 'appointment' });
    for (const day of ['10', '11', '12'])
      world.book('Vera Orlova', `2026-03-${day}T07:00:00Z`, {
        resourceId: day === '11' ? world.platform.borisId : world.platform.annaId,
      });
    await world.settle();
    const ids = world
      .rows()
      .slice(1)
      .map(([id]) => String(id));
    const starts = () => ids.map((id) => [id, world.startOf(id)]);
    world.dashboard.reschedule(ids[0] ?? '', { startsAt: '2026-03-05T09:00:00Z' });
    const before = starts();
    world.clock.advance(3_000);
    await world.hear();
    await world.work();
    world.api.beforeWrite = () => HANDS['the tab is sorted']?.(world);
    isDead = await world.calls.dieAt(step, () => world.flush());
    await world.restart();
    await world.look();
    for (let round = 0; round < 2; round += 1) {
      world.clock.advance(90_000);
      await world.settle(1);
    }
    expect(starts(), `died at ${step}`).toEqual(before);
    await stands.closeWorlds();
  }
});
