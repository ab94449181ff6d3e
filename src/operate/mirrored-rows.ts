import type { Mirror } from '../engine/mirror.ts';
import type { EntityKey, EntityKind } from '../engine/object.ts';
import type { BookingSource, SheetBookings } from '../engine/outside-booking.ts';
import { foldedText } from '../engine/plain-text.ts';
import { columnsHeaded, trimmedCell } from '../engine/sheet-row.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import { placesOf } from '../sheet/tab-survey.ts';

/** A row as people count, from 1. Without a tab: a row of any tab that the worker knows. */
export interface RowAsked {
  readonly tab?: string;
  readonly row: number;
}

export interface RowPlace {
  readonly spreadsheetId: string;
  readonly sheetId: number;
  readonly row: number;
}

/** Most spreadsheets that one search reads; each costs two reads of Google. */
const SPREADSHEETS_ASKED_MAX = 5;

/** A tab with a column that holds ids of objects. */
interface RowTab {
  /** The mirror, or the entry of `bookings`. */
  readonly name: string;
  readonly kind: EntityKind;
  readonly spreadsheetId: string;
  readonly tab: string;
  readonly keyHeader: string;
}

/**
 * Rows of the tabs of the mapping, where they are now: people sort and insert, so a row number is never stored. Rejects with the three error
 * families.
 */
export class MirroredRows {
  readonly #api: Pick<SheetsApi, 'tabs' | 'read'>;
  readonly #tabs: readonly RowTab[];

  constructor(parts: {
    readonly api: Pick<SheetsApi, 'tabs' | 'read'>;
    readonly mirrors: readonly Mirror[];
    readonly bookings: readonly BookingSource[];
  }) {
    this.#api = parts.api;
    this.#tabs = [...parts.mirrors.flatMap(tabsOfMirror), ...parts.bookings.flatMap(tabsOfBookings)];
  }

  /** The objects whose ids are in that row. */
  async at({ tab, row }: RowAsked): Promise<readonly EntityKey[]> {
    const meant = this.#tabs.filter((each) => tab === undefined || isSame(each.tab, tab));
    const books = [...new Set(meant.map(({ spreadsheetId }) => spreadsheetId))];
    const found = await Promise.all(
      books.slice(0, SPREADSHEETS_ASKED_MAX).map((book) =>
        this.#keysAt(
          book,
          meant.filter(({ spreadsheetId }) => spreadsheetId === book),
          row,
        ),
      ),
    );
    return found.flat();
  }

  /** Undefined if no tab of the mirror, or of the `bookings` entry, has a row of it. */
  async placeOf(key: EntityKey, name: string): Promise<RowPlace | undefined> {
    for (const each of this.#tabs.filter((tab) => tab.name === name && tab.kind === key.kind)) {
      const { spreadsheetId, tab, keyHeader } = each;
      const info = (await this.#api.tabs(spreadsheetId)).find(({ title }) => isSame(title, tab));
      if (info === undefined) continue;
      const { sheetId } = info;
      const [header] = await this.#api.read(spreadsheetId, [{ sheetId, startRow: 0, endRow: 1 }]);
      const column = columnOf(header?.rows[0], keyHeader);
      if (column === undefined) continue;
      const [ids] = await this.#api.read(spreadsheetId, [
        { sheetId, startColumn: column, endColumn: column + 1 },
      ]);
      const at = ids?.rows.findIndex(([cell], nth) => nth > 0 && trimmedCell(cell) === key.id) ?? -1;
      if (at > 0) return { spreadsheetId, sheetId, row: at + 1 };
    }
    return undefined;
  }

  async #keysAt(spreadsheetId: string, tabs: readonly RowTab[], row: number): Promise<readonly EntityKey[]> {
    const standing = await this.#api.tabs(spreadsheetId);
    const here = tabs.flatMap((each) => {
      const info = standing.find(({ title, rows }) => isSame(title, each.tab) && row <= rows);
      return info === undefined ? [] : [{ ...each, sheetId: info.sheetId }];
    });
    if (here.length === 0) return [];
    const areas = here.flatMap(({ sheetId }) => [
      { sheetId, startRow: 0, endRow: 1 },
      { sheetId, startRow: row - 1, endRow: row },
    ]);
    const values = await this.#api.read(spreadsheetId, areas);
    return here.flatMap(({ kind, keyHeader }, nth) => {
      const [header, cells] = [values[2 * nth]?.rows[0], values[2 * nth + 1]?.rows[0]];
      const column = columnOf(header, keyHeader);
      const id = column === undefined ? '' : trimmedCell(cells?.[column]);
      return id === '' ? [] : [{ kind, id }];
    });
  }
}

function columnOf(header: readonly unknown[] | undefined, keyHeader: string): number | undefined {
  return columnsHeaded((header ?? []).map(trimmedCell), keyHeader)[0];
}

function isSame(a: string, b: string): boolean {
  return foldedText(a) === foldedText(b);
}

function tabsOfMirror(mirror: Mirror): readonly RowTab[] {
  if (mirror.kind !== 'sheet') return [];
  return placesOf(mirror).map(({ name, from, spreadsheetId, tab, keyHeader }) => ({
    ...{ name, kind: from, spreadsheetId, tab, keyHeader },
  }));
}

function tabsOfBookings(mapping: BookingSource): readonly RowTab[] {
  return mapping.kind === 'sheet' ? [tabOfBookings(mapping)] : [];
}

function tabOfBookings({ name, spreadsheetId, tab, columns }: SheetBookings): RowTab {
  return { name, kind: 'booking', spreadsheetId, tab, keyHeader: columns.id ?? '' };
}
