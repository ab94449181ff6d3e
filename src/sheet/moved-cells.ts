// What a write hit, because people moved rows or columns before it arrived. Pure. A row is known by its id where the write left it, and a
// new row by the id that it brought. It gets its cells again under the right headers, and what stands elsewhere is emptied.
import { foldedText } from '../engine/plain-text.ts';
import { type Cell, type CellFormat, trimmedCell } from '../engine/sheet-row.ts';
import { filledCells, isObjectId, type Layout, type RowWrite, type TabPlan } from './flush-plan.ts';
import { type StrandedRow, shows, strandedRow } from './noted-cells.ts';
import { isSameLayout } from './tab-layout.ts';
import { fingerprint, holds } from './tab-survey.ts';

type Grid = readonly (readonly unknown[])[];

export interface Misplaced {
  /** By row: the write that puts it right. */
  readonly repairs: ReadonlyMap<number, RowWrite>;
  /** Writes that a repair performs again. */
  readonly again: ReadonlySet<RowWrite>;
  /** Ids whose rows must be written again. */
  readonly hit: readonly string[];
  /** Rows whose ids a write has overwritten, and that their place does not identify. */
  readonly stranded: readonly StrandedRow[];
  /** Rows with people's cells whose ids only their order tells: people may have sorted them in that moment. */
  readonly unsure: readonly number[];
  /** Cells of people that a write went over. What they said is unknown. */
  readonly covered: readonly CoveredCells[];
  /** Nobody types such cells: the write was performed. */
  readonly isProof: boolean;
}

export interface CoveredCells {
  readonly row: number;
  readonly columns: readonly number[];
  /** They stand under the mirror's own headers, in a row without an id. */
  readonly isRowOfPeople: boolean;
}

interface TabNow {
  readonly after: Layout;
  /** The tab as it is now. */
  readonly grid: Grid;
  /** The write stands under the right headers. */
  readonly isRight: (write: RowWrite) => boolean;
}

export function misplacedCells(plan: TabPlan, now: TabNow): Misplaced {
  const search = new MisplacedSearch(plan, now);
  search.lookAtFresh();
  for (const [row, write] of plan.inPlace) search.lookAt(row, write);
  search.judgeLost();
  return search.found();
}

class MisplacedSearch {
  readonly #plan: TabPlan;
  readonly #now: TabNow;
  readonly #isMoved: boolean;
  /** Columns of the mirror now. */
  readonly #owned: ReadonlySet<number>;
  /** The columns among them that stand where they stood. */
  readonly #unmoved: ReadonlySet<number>;
  readonly #keys: readonly string[];
  readonly #gone: readonly string[];
  readonly #repairs = new Map<number, RowWrite>();
  readonly #again = new Set<RowWrite>();
  readonly #hit = new Set<string>();
  readonly #stranded: StrandedRow[] = [];
  readonly #unsure: number[] = [];
  readonly #covered: CoveredCells[] = [];
  /** Rows in which a write went over the id, and left cells that may tell it. */
  readonly #lost = new Map<number, { write: RowWrite; found: StrandedRow }>();
  #isProof = false;

  constructor(plan: TabPlan, now: TabNow) {
    const { after, grid } = now;
    const { layout } = plan.view;
    this.#plan = plan;
    this.#now = now;
    this.#isMoved = !isSameLayout(layout, after);
    this.#owned = new Set([after.keyColumn, ...after.columns.values()]);
    const still = [...after.columns].filter(([header, column]) => layout.columns.get(header) === column);
    this.#unmoved = new Set([after.keyColumn, ...still.map(([, column]) => column)]);
    this.#keys = grid.map((row) => trimmedCell(row[after.keyColumn]));
    this.#gone = goneKeys(plan, this.#keys);
  }

