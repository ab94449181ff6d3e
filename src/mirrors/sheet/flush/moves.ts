// Input: waiting rows, some of which move between the tabs of a mirror. Output: those that can be written now. A row in which users have
// written beside the mirror's cells stays where it is. A row whose former tab could not be read waits.
import type { KeyedTab } from '../../../domain/mirror.ts';
import type { PendingRow, SheetSpot } from '../../../domain/sheet-row.ts';
import type { SheetsApi } from '../../../google/sheets-api.ts';
import type { RowMoves } from '../../../ports/rows.ts';
import type { Clock, Log } from '../../../ports/runtime.ts';
import { isTabFault, type TabFault } from '../tab/layout.ts';
import { isSameSpot, spotOf } from '../tab/places.ts';
import type { TabSurvey } from '../tab/survey.ts';
import { type Beside, lookBeside } from './beside.ts';
import type { TabView } from './plan.ts';

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

/** Takes one or two more reads for each tab from which rows come. Reads nothing when nothing moves. */
export async function movableRows(
  parts: MoveParts,
  place: KeyedTab,
  { view, rows }: { readonly view: TabView; readonly rows: readonly PendingRow[] },
): Promise<Movable> {
  const arriving = rows.filter((row) => row.movesFrom !== undefined);
  const leaving = rows.filter((row) => row.leftBehind?.forced === false);
  if (arriving.length === 0 && leaving.length === 0) return { rows, stayed: 0 };
  const from = await lookAtOrigin(parts, place, arriving);
  if ('fault' in from) {
    const left = rows.filter((row) => row.movesFrom === undefined);
    return { ...(await movableRows(parts, place, { view, rows: left })), fault: from.fault };
  }
  const here = await lookBeside(parts.api, place.spreadsheetId, { view, keys: keysOf(leaving) });
  let stayed = 0;
  const movable: PendingRow[] = [];
  for (const row of rows) {
    const beside = row.movesFrom === undefined ? here : from.beside;
    if (!arriving.includes(row) && !leaving.includes(row)) movable.push(row);
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
