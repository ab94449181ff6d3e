// Rows as they stood in a tab come in, what people changed in them goes out. Pure. An id alone proves nothing: the row has to have been
// shown, and a cell that tells who it is has to say what it said. All else is told as a doubt: such a row is only put back.
import type { RowDoubt, RowEdit, SheetCarry, ShownCells } from '../../../domain/row-edit.ts';
import { cellHash, cellText, saysSame } from './normal-form.ts';

/** A row as it stood. */
export interface SeenRow {
  /** `formatKey` of the object whose id stands in it. */
  readonly key: string;
  /** Header to cell, of the carried columns. */
  readonly cells: Readonly<Record<string, unknown>>;
}

export interface JudgedBy {
  readonly mirror: string;
  readonly carry: SheetCarry;
  /** What each row was shown as. Of rows that are not named nobody knows. */
  readonly shown: ReadonlyMap<string, ShownCells>;
  /** More hashes that the worker may have written into a cell: of writes of which the end is not known. */
  readonly tried: (key: string, header: string) => readonly string[];
  /** Keys that stand in several rows. */
  readonly doubled: ReadonlySet<string>;
  /** How many rows the tab has. */
  readonly rows: number;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** More rows with changes at once than this number, and than this share of the tab, were no single changes. */
const MANY_ROWS = 20;
const MANY_SHARE = 0.25;

/** By key, in the order in which the rows were seen. Rows without a change are left out. */
export function judgeRows(rows: readonly SeenRow[], by: JudgedBy): ReadonlyMap<string, readonly RowEdit[]> {
  const changed = rows.flatMap((row) => {
    const edits = changesOf(row, by);
    return edits.length === 0 ? [] : [{ row, edits }];
  });
  const isMany = changed.length > MANY_ROWS && changed.length > MANY_SHARE * by.rows;
  const places = placesOf(changed, by);
  return new Map(
    changed.map(({ row, edits }) => {
      const ofRow = isMany ? 'many' : doubtOfRow(row, by);
      return [
        row.key,
        edits.map((edit): RowEdit => {
          const doubt = ofRow ?? (places.isElsewhere(row.key, edit) ? 'elsewhere' : undefined);
          return doubt === undefined ? edit : { ...edit, doubt };
        }),
      ];
    }),
  );
}

function changesOf({ key, cells }: SeenRow, by: JudgedBy): readonly RowEdit[] {
  const shown = by.shown.get(key);
  return by.carry.columns.flatMap(({ header, field }): readonly RowEdit[] => {
    const text = cellText(cells[header]);
    const known = shown?.cells[header];
    const ours = [...(known === undefined ? [] : [known]), ...by.tried(key, header)];
    if (ours.some((hash) => saysSame(text, { field, region: by.carry.region }, hash))) return [];
    // A column that came into the mapping since, or a row that was never shown: a blank cell there was emptied by nobody.
    if (shown === undefined ? text.trim() === '' : known === undefined) return [];
    const { mirror, sinceMs, nowMs: seenAtMs } = by;
    const base = known === undefined ? {} : { base: known };
    return [{ mirror, header, text, as: shown?.as ?? '', ...base, sinceMs, seenAtMs }];
  });
}

function doubtOfRow(row: SeenRow, by: JudgedBy): RowDoubt | undefined {
  const shown = by.shown.get(row.key);
  if (shown === undefined) return 'unknown';
  if (by.doubled.has(row.key)) return 'copied';
  const isProved = by.carry.columns.some(({ header, field }) => {
    const known = shown.cells[header] ?? '';
    if (!IDENTIFYING.has(field) || known === '') return false;
    return saysSame(cellText(row.cells[header]), { field, region: by.carry.region }, known);
  });
  return isProved ? undefined : 'unproven';
}

/** Many customers share one lifecycle. */
const IDENTIFYING: ReadonlySet<string> = new Set(['name', 'phone', 'email']);

/** Where else what was written stands, or stood: cells that were dragged, filled down or sorted say what another row said. */
function placesOf(
  changed: readonly { readonly row: SeenRow; readonly edits: readonly RowEdit[] }[],
  by: JudgedBy,
): { isElsewhere(key: string, edit: RowEdit): boolean } {
  const columns = new Map(by.carry.columns.map(({ header, field }) => [header, field]));
  const owners = new Map<string, Set<string>>();
  const note = (key: string, header: string, hash: string) => {
    if (hash === '' || !IDENTIFYING.has(columns.get(header) ?? '')) return;
    const name = `${header} ${hash}`;
    owners.set(name, (owners.get(name) ?? new Set()).add(key));
  };
  const hashOf = ({ header, text }: RowEdit) =>
    cellHash(text, { field: columns.get(header) ?? 'name', region: by.carry.region });
  if (changed.length > 0) {
    for (const [key, { cells }] of by.shown)
      for (const [header, hash] of Object.entries(cells)) note(key, header, hash);
    for (const { row, edits } of changed) for (const edit of edits) note(row.key, edit.header, hashOf(edit));
  }
  return {
    isElsewhere: (key, edit) =>
      [...(owners.get(`${edit.header} ${hashOf(edit)}`) ?? [])].some((owner) => owner !== key),
  };
}