  found(): Misplaced {
    for (const { key, keyAfter } of this.#plan.inPlace.values()) if (keyAfter === '') this.#hit.delete(key);
    return {
      ...{ repairs: this.#repairs, again: this.#again, hit: [...this.#hit], stranded: this.#stranded },
      ...{ unsure: this.#unsure, covered: this.#covered, isProof: this.#isProof },
    };
  }

  /** New rows stand right unless columns moved. */
  lookAtFresh(): void {
    const { grid, isRight } = this.#now;
    for (const write of this.#isMoved ? this.#plan.fresh : []) {
      const known = this.#keys.indexOf(write.keyAfter);
      const row = known === -1 ? rowOfFresh(this.#plan, write, grid) : known;
      if (row === -1) continue;
      this.#isProof = true;
      if (isRight(write)) this.#empty(row, this.#outside(write, row));
      else this.#repair(row, write);
    }
  }

  lookAt(row: number, write: RowWrite): void {
    const { after, grid, isRight } = this.#now;
    const cells = grid[row] ?? [];
    const key = this.#keys[row] ?? '';
    const put = filledCells(write, this.#plan.view.layout);
    const isDone = !this.#isMoved && key === write.keyAfter && key !== '';
    const isHere = [...put].every(([column, cell]) => holds(cells[column], cell));
    // It may have gone over an id: it brought its own here, or people have moved it since.
    const isUnclear = isDone ? put.has(after.keyColumn) : this.#isMoved && !isHere && !isRight(write);
    if (isUnclear) this.#hitGone();
    if (isDone || !isHere) return;
    const shown = [...put].flatMap(([column, cell]) => (fingerprint(cell) === '' ? [] : [column]));
    this.#isProof ||= this.#isMoved && shown.length > 1 && shown.some((column) => !this.#unmoved.has(column));
    const others = peoplesColumns(this.#plan, { after, grid, isWithoutId: !isObjectId(key) }, put);
    if (others.length > 0) this.#covered.push({ row, columns: others, isRowOfPeople: !this.#isMoved });
    const wentOverId = put.has(after.keyColumn);
    if (!wentOverId && ((key !== '' && key === write.key) || isObjectId(key))) this.#besideId(row, write);
    else if (wentOverId && this.#gone.length > 0) this.#overId(row, write);
    else {
      // The id that the write removed was here, so whatever else of the mirror's stands here goes too.
      const isCleared = write.keyAfter === '' && this.#gone.includes(write.key);
      this.#empty(row, isCleared ? [...this.#owned, ...put.keys()] : put.keys());
    }
  }

  /** The row keeps its id: its own, or that of another object. */
  #besideId(row: number, write: RowWrite): void {
    const key = this.#keys[row] ?? '';
    const isOwn = key === write.key;
    if (isOwn && this.#isMoved && write.keyAfter !== '' && !this.#now.isRight(write))
      this.#repair(row, write);
    else if (this.#isMoved) this.#empty(row, this.#outside(write, row));
    if (!isOwn) this.#hit.add(key);
  }

  #overId(row: number, write: RowWrite): void {
    const put = filledCells(write, this.#plan.view.layout);
    this.#isProof ||= (this.#keys[row] ?? '') !== '';
    const found = strandedRow({ layout: this.#now.after, cells: this.#now.grid[row] ?? [], put });
    if (found.beside !== '' || found.left.size > 0) {
      this.#lost.set(row, { write, found });
      return;
    }
    // The row was blank, or nobody misses it.
    this.#empty(row, put.keys());
    this.#hitGone();
  }

  /** Call after all writes were looked at. */
  judgeLost(): void {
    const lost = [...this.#lost];
    const ids = idsOfLost(this.#plan, { keys: this.#keys, gone: this.#gone, rows: [...this.#lost.keys()] });
    for (const [row, { write, found }] of lost) {
      const { id, isAlone } = ids.get(row) ?? {};
      const isOthers = lost.some(([, other]) => other.write !== write && shows(other.write.pending, found));
      const isShown = shows(write.pending, found);
      if (id === write.key && write.keyAfter !== '' && (isShown || !isOthers)) {
        if (isAlone !== true && !isShown && found.beside !== '') this.#unsure.push(row);
        this.#repair(row, write);
        continue;
      }
      this.#empty(row, [...this.#owned, ...filledCells(write, this.#plan.view.layout).keys()]);
      this.#hitGone();
      if (write.keyAfter === '') this.#again.add(write);
      this.#stranded.push({ ...found, ...(id !== undefined && { id }) });
    }
  }

  #hitGone(): void {
    for (const id of this.#gone) this.#hit.add(id);
  }

  #repair(row: number, write: RowWrite): void {
    const { after, grid } = this.#now;
    const key = this.#keys[row] ?? '';
    this.#repairs.set(row, rewritten(this.#plan, write, { after, cells: grid[row] ?? [], key }));
    this.#again.add(write);
  }

  #empty(row: number, columns: Iterable<number>): void {
    const cells = this.#now.grid[row];
    const filled = [...columns].filter((column) => fingerprint(cells?.[column]) !== '');
    if (filled.length > 0) this.#repairs.set(row, emptied(this.#keys[row] ?? '', filled, this.#now.after));
  }

  /** Columns that are no longer the mirror's and still hold what was written. */
  #outside(write: RowWrite, row: number): readonly number[] {
    const cells = this.#now.grid[row];
    return [...write.cells].flatMap(([column, cell]) =>
      !this.#owned.has(column) && holds(cells?.[column], cell) ? [column] : [],
    );
  }
}

/** Ids that were in the tab and no longer are. */
export function goneKeys({ view }: TabPlan, keys: readonly string[]): readonly string[] {
  const present = new Set(keys);
  return [...view.keys].slice(1).filter((key) => isObjectId(key) && !present.has(key));
}

/** In a tab without the mirror's headers in its first row. */
export interface MisplacedUnder {
  /** As in `Misplaced`. */
  readonly repairs: ReadonlyMap<number, RowWrite>;
  /** Ids whose rows must be written again. */
  readonly hit: readonly string[];
}

/**
 * As above, for a tab that lacks a header now. Either a column was deleted, so the cells moved under the headers of people: what stands
 * there is emptied. Or the header moved down, as under a title that people inserted: it gets its texts back. `owned`: headers of the mirror.
 */
export function misplacedUnder(plan: TabPlan, grid: Grid, owned: ReadonlySet<string>): MisplacedUnder {
  const [before, header] = [plan.view.header ?? [], (grid[0] ?? []).map(trimmedCell)];
  const { layout } = plan.view;
  const own = new Set([...owned].map(foldedText));
  const isOthers = (column: number) => {
    const name = header[column] ?? '';
    // A header that is new at this place was written over the mirror's: the cells below it stay with their column.
    return (
      !own.has(foldedText(name)) && name !== (before[column] ?? '') && (name === '' || before.includes(name))
    );
  };
  const isHeader = (cells: readonly unknown[] = []) =>
    foldedText(trimmedCell(cells[layout.keyColumn])) === foldedText(plan.mirror.keyHeader);
  const isMovedDown = !isHeader(grid[0]) && grid.some(isHeader);
  const repairs = new Map<number, RowWrite>();
  const hit = new Set<string>();
  const rows = [
    ...[...plan.inPlace].map(([row, write]) => [row, write] as const),
    // Whole rows moved: the new ones stand right.
    ...(isMovedDown ? [] : plan.fresh).map((write) => [rowOfFresh(plan, write, grid), write] as const),
  ];
  for (const [row, write] of rows) {
    const cells = grid[row] ?? [];
    const key = trimmedCell(cells[layout.keyColumn]);
    const put = [...filledCells(write, layout)];
    if (isMovedDown && put.every(([column, cell]) => holds(cells[column], cell))) {
      if (isObjectId(key) && key !== write.key) hit.add(key);
      if (isHeader(cells)) {
        const texts = put.map(([column]) => [column, before[column] || null] as const);
        repairs.set(row, { key, keyAfter: key, cells: new Map(texts), pending: undefined });
        continue;
      }
    }
    if (row === -1 || !isThere(write, cells)) continue;
    const isKeyMoved =
      plan.fresh.includes(write) &&
      foldedText(header[layout.keyColumn] ?? '') !== foldedText(plan.mirror.keyHeader);
    const columns = [...write.cells.keys()].filter(
      (column) => (isKeyMoved || isOthers(column)) && fingerprint(cells[column]) !== '',
    );
    if (columns.length > 0) repairs.set(row, emptied('', columns, layout));
  }
  return { repairs, hit: [...hit] };
}

/**
 * Row to id, where the place tells the lost id: the neighbours did not move, or the tab kept its order. `isAlone`: no other lost row stands
 * between the same neighbours.
 */
function idsOfLost(
  { view, fresh }: TabPlan,
  about: {
    readonly keys: readonly string[];
    readonly gone: readonly string[];
    readonly rows: readonly number[];
  },
): ReadonlyMap<number, { readonly id: string; readonly isAlone: boolean }> {
  const { keys, gone, rows } = about;
  const ids = new Map<number, { readonly id: string; readonly isAlone: boolean }>();
  if (rows.length === 0) return ids;
  const before = new Map([...view.keys].map((key, row) => [key, row]));
  const known = [...keys.entries()].flatMap(([row, key]) => {
    const from = row > 0 && isObjectId(key) ? before.get(key) : undefined;
    return from === undefined ? [] : [{ row, from }];
  });
  const isInOrder = known.every(({ from }, i) => i === 0 || from > (known[i - 1]?.from ?? 0));
  const end = { row: keys.length - fresh.length, from: view.keys.length };
  for (const row of rows) {
    const above = known.findLast((other) => other.row < row) ?? { row: 0, from: 0 };
    const below = known.find((other) => other.row > row) ?? end;
    const lost = rows.filter((other) => other > above.row && other < below.row);
    const between = [...view.keys].slice(above.from + 1, below.from).filter((key) => gone.includes(key));
    const isKept = above.row === above.from && below.row === below.from;
    const id = between[lost.indexOf(row)];
    if (id !== undefined && lost.length === between.length && (isInOrder || isKept))
      ids.set(row, { id, isAlone: lost.length === 1 });
  }
  return ids;
}

/**
 * Columns in which the write may have gone over cells of people. A column that people have just inserted was blank. A row without an id is
 * theirs, unless the write went over the id.
 */
function peoplesColumns(
  { view }: TabPlan,
  { after, grid, isWithoutId }: { after: Layout; grid: Grid; isWithoutId: boolean },
  put: RowWrite['cells'],
): readonly number[] {
  const columns = [...put.keys()];
  if (isSameLayout(view.layout, after)) return isWithoutId ? columns : [];
  const [before, now] = [view.header ?? [], (grid[0] ?? []).map(trimmedCell)];
  const owned = new Set([after.keyColumn, ...after.columns.values()]);
  const isOld = (header: string) => (header === '' ? before.length >= now.length : before.includes(header));
  return columns.filter((column) => !owned.has(column) && isOld(now[column] ?? ''));
}

/** The id of a new row is in no other row, so it shows where the row went. */
function rowOfFresh({ view }: TabPlan, write: RowWrite, grid: Grid): number {
  return grid.findIndex(
    (cells, row) =>
      row > 0 && trimmedCell(cells[view.layout.keyColumn]) === write.keyAfter && isThere(write, cells),
  );
}

function isThere(write: RowWrite, cells: readonly unknown[]): boolean {
  return [...write.cells].every(([column, cell]) => holds(cells[column], cell));
}

/** The write under the headers as they are now. Empties what it left under other headers. */
function rewritten(
  { view }: TabPlan,
  write: RowWrite,
  now: { readonly after: Layout; readonly cells: readonly unknown[]; readonly key: string },
): RowWrite {
  const { after } = now;
  const owned = new Set([after.keyColumn, ...after.columns.values()]);
  const cells = new Map<number, Cell>();
  for (const column of write.cells.keys())
    if (!owned.has(column) && fingerprint(now.cells[column]) !== '') cells.set(column, null);
  const formats = new Map<number, CellFormat>();
  for (const [header, column] of after.columns) {
    const was = view.layout.columns.get(header) ?? -1;
    cells.set(column, write.cells.get(was) ?? null);
    const format = write.formats?.get(was);
    if (format !== undefined) formats.set(column, format);
  }
  // An id that is there is not written again: rows may move once more, and it would go over another one.
  if (now.key !== write.keyAfter) cells.set(after.keyColumn, write.keyAfter);
  const { keyAfter, pending } = write;
  return { key: now.key, keyAfter, cells, ...(formats.size > 0 && { formats }), pending };
}

function emptied(key: string, columns: readonly number[], { keyColumn }: Layout): RowWrite {
  const cells = new Map<number, Cell>(columns.map((column) => [column, null]));
  return { key, keyAfter: columns.includes(keyColumn) ? '' : key, cells, pending: undefined };
}
