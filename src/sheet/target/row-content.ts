// Renders the cells of one object's row from the columns of its mirror.
import type { SheetMirror } from '../../engine/domain/mirror.ts';
import { contentHash } from '../../engine/domain/object.ts';
import type { Cell, CellFormat } from '../../engine/domain/sheet-row.ts';
import type { TemplateContext } from '../../mapping/render/context.ts';
import { compileTemplate } from '../../mapping/render/template.ts';
import { comparable, storable } from '../tab/cell-data.ts';
import { hasZone, typedCell } from './typed-cell.ts';

/** Hash of a row that the worker removed. */
export const CLEARED = 'cleared';
/** Hash of a row that users deleted and that the worker does not write again. */
export const LEFT = 'left';

export interface RowContent {
  readonly cells: Readonly<Record<string, Cell>>;
  /** Only typed cells that have a value. */
  readonly formats: Readonly<Record<string, CellFormat>>;
}

export interface RowRenderer {
  /** True when the cells depend on the time zone of the spreadsheet. */
  readonly needsZone: boolean;
  /** Throws `TerminalError` (`template-failed`) when a template cannot be rendered for the object. */
  render(context: TemplateContext, zone: string): RowContent;
}

/** Throws `TerminalError` (`template-failed`) for a column whose template does not parse. */
export function createRowRenderer(mirror: SheetMirror): RowRenderer {
  // The key column holds the object's id whatever its template says, because rows are found by it.
  const columns = mirror.columns
    .filter(({ header }) => header.trim() !== mirror.keyHeader.trim())
    .map((column) => ({
      column,
      header: column.header.trim(),
      template: compileTemplate(column.template, 'text', ['columns', column.header]),
      currency:
        column.currency === undefined
          ? undefined
          : compileTemplate(column.currency, 'text', ['columns', column.header]),
    }));
  return {
    needsZone: columns.some(({ column }) => hasZone(column.as)),
    render(context, zone) {
      const typed = columns.map(({ column, header, template, currency }) => {
        const about = { zone, currency: currency?.text(context) ?? '' };
        return [header, typedCell(column, template.cell(context), about)] as const;
      });
      return {
        cells: Object.fromEntries(typed.map(([header, { cell }]) => [header, storable(cell)])),
        formats: Object.fromEntries(
          typed.flatMap(([header, { format }]) => (format === undefined ? [] : [[header, format]])),
        ),
      };
    },
  };
}

/**
 * Equal for rows that look the same. The part before the dash covers the cells alone, so it can be compared with a tab: reads return values
 * but no formats.
 */
export function rowHash({ cells, formats }: RowContent): string {
  const patterns = Object.fromEntries(
    Object.entries(formats).map(([header, { pattern }]) => [header, pattern]),
  );
  const ofCells = cellsHash(cells);
  return Object.keys(patterns).length === 0 ? ofCells : `${ofCells}-${contentHash(patterns)}`;
}

/** The cell part of `rowHash`, for cells read from a tab. */
export function cellsHash(cells: Readonly<Record<string, unknown>>): string {
  return contentHash(
    Object.fromEntries(Object.entries(cells).map(([header, cell]) => [header, comparableCell(cell)])),
  );
}

/** The part of a row's hash that covers the cells. */
export function cellsPart(hash: string): string {
  return hash.split('-')[0] ?? '';
}

function comparableCell(cell: unknown): unknown {
  if (cell === undefined || cell === '') return null;
  return typeof cell === 'number' ? comparable(cell) : cell;
}
