// Reads the rows of one mirror from its tab: id, and hash of the mirror's own cells.

import { sheetPlace } from '../../engine/domain/actual.ts';
import { RetryableError, TerminalError } from '../../engine/domain/errors.ts';
import type { SheetMirror } from '../../engine/domain/mirror.ts';
import { trimmedCell } from '../../engine/domain/sheet-row.ts';
import type { MirrorPlaces } from '../../engine/ports/operator.ts';
import type { SheetsApi } from '../../google/sheets-api.ts';
import { isObjectId, type TabView } from '../flush/plan.ts';
import { isTabFault, type TabFault } from '../tab/layout.ts';
import { placesOf } from '../tab/places.ts';
import type { TabSurvey } from '../tab/survey.ts';
import { cellsHash } from './row-content.ts';

/** Rows per read: some megabytes if rows are wide. */
const ROWS_PER_READ = 10_000;

export function sheetPlaces(
  mirror: SheetMirror,
  parts: { readonly api: SheetsApi; readonly survey: TabSurvey },
): MirrorPlaces {
  const tabs = placesOf(mirror);
  return {
    mirror: mirror.name,
    places: tabs.map(sheetPlace),
    async *standing(place) {
      const tab = tabs.find((each) => sheetPlace(each) === place);
      if (tab === undefined) return;
      const view = (await parts.survey.look(tab.spreadsheetId, [tab])).get(tab);
      if (view === undefined) return;
      if (isTabFault(view)) throw faultOf(view, place);
      for await (const { row, id, cells } of rowsOf(tab, view, parts.api)) {
        yield { place, id, name: `row ${row + 1}`, content: cellsHash(cells), isOurs: true };
      }
    },
  };
}

/**
 * The cells of one tab by header, without the key column. Of rows that share an id, the first counts. Rejects when the tab cannot be read.
 */
export async function cellsById(
  tab: SheetMirror,
  parts: { readonly api: SheetsApi; readonly survey: TabSurvey },
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  const view = (await parts.survey.look(tab.spreadsheetId, [tab])).get(tab);
  if (view === undefined) return found;
  if (isTabFault(view)) throw faultOf(view, sheetPlace(tab));
  for await (const { id, cells } of rowsOf(tab, view, parts.api)) if (!found.has(id)) found.set(id, cells);
  return found;
}

function faultOf({ code, message, advice }: TabFault, target: string): TerminalError {
  return new TerminalError(code, message, { target, advice });
}

/** Each read includes the key column, to recognise rows that users move between two reads. */
async function* rowsOf(mirror: SheetMirror, view: TabView, api: SheetsApi) {
  const { sheetId, layout, keys } = view;
  const headers = [...layout.columns.keys()];
  const columns = [layout.keyColumn, ...layout.columns.values()];
  for (let startRow = 1; startRow < keys.length; startRow += ROWS_PER_READ) {
    const endRow = Math.min(startRow + ROWS_PER_READ, keys.length);
    const areas = columns.map((at) => ({ sheetId, startRow, endRow, startColumn: at, endColumn: at + 1 }));
    const read = await api.read(mirror.spreadsheetId, areas);
    if (read.some((area) => area === undefined)) {
      throw new RetryableError('sheet-changed', 'people changed the spreadsheet while it was being read', {
        target: sheetPlace(mirror),
      });
    }
    for (let at = 0; at < endRow - startRow; at += 1) {
      const id = trimmedCell(read[0]?.rows[at]?.[0]);
      if (!isObjectId(id)) continue;
      const cells = Object.fromEntries(headers.map((header, i) => [header, read[i + 1]?.rows[at]?.[0]]));
      yield { row: startRow + at, id, cells };
    }
  }
}
