// Builds the reading that would follow a write of marks, without another request. The write's answer shows the tabs, and only the marks
// have changed. Pure.

import type { SheetBookings } from '../../domain/outside-booking.ts';
import { CELLS_SHOWN_MAX, type ShownArea, type ShownTabs } from '../../google/shown-cells.ts';
import { isIntakeFault } from './columns.ts';
import type { TabMarks } from './marks.ts';
import type { TabReading } from './tab-reading.ts';
import type { CellWrite } from './write-cells.ts';

type Readings = ReadonlyMap<SheetBookings, TabReading>;
type Grid = readonly (readonly unknown[])[];

/** All tabs in full; none if one of them cannot be shown, or together they are too large. */
export function tabsToShow(readings: Readings): readonly ShownArea[] {
  const areas: ShownArea[] = [];
  let cells = 0;
  for (const reading of readings.values()) {
    if (isIntakeFault(reading) || reading.grid === undefined || reading.title === undefined) return [];
    cells += reading.grid.reduce((sum, row) => sum + row.length, 0);
    areas.push({ title: reading.title, area: { sheetId: reading.sheetId } });
  }
  return cells > CELLS_SHOWN_MAX ? [] : areas;
}

/**
 * The cells as they were read, plus the marks. An answer to a write may show typed text differently from a reading, so that a row would
 * seem to change. So the answer is only compared with the cells that were read. Undefined: read the tabs again.
 */
export function readingsAfter(
  readings: Readings,
  plans: readonly TabMarks[],
  shown: ShownTabs,
): Readings | undefined {
  const after = new Map<SheetBookings, TabReading>();
  for (const [mapping, reading] of readings) {
    const now = isIntakeFault(reading) ? undefined : shown.get(reading.sheetId);
    if (isIntakeFault(reading) || reading.grid === undefined || now === undefined) return undefined;
    const marks = plans.flatMap((plan) => (plan.mapping === mapping ? [...plan.ids, ...plan.flags] : []));
    const grid = withMarks(reading.grid, marks);
    if (!isSame(grid, now)) return undefined;
    after.set(mapping, { ...reading, grid });
  }
  return after;
}

function withMarks(grid: Grid, marks: readonly CellWrite[]): Grid {
  const marked = grid.map((row) => [...row]);
  for (const { row, column, cell } of marks) {
    while (marked.length <= row) marked.push([]);
    const cells = marked[row] ?? [];
    while (cells.length < column) cells.push('');
    cells[column] = cell ?? '';
  }
  return marked;
}

function isSame(a: Grid, b: Grid): boolean {
  for (let row = 0; row < Math.max(a.length, b.length); row += 1) {
    const [one = [], other = []] = [a[row], b[row]];
    for (let column = 0; column < Math.max(one.length, other.length); column += 1)
      if ((one[column] ?? '') !== (other[column] ?? '')) return false;
  }
  return true;
}
