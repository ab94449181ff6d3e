// Input: rows as they were in a tab. Output: what users changed in them. Pure. An id alone proves nothing: the worker must know what the
// row showed, and identifying cells must still show it. Any other change gets a doubt, and the worker only restores its row.
import type { RowDoubt, RowEdit, SheetCarry, ShownCells } from '../engine/row-edit.ts';
import {
  type CellBy,
  cellMark,
  figuresIn,
  figuresOf,
  IDENTIFYING,
  saysMark,
  writtenIn,
  zoneIn,
} from './cells.ts';
import type { ChangedRow, Doubts, JudgedBy, SeenRow } from './edited-rows.ts';

/** By key, in the order in which the rows were seen. Omits rows without a change. */
export function judgeRows(rows: readonly SeenRow[], by: JudgedBy): ReadonlyMap<string, readonly RowEdit[]> {
  const changed = changedIn(rows, by);
  if (changed.length === 0) return new Map();
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
  const others = changedIn(by.others ?? [], by);
  const known = [...changed, ...others.filter(({ row }) => by.shown.has(row.key))];
  const places = placesOf(known, by);
  const displaced = displacedColumns([...changed, ...others], by);
  const doubtOfVersion = versionDoubts(known, by);
  return (row, edit) => {
    if (isMany) return 'many';
    const ofRow = doubtOfRow(row, by);
    if (ofRow !== undefined) return ofRow;
    if (places.isElsewhere(row.key, edit)) return 'elsewhere';
    // An emptied cell changes nothing, wherever its content went.
    if (edit.text.trim() === '') return undefined;
    const ofVersion = doubtOfVersion(row, edit);
    if (ofVersion === 'older') return ofVersion;
    const isMoved = displaced.has(edit.header) || isCutOut(row.key, edit, { changed: known, by });
    return isMoved ? 'displaced' : ofVersion;
  };
}

/**
 * The worker itself had shown such a value in this very cell. In several rows that is an older version of the tab, and whatever else it
 * holds is old as well. There are few stages, so one that comes back shows nothing.
 */
function versionDoubts(changed: readonly ChangedRow[], { carry, shown }: JudgedBy): Doubts {
  const fieldOf = new Map(carry.columns.map(({ header, field }) => [header, field]));
  const isFormer = ({ key, cells }: SeenRow, { header }: RowEdit) => {
    const field = fieldOf.get(header) ?? 'shown';
    if (field === 'lifecycle') return false;
    const about = { field, region: carry.region };
    return shown.get(key)?.was?.[header]?.some((mark) => saysMark(cells[header], about, mark)) === true;
  };
  const former = changed.filter(({ row, edits }) => edits.some((edit) => isFormer(row, edit)));
  if (former.length > 1) return () => 'older';
  return (row, edit) => (isFormer(row, edit) ? 'former' : undefined);
}

/**
 * Columns of which a value has left its row and stands in another one: cells were sorted, cut or swapped. What somebody typed into such a
 * column may have gone along. A copy leaves the value in its row as well.
 */
function displacedColumns(changed: readonly ChangedRow[], by: JudgedBy): ReadonlySet<string> {
  const gone = (by.goneCells ?? []).flatMap(({ key, header, said, wasShown }) =>
    wasShown ? [] : [{ key, header, mark: said }],
  );
  const columns = new Map(by.carry.columns.map(({ header, field }) => [header, field]));
  /** What stands in changed cells, and in whose rows. */
  const arrived = new Map<string, Set<string>>();
  const arrivals = changed.flatMap(({ row: { key }, edits }) =>
    edits.map((edit) => ({ key, header: edit.header, mark: markOf(edit, by) })),
  );
  for (const { key, header, mark } of [...arrivals, ...gone])
    if (mark !== '' && IDENTIFYING.has(columns.get(header) ?? 'shown'))
      arrived.set(`${header} ${mark}`, (arrived.get(`${header} ${mark}`) ?? new Set()).add(key));
  return new Set(
    changed.flatMap(({ row, edits }) =>
      edits.flatMap(({ header, base = '' }) => {
        const keys = arrived.get(`${header} ${base}`) ?? new Set();
        return keys.size > (keys.has(row.key) ? 1 : 0) ? [header] : [];
      }),
    ),
  );
}

function markOf({ header, text, isNumber }: RowEdit, { carry }: JudgedBy): string {
  const field = carry.columns.find((column) => column.header === header)?.field ?? 'name';
  return cellMark(text, { field, region: carry.region, isNumber });
}

/** The same cell of another row was emptied: its content, perhaps typed after the last look, was cut and pasted here. */
function isCutOut(
  key: string,
  { header }: RowEdit,
  { changed, by }: { readonly changed: readonly ChangedRow[]; readonly by: JudgedBy },
): boolean {
  const isEmptied = (edit: RowEdit) => edit.header === header && edit.text.trim() === '';
  const isGone = (by.goneCells ?? []).some(
    (each) => each.key !== key && each.header === header && each.said === '',
  );
  return isGone || changed.some(({ row, edits }) => row.key !== key && edits.some(isEmptied));
}

