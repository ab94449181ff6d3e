import { randomUUID } from 'node:crypto';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import type { SheetLink } from '../engine/link.ts';
import type { Memory } from '../engine/memory.ts';
import type { KeyedTab, SheetMirror } from '../engine/mirror.ts';
import type { Snapshot } from '../engine/object.ts';
import { cutText, namedAlike } from '../engine/plain-text.ts';
import type { Log } from '../engine/runtime.ts';
import {
  type Cell,
  columnsHeaded,
  type PendingRow,
  type SheetSpot,
  trimmedCell,
} from '../engine/sheet-row.ts';
import type { Texts } from '../google/large-column.ts';
import type { AreaValues, CellData, GridArea, SheetsApi, TabInfo } from '../google/sheets-api.ts';
import { type AddedColumns, type Layout, planFlush, type TabView } from './flush-plan.ts';
import {
  freshLayout,
  headerMissing,
  headersOf,
  isSameLayout,
  isTabFault,
  KeyColumns,
  keyRenamed,
  layoutWithAdded,
  missingHeaders,
  readLayout,
  type TabFault,
  workerHeaders,
} from './tab-layout.ts';

/** Google's limit of characters in one cell. */
const CELL_CHARS_MAX = 50_000;
const CUT_MARKER = '… [cut]';

/**
 * The value a cell will hold, for comparison with what is read: text that fits, and null for empty text. Replaces lone surrogates, which
 * cannot be sent. Lines end with `\n`: Google does not document whether it keeps `\r\n`, and a cell read back differently would be
 * rewritten forever.
 */
export function storable(cell: Cell | undefined): Cell {
  if (cell === undefined || cell === '') return null;
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
  return typeof cell === 'string' ? cut(cell.replaceAll(/\r\n?/g, '\n')) : cell;
}

/** Google never parses `stringValue` as a formula, a date or a number (Google, ExtendedValue). */
export function toCellData(cell: Cell): CellData {
  const value = storable(cell);
  switch (typeof value) {
    case 'string':
      return { userEnteredValue: { stringValue: value } };
    case 'number':
      return { userEnteredValue: { numberValue: value } };
    case 'boolean':
      return { userEnteredValue: { boolValue: value } };
    default:
      // The field mask names the value and the data omits it, so Google empties the cell.
      return {};
  }
}

/** True when a cell, read unformatted, holds this value. */
export function holds(read: unknown, cell: Cell | undefined): boolean {
  const value = storable(cell);
  if (typeof read === 'number' && typeof value === 'number') {
    return Math.abs(read - value) <= NUMBER_TOLERANCE * Math.max(Math.abs(read), Math.abs(value));
  }
  return fingerprint(read) === fingerprint(value);
}

/** Equal for equal cells; blank and empty text are the same. */
export function fingerprint(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  return JSON.stringify(typeof value === 'number' ? comparable(value) : value);
}

/**
 * Rounds a number to 13 digits, because a spreadsheet keeps only 15. A time of day in whole seconds is never so close to a rounding
 * boundary that the last digits decide.
 */
export function comparable(number: number): number {
  return Number(number.toPrecision(NUMBER_DIGITS));
}

/** Approximate size of a cell in a request, in bytes. */
export function bytesOf(cell: Cell | undefined): number {
  return CELL_OVERHEAD_BYTES + (typeof cell === 'string' ? Math.min(cell.length, CELL_CHARS_MAX) : 8);
}

const CELL_OVERHEAD_BYTES = 45;
const NUMBER_DIGITS = 13;
/** Relative. Serial numbers of present-day dates that are one second apart differ from the tenth digit on. */
const NUMBER_TOLERANCE = 1e-12;

function cut(text: string): string {
  if (text.length <= CELL_CHARS_MAX) return text.toWellFormed();
  return cutText(text, CELL_CHARS_MAX - CUT_MARKER.length) + CUT_MARKER;
}

/** Result of a look at a mirror's tab: its present state, or why it cannot be used. */
export type Seen = TabView | TabFault;

interface Glance {
  /** The first row. */
  readonly head: AreaValues | undefined;
  readonly keys: AreaValues | undefined;
}

/**
 * Reads the header row and the key column of a spreadsheet's tabs, in one request if nothing has moved since the last look. It finds tabs
 * by the id stored for their title in the mapping, so users may rename them.
 */
export class TabSurvey {
  readonly #api: SheetsApi;
  readonly #memory: RememberedTabs;
  /** Last known index of the key column, by spreadsheet and sheet id. Only a guess: the header decides. */
  readonly #keyColumns = new Map<string, number>();

