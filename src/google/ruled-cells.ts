// Cells with their values and the rules of their data validation, as of one moment (Google, CellData).
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/index.js';
import * as z from 'zod';
import { gridDataOf } from './grid-data.ts';
import { EXTENDED_VALUE, plainValue } from './shown-cells.ts';

/** The data validation rule of a cell. */
export interface CellRule {
  /** Type of the rule's `BooleanCondition`. */
  readonly type: string;
  /** The values as typed by the user; a range begins with `=`. */
  readonly values: readonly string[];
  /** The rule as Google returns it, so that it can be set again. */
  readonly whole: WholeRule;
}

export type WholeRule = sheets_v4.Schema$DataValidationRule;

/** A whole tab: its values and rules. Trailing blanks are omitted; a cell without a rule is undefined. */
export interface RuledCells {
  readonly values: readonly (readonly unknown[])[];
  readonly rules: readonly (readonly (CellRule | undefined)[])[];
}

export const RULED_FIELDS = 'sheets(properties.sheetId,data(rowData.values(effectiveValue,dataValidation)))';

/** No defaults here: the rule is written back exactly as read. */
const CONDITION = z.looseObject({
  type: z.string().optional(),
  values: z.array(z.looseObject({ userEnteredValue: z.string().optional() })).optional(),
});
const CELL = z.object({
  effectiveValue: EXTENDED_VALUE.optional(),
  dataValidation: z.looseObject({ condition: CONDITION.optional() }).optional(),
});

export const RULED = gridDataOf(CELL);

/** By sheet id. Omits a tab that Google did not return. */
export function ruledCells({ sheets }: z.output<typeof RULED>): ReadonlyMap<number, RuledCells> {
  return new Map(
    sheets.flatMap(({ properties, data: [data] }) => {
      if (data === undefined) return [];
      const rows = data.rowData.map(({ values }) => values);
      const values = rows.map((cells) =>
        cells.map(({ effectiveValue }) => (effectiveValue === undefined ? '' : plainValue(effectiveValue))),
      );
      const rules = rows.map((cells) =>
        cells.map(({ dataValidation }) => {
          const condition = dataValidation?.condition;
          if (condition === undefined) return undefined;
          const typed = (condition.values ?? []).map((each) => each.userEnteredValue ?? '');
          return { type: condition.type ?? '', values: typed, whole: dataValidation as WholeRule };
        }),
      );
      return [[properties.sheetId, { values, rules }] as const];
    }),
  );
}
