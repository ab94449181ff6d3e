// Cells that `spreadsheets.getByDataFilter` returns with a field mask (Google, GridData). Google leaves out zeros and empty lists.
import * as z from 'zod';

const index = z.number().int().nonnegative().default(0);

/** An answer whose cells have this shape. `startRow` counts from 0. */
export function gridDataOf<Cell extends z.ZodType>(cell: Cell) {
  const row = z.object({ values: z.array(cell).default([]) });
  const data = z.object({ startRow: index, rowData: z.array(row).default([]) });
  const properties = z.object({ sheetId: index }).default({ sheetId: 0 });
  return z.object({ sheets: z.array(z.object({ properties, data: z.array(data).default([]) })).default([]) });
}
