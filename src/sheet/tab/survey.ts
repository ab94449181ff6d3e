import { RetryableError, TerminalError } from '../../engine/domain/errors.ts';
import type { KeyedTab } from '../../engine/domain/mirror.ts';
import { namedAlike } from '../../engine/domain/plain-text.ts';
import { columnsHeaded, trimmedCell } from '../../engine/domain/sheet-row.ts';
import type { Log } from '../../engine/ports/runtime.ts';
import type { AreaValues, GridArea, SheetsApi, TabInfo } from '../../google/sheets-api.ts';
import type { AddedColumns, TabView } from '../flush/plan.ts';
import {
  freshLayout,
  headerMissing,
  headersOf,
  isTabFault,
  keyRenamed,
  type Layout,
  layoutWithAdded,
  missingHeaders,
  readLayout,
  type TabFault,
  workerHeaders,
} from './layout.ts';
import type { KnownColumns, TabMemory } from './tab-memory.ts';

/** Result of a look at a mirror's tab: its present state, or why it cannot be used. */
export type Seen = TabView | TabFault;

interface Glance {
  readonly title: string | undefined;
  readonly header: readonly unknown[];
  readonly keys: AreaValues | undefined;
}

/**
 * Reads the header row and the key column of a spreadsheet's tabs, in one request if nothing has moved since the last look. It finds tabs
 * by the id stored for their title in the mapping, so users may rename them.
 */
export class TabSurvey {
  readonly #api: SheetsApi;
  readonly #memory: TabMemory;
  /** Last known index of the key column, by spreadsheet and sheet id. Only a guess: the header decides. */
  readonly #keyColumns = new Map<string, number>();

  readonly #columns: ColumnSurvey;

  constructor(parts: { api: SheetsApi; memory: TabMemory; log: Log }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
    this.#columns = new ColumnSurvey(parts);
  }

  /** Takes mirrors of one spreadsheet, each with its own tab. A second mirror of the same tab gets a fault. */
  async look(spreadsheetId: string, mirrors: readonly KeyedTab[]): Promise<ReadonlyMap<KeyedTab, Seen>> {
    return (await this.lookAlsoAt(spreadsheetId, mirrors, [])).seen;
  }

  /** Like `look`, and also reads the given areas in the same request. `also` is empty when the areas could not be read. */
  async lookAlsoAt(
    spreadsheetId: string,
    mirrors: readonly KeyedTab[],
    areas: readonly GridArea[],
  ): Promise<{ seen: ReadonlyMap<KeyedTab, Seen>; also: readonly (AreaValues | undefined)[] }> {
    const known = await this.#remembered(spreadsheetId, mirrors);
    if (known !== undefined) {
      try {
        return await this.#read(spreadsheetId, known, areas);
      } catch (error) {
        // A tab or a column was deleted: Google refuses the whole read.
        if (!(error instanceof TerminalError)) throw error;
      }
    }
    return { seen: await this.#lookAnew(spreadsheetId, mirrors), also: [] };
  }

  /** Call when all headers of the mirror have just been written into its tab. */
  noteColumns(mirror: KeyedTab): Promise<void> {
    return this.#columns.note(mirror);
  }

  async #remembered(
    spreadsheetId: string,
    mirrors: readonly KeyedTab[],
  ): Promise<ReadonlyMap<KeyedTab, number> | undefined> {
    const ids = new Map<KeyedTab, number>();
    for (const mirror of mirrors) {
      const id = await this.#memory.get(spreadsheetId, mirror.tab);
      if (id === undefined) return undefined;
      ids.set(mirror, id);
    }
    // Users may have given the title of a tab to another one: find out whose it is.
    return new Set(ids.values()).size < ids.size ? undefined : ids;
  }

