// Whether a change in the row of an appointment is one that a person made on purpose in that very row. Pure. In doubt the row is put back
// and says so: no sort, copy, fill-down or slip moves or cancels an appointment (P7).
import type { RowDoubt, RowEdit, ShownCells } from '../../../domain/row-edit.ts';
import { figuresIn, saysMark, zoneIn } from './cells.ts';
import type { ChangedRow, Doubts, JudgedBy, SeenRow } from './seen-row.ts';
import { figuresOf } from './start-cell.ts';

/** More rows of appointments with changes at one look were no single changes. */
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
    // It is only put back, whosever row it is.
    if (field === 'shown') return undefined;
    const ofRow = doubtOfRow(row, by);
    if (ofRow !== undefined) return ofRow;
    if (has(ticked, row) && has(moved, row)) return 'mixed';
    if (field === 'cancel') return ticked.length + otherTicks(row, edit, by) > 1 ? 'ticks' : undefined;
    if (figuresOf(row.cells[edit.header]) === undefined) return undefined;
    return areMixedUp ? 'elsewhere' : doubtOfStart(row, by);
  };
}

/** Ticks in rows without an object, or in rows that a write has gone over since the last look. */
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
  // The whole row has to say whose it is: a service, or a customer who comes twice, stands in many.
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

/** What other rows were shown as that say the same of whose they are. */
function likeOf(key: string, by: JudgedBy): readonly ShownCells['cells'][] {
  const { telling } = columnsOf(by);
  const own = by.shown.get(key)?.cells ?? {};
  return [...by.shown].flatMap(([other, { cells }]) =>
    other !== key && telling.every((header) => (cells[header] ?? '') === (own[header] ?? '')) ? [cells] : [],
  );
}

/** Starts that were sorted, dragged or cut out: one of them cannot be believed, or several say the same hour of a day. */
function areTogether(moved: readonly ChangedRow[], by: JudgedBy): boolean {
  const { start } = columnsOf(by);
  const hours = moved.map(({ row }) => figuresOf(row.cells[start])?.slice(11));
  if (hours.includes(undefined) || new Set(hours).size < hours.length) return true;
  return moved.some(({ row }) => doubtOfStart(row, by) !== undefined);
}

/** Another row may say the same hour, for another person: then it is believed once it was written twice. */
function doubtOfStart(row: SeenRow, by: JudgedBy): RowDoubt | undefined {
  const { start } = columnsOf(by);
  const figures = figuresOf(row.cells[start]);
  const saysSo = (cells: ShownCells['cells']) => figuresIn(cells[start] ?? '') === figures;
  // Perhaps only the ids were sorted, or one landed in the row of the same customer's other appointment.
  if (likeOf(row.key, by).some(saysSo)) return 'elsewhere';
  const isShown = [...by.shown].some(([key, { cells }]) => key !== row.key && saysSo(cells));
  // Its own cell is one of those that stand in the tab.
  const stands = (by.starts ?? []).filter((each) => each === figures).length > 1;
  const isGone = (by.goneCells ?? []).some(
    ({ key, header, said }) => key !== row.key && header === start && (said === figures || said === ''),
  );
  const isDragged = (row.beside ?? []).some((cells) => isNextTo(figures, figuresOf(cells[start])));
  return isShown || stands || isGone || isDragged ? 'again' : undefined;
}

/** As a cell is filled from the one beside it: the same, or a day on. */
function isNextTo(figures: string | undefined, other: string | undefined): boolean {
  if (figures === undefined || other === undefined) return false;
  const apartMs = Math.abs(Date.parse(`${figures}Z`) - Date.parse(`${other}Z`));
  return apartMs === 0 || apartMs === DAY_MS;
}
