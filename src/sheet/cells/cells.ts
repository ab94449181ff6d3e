// Computes the mark that identifies a carried cell, and the text that users wrote in it. Pure. A cell that still means the same has not
// changed.
import type { CarriedField, RowEdit, SheetCarry, ShownCells } from '../../engine/domain/row-edit.ts';
import { tickIn } from '../../engine/domain/sheet-row.ts';
import { comparable } from '../tab/cell-data.ts';
import { cellHash, cellText, saysSame } from './normal-form.ts';
import { figuresOf, startIn } from './start-cell.ts';

export interface CellBy {
  readonly field: CarriedField;
  /** Country of phone numbers, ISO 3166. */
  readonly region?: string | undefined;
  /** For the text of a cell that held a number. */
  readonly isNumber?: boolean | undefined;
  /** IANA zone in which the tab shows times. */
  readonly zone?: string | undefined;
}

/**
 * Identifies what the worker writes: a start by its figures and zone, anything else by a hash. Empty for a blank cell or an unticked box.
 */
export function cellMark(cell: unknown, by: CellBy): string {
  switch (by.field) {
    case 'start': {
      const said = figuresOrHash(cell);
      return said === '' ? '' : `${said} ${by.zone ?? 'UTC'}`;
    }
    case 'cancel':
      return cellHash(tickText(cell), { field: 'name' });
    case 'shown':
      return cellHash(shownText(cell), { field: 'name' });
    default:
      return cellHash(cellText(cell), { ...by, field: by.field, isNumber: by.isNumber ?? isNumber(cell) });
  }
}

/** True when a cell means what this mark identifies. The zone of a start is ignored, because users do not type it. */
export function saysMark(cell: unknown, by: CellBy, mark: string): boolean {
  switch (by.field) {
    case 'start':
      return figuresOrHash(cell) === figuresIn(mark);
    case 'cancel':
    case 'shown':
      return cellMark(cell, by) === mark;
    default:
      return saysSame(cellText(cell), { ...by, field: by.field, isNumber: isNumber(cell) }, mark);
  }
}

/** What users wrote, in the form that is stored and quoted. */
export function writtenIn(cell: unknown, by: CellBy): Pick<RowEdit, 'text' | 'isNumber' | 'startsAt'> {
  switch (by.field) {
    case 'start':
      return startIn(cell, by.zone ?? 'UTC');
    case 'cancel':
      return { text: tickText(cell) };
    default:
      return { text: cellText(cell), ...(isNumber(cell) && { isNumber: true }) };
  }
}

/** How many rows show a start in the future. Accurate to the nearest day, because zones are ignored. */
export function upcomingRows({ columns }: SheetCarry, rows: Iterable<ShownCells>, nowMs: number): number {
  const header = columns.find(({ field }) => field === 'start')?.header ?? '';
  const starts = [...rows].map(({ cells }) => Date.parse(`${figuresIn(cells[header] ?? '')}Z`));
  return starts.filter((startMs) => startMs > nowMs).length;
}

/** The figures in a start's mark. */
export function figuresIn(mark: string): string {
  return mark.split(' ')[0] ?? '';
}

/** The zone in a start's mark. */
export function zoneIn(mark: string): string {
  return mark.slice(figuresIn(mark).length + 1);
}

function isNumber(cell: unknown): boolean {
  return typeof cell === 'number';
}

function figuresOrHash(cell: unknown): string {
  return figuresOf(cell) ?? cellHash(cellText(cell), { field: 'name' });
}

/** A tick, also one that was written as a word, or what else was typed. */
function tickText(cell: unknown): string {
  if (tickIn(cell) === 'yes') return 'true';
  return cell === false ? '' : cellText(cell).trim();
}

function shownText(cell: unknown): string {
  return cellText(typeof cell === 'number' ? comparable(cell) : cell);
}
