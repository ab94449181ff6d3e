import { type Wire, wireText } from './company.ts';
import type { Difference, PlaceVerdict } from './difference.ts';
import type { CellValue, TabPlan } from './row-picture.ts';

/** Compares one tab, cell by cell, with the platform's objects. Finds columns by their headers and rows by their ids. */
export function judgeTab(given: {
  readonly plan: TabPlan;
  readonly objects: readonly Wire[];
  /** The tab's plain values, with the header row first. */
  readonly values: readonly (readonly CellValue[])[];
}): PlaceVerdict {
  const { plan, objects } = given;
  const place = `tab ${plan.tab}`;
  const [header = [], ...lines] = given.values;
  const differences = judgeHeader(plan, header, place);
  const columns = plan.headers.map((name) => header.indexOf(name));
  const rows = byKey(lines, columns);
  let expected = 0;
  for (const object of objects) {
    const id = wireText(object['id']);
    const wanted = plan.cells(object);
    const standing = rows.get(id) ?? [];
    rows.delete(id);
    if (wanted !== undefined) expected += 1;
    differences.push(...compare({ plan, place, id, wanted, standing }));
  }
  for (const [id, copies] of rows) {
    for (const _ of copies) differences.push({ kind: 'stale', place, id, what: 'a row of no object' });
  }
  const found = lines.filter((line) => columns.some((column) => cellAt(line, column) !== '')).length;
  return { place, label: plan.tab, expected, found, differences };
}

/** Rows of a tab by the id in their key column, each with its cells in the plan's order. */
export function rowsOf(
  plan: TabPlan,
  values: readonly (readonly CellValue[])[],
): Map<string, (readonly CellValue[])[]> {
  const [header = [], ...lines] = values;
  return byKey(
    lines,
    plan.headers.map((name) => header.indexOf(name)),
  );
}

function judgeHeader(plan: TabPlan, header: readonly CellValue[], place: string): Difference[] {
  return plan.headers.flatMap((name): Difference[] => {
    const times = header.filter((cell) => cell === name).length;
    if (times === 1) return [];
    const kind = times === 0 ? 'missing' : 'doubled';
    return [{ kind, place, id: name, what: `${times} headers of that name` }];
  });
}

/** A row without an id but with content in the worker's columns is listed under its row number. */
function byKey(
  lines: readonly (readonly CellValue[])[],
  columns: readonly number[],
): Map<string, (readonly CellValue[])[]> {
  const rows = new Map<string, (readonly CellValue[])[]>();
  for (const [index, line] of lines.entries()) {
    const cells = columns.map((column) => cellAt(line, column));
    if (cells.every((cell) => cell === '')) continue;
    const key = wireText(cells[0]) || `row ${index + 2}`;
    rows.set(key, [...(rows.get(key) ?? []), cells]);
  }
  return rows;
}

function cellAt(line: readonly CellValue[], column: number): CellValue {
  return line[column] ?? '';
}

function compare(one: {
  plan: TabPlan;
  place: string;
  id: string;
  wanted: readonly CellValue[] | undefined;
  standing: readonly (readonly CellValue[])[];
}): Difference[] {
  const { plan, place, id, wanted, standing } = one;
  if (standing.length === 0) {
    return wanted === undefined ? [] : [{ kind: 'missing', place, id, what: 'no row' }];
  }
  const copies = standing
    .slice(1)
    .map((): Difference => ({ kind: 'doubled', place, id, what: 'one row more' }));
  if (wanted === undefined) {
    return [
      { kind: 'stale', place, id, what: 'the row still stands, the mapping does not take it' },
      ...copies,
    ];
  }
  const [differing = []] = standing
    .map((cells) => plan.headers.filter((_, index) => cells[index] !== wanted[index]))
    .sort((a, b) => a.length - b.length);
  if (differing.length === 0) return copies;
  return [{ kind: 'stale', place, id, what: `differs in ${differing.join(', ')}` }, ...copies];
}
