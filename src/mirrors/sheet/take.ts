import type { KeyedTab } from '../../domain/mirror.ts';
import type { PendingRow } from '../../domain/sheet-row.ts';
import type { Outbox } from '../../ports/outbox.ts';
import { bytesOf } from './cell-data.ts';
import { isSameSpot } from './places.ts';

export interface TakeLimits {
  readonly rows: number;
  /** Google recommends requests of at most 2 MB (Sheets API, usage limits). */
  readonly bytes: number;
  /** How many rows may be looked through for some that can be written. */
  readonly lookedThrough: number;
}

export interface Taking {
  readonly spreadsheetId: string;
  /** Each in one place. */
  readonly mirrors: readonly KeyedTab[];
  readonly limits: TakeLimits;
  /** Mirrors whose rows have to wait. */
  readonly paused: ReadonlySet<KeyedTab>;
  readonly isRefused: (row: PendingRow) => boolean;
}

export interface Taken {
  readonly rows: ReadonlyMap<KeyedTab, readonly PendingRow[]>;
  /** How many rows were seen waiting, and how many of them for a paused mirror. */
  readonly waiting: number;
  readonly paused: number;
}

/** About how many bytes the number format of a cell takes in a request. */
const FORMAT_BYTES = 110;

/**
 * The oldest rows that can be written, by mirror. Rows that cannot stay where they are, and must not hide those that
 * wait behind them: the outbox is looked through further and further.
 */
export async function takeRows(outbox: Outbox, taking: Taking): Promise<Taken> {
  const { limits, isRefused } = taking;
  const placeOf = (row: PendingRow) =>
    taking.mirrors.find((mirror) => mirror.name === row.mirror && isSameSpot(mirror, row));
  const isPaused = (row: PendingRow) => {
    const mirror = placeOf(row);
    return mirror !== undefined && taking.paused.has(mirror);
  };
  for (let limit = limits.rows; ; limit = Math.min(2 * limit, limits.lookedThrough)) {
    const pending = await outbox.pending(taking.spreadsheetId, limit);
    const free = pending.filter((row) => placeOf(row) !== undefined && !isPaused(row) && !isRefused(row));
    if (free.length < limits.rows && pending.length >= limit && limit < limits.lookedThrough) continue;
    const rows = byMirror(withinLimits(free, limits), placeOf);
    return { rows, waiting: pending.length, paused: pending.filter(isPaused).length };
  }
}

/** At least one row, however large. */
function withinLimits(rows: readonly PendingRow[], limits: TakeLimits): readonly PendingRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += Object.values(row.cells ?? {}).reduce<number>(
      (sum, cell) => sum + bytesOf(cell),
      bytesOf(row.rowKey) + FORMAT_BYTES * Object.keys(row.formats ?? {}).length,
    );
    return i > 0 && (i >= limits.rows || bytes > limits.bytes);
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function byMirror(
  rows: readonly PendingRow[],
  placeOf: (row: PendingRow) => KeyedTab | undefined,
): ReadonlyMap<KeyedTab, readonly PendingRow[]> {
  const found = new Map<KeyedTab, Map<string, PendingRow>>();
  for (const row of rows) {
    const mirror = placeOf(row);
    if (mirror === undefined) continue;
    const ofMirror = found.get(mirror) ?? new Map<string, PendingRow>();
    // A key stands in one row, so it is written once: should two rows claim it, the other waits for the next flush.
    if (!ofMirror.has(row.rowKey)) ofMirror.set(row.rowKey, row);
    found.set(mirror, ofMirror);
  }
  return new Map([...found].map(([mirror, ofMirror]) => [mirror, [...ofMirror.values()]]));
}