  /** Lists the tabs and reads step by step: first the header rows, which every tab has. */
  async #lookAnew(spreadsheetId: string, mirrors: readonly KeyedTab[]): Promise<ReadonlyMap<KeyedTab, Seen>> {
    const tabs = await this.#api.tabs(spreadsheetId);
    const seen = new Map<KeyedTab, Seen>();
    const ids = await this.#alive(spreadsheetId, mirrors, tabs);
    for (const mirror of mirrors) {
      if (ids.has(mirror)) continue;
      const [titled] = namedAlike(tabs, mirror.tab, ({ title }) => title);
      const owner = [...ids].find(([, id]) => id === titled?.sheetId)?.[0];
      if (titled === undefined || owner !== undefined) {
        await this.#memory.forget(spreadsheetId, mirror.tab);
        seen.set(mirror, owner === undefined ? tabNotFound(mirror.tab) : tabTaken(mirror.tab, owner.tab));
      } else {
        await this.#memory.set(spreadsheetId, mirror.tab, titled.sheetId);
        ids.set(mirror, titled.sheetId);
      }
    }
    if (ids.size === 0) return seen;
    const rows = await this.#api.read(spreadsheetId, [...ids.values()].map(headerRow));
    const glances = new Map([...ids.keys()].map((mirror, i) => [mirror, glanceAt(rows[i], undefined)]));
    return new Map([...seen, ...(await this.#judge(spreadsheetId, ids, { glances, tabs }))]);
  }

  /** Mirrors whose remembered tab still exists. A tab belongs to one mirror. */
  async #alive(spreadsheetId: string, mirrors: readonly KeyedTab[], tabs: readonly TabInfo[]) {
    const ids = new Map<KeyedTab, number>();
    const free = new Set(tabs.map(({ sheetId }) => sheetId));
    for (const mirror of mirrors) {
      const id = await this.#memory.get(spreadsheetId, mirror.tab);
      if (id !== undefined && free.delete(id)) ids.set(mirror, id);
    }
    return ids;
  }

  async #read(spreadsheetId: string, ids: ReadonlyMap<KeyedTab, number>, others: readonly GridArea[]) {
    const areas = [...ids].flatMap(([mirror, sheetId]) => {
      const guess =
        this.#keyColumns.get(`${spreadsheetId} ${sheetId}`) ??
        headersOf(mirror).indexOf(mirror.keyHeader.trim());
      return [headerRow(sheetId), columnArea(sheetId, guess)];
    });
    const found = await this.#api.read(spreadsheetId, [...areas, ...others]);
    const glances = new Map<KeyedTab, Glance>(
      [...ids.keys()].map((mirror, i) => [mirror, glanceAt(found[2 * i], found[2 * i + 1])]),
    );
    const seen = await this.#judge(spreadsheetId, ids, { glances, tabs: undefined });
    return { seen, also: found.slice(areas.length) };
  }

