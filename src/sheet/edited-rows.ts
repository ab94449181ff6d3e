// Remembers what users had done in rows when a write overwrote them. If users filled or cut from such a row, the next look finds only a
// cell that the write did not reach. It would take that cell for a wish. These cells count until a look at the whole tab has started after
// the write.

import type { Memory } from '../engine/memory.ts';
import type { CarryingMirror } from '../engine/mirror.ts';
import type { RowDoubt, RowEdit, SheetCarry, ShownCells } from '../engine/row-edit.ts';
import type { Clock } from '../engine/runtime.ts';
import { tickIn } from '../engine/sheet-row.ts';
import type { SheetRows } from '../engine/sheet-rows.ts';
import { type CellBy, cellMark, figuresOf, IDENTIFYING, upcomingRows } from './cells.ts';
import { cellText } from './normal-form.ts';
import type { OverWrite } from './stores.ts';

export interface GoneCell {
  readonly key: string;
  readonly header: string;
  /**
   * The figures of a start, `true` for a tick, the mark of a name, phone or e-mail. Empty for a cell that users had emptied, perhaps by
   * cutting what they had typed.
   */
  readonly said: string;
  /** The worker itself had shown it there, and wrote something else. */
  readonly wasShown?: true;
  /** Epoch milliseconds. */
  readonly foundAtMs: number;
}

