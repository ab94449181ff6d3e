import type { KeyedTab } from '../../../domain/mirror.ts';
import type { PendingRow } from '../../../domain/sheet-row.ts';
import type { Outbox } from '../../../ports/rows.ts';
import { bytesOf } from '../tab/cell-data.ts';
import { isSameSpot } from '../tab/places.ts';

export interface TakeLimits {
  readonly rows: number;
  /** Google recommends requests of at most 2 MB (Sheets API, usage limits). */
  readonly bytes: number;
}

/** What a tab refused, as the process remembers it. */
export interface RefusedRows {
  readonly versions: ReadonlySet<number>;
  /** Present while the tab cannot get new rows: its keys. All rows that it would have to get are refused, tried or not. */
  readonly keys?: ReadonlySet<string> | undefined;
}

/** Approximate size of a cell's number format in a request. */
const FORMAT_BYTES = 110;

/**
 * Takes the rows to write now: the oldest of each mirror, with the mirrors in turn. However many rows wait for one tab, the others get
 * their share. `open`: the spreadsheet's mirrors whose tabs accept rows. `refused`: rows that a tab refused; they come last, because they
 * would otherwise block its other rows forever.
 */
export async function takeRows(
  outbox: Pick<Outbox, 'pending'>,
  spreadsheetId: string,
  taking: {
    readonly open: readonly KeyedTab[];
    readonly limits: TakeLimits;
    readonly refused?: ReadonlyMap<KeyedTab, RefusedRows>;
  },
): Promise<ReadonlyMap<KeyedTab, readonly PendingRow[]>> {
  const { open, limits, refused = new Map() } = taking;
  const found = await Promise.all(
    open.map(async (place) => {
      const notTaken = refused.get(place);
      const among = (isLast: boolean) => ({
        mirror: place.name,
        wants: (row: PendingRow) => isSameSpot(place, row) && isRefused(row, notTaken) === isLast,
      });
      const others = await outbox.pending(spreadsheetId, limits.rows, among(false));
      const last =
        notTaken === undefined ? [] : await outbox.pending(spreadsheetId, limits.rows, among(true));
      // One refused row goes early, so that each flush learns whether the tab accepts them now.
      const rows = [...others.slice(0, 1), ...last.slice(0, 1), ...others.slice(1), ...last.slice(1)];
      return [place, onePerKey(rows)] as const;
    }),
  );
  return inTurn(new Map(found.filter(([, rows]) => rows.length > 0)), limits);
}

/** Rows that may be confirmed without being added are never refused because of their key. */
export function isRefused(row: PendingRow, refused: RefusedRows | undefined): boolean {
  if (refused === undefined) return false;
  const { cells, onlyIfThere, inPlaceOnly, staysAway } = row;
  const mayAdd = cells !== undefined && onlyIfThere !== true && inPlaceOnly !== true && staysAway !== true;
  return refused.versions.has(row.version) || (mayAdd && refused.keys?.has(row.rowKey.trim()) === false);
}

/** Takes at least one row, however large. */
function inTurn(
  found: ReadonlyMap<KeyedTab, readonly PendingRow[]>,
  limits: TakeLimits,
): ReadonlyMap<KeyedTab, readonly PendingRow[]> {
  const taken = new Map<KeyedTab, PendingRow[]>();
  let [count, bytes] = [0, 0];
  const longest = Math.max(0, ...[...found.values()].map((rows) => rows.length));
  for (let turn = 0; turn < longest; turn += 1) {
    for (const [place, rows] of found) {
      const row = rows[turn];
      if (row === undefined) continue;
      bytes += bytesOfRow(row);
      if (count > 0 && (count >= limits.rows || bytes > limits.bytes)) return taken;
      count += 1;
      const ofPlace = taken.get(place) ?? [];
      ofPlace.push(row);
      taken.set(place, ofPlace);
    }
  }
  return taken;
}

function bytesOfRow({ cells, rowKey, formats }: PendingRow): number {
  return Object.values(cells ?? {}).reduce<number>(
    (sum, cell) => sum + bytesOf(cell),
    bytesOf(rowKey) + FORMAT_BYTES * Object.keys(formats ?? {}).length,
  );
}

/** A key has one row, so each flush writes it once. If two waiting rows have the same key, the second waits for the next flush. */
function onePerKey(rows: readonly PendingRow[]): readonly PendingRow[] {
  const byKey = new Map<string, PendingRow>();
  for (const row of rows) if (!byKey.has(row.rowKey)) byKey.set(row.rowKey, row);
  return [...byKey.values()];
}
