import { describe, test } from 'vitest';

/** What is played: by `npm test` the short tests, by `npm run test:long` those and the long ones, by `npm run test:soak` all of it. */
const tier = process.env['SLOTBRIDGE_TESTS'] ?? 'short';
export const isShort = tier === 'short';
const isSoak = tier === 'soak';

/**
 * How often a property is tried: in `npm test` a twenty-fourth of the whole, among the long tests an eighth, among the soak tests all of it.
 * The seed is fixed (`seed.ts`), except among the soak tests.
 */
export function runsOf(whole: number): number {
  const share = isSoak ? 1 : isShort ? 24 : 8;
  return Math.ceil(whole / share);
}

/** Calls from one death to the next: three times as many in `npm test`, twice among the long tests. Every call dies among the soak tests. */
export function strideOf(calls: number): number {
  return (isShort ? 3 : isSoak ? 1 : 2) * calls;
}

/**
 * The rows of a wide table. `npm test` tries the first and every so many after it: a stride that has no factor in common with the sides of
 * the table meets each of their values. With a stride of four or more the long tests try twice as many. The soak tests try all rows.
 */
export function rowsOf<const Row>(table: readonly Row[], stride: number): readonly Row[] {
  const tried = isSoak ? stride : isShort || stride < 4 ? 1 : 2;
  return table.filter((_, at) => at % stride < tried);
}

/** Tests that only the soak tests try: others of the same file show the same promise at its sharpest. */
export const atLength = { test: test.skipIf(!isSoak), describe: describe.skipIf(!isSoak) };

/** Every combination of these sides of a table. */
export function combined<const Sides extends readonly (readonly unknown[])[]>(
  ...sides: Sides
): { [Side in keyof Sides]: Sides[Side][number] }[] {
  const rows = sides.reduce<unknown[][]>(
    (found, side) => found.flatMap((row) => side.map((value) => [...row, value])),
    [[]],
  );
  return rows as { [Side in keyof Sides]: Sides[Side][number] }[];
}
