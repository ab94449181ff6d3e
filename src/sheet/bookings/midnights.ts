import type { SheetsApi } from '../../google/sheets-api.ts';
import { atMidnight, isDaySerial } from '../../google/typed-moment.ts';

type Grid = readonly (readonly unknown[])[];

interface Known {
  readonly atMs: number;
  readonly days: string;
  readonly timed: ReadonlySet<number>;
}

/** How often the formats of unchanged days are read again: somebody may add 00:00 to a day. */
const FRESH_FOR_MS = 60_000;

/** Tells days from days at 00:00 by the formats of their cells. Costs one read a minute while a tab has such cells. */
export class Midnights {
  readonly #known = new Map<number, Known>();

  /** The grid, in which a day at 00:00 is a moment. */
  async in(
    api: Pick<SheetsApi, 'timedRows'>,
    tab: {
      readonly spreadsheetId: string;
      readonly sheetId: number;
      readonly column: number;
      readonly grid: Grid;
      readonly nowMs: number;
    },
  ): Promise<Grid> {
    const { spreadsheetId, sheetId, column, grid, nowMs } = tab;
    const rows = [...grid.keys()].filter((row) => row > 0 && isDaySerial(grid[row]?.[column]));
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return grid;
    const days = rows.map((row) => `${row} ${String(grid[row]?.[column])}`).join(',');
    const known = this.#known.get(sheetId);
    const isFresh = known?.days === days && Math.abs(nowMs - known.atMs) < FRESH_FOR_MS;
    const area = { sheetId, startRow: first, endRow: last + 1, startColumn: column, endColumn: column + 1 };
    const timed = isFresh ? known.timed : await api.timedRows(spreadsheetId, area);
    if (!isFresh) this.#known.set(sheetId, { atMs: nowMs, days, timed });
    const midnights = new Set(rows.filter((row) => timed.has(row)));
    return grid.map((cells, row) =>
      midnights.has(row) ? cells.map((cell, at) => (at === column ? atMidnight(cell) : cell)) : cells,
    );
  }
}