  async #judge(
    spreadsheetId: string,
    ids: ReadonlyMap<KeyedTab, number>,
    read: { glances: ReadonlyMap<KeyedTab, Glance>; tabs: readonly TabInfo[] | undefined },
  ): Promise<ReadonlyMap<KeyedTab, Seen>> {
    const seen = new Map<KeyedTab, Seen>();
    const layouts = new Map<KeyedTab, Layout>();
    const added = new Map<KeyedTab, Pick<TabView, 'addedColumns'>>();
    for (const [mirror, { header }] of read.glances) {
      const layout = readLayout(header, mirror);
      if (!isTabFault(layout)) {
        layouts.set(mirror, layout);
        await this.#columns.note(mirror);
      } else if (header.some((cell) => trimmedCell(cell) !== '')) {
        const found = await this.#columns.added(mirror, {
          sheetId: ids.get(mirror) ?? 0,
          header,
          fault: layout,
        });
        if (isTabFault(found)) seen.set(mirror, found);
        else {
          layouts.set(mirror, found.layout);
          added.set(mirror, { addedColumns: found.addedColumns });
        }
      } else seen.set(mirror, await this.#blankOrNot(spreadsheetId, mirror, { ids, tabs: read.tabs }));
    }
    const keys = await this.#keyColumnsOf(spreadsheetId, { ids, layouts, glances: read.glances });
    for (const [mirror, layout] of layouts) {
      const sheetId = ids.get(mirror) ?? 0;
      const values = keys.get(mirror);
      const texts = (values?.rows ?? []).map((row) => trimmedCell(row[0]));
      // The key column contains its header, so a successful read is never blank. Treating a failed read as an empty column would write
      // every row a second time.
      const { title, header = [] } = read.glances.get(mirror) ?? {};
      if (texts[0] !== trimmedCell(header[layout.keyColumn])) throw changedMeanwhile(spreadsheetId);
      const about = {
        sheetId,
        title,
        header: header.map(trimmedCell),
        rowCount: values?.lastRow,
        ...added.get(mirror),
      };
      seen.set(mirror, { ...about, layout, keys: texts });
    }
    return seen;
  }

  /** Uses the key columns already read where the guess was right, and reads the others in one more request. */
  async #keyColumnsOf(
    spreadsheetId: string,
    read: {
      ids: ReadonlyMap<KeyedTab, number>;
      layouts: ReadonlyMap<KeyedTab, Layout>;
      glances: ReadonlyMap<KeyedTab, Glance>;
    },
  ): Promise<ReadonlyMap<KeyedTab, AreaValues | undefined>> {
    const keys = new Map<KeyedTab, AreaValues | undefined>();
    const others: { mirror: KeyedTab; area: GridArea }[] = [];
    for (const [mirror, { keyColumn }] of read.layouts) {
      const sheetId = read.ids.get(mirror) ?? 0;
      const { keys: values, header = [] } = read.glances.get(mirror) ?? {};
      this.#keyColumns.set(`${spreadsheetId} ${sheetId}`, keyColumn);
      if (trimmedCell(values?.rows[0]?.[0]) === trimmedCell(header[keyColumn])) keys.set(mirror, values);
      else others.push({ mirror, area: columnArea(sheetId, keyColumn) });
    }
    if (others.length === 0) return keys;
    const found = await this.#api.read(
      spreadsheetId,
      others.map(({ area }) => area),
    );
    for (const [i, { mirror }] of others.entries()) keys.set(mirror, found[i]);
    return keys;
  }

  /** A blank first row means a new tab only if the whole tab is empty. */
  async #blankOrNot(
    spreadsheetId: string,
    mirror: KeyedTab,
    known: { ids: ReadonlyMap<KeyedTab, number>; tabs: readonly TabInfo[] | undefined },
  ): Promise<Seen> {
    const sheetId = known.ids.get(mirror);
    const tab = (known.tabs ?? (await this.#api.tabs(spreadsheetId))).find(
      (info) => info.sheetId === sheetId,
    );
    if (tab === undefined) throw changedMeanwhile(spreadsheetId);
    const { rows } = await this.#api.readWhole(spreadsheetId, tab.title);
    if (rows.some((row) => row.some((cell) => trimmedCell(cell) !== '')))
      return headerMissing(headersOf(mirror));
    return {
      sheetId: tab.sheetId,
      title: tab.title,
      layout: freshLayout(mirror),
      keys: [mirror.keyHeader.trim()],
      rowCount: tab.rows,
      blankColumns: tab.columns,
    };
  }
}

function glanceAt(header: AreaValues | undefined, keys: AreaValues | undefined): Glance {
  return { title: header?.title, header: header?.rows[0] ?? [], keys };
}

export function headerRow(sheetId: number): GridArea {
  return { sheetId, startRow: 0, endRow: 1 };
}

export function columnArea(sheetId: number, index: number): GridArea {
  return { sheetId, startColumn: index, endColumn: index + 1 };
}

function tabNotFound(tab: string): TabFault {
  return {
    code: 'tab-not-found',
    message: `the spreadsheet has no tab "${tab}"`,
    advice: `Add an empty tab named "${tab}" to the spreadsheet, or correct its name in the mapping.`,
  };
}