  /** Note a mirror when all of its headers have just been written into its tab. */
  readonly columns: ColumnSurvey;
  /** Note a plan when the tab stands as planned, and forget it when nobody knows: the next flush then reads all of its keys. */
  readonly keys = new KeyColumns();
  /** Names this process among those that write the spreadsheet. */
  readonly #writer = randomUUID();

  constructor(parts: { api: SheetsApi; memory: RememberedTabs; log: Log }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
    this.columns = new ColumnSurvey(parts);
  }

  /** Takes mirrors of one spreadsheet, each with its own tab. A second mirror of the same tab gets a fault. */
  async look(spreadsheetId: string, mirrors: readonly KeyedTab[]): Promise<ReadonlyMap<KeyedTab, Seen>> {
    return (await this.lookAlsoAt(spreadsheetId, mirrors, [])).seen;
  }

  /** Like `look`, and what is remembered of key columns is as of now: a large one is never held twice. Only under the flush's lease. */
  async lookAgain(spreadsheetId: string, mirrors: readonly KeyedTab[]): Promise<ReadonlyMap<KeyedTab, Seen>> {
    const remembered = this.keys.forgetAll(spreadsheetId);
    const seen = await this.look(spreadsheetId, mirrors);
    for (const [mirror, view] of seen)
      if (!isTabFault(view) && remembered.has(view.sheetId)) this.keys.note(planFlush(mirror, view, []));
    return seen;
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

  /**
   * Like `look`, for a flush that writes these rows. If this process was the last to write a tab, it reads only the cells on which they
   * depend. `isWhole`: tabs that are read in full in any case, as is one that does not show what it should. Only the holder of the flush's
   * lease may call it.
   */
  async lookFor(
    spreadsheetId: string,
    wanted: ReadonlyMap<KeyedTab, readonly PendingRow[]>,
    isWhole: (mirror: KeyedTab) => boolean,
  ): Promise<{
    readonly seen: ReadonlyMap<KeyedTab, Seen>;
    readonly read: Readonly<Record<'rows' | 'whole', number>>;
  }> {
    if (await this.#memory.isNewWriter(spreadsheetId, this.#writer)) this.keys.forgetAll(spreadsheetId);
    const mirrors = [...wanted.keys()];
    const ids = await this.#remembered(spreadsheetId, mirrors);
    const parts = new Map<KeyedTab, TabView>();
    const others: KeyedTab[] = [];
    for (const [mirror, rows] of wanted) {
      const sheetId = isWhole(mirror) ? undefined : ids?.get(mirror);
      const part = sheetId === undefined ? undefined : this.keys.partFor({ spreadsheetId, sheetId }, rows);
      if (part === undefined) others.push(mirror);
      else parts.set(mirror, part);
    }
    const areas = [...parts.values()].map(partAreas);
    const found =
      others.length > 0
        ? await this.lookAlsoAt(spreadsheetId, others, areas.flat())
        : { seen: new Map<KeyedTab, Seen>(), also: await this.#readIfThere(spreadsheetId, areas.flat()) };
    const seen = new Map(found.seen);
    const also = [...found.also];
    for (const [i, [mirror, view]] of [...parts].entries()) {
      const shown = partAsShown(mirror, view, also.splice(0, areas[i]?.length));
      if (shown !== undefined) seen.set(mirror, shown);
    }
    const odd = mirrors.filter((mirror) => !seen.has(mirror));
    if (odd.length > 0)
      for (const [mirror, view] of await this.look(spreadsheetId, odd)) seen.set(mirror, view);
    const whole = others.length + odd.length;
    return { seen, read: { rows: mirrors.length - whole, whole } };
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
    const glances = new Map([...ids.keys()].map((mirror, i) => [mirror, { head: rows[i], keys: undefined }]));
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
    const areas: GridArea[] = [];
    for (const [mirror, sheetId] of ids) {
      const guess =
        this.#keyColumns.get(`${spreadsheetId} ${sheetId}`) ??
        headersOf(mirror).indexOf(mirror.keyHeader.trim());
      areas.push(headerRow(sheetId), columnArea(sheetId, guess));
    }
    const also = [...(await this.#api.read(spreadsheetId, [...areas, ...others]))];
    const glances = new Map<KeyedTab, Glance>();
    for (const mirror of ids.keys()) {
      const [head, keys] = also.splice(0, 2);
      glances.set(mirror, { head, keys });
    }
    return { seen: await this.#judge(spreadsheetId, ids, { glances, tabs: undefined }), also };
  }

  /** Nothing if rows, a column or a tab were deleted. */
  async #readIfThere(spreadsheetId: string, areas: readonly GridArea[]) {
    try {
      return await this.#api.read(spreadsheetId, areas);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      return [];
    }
  }

  async #judge(
    spreadsheetId: string,
    ids: ReadonlyMap<KeyedTab, number>,
    read: { glances: ReadonlyMap<KeyedTab, Glance>; tabs: readonly TabInfo[] | undefined },
  ): Promise<ReadonlyMap<KeyedTab, Seen>> {
    const seen = new Map<KeyedTab, Seen>();
    const layouts = new Map<KeyedTab, Layout>();
    const added = new Map<KeyedTab, Pick<TabView, 'addedColumns'>>();
    for (const [mirror, { head }] of read.glances) {
      const header = head?.rows[0] ?? [];
      const layout = readLayout(header, mirror);
      if (!isTabFault(layout)) {
        layouts.set(mirror, layout);
        await this.columns.note(mirror);
      } else if (header.some((cell) => trimmedCell(cell) !== '')) {
        const found = await this.columns.added(mirror, {
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
      const texts: Texts = values?.column ?? (values?.rows ?? []).map((row) => trimmedCell(row[0]));
      // The key column contains its header, so a successful read is never blank. Treating a failed read as an empty column would write
      // every row a second time.
      const { head } = read.glances.get(mirror) ?? {};
      const header = head?.rows[0] ?? [];
      if (texts.at(0) !== trimmedCell(header[layout.keyColumn])) throw changedMeanwhile(spreadsheetId);
      const about = {
        sheetId,
        title: head?.title,
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
      const { keys: values, head } = read.glances.get(mirror) ?? {};
      this.#keyColumns.set(`${spreadsheetId} ${sheetId}`, keyColumn);
      const first = values?.column?.at(0) ?? trimmedCell(values?.rows[0]?.[0]);
      if (first === trimmedCell(head?.rows[0]?.[keyColumn])) keys.set(mirror, values);
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

function partAreas({ sheetId, layout, spans = [] }: TabView): readonly GridArea[] {
  const column = columnArea(sheetId, layout.keyColumn);
  return [headerRow(sheetId), ...spans.map((span) => ({ ...column, ...span }))];
}

/** The tab with what was read of it; undefined if it does not show what is remembered. */
function partAsShown(
  mirror: KeyedTab,
  view: TabView,
  [header, ...read]: readonly (AreaValues | undefined)[],
): TabView | undefined {
  const texts = (header?.rows[0] ?? []).map(trimmedCell);
  const layout = readLayout(texts, mirror);
  if (isTabFault(layout) || !isSameLayout(layout, view.layout) || !showsKeys(view, read)) return undefined;
  return { ...view, title: header?.title, header: texts, rowCount: read.at(-1)?.lastRow };
}

/** Whether what was read of the key column is what is remembered of it. Nothing may stand below its end. */
function showsKeys({ keys, spans = [] }: TabView, read: readonly (AreaValues | undefined)[]): boolean {
  return spans.every(({ startRow, endRow = keys.length }, i) => {
    const rows = read[i]?.rows;
    if (rows === undefined) return false;
    const end = Math.max(endRow, startRow + rows.length);
    for (let row = startRow; row < end; row += 1)
      if ((keys.at(row) ?? '') !== trimmedCell(rows[row - startRow]?.[0])) return false;
    return true;
  });
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
  readonly #memory: RememberedTabs;
  readonly #log: Log;

  constructor(parts: { api: SheetsApi; memory: RememberedTabs; log: Log }) {
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

// A mirror with an archive writes into two tabs. The object and the clock alone decide in which one its row belongs.

/** The mirror once for each of its tabs, its main tab first. The results have no `archive`. */
export function placesOf(mirror: SheetMirror): readonly SheetMirror[] {
  const { archive, ...home } = mirror;
  if (archive === undefined) return [home];
  return [home, { ...home, spreadsheetId: archive.spreadsheetId, tab: archive.tab }];
}

/**
 * When the row of an object moves to the archive, epoch milliseconds. Undefined if the object has no such time or the mirror no archive.
 */
export function archivedAtMs({ archive }: SheetMirror, snapshot: Snapshot | undefined): number | undefined {
  if (archive === undefined) return undefined;
  const at = Date.parse(String(snapshot?.[archive.by])) + archive.afterMs;
  return Number.isNaN(at) ? undefined : at;
}

/** The tab in which the object's row belongs now. */
export function spotFor(mirror: SheetMirror, snapshot: Snapshot | undefined, nowMs: number): SheetSpot {
  const at = archivedAtMs(mirror, snapshot);
  return spotOf(mirror.archive !== undefined && at !== undefined && at <= nowMs ? mirror.archive : mirror);
}

/**
 * The other tab that may hold the row when no link is known, because Redis was lost. An object younger than the archive's age was never
 * archived: nothing happens to an object before its creation.
 */
export function otherSpot(
  mirror: SheetMirror,
  snapshot: Snapshot | undefined,
  about: { readonly spot: SheetSpot; readonly nowMs: number },
): SheetSpot | undefined {
  const { archive } = mirror;
  if (archive === undefined) return undefined;
  if (isSameSpot(about.spot, archive)) return spotOf(mirror);
  const madeAtMs = Date.parse(String(snapshot?.['created_at']));
  return madeAtMs + archive.afterMs > about.nowMs ? undefined : spotOf(archive);
}

/** The tab in which a move may have left a copy, now that the row belongs to `spot`. */
export function leftoverOf(
  link: SheetLink | undefined,
  spot: SheetSpot,
): { readonly at: SheetSpot; readonly forced: boolean } | undefined {
  const { former, bound } = link ?? {};
  if (former !== undefined) return { at: spotOf(former), forced: former.forced === true };
  // The row was about to move but belongs where it is. The new place may or may not have received a copy.
  const isBack = link !== undefined && bound !== undefined && isSameSpot(link, spot);
  return isBack ? { at: spotOf(bound), forced: true } : undefined;
}

export function isSameSpot(a: SheetSpot, b: SheetSpot): boolean {
  return a.spreadsheetId === b.spreadsheetId && a.tab === b.tab;
}

export function spotOf({ spreadsheetId, tab }: SheetSpot): SheetSpot {
  return { spreadsheetId, tab };
}

export interface KnownColumns {
  readonly key: string;
  /** Including the key column's. */
  readonly headers: readonly string[];
}

/** The sheet id behind each tab title of the mapping, in the memory of the installation. A tab that users rename keeps its id. */
export class RememberedTabs {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  async get(spreadsheetId: string, tab: string): Promise<number | undefined> {
    const text = await this.#memory.get(nameOf('tab', spreadsheetId, tab));
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  }

  async set(spreadsheetId: string, tab: string, sheetId: number): Promise<void> {
    await this.#memory.set(nameOf('tab', spreadsheetId, tab), String(sheetId));
  }

  async forget(spreadsheetId: string, tab: string): Promise<void> {
    await this.#memory.forget(nameOf('tab', spreadsheetId, tab));
  }

  /** The mirror's headers when all of them were last seen in the tab. */
  async columns(spreadsheetId: string, tab: string): Promise<KnownColumns | undefined> {
    const text = await this.#memory.get(nameOf('columns', spreadsheetId, tab));
    if (text === undefined) return undefined;
    const [key, ...others] = text.split('\n');
    return key === undefined ? undefined : { key, headers: [key, ...others] };
  }

  /** Headers contain no line break, because the YAML allows one line only. */
  async setColumns(spreadsheetId: string, tab: string, { key, headers }: KnownColumns): Promise<void> {
    const lines = [key, ...headers.filter((header) => header !== key)];
    await this.#memory.set(nameOf('columns', spreadsheetId, tab), lines.join('\n'));
  }

  /** Whether another process wrote the spreadsheet last; from now on, it is this one. */
  async isNewWriter(spreadsheetId: string, writer: string): Promise<boolean> {
    const name = `sheet-writer ${spreadsheetId}`;
    if ((await this.#memory.get(name)) === writer) return false;
    await this.#memory.set(name, writer);
    return true;
  }

  /** Whether the tab was last seen with a Sheets table or merged cells, so that a write must look at them first. */
  async isShaped(spreadsheetId: string, tab: string): Promise<boolean> {
    return (await this.#memory.get(nameOf('shape', spreadsheetId, tab))) !== undefined;
  }

  async noteShape(spreadsheetId: string, tab: string, isShaped: boolean): Promise<void> {
    if (isShaped === (await this.isShaped(spreadsheetId, tab))) return;
    if (isShaped) await this.#memory.set(nameOf('shape', spreadsheetId, tab), '1');
    else await this.#memory.forget(nameOf('shape', spreadsheetId, tab));
  }

  /** When the gaps of the tab were last closed. */
  async compactedAtMs(spreadsheetId: string, tab: string): Promise<number | undefined> {
    const text = await this.#memory.get(nameOf('compacted', spreadsheetId, tab));
    return text === undefined ? undefined : Number(text);
  }

  async noteCompacted(spreadsheetId: string, tab: string, nowMs: number): Promise<void> {
    await this.#memory.set(nameOf('compacted', spreadsheetId, tab), String(nowMs));
  }
}

/** A spreadsheet id contains no space. */
function nameOf(what: 'tab' | 'columns' | 'shape' | 'compacted', spreadsheetId: string, tab: string): string {
  return `sheet-${what} ${spreadsheetId} ${tab}`;
}
