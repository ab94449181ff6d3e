// Rows that move between the tabs of a mirror. Input: waiting rows. Output: those that can be written now. A row in which users have written
// beside the mirror's cells stays where it is. A row whose former tab could not be read waits.

import type { KeyedTab } from '../engine/mirror.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { type PendingRow, type SheetSpot, trimmedCell } from '../engine/sheet-row.ts';
import type { RowMoves } from '../engine/sheet-rows.ts';
import type { Texts } from '../google/large-column.ts';
import type { GridArea, SheetsApi } from '../google/sheets-api.ts';
import { isMoving, type TabView } from './flush-plan.ts';
import { isTabFault, type TabFault } from './tab-layout.ts';
import { isSameSpot, spotOf, type TabSurvey } from './tab-survey.ts';

export interface MoveParts {
  readonly api: SheetsApi;
  readonly survey: TabSurvey;
  readonly moves: RowMoves | undefined;
  /** Every mirror, once for each of its tabs. */
  readonly places: readonly KeyedTab[];
  readonly clock: Clock;
  readonly log: Log;
}

export interface Movable {
  readonly rows: readonly PendingRow[];
  /** Rows that left the outbox because they stay where they are. */
  readonly stayed: number;
  /** Why rows that come from another tab must wait. */
  readonly fault?: TabFault;
}

/** How long a row stays in its old tab before the worker checks again whether what users wrote beside it is gone. */
const STAYS_MS = 7 * 24 * 3_600_000;

/** Takes one or two more reads for each tab from which rows come. */
export async function movableRows(
  parts: MoveParts,
  place: KeyedTab,
  { view, rows }: { readonly view: TabView; readonly rows: readonly PendingRow[] },
): Promise<Movable> {
  const coming = arriving(rows);
  const leaving = rows.filter((row) => row.leftBehind?.forced === false);
  const from = await lookAtOrigin(parts, place, coming);
  if ('fault' in from) {
    const left = rows.filter((row) => row.movesFrom === undefined);
    return { ...(await movableRows(parts, place, { view, rows: left })), fault: from.fault };
  }
  const here = await lookBeside(parts.api, place.spreadsheetId, { view, keys: keysOf(leaving) });
  let stayed = 0;
  const movable: PendingRow[] = [];
  for (const row of rows) {
    const beside = row.movesFrom === undefined ? here : from.beside;
    if (!isMoving(row)) movable.push(row);
    else if (beside.written.has(row.rowKey)) {
      await stay(parts, place, row);
      stayed += 1;
    } else if (!beside.moved.has(row.rowKey)) movable.push(arrivesAs(row, from));
  }
  if (stayed > 0) {
    const advice =
      'Rows beside which people have written are not moved. Take those cells away, or move them along by hand.';
    parts.log.info({ mirror: place.name, rows: stayed, advice }, 'rows stay in their tab');
  }
  return { rows: movable, stayed };
}

/** The rows that come from another tab. */
export function arriving(rows: readonly PendingRow[]): readonly PendingRow[] {
  return rows.filter(({ movesFrom }) => movesFrom !== undefined);
}

interface Origin {
  readonly beside: Beside;
  /** Keys in the tab from which rows come; undefined when that tab is empty. */
  readonly keys: ReadonlySet<string> | undefined;
}

async function lookAtOrigin(
  parts: MoveParts,
  place: KeyedTab,
  arriving: readonly PendingRow[],
): Promise<Origin | { readonly fault: TabFault }> {
  const nothing = {
    beside: { written: new Set<string>(), moved: new Set<string>() },
    keys: new Set<string>(),
  };
  const other = parts.places.find((each) => each.name === place.name && !isSameSpot(each, place));
  if (arriving.length === 0 || other === undefined) return nothing;
  const seen = (await parts.survey.look(other.spreadsheetId, [other])).get(other);
  if (seen === undefined) return nothing;
  if (isTabFault(seen)) return { fault: seen };
  const beside = await lookBeside(parts.api, other.spreadsheetId, { view: seen, keys: keysOf(arriving) });
  return { beside, keys: seen.blankColumns === undefined ? new Set(seen.keys) : undefined };
}