function tabTaken(tab: string, owner: string): TabFault {
  return {
    code: 'tab-not-found',
    message: `the tab "${tab}" is the renamed tab "${owner}" of another mirror`,
    advice: `Rename it to "${owner}" again, and add an empty tab named "${tab}".`,
  };
}

function changedMeanwhile(spreadsheetId: string): RetryableError {
  return new RetryableError('sheet-changed', 'people changed the spreadsheet while it was being read', {
    target: `spreadsheet:${spreadsheetId}`,
  });
}

/**
 * Distinguishes new columns of the mapping from columns that users renamed or deleted, by the headers that were last complete in the tab.
 * The worker adds new columns, and asks users about the others.
 */
class ColumnSurvey {
  readonly #api: SheetsApi;
  readonly #memory: TabMemory;
  readonly #log: Log;

  constructor(parts: { api: SheetsApi; memory: TabMemory; log: Log }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
    this.#log = parts.log;
  }

  /** Call when all headers of the mirror are in its tab. Headers that left the mapping are logged once; their columns stay. */
  async note(mirror: KeyedTab): Promise<void> {
    const { spreadsheetId, tab } = mirror;
    const headers = headersOf(mirror);
    const key = mirror.keyHeader.trim();
    const before = await this.#memory.columns(spreadsheetId, tab);
    // Redis is the only record. A copy in this process would outlive a wiped Redis and grow with every look.
    if (before !== undefined && isSame(before, { key, headers })) return;
    const gone = before?.headers.filter((header) => !headers.includes(header)) ?? [];
    if (gone.length > 0) {
      const advice = 'Delete the columns if nobody needs them: the worker no longer touches them.';
      this.#log.info({ mirror: mirror.name, headers: gone, advice }, 'columns left the mapping');
    }
    await this.#memory.setColumns(spreadsheetId, tab, { key, headers });
  }

  /**
   * Where the missing columns will be inserted, if they are new in the mapping. Otherwise the fault, with a more precise message where
   * possible.
   */
  async added(
    mirror: KeyedTab,
    seen: { readonly sheetId: number; readonly header: readonly unknown[]; readonly fault: TabFault },
  ): Promise<{ readonly layout: Layout; readonly addedColumns: AddedColumns } | TabFault> {
    const { sheetId, header, fault } = seen;
    const missing = missingHeaders(header, mirror);
    const known = await this.#memory.columns(mirror.spreadsheetId, mirror.tab);
    if (missing.length === 0) return fault;
    const key = mirror.keyHeader.trim();
    if (known !== undefined && missing.includes(key)) {
      const isRenamed = key !== known.key && columnsHeaded(header.map(trimmedCell), known.key).length > 0;
      return isRenamed ? keyRenamed(known.key, key) : fault;
    }
    // At the first look, the mapping's other headers are people's: they wrote them differently, or have yet to write them.
    const own = workerHeaders(mirror);
    const lost = missing.filter((name) =>
      known === undefined ? !own.includes(name) : known.headers.includes(name),
    );
    if (lost.length > 0) return headerMissing(lost);
    // Users may have columns without a header, so look for the last column that holds anything.
    const [whole] = await this.#api.read(mirror.spreadsheetId, [{ sheetId }]);
    const tab = (await this.#api.tabs(mirror.spreadsheetId)).find((info) => info.sheetId === sheetId);
    if (whole === undefined || tab === undefined) return fault;
    const at = whole.rows.reduce((width, row) => Math.max(width, row.length), header.length);
    const layout = layoutWithAdded(header, mirror, at);
    if (isTabFault(layout)) return layout;
    return { layout, addedColumns: { at, headers: missing, isLast: at >= tab.columns } };
  }
}

function isSame(a: KnownColumns, b: KnownColumns): boolean {
  const headers = new Set(a.headers);
  return (
    a.key === b.key &&
    headers.size === new Set(b.headers).size &&
    b.headers.every((header) => headers.has(header))
  );
}
