import { type Cell, trimmedCell } from '../../domain/sheet-row.ts';
import type { CellWrite } from './write-cells.ts';

type Grid = readonly (readonly unknown[])[];

/** The marks sent to a tab, and the tab just before. */
export interface SentMarks {
  readonly marks: readonly CellWrite[];
  readonly grid: Grid;
}

/**
 * Restores cells of people's columns that marks hit, because a column was inserted, moved or deleted while they were on their way. Marks
 * that reached their column are left alone, in whatever row.
 */
export function strayMarks({ marks, grid: before }: SentMarks, now: Grid): readonly CellWrite[] {
  const [headersBefore, headers] = [before, now].map((grid) => (grid[0] ?? []).map(trimmedCell));
  return marks.flatMap((mark) => {
    const { row, column, cell } = mark;
    const header = headers?.[column] ?? '';
    if (header === headersBefore?.[column] || trimmedCell(now[row]?.[column]) !== trimmedCell(cell))
      return [];
    const was = header === '' ? -1 : (headersBefore?.indexOf(header) ?? -1);
    const former = was < 0 ? null : cellOf(before[row]?.[was]);
    return trimmedCell(former) === trimmedCell(cell) ? [] : [{ ...mark, cell: former }];
  });
}

function cellOf(value: unknown): Cell {
  const isCell = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isCell && value !== '' ? value : null;
}
