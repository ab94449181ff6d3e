// Input: rows as they were in a tab. Output: what users changed in them. Pure. An id alone proves nothing: the worker must know what the
// row showed, and identifying cells must still show it. Any other change gets a doubt, and the worker only restores its row.
import type { RowDoubt, RowEdit, SheetCarry } from '../../../domain/row-edit.ts';
import { appointmentDoubts } from './appointment-doubts.ts';
import { type CellBy, cellMark, saysMark, writtenIn } from './cells.ts';
import type { ChangedRow, Doubts, JudgedBy, SeenRow } from './seen-row.ts';

/** By key, in the order in which the rows were seen. Omits rows without a change. */
export function judgeRows(rows: readonly SeenRow[], by: JudgedBy): ReadonlyMap<string, readonly RowEdit[]> {
  const changed = rows.flatMap((row) => {
    const edits = changesOf(row, by);
    return edits.length === 0 ? [] : [{ row, edits }];
  });
  const doubtsOf = isOfAppointments(by.carry) ? appointmentDoubts(changed, by) : contactDoubts(changed, by);
  return new Map(
    changed.map(({ row, edits }) => [
      row.key,
      edits.map((edit): RowEdit => {
        const doubt = doubtsOf(row, edit);
        return doubt === undefined ? edit : { ...edit, doubt };
      }),
    ]),
  );
}

export function isOfAppointments({ columns }: Pick<SheetCarry, 'columns'>): boolean {
  return columns.some(({ field }) => field === 'start');
}

/** Changed contact rows per look. Above both this number and this share of the tab, users did not change the rows one by one. */
const MANY_ROWS = 20;
const MANY_SHARE = 0.25;

function contactDoubts(changed: readonly ChangedRow[], by: JudgedBy): Doubts {
  const isMany = changed.length > MANY_ROWS && changed.length > MANY_SHARE * by.rows;
  const places = placesOf(changed, by);
  return (row, edit) => {
    if (isMany) return 'many';
    const isElsewhere = places.isElsewhere(row.key, edit) || isCutOut(row.key, edit, { changed, by });
    return doubtOfRow(row, by) ?? (isElsewhere ? 'elsewhere' : undefined);
  };
}

/** The same cell of another row was emptied: its content, perhaps typed after the last look, was cut and pasted here. */
function isCutOut(
  key: string,
  { header, text }: RowEdit,
  { changed, by }: { readonly changed: readonly ChangedRow[]; readonly by: JudgedBy },
): boolean {
  if (text.trim() === '') return false;
  const isEmptied = (edit: RowEdit) => edit.header === header && edit.text.trim() === '';
  const isGone = (by.goneCells ?? []).some(
    (each) => each.key !== key && each.header === header && each.said === '',
  );
  return isGone || changed.some(({ row, edits }) => row.key !== key && edits.some(isEmptied));
}

function changesOf({ key, cells }: SeenRow, by: JudgedBy): readonly RowEdit[] {
  const shown = by.shown.get(key);
  const start = by.carry.columns.find(({ field }) => field === 'start');
  return by.carry.columns.flatMap(({ header, field }): readonly RowEdit[] => {
    const cell = cells[header];
    const about: CellBy = { field, region: by.carry.region, zone: by.zone };
    const known = shown?.cells[header];
    const ours = [...(known === undefined ? [] : [known]), ...by.tried(key, header)];
    if (ours.some((mark) => saysMark(cell, about, mark))) return [];
    const written = writtenIn(cell, about);
    // Nothing is known of a column new in the mapping. In a row that was never shown, no user has emptied a blank cell.
    if (shown === undefined ? written.text.trim() === '' : known === undefined) return [];
    const { mirror, sinceMs, nowMs: seenAtMs } = by;
    // A tick refers to the appointment that the row shows.
    const base = field === 'cancel' && start !== undefined ? shown?.cells[start.header] : known;
    const from = base === undefined ? {} : { base };
    return [{ mirror, header, ...written, as: shown?.as ?? '', ...from, sinceMs, seenAtMs }];
  });
}

function doubtOfRow(row: SeenRow, by: JudgedBy): RowDoubt | undefined {
  const shown = by.shown.get(row.key);
  if (shown === undefined) return 'unknown';
  if (by.doubled.has(row.key)) return 'copied';
  const isProved = by.carry.columns.some(({ header, field }) => {
    const known = shown.cells[header] ?? '';
    if (!IDENTIFYING.has(field) || known === '') return false;
    return saysMark(row.cells[header], { field, region: by.carry.region }, known);
  });
  return isProved ? undefined : 'unproven';
}

/** Excludes `lifecycle`, because many customers share one. */
const IDENTIFYING: ReadonlySet<string> = new Set(['name', 'phone', 'email']);

/** Finds where else a written value is or was: cells that were dragged, filled down or sorted show what another row showed. */
function placesOf(
  changed: readonly ChangedRow[],
  by: JudgedBy,
): { isElsewhere(key: string, edit: RowEdit): boolean } {
  const columns = new Map(by.carry.columns.map(({ header, field }) => [header, field]));
  const owners = new Map<string, Set<string>>();
  const note = (key: string, header: string, mark: string) => {
    if (mark === '' || !IDENTIFYING.has(columns.get(header) ?? '')) return;
    const name = `${header} ${mark}`;
    owners.set(name, (owners.get(name) ?? new Set()).add(key));
  };
  const markIn = ({ header, text }: RowEdit) =>
    cellMark(text, { field: columns.get(header) ?? 'name', region: by.carry.region });
  if (changed.length > 0) {
    for (const [key, { cells }] of by.shown)
      for (const [header, mark] of Object.entries(cells)) note(key, header, mark);
    for (const { row, edits } of changed) for (const edit of edits) note(row.key, edit.header, markIn(edit));
  }
  return {
    isElsewhere: (key, edit) =>
      [...(owners.get(`${edit.header} ${markIn(edit)}`) ?? [])].some((owner) => owner !== key),
  };
}
