// Adds the present cells of rows to what a plan would write: each change with a row gets a field for each cell. Reads each tab once, and
// only tabs in which something would change.

import { sheetPlace } from '../domain/actual.ts';
import { WorkerError } from '../domain/errors.ts';
import type { ColumnType, SheetMirror } from '../domain/mirror.ts';
import type { FieldChange, PlannedRow, PlannedStep } from '../domain/planned.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import { holds } from '../mirrors/sheet/tab/cell-data.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import type { TabSurvey } from '../mirrors/sheet/tab/survey.ts';
import { cellsById } from '../mirrors/sheet/target/actual.ts';
import { hasZone, spokenSerial } from '../mirrors/sheet/target/typed-cell.ts';
import { isHarmless } from './harmless.ts';

type Changed = Pick<PlannedStep, 'place' | 'from' | 'fields' | 'row'>;
type Standing = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The field of a row whose cells would change, before the cells have been read. */
const WHOLE_ROW = 'cells';

export async function withOldCells<Change extends Changed>(
  changes: readonly Change[],
  parts: {
    readonly mirrors: readonly SheetMirror[];
    readonly api: SheetsApi;
    readonly survey: TabSurvey;
  },
): Promise<readonly Omit<Change, 'row'>[]> {
  const tabs = new Map(parts.mirrors.flatMap(placesOf).map((tab) => [sheetPlace(tab), tab]));
  const read = new Map<string, Standing | WorkerError>();
  const told: Omit<Change, 'row'>[] = [];
  for (const { row, ...change } of changes) {
    const place = change.from ?? change.place;
    const tab = tabs.get(place);
    if (row === undefined || tab === undefined || !isOfCells(change.fields)) {
      told.push(change as Omit<Change, 'row'>);
      continue;
    }
    const standing = read.get(place) ?? (await look(tab, parts));
    read.set(place, standing);
    const others = (change.fields ?? []).filter(({ field }) => field !== WHOLE_ROW);
    told.push({ ...change, fields: [...cellChanges(row, standing), ...others] } as Omit<Change, 'row'>);
  }
  return told;
}

function isOfCells(fields: readonly FieldChange[] = []): boolean {
  return fields.some(({ field }) => field === WHOLE_ROW);
}

/** A tab that cannot be read leaves the rest of the plan as it is. */
async function look(
  tab: SheetMirror,
  parts: { readonly api: SheetsApi; readonly survey: TabSurvey },
): Promise<Standing | WorkerError> {
  try {
    return await cellsById(tab, parts);
  } catch (error) {
    if (error instanceof WorkerError) return error;
    throw error;
  }
}

function cellChanges(row: PlannedRow, standing: Standing | WorkerError): readonly FieldChange[] {
  if (standing instanceof WorkerError)
    return [{ field: `${WHOLE_ROW}, which cannot be read now (${standing.code})` }];
  const stands = standing.get(row.id);
  if (stands === undefined) return [{ field: 'row', old: 'not in the tab', new: 'written again' }];
  return row.cells.flatMap(({ header, value, as, isPersonal }): readonly FieldChange[] => {
    const old = stands[header];
    if (holds(old, value)) return [];
    const isMoment = typeof old === 'number' && hasZone(as);
    const isQuiet = isPersonal || !(isMoment || isHarmless(old, row.harmless));
    return [
      {
        ...{ field: header, old: spoken(old, as), new: spoken(value, as) },
        ...(isQuiet ? { personal: true as const } : {}),
      },
    ];
  });
}

function spoken(value: unknown, as: ColumnType | undefined): string {
  const text = typeof value === 'number' && as !== undefined ? spokenSerial(as, value) : undefined;
  return text ?? String(value ?? '');
}
