import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type IntakeColumns, readRows } from '../../../src/sheet/tab-reading.ts';

const COLUMNS: IntakeColumns = new Map([
  ...([
    ['service', 0] as const,
    ['starts_at', 1] as const,
    ['name', 2] as const,
    ['phone', 3] as const,
  ] as const),
  ...([['ready', 4] as const, ['cancel', 5] as const, ['id', 6] as const, ['status', 7] as const] as const),
]);
const CLOCK = { zone: 'Europe/Moscow', formats: [] };
const HEADER = ['Service', 'Start', 'Name', 'Phone', 'Ready', 'Cancel', 'ID', 'Status'];

/** A row that counts how often somebody looks at the hour in it. */
function counted(values: readonly unknown[], looks: { count: number }): readonly unknown[] {
  return new Proxy([...values], {
    get(target, name, receiver) {
      looks.count += 1;
      return Reflect.get(target, name, receiver);
    },
  });
}

test('rows with nothing but boxes cost a look at each of their cells, and no reading', async () => {
  const looks = { count: 0 };
  const blank = counted(['', ' ', '', '', false, false], looks);
  const typed = ['Haircut', '03.03.2026 10:00', 'Vera', '8 495 000-11-01', true, false];
  const grid = [HEADER, ...Array<readonly unknown[]>(200_000).fill(blank), typed];
  const rows = await readRows(grid, COLUMNS, CLOCK);
  expect(rows.map(({ row, cells }) => [row, cells.name])).toEqual([[200_001, 'Vera']]);
  // The six columns in which something would make them rows.
  expect(looks.count).toBe(200_000 * 6);
});

test('others have their turn while a long tab is read', async () => {
  const typed = (_: unknown, i: number) => ['Haircut', '03.03.2026 10:00', `Guest ${i}`, '', true, false];
  const grid = [HEADER, ...Array.from({ length: 5_000 }, typed)];
  let [turns, isRead] = [0, false];
  const reading = readRows(grid, COLUMNS, CLOCK).then((rows) => {
    isRead = true;
    return rows;
  });
  while (!isRead) {
    await setImmediate();
    turns += 1;
  }
  expect(await reading).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(5);
});

test('a row with an id or a status alone is a row, as is one with a tick beside a name', async () => {
  const grid = [
    HEADER,
    ['', '', '', '', true],
    ['', '', '', '', '', '', 'x'],
    ['', '', '', '', '', '', '', 'y'],
  ];
  const rows = await readRows([...grid, ['', '', 'Vera', '', true]], COLUMNS, CLOCK);
  expect(rows.map(({ row }) => row)).toEqual([2, 3, 4]);
});

test('line breaks count as the same, however a program writes them', async () => {
  const named = (name: string) => [HEADER, ['Haircut', '', name, '', true]];
  const [a, b] = await Promise.all(
    ['Vera\r\nOrlova', 'Vera\nOrlova'].map((name) => readRows(named(name), COLUMNS, CLOCK)),
  );
  expect(a?.[0]?.print).toBe(b?.[0]?.print);
});

test('a length shown as a clock is one, and a decimal fraction, which may be hours, is none', async () => {
  const columns: IntakeColumns = new Map([...COLUMNS, ['duration', 8]]);
  const grid = [
    HEADER,
    ...[1.5 / 24, 0.5, 0.25, 0.75].map((length) => ['', '', 'Vera', '', true, '', '', '', length]),
  ];
  const rows = await readRows(grid, columns, CLOCK);
  expect(rows.map(({ cells }) => cells.duration)).toEqual([90, 0.5, 0.25, 0.75]);
});