interface Row {
  readonly key: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

type Kept = Pick<Memory, 'get' | 'set'>;

export async function goneCells(
  memory: Pick<Memory, 'get'>,
  mirror: CarryingMirror,
): Promise<readonly GoneCell[]> {
  return JSON.parse((await memory.get(nameOf(mirror))) ?? '[]') as readonly GoneCell[];
}

/** Rows remembered per look; a look normally believes far fewer. */
const SEEN_ROWS_MAX = 100;
/** Cells remembered per write. */
const REPLACED_MAX = 1_000;

/** Remembers cells that a look has believed. A write that overwrites them, perhaps with the answer, hides nothing. */
export async function rememberSeen(
  memory: Kept,
  mirror: CarryingMirror,
  { edited, isWhole }: { readonly edited: readonly Row[]; readonly isWhole: boolean },
): Promise<void> {
  const now = edited.slice(0, SEEN_ROWS_MAX).flatMap(({ key, cells }) =>
    mirror.carry.columns.flatMap(({ header, field }) => {
      const said = saidIn(cells[header], { field, region: mirror.carry.region });
      return said === undefined ? [] : [cellId({ key, header, said })];
    }),
  );
  const known = await seenCells(memory, mirror);
  const seen = isWhole ? new Set(now) : new Set([...known, ...now]);
  if (seen.size !== known.size || now.some((word) => !known.has(word))) await keepSeen(memory, mirror, seen);
}

/** `rows`: as they were when the write overwrote them. A repeated call only renews the time. */
export async function addGoneCells(
  memory: Kept,
  mirror: CarryingMirror,
  about: { readonly rows: readonly Row[]; readonly write: OverWrite; readonly nowMs: number },
): Promise<void> {
  const { rows, write, nowMs } = about;
  const shown = new Map(write.rows.map((row) => [row.key, row.shown?.cells ?? {}]));
  const added = rows.flatMap(({ key, cells }) =>
    mirror.carry.columns.flatMap(({ header, field }): readonly GoneCell[] => {
      const about = { field, region: mirror.carry.region };
      const said = saidIn(cells[header], about);
      const known = shown.get(key)?.[header] ?? '';
      // A cell that was always blank was not emptied, and a name that was shown there was not typed.
      const isOld = said === '' || IDENTIFYING.has(field) ? known === '' || known === said : false;
      return said === undefined || isOld ? [] : [{ key, header, said, foundAtMs: nowMs }];
    }),
  );
  const replaced = replacedCells(mirror, write).map((cell) => ({ ...cell, foundAtMs: nowMs }));
  if (added.length + replaced.length === 0) return;
  const seen = await seenCells(memory, mirror);
  const hidden = added.filter((cell) => !seen.has(cellId(cell)));
  // Forget these cells: if a user writes the same there again, no look has seen that yet.
  if (hidden.length < added.length) {
    const gone = new Set(added.map(cellId));
    await keepSeen(memory, mirror, new Set([...seen].filter((word) => !gone.has(word))));
  }
  if (hidden.length + replaced.length === 0) return;
  const all = [...(await goneCells(memory, mirror)), ...replaced.slice(-REPLACED_MAX), ...hidden];
  const newest = new Map(all.map((each) => [cellId(each), each]));
  await memory.set(nameOf(mirror), JSON.stringify([...newest.values()]));
}

/** Names, phones and e-mails that rows showed until this write: copied into another row before, they are nobody's wish. */
function replacedCells(
  { carry }: CarryingMirror,
  { rows }: OverWrite,
): readonly Omit<GoneCell, 'foundAtMs'>[] {
  return rows.flatMap(({ key, shown, wrote }) =>
    carry.columns.flatMap(({ header, field }) => {
      const known = shown?.cells[header] ?? '';
      const isReplaced = known !== '' && wrote[header] !== undefined && wrote[header] !== known;
      return isReplaced && IDENTIFYING.has(field)
        ? [{ key, header, said: known, wasShown: true as const }]
        : [];
    }),
  );
}

async function seenCells(memory: Pick<Memory, 'get'>, { name }: CarryingMirror): Promise<Set<string>> {
  return new Set(JSON.parse((await memory.get(`cells-seen:${name}`)) ?? '[]') as string[]);
}

async function keepSeen(memory: Kept, { name }: CarryingMirror, seen: ReadonlySet<string>): Promise<void> {
  await memory.set(`cells-seen:${name}`, JSON.stringify([...seen]));
}

function cellId({ key, header, said, wasShown }: Omit<GoneCell, 'foundAtMs'>): string {
  return `${key} ${header} ${said}${wasShown ? ' shown' : ''}`;
}

/** Undefined for a cell that proves nothing. */
function saidIn(cell: unknown, by: Pick<CellBy, 'field' | 'region'>): string | undefined {
  const { field } = by;
  if (field === 'shown') return undefined;
  if (field === 'cancel') return tickIn(cell) === 'yes' ? 'true' : undefined;
  if (cellText(cell).trim() === '') return '';
  if (field === 'start') return figuresOf(cell);
  return IDENTIFYING.has(field) ? cellMark(cell, by) : undefined;
}

/** Call after a look at the whole tab has used the cells. `startedAtMs`: when that look started. */
export async function dropGoneCells(
  memory: Kept,
  mirror: CarryingMirror,
  startedAtMs: number,
): Promise<void> {
  const known = await goneCells(memory, mirror);
  const left = known.filter(({ foundAtMs }) => foundAtMs >= startedAtMs);
  if (left.length < known.length) await memory.set(nameOf(mirror), JSON.stringify(left));
}

function nameOf({ name }: CarryingMirror): string {
  return `cells-gone:${name}`;
}

/** Counts the rows of a mirror's tab whose appointments are in the future. */
export function createUpcoming(parts: {
  readonly mirrors: readonly CarryingMirror[];
  readonly sheetRows: SheetRows;
  readonly clock: Clock;
}): (mirror: string) => Promise<number> {
  return async (name) => {
    const mirror = parts.mirrors.find((each) => each.name === name);
    if (mirror === undefined) return 0;
    const { spreadsheetId, tab } = mirror;
    const rows = await parts.sheetRows.shown({ mirror: name, spreadsheetId, tab });
    return upcomingRows(mirror.carry, rows.values(), parts.clock.now());
  };
}

/** Rows per read: some megabytes if rows are wide. */
export const ROWS_PER_READ = 10_000;

/** A row as a look or a before-image showed it. */
export interface SeenRow {
  /** `formatKey` of the object whose id the row holds. */
  readonly key: string;
  /** Header to cell, for the carried columns. */
  readonly cells: Readonly<Record<string, unknown>>;
  /** The cells of the rows above and below it, if known. */
  readonly beside?: readonly Readonly<Record<string, unknown>>[];
}

export interface JudgedBy {
  readonly mirror: string;
  readonly carry: SheetCarry;
  /** What each row was last shown as. Rows that are missing here are unknown. */
  readonly shown: ReadonlyMap<string, ShownCells>;
  /** Further marks of what the worker may have written into a cell, from writes without a known end. */
  readonly tried: (key: string, header: string) => readonly string[];
  /** By key: what such writes were to show. People may have sorted under them, so it may stand in another row. */
  readonly bound?: readonly (readonly [key: string, cells: ShownCells['cells']])[];
  /** By how much the number of ticked rows without a known object changed since the last look. */
  readonly strayTicks?: number;
  /** All starts the tab now shows, including rows without an object. */
  readonly starts?: readonly string[];
  /** Rows that are not judged here, but show where cells have gone: rows without a known object; of a before-image, all others of the tab. */
  readonly others?: readonly SeenRow[];
  /** What users had done in rows before a write overwrote them. */
  readonly goneCells?: readonly GoneCell[];
  /** Keys that appear in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** Number of rows in the tab. */
  readonly rows: number;
  /** IANA zone in which the tab now shows times. */
  readonly zone?: string;
  /** The rows come from a before-image, so the other rows of that moment are unknown. */
  readonly isOverwritten?: boolean;
  readonly sinceMs: number;
  readonly forgottenMs?: number;
  readonly nowMs: number;
}

export interface ChangedRow {
  readonly row: SeenRow;
  readonly edits: readonly RowEdit[];
}

/** Why a change is not believed. Call it only when all changes are known. */
export type Doubts = (row: SeenRow, edit: RowEdit) => RowDoubt | undefined;

/** Result of a look at the tab of a mirror. */
export interface Look {
  readonly mirror: string;
  /** Rows that differ from what was confirmed. */
  readonly edited: readonly SeenRow[];
  /** Ticked rows without an object, and ticked copies. */
  readonly strayTicks: number;
  /** Figures of every start in the tab. */
  readonly starts: readonly string[];
  /** Rows without a known object or content, and copies, of a mirror that carries contacts. */
  readonly strays: readonly SeenRow[];
  /** Object keys of the rows that match what was confirmed. */
  readonly right: readonly string[];
  /** Object keys whose ids appear in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** True if every row was read. */
  readonly isWhole: boolean;
  /** When the look started, before the tab was read; epoch milliseconds. */
  readonly startedAtMs: number;
}