function changedIn(rows: readonly SeenRow[], by: JudgedBy): readonly ChangedRow[] {
  return rows.flatMap((row) => {
    const edits = changesOf(row, by);
    return edits.length === 0 ? [] : [{ row, edits }];
  });
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
    const { mirror, sinceMs, nowMs: seenAtMs, forgottenMs } = by;
    const times = { sinceMs, seenAtMs, ...(forgottenMs !== undefined && { forgottenMs }) };
    // A tick refers to the appointment that the row shows.
    const base = field === 'cancel' && start !== undefined ? shown?.cells[start.header] : known;
    const from = base === undefined ? {} : { base };
    return [{ mirror, header, ...written, as: shown?.as ?? '', ...from, ...times }];
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

/** Finds where else a written value is or was: cells that were dragged, filled down or sorted show what another row showed. */
function placesOf(
  changed: readonly ChangedRow[],
  by: JudgedBy,
): { isElsewhere(key: string, edit: RowEdit): boolean } {
  const columns = new Map(by.carry.columns.map(({ header, field }) => [header, field]));
  const owners = new Map<string, Set<string>>();
  const note = (key: string, header: string, mark: string) => {
    if (mark === '' || !IDENTIFYING.has(columns.get(header) ?? 'shown')) return;
    const name = `${header} ${mark}`;
    owners.set(name, (owners.get(name) ?? new Set()).add(key));
  };
  for (const [key, { cells }] of by.shown)
    for (const [header, mark] of Object.entries(cells)) note(key, header, mark);
  for (const { key, header, said, wasShown } of by.goneCells ?? []) if (wasShown) note(key, header, said);
  for (const { row, edits } of changed)
    for (const edit of edits) note(row.key, edit.header, markOf(edit, by));
  return {
    isElsewhere: (key, edit) =>
      [...(owners.get(`${edit.header} ${markOf(edit, by)}`) ?? [])].some((owner) => owner !== key),
  };
}

// Decides whether a user made a change in an appointment's row on purpose and in that very row. Pure. In doubt the worker restores the row
// and says so in it. No sort, copy, fill-down or slip moves or cancels an appointment (P7).

/** Changed appointment rows per look. If more rows changed, users did not change them one by one. */
const MANY_STARTS = 5;
const DAY_MS = 86_400_000;

function appointmentDoubts(changed: readonly ChangedRow[], by: JudgedBy): Doubts {
  const fieldOf = new Map(by.carry.columns.map(({ header, field }) => [header, field]));
  const ofField = (field: string) =>
    changed.filter(({ edits }) => edits.some(({ header }) => fieldOf.get(header) === field));
  const [ticked, moved] = [ofField('cancel'), ofField('start')];
  const isMany = changed.length > MANY_STARTS;
  const areMixedUp = moved.length > 1 && areTogether(moved, by);
  const areElsewhere = !isMany && areDisplaced(moved, by);
  const doubtOfVersion = versionDoubts(changed, by);
  return (row, edit) => {
    const field = fieldOf.get(edit.header);
    if (isMany) return 'many';
    if (by.isOverwritten === true) return 'renewed';
    // Such a cell is only restored, so it does not matter whose row it is.
    if (field === 'shown') return undefined;
    const ofRow = doubtOfAppointmentRow(row, by);
    if (ofRow !== undefined) return ofRow;
    const ofVersion = doubtOfVersion(row, edit);
    if (ofVersion === 'older') return ofVersion;
    if (has(ticked, row) && has(moved, row)) return 'mixed';
    if (field === 'cancel') return ticked.length + otherTicks(row, edit, by) > 1 ? 'ticks' : undefined;
    if (figuresOf(row.cells[edit.header]) === undefined) return undefined;
    const ofStart = doubtOfStart(row, moved, by);
    if (areElsewhere && ofStart === undefined) return 'displaced';
    return areMixedUp ? 'elsewhere' : (ofStart ?? ofVersion);
  };
}

/** Ticks in rows without an object, or in rows that a write has overwritten since the last look. */
function otherTicks({ key }: SeenRow, { header }: RowEdit, by: JudgedBy): number {
  const { strayTicks = 0, goneCells = [] } = by;
  return strayTicks + goneCells.filter((gone) => gone.header === header && gone.key !== key).length;
}

function has(changed: readonly ChangedRow[], row: SeenRow): boolean {
  return changed.some((each) => each.row === row);
}

function doubtOfAppointmentRow(row: SeenRow, by: JudgedBy): RowDoubt | undefined {
  const shown = by.shown.get(row.key);
  if (shown === undefined) return 'unknown';
  if (by.doubled.has(row.key)) return 'copied';
  const { start, telling } = columnsOf(by);
  const mark = shown.cells[start] ?? '';
  if (zoneIn(mark) !== by.zone) return 'renewed';
  // All identifying cells must match: many rows share a service, or a returning customer.
  const isProved =
    telling.some((header) => (shown.cells[header] ?? '') !== '') &&
    telling.every((header) => {
      const said = shown.cells[header];
      return said === undefined || saysMark(row.cells[header], { field: 'shown' }, said);
    });
  if (!isProved) return 'mixed';
  const isTwin = likeOf(row.key, by).some((cells) => cells[start] === mark);
  return isTwin ? 'elsewhere' : undefined;
}

function columnsOf({ carry: { columns } }: JudgedBy) {
  const headers = (field: string) => columns.flatMap((each) => (each.field === field ? [each.header] : []));
  return { start: headers('start')[0] ?? '', telling: headers('shown') };
}

/** Shown cells of the other rows with the same identifying cells. */
function likeOf(key: string, by: JudgedBy): readonly ShownCells['cells'][] {
  const { telling } = columnsOf(by);
  const own = by.shown.get(key)?.cells ?? {};
  const others = [...[...by.shown].map(([other, { cells }]) => [other, cells] as const), ...(by.bound ?? [])];
  return others.flatMap(([other, cells]) =>
    other !== key && telling.every((header) => (cells[header] ?? '') === (own[header] ?? '')) ? [cells] : [],
  );
}

/** True if starts were sorted, dragged or cut: one of them is doubtful, or two show the same time of day. */
function areTogether(moved: readonly ChangedRow[], by: JudgedBy): boolean {
  const { start } = columnsOf(by);
  const hours = moved.map(({ row }) => figuresOf(row.cells[start])?.slice(11));
  if (hours.includes(undefined) || new Set(hours).size < hours.length) return true;
  return moved.some(({ row }) => doubtOfStart(row, moved, by) !== undefined);
}

/** As `displacedColumns`. Rows without a known object show starts as well. */
function areDisplaced(moved: readonly ChangedRow[], by: JudgedBy): boolean {
  const { start } = columnsOf(by);
  const shownIn = (key: string) => figuresIn(by.shown.get(key)?.cells[start] ?? '');
  const count = (all: readonly string[], figures: string) => all.filter((each) => each === figures).length;
  const stay = [...by.shown.keys()].filter((key) => !moved.some(({ row }) => row.key === key)).map(shownIn);
  return moved.some(({ row }) => {
    const was = shownIn(row.key);
    const isGone = (by.goneCells ?? []).some(
      ({ key, header, said }) => header === start && said === was && shownIn(key) !== was,
    );
    return isGone || count(by.starts ?? [], was) > count(stay, was);
  });
}

/**
 * Another row may show the same time for the same resource, or may have been sorted or filled. Other resources have the same hours anyway.
 * `again`: the worker believes the start once it is written a second time.
 */
function doubtOfStart(row: SeenRow, moved: readonly ChangedRow[], by: JudgedBy): RowDoubt | undefined {
  const { start } = columnsOf(by);
  const figures = figuresOf(row.cells[start]);
  const saysSo = (cells: ShownCells['cells']) => figuresIn(cells[start] ?? '') === figures;
  // Perhaps only the ids were sorted, or one landed in the row of the same customer's other appointment.
  if (likeOf(row.key, by).some(saysSo)) return 'elsewhere';
  const same = [...by.shown].filter(([key, { cells }]) => key !== row.key && saysSo(cells));
  const own = by.shown.get(row.key)?.resources;
  const others = same.filter(
    ([key, { resources }]) => areApart(own, resources) && !moved.some((each) => each.row.key === key),
  );
  const isShown = others.length < same.length;
  // The edited cell itself is one of these starts, and so are those of other resources.
  const stands = (by.starts ?? []).filter((each) => each === figures).length > 1 + others.length;
  const isGone = (by.goneCells ?? []).some(
    ({ key, header, said }) => key !== row.key && header === start && (said === figures || said === ''),
  );
  const isDragged = (row.beside ?? []).some((cells) => isNextTo(figures, figuresOf(cells[start])));
  return isShown || stands || isGone || isDragged ? 'again' : undefined;
}

/** Both are known, and nobody is in both. */
function areApart(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a !== undefined && b !== undefined && !a.some((id) => b.includes(id));
}

/** True for values as a fill from a neighbouring cell leaves them: the same time, or one day apart. */
function isNextTo(figures: string | undefined, other: string | undefined): boolean {
  if (figures === undefined || other === undefined) return false;
  const apartMs = Math.abs(Date.parse(`${figures}Z`) - Date.parse(`${other}Z`));
  return apartMs === 0 || apartMs === DAY_MS;
}