/** A row that is in its old tab may be added to the new one. A row that users deleted there stays away. */
function arrivesAs(row: PendingRow, from: Origin): PendingRow {
  if (row.onlyIfThere === true) {
    const { onlyIfThere: _, ...found } = row;
    return from.keys?.has(row.rowKey) === true ? found : row;
  }
  if (row.staysAway !== true || (from.keys !== undefined && !from.keys.has(row.rowKey))) return row;
  const { staysAway: _, ...arriving } = row;
  return arriving;
}

function stay(parts: MoveParts, place: KeyedTab, row: PendingRow): Promise<void> | undefined {
  const other = parts.places.find((each) => each.name === place.name && !isSameSpot(each, place));
  const [at, elsewhere] = row.movesFrom === undefined ? [place, other] : [row.movesFrom, place];
  if (elsewhere === undefined) return undefined;
  const untilMs = parts.clock.now() + STAYS_MS;
  const spots: { at: SheetSpot; elsewhere: SheetSpot } = { at: spotOf(at), elsewhere: spotOf(elsewhere) };
  return parts.moves?.stay(row, { ...spots, untilMs });
}

function keysOf(rows: readonly PendingRow[]): ReadonlySet<string> {
  return new Set(rows.map(({ rowKey }) => rowKey.trim()));
}

// Finds rows in which users have written beside the mirror's own cells. The worker neither moves such cells nor separates them from their
// row.

/** Areas per read: rows that are close together share one. */
const AREAS_MAX = 100;

export interface Beside {
  /** Keys of rows in which users have written beside the mirror's cells. */
  readonly written: ReadonlySet<string>;
  /** Keys of rows that have moved since the survey, so that nothing is known of them. */
  readonly moved: ReadonlySet<string>;
}

/** Reads whole rows in one request, or nothing if the tab has none of the keys. An unticked checkbox does not count as written. */
export async function lookBeside(
  api: SheetsApi,
  spreadsheetId: string,
  about: { readonly view: TabView; readonly keys: ReadonlySet<string> },
): Promise<Beside> {
  const { sheetId, layout, keys } = about.view;
  const rows = rowsOf(keys, about.keys);
  const areas = areasOf(sheetId, [...rows.values()]);
  if (areas.length === 0) return { written: new Set(), moved: new Set() };
  const read = await api.read(spreadsheetId, areas);
  const own = new Set([layout.keyColumn, ...layout.columns.values()]);
  const written = new Set<string>();
  const moved = new Set<string>();
  for (const [key, row] of rows) {
    const at = areas.findIndex(({ startRow, endRow }) => startRow <= row && row < endRow);
    const cells = read[at]?.rows[row - (areas[at]?.startRow ?? 0)] ?? [];
    if (trimmedCell(cells[layout.keyColumn]) !== key) moved.add(key);
    else if (cells.some((cell, column) => !own.has(column) && cell !== false && trimmedCell(cell) !== ''))
      written.add(key);
  }
  return { written, moved };
}

/** The first row of each key, as everywhere: copies further down belong to users. */
function rowsOf(keys: Texts, wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const [row, key] of keys.entries())
    if (row > 0 && wanted.has(key) && !rows.has(key)) rows.set(key, row);
  return rows;
}

type RowArea = GridArea & { readonly startRow: number; readonly endRow: number };

/** Groups rows into at most `AREAS_MAX` areas. Rows that are close together share one. */
export function areasOf(sheetId: number, rows: readonly number[]): readonly RowArea[] {
  const sorted = [...rows].sort((a, b) => a - b);
  for (let gap = 1; ; gap *= 2) {
    const areas: RowArea[] = [];
    for (const row of sorted) {
      const last = areas.at(-1);
      if (last !== undefined && row - last.endRow < gap)
        areas[areas.length - 1] = { ...last, endRow: row + 1 };
      else areas.push({ sheetId, startRow: row, endRow: row + 1 });
    }
    if (areas.length <= AREAS_MAX) return areas;
  }
}
