import { TerminalError } from '../../engine/domain/errors.ts';
import type { SheetBookings } from '../../engine/domain/outside-booking.ts';
import { namedAlike } from '../../engine/domain/plain-text.ts';
import type { AreaValues, SheetsApi } from '../../google/sheets-api.ts';
import type { IntakeFault } from './columns.ts';

/** The sheet id behind the title that the mapping gives a tab: a renamed tab keeps its id. */
export interface TabIds {
  get(spreadsheetId: string, tab: string): Promise<number | undefined>;
  set(spreadsheetId: string, tab: string, sheetId: number): Promise<void>;
  forget(spreadsheetId: string, tab: string): Promise<void>;
}

/** `grid` undefined: Google returned nothing about the tab, which is not the same as blank (case 65). */
export type TabReading =
  | {
      readonly sheetId: number;
      readonly grid: AreaValues['rows'] | undefined;
      /** The title at that moment. */
      readonly title?: string | undefined;
    }
  | IntakeFault;

/** How long to wait for another reading of the spreadsheet to share. */
export interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface TabsAsked {
  readonly spreadsheetId: string;
  readonly mappings: readonly SheetBookings[];
  readonly waiting?: Waiting | undefined;
}

/**
 * Reads all tabs of the entries at one moment. Costs one read, or none if it shares another reading. A tab that is new, renamed back or
 * gone costs two more.
 */
export async function readTabs(
  parts: { readonly api: SheetsApi; readonly tabs: TabIds },
  { spreadsheetId, mappings, waiting }: TabsAsked,
): Promise<ReadonlyMap<SheetBookings, TabReading>> {
  const { api, tabs } = parts;
  const ids = new Map<SheetBookings, number>();
  for (const mapping of mappings) {
    const id = await tabs.get(spreadsheetId, mapping.tab);
    if (id !== undefined) ids.set(mapping, id);
  }
  if (ids.size === mappings.length) {
    try {
      return await readAll(ids, (areas) =>
        waiting === undefined ? api.read(spreadsheetId, areas) : api.readAlong(spreadsheetId, areas, waiting),
      );
    } catch (error) {
      // A tab was deleted, so Google refuses the whole reading.
      if (!(error instanceof TerminalError)) throw error;
    }
  }
  return readAnew(parts, spreadsheetId, mappings);
}

async function readAnew(
  { api, tabs }: { readonly api: SheetsApi; readonly tabs: TabIds },
  spreadsheetId: string,
  mappings: readonly SheetBookings[],
): Promise<ReadonlyMap<SheetBookings, TabReading>> {
  const standing = await api.tabs(spreadsheetId);
  const ids = new Map<SheetBookings, number>();
  const faults = new Map<SheetBookings, IntakeFault>();
  for (const mapping of mappings) {
    const { tab } = mapping;
    const known = await tabs.get(spreadsheetId, tab);
    const byId = standing.find(({ sheetId }) => sheetId === known);
    const found = byId ?? namedAlike(standing, tab, ({ title }) => title)[0];
    if (found === undefined) {
      if (known !== undefined) await tabs.forget(spreadsheetId, tab);
      faults.set(mapping, tabNotFound(tab));
      continue;
    }
    if (byId === undefined) await tabs.set(spreadsheetId, tab, found.sheetId);
    ids.set(mapping, found.sheetId);
  }
  return new Map([...faults, ...(await readAll(ids, (areas) => api.read(spreadsheetId, areas)))]);
}

async function readAll(
  ids: ReadonlyMap<SheetBookings, number>,
  read: (areas: readonly { readonly sheetId: number }[]) => ReturnType<SheetsApi['read']>,
): Promise<ReadonlyMap<SheetBookings, TabReading>> {
  if (ids.size === 0) return new Map();
  const found = await read([...ids.values()].map((sheetId) => ({ sheetId })));
  return new Map(
    [...ids].map(([mapping, sheetId], i) => {
      const { rows: grid, title } = found[i] ?? {};
      return [mapping, { sheetId, grid, title }] as const;
    }),
  );
}

function tabNotFound(tab: string): IntakeFault {
  return {
    code: 'tab-not-found',
    message: `the spreadsheet has no tab "${tab}"`,
    advice: `Add a tab named "${tab}" with the headers of the mapping, or correct its name in the mapping.`,
  };
}
