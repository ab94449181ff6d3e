// Decides whether a user made a change in an appointment's row on purpose and in that very row. Pure. In doubt the worker restores the row
// and says so in it. No sort, copy, fill-down or slip moves or cancels an appointment (P7).
import type { RowDoubt, RowEdit, ShownCells } from '../../../domain/row-edit.ts';
import { figuresIn, saysMark, zoneIn } from './cells.ts';
import type { ChangedRow, Doubts, JudgedBy, SeenRow } from './seen-row.ts';
import { figuresOf } from './start-cell.ts';

/** Changed appointment rows per look. If more rows changed, users did not change them one by one. */
const MANY_ROWS = 5;
const DAY_MS = 86_400_000;

export function appointmentDoubts(changed: readonly ChangedRow[], by: JudgedBy): Doubts {
  const fieldOf = new Map(by.carry.columns.map(({ header, field }) => [header, field]));
  const ofField = (field: string) =>
    changed.filter(({ edits }) => edits.some(({ header }) => fieldOf.get(header) === field));
  const [ticked, moved] = [ofField('cancel'), ofField('start')];
  const isMany = changed.length > MANY_ROWS;
  const areMixedUp = moved.length > 1 && areTogether(moved, by);
  return (row, edit) => {
    const field = fieldOf.get(edit.header);
    if (isMany) return 'many';
    if (by.isOverwritten === true) return 'renewed';
    // Such a cell is only restored, so it does not matter whose row it is.
    if (field === 'shown') return undefined;
    const ofRow = doubtOfRow(row, by);
    if (ofRow !== undefined) return ofRow;
    if (has(ticked, row) && has(moved, row)) return 'mixed';
    if (field === 'cancel') return ticked.length + otherTicks(row, edit, by) > 1 ? 'ticks' : undefined;
    if (figuresOf(row.cells[edit.header]) === undefined) return undefined;
    return areMixedUp ? 'elsewhere' : doubtOfStart(row, by);
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

function doubtOfRow(row: SeenRow, by: JudgedBy): RowDoubt | undefined {
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
  return [...by.shown].flatMap(([other, { cells }]) =>
    other !== key && telling.every((header) => (cells[header] ?? '') === (own[header] ?? '')) ? [cells] : [],
  );
}

/** True if starts were sorted, dragged or cut: one of them is doubtful, or two show the same time of day. */
function areTogether(moved: readonly ChangedRow[], by: JudgedBy): boolean {
  const { start } = columnsOf(by);
  const hours = moved.map(({ row }) => figuresOf(row.cells[start])?.slice(11));
  if (hours.includes(undefined) || new Set(hours).size < hours.length) return true;
  return moved.some(({ row }) => doubtOfStart(row, by) !== undefined);
}

/** Another row may show the same time for another person. `again`: the worker believes the start once it is written a second time. */
function doubtOfStart(row: SeenRow, by: JudgedBy): RowDoubt | undefined {
  const { start } = columnsOf(by);
  const figures = figuresOf(row.cells[start]);
  const saysSo = (cells: ShownCells['cells']) => figuresIn(cells[start] ?? '') === figures;
  // Perhaps only the ids were sorted, or one landed in the row of the same customer's other appointment.
  if (likeOf(row.key, by).some(saysSo)) return 'elsewhere';
  const isShown = [...by.shown].some(([key, { cells }]) => key !== row.key && saysSo(cells));
  // The edited cell itself is one of these starts.
  const stands = (by.starts ?? []).filter((each) => each === figures).length > 1;
  const isGone = (by.goneCells ?? []).some(
    ({ key, header, said }) => key !== row.key && header === start && (said === figures || said === ''),
  );
  const isDragged = (row.beside ?? []).some((cells) => isNextTo(figures, figuresOf(cells[start])));
  return isShown || stands || isGone || isDragged ? 'again' : undefined;
}

/** True for values as a fill from a neighbouring cell leaves them: the same time, or one day apart. */
function isNextTo(figures: string | undefined, other: string | undefined): boolean {
  if (figures === undefined || other === undefined) return false;
  const apartMs = Math.abs(Date.parse(`${figures}Z`) - Date.parse(`${other}Z`));
  return apartMs === 0 || apartMs === DAY_MS;
}
