import { randomUUID } from 'node:crypto';
import { sheets, type sheets_v4 } from 'googleapis/build/src/apis/sheets/index.js';
import * as z from 'zod';
import { RetryableError, TerminalError } from '../engine/errors.ts';
import { CLOCKS_APART_MS } from '../engine/moments.ts';
import { isZoneName } from '../engine/zone-rules.ts';
import type { TurnBound } from './auth.ts';
import { type GoogleApiOptions, GoogleCaller } from './call.ts';
import { ANSWER_TOO_LARGE } from './errors.ts';
import { PackedTexts } from './large-column.ts';
import {
  type AreaValues,
  a1Of,
  type GridArea,
  gridDataOf,
  REPLACED_FIELDS,
  RULED,
  RULED_FIELDS,
  type RuledCells,
  ruledCells,
  SHOWN_FIELDS,
  type ShownArea,
  type ShownTabs,
  shownTabs,
  titleIn,
  WRITTEN,
} from './shown-cells.ts';

/** One request of `spreadsheets.batchUpdate`. */
export type SheetRequest = sheets_v4.Schema$Request;

export type CellData = sheets_v4.Schema$CellData;

export type { AreaValues, GridArea };

/** A tab as `spreadsheets.get` returns it. */
export interface TabInfo {
  readonly sheetId: number;
  readonly title: string;
  readonly rows: number;
  readonly columns: number;
  /** Areas that the worker may not edit, each with its unprotected parts. */
  readonly locks: readonly { readonly area: GridArea; readonly except: readonly GridArea[] }[];
  /** Absent: none. */
  readonly tables?: readonly SheetTable[];
  /** Absent: none. */
  readonly merges?: readonly GridArea[];
  /** Whether the basic filter has criteria, so that it may hide rows from everybody. Reads return them all the same. */
  readonly isFiltered?: true;
}

/** A table as people insert it (Google, Table). */
export interface SheetTable {
  readonly id: string;
  readonly area: GridArea;
  /** Columns of the tab with a type, which formats and validates their cells. Google refuses any other. Absent: none. */
  readonly typed?: readonly number[];
}

export interface SpreadsheetSettings {
  /** Zone of the spreadsheet's dates (File, Settings) in luxon's form: IANA, or `UTC-07:00`; undefined if this machine does not know it. */
  readonly timeZone: string | undefined;
  /** The same zone as Google shows it. */
  readonly shownZone: string;
  /** Cells of all tabs, including blank ones, which count towards Google's limit. */
  readonly cells: number;
  readonly tabs: readonly Omit<TabInfo, 'rows' | 'columns' | 'locks'>[];
}

/** `timeoutMs`: deadline of a read. */
export interface SheetsApiOptions extends GoogleApiOptions {
  /** Shared by all readers of spreadsheets in this process; default: its own. */
  readonly reads?: SharedReads;
  /** Deadline of a write; default 185 s. Google gives up after 180 s: a write abandoned sooner may still run, even after the next one. */
  readonly writeTimeoutMs?: number;
}

/**
 * How long a write without an answer may still take effect: Google gives a request up after 180 s. Another host's clock may have stamped
 * it up to a minute too early.
 */
export const WRITE_LANDS_MS = 180_000 + CLOCKS_APART_MS;
/** Deadline of one write to a spreadsheet: longer than the 180 s after which Google gives up. */
const WRITE_TIMEOUT_MS = 185_000;
const SHAPE_FIELDS =
  'properties(sheetId,title,gridProperties(rowCount,columnCount)),tables(tableId,range,columnProperties(columnIndex,columnType)),merges,basicFilter(criteria,filterSpecs)';
const TAB_FIELDS = `sheets(${SHAPE_FIELDS},protectedRanges(range,warningOnly,requestingUserCanEdit,unprotectedRanges))`;
const NOTE_FIELDS = 'sheets(properties.sheetId,data(startRow,rowData.values.note))';

/**
 * The Google Sheets calls that a mirror needs. Tabs are named by id, which survives renaming. Each call makes one request without retries.
 * Rejects with one of the three error families.
 */
export class SheetsApi {
  readonly #google: GoogleCaller<sheets_v4.Resource$Spreadsheets>;
  readonly #options: SheetsApiOptions;
  readonly #reads: SharedReads;

  constructor(options: SheetsApiOptions) {
    this.#options = options;
    this.#reads = options.reads ?? new SharedReads();
    const { rootUrl } = options;
    // The caller retries: the library's retries would waste quota and do not handle a lost answer.
    this.#google = new GoogleCaller(
      options,
      (auth) => sheets({ version: 'v4', auth, rootUrl, retry: false }).spreadsheets,
    );
  }

  /**
   * Creates a spreadsheet owned by the account; resolves with its id. Google supports no idempotency key here, so after a lost answer
   * (`RetryableError`) the spreadsheet may exist.
   */
  async create(title: string): Promise<string> {
    const requestBody = { properties: { title } };
    const { spreadsheetId } = await this.#call(
      { spreadsheetId: 'new', direction: 'write', schema: MADE },
      (api, options) => api.create({ requestBody, fields: 'spreadsheetId' }, options),
    );
    return spreadsheetId;
  }

  /** All tabs of the spreadsheet. Costs one read. */
  async tabs(spreadsheetId: string): Promise<readonly TabInfo[]> {
    const { sheets: found } = await this.#call(
      { spreadsheetId, direction: 'read', schema: SPREADSHEET },
      (api, options) => api.get({ spreadsheetId, fields: TAB_FIELDS }, options),
    );
    return found.map(toTabInfo);
  }

  /** Costs one read. */
  async settings(spreadsheetId: string): Promise<SpreadsheetSettings> {
    const fields = `properties.timeZone,sheets(${SHAPE_FIELDS})`;
    const found = await this.#call({ spreadsheetId, direction: 'read', schema: SETTINGS }, (api, options) =>
      api.get({ spreadsheetId, fields }, options),
    );
    const { timeZone } = found.properties;
    return {
      timeZone: readSheetZone(timeZone),
      shownZone: timeZone,
      cells: found.sheets.reduce((sum, { properties: { gridProperties } }) => {
        return sum + gridProperties.rowCount * gridProperties.columnCount;
      }, 0),
      tabs: found.sheets.map(({ properties: { sheetId, title }, ...sheet }) => ({
        ...{ sheetId, title },
        ...shapeOf(sheet),
      })),
    };
  }

  /**
   * The values of several areas as of one moment; costs one read. An area that Google did not return is undefined, which differs from
   * blank. Areas of callers that wait in `readAlong` are included.
   */
  async read(spreadsheetId: string, areas: readonly GridArea[]): Promise<Values> {
    const along = this.#reads.board(spreadsheetId);
    if (along.length === 0) return this.#readAs(spreadsheetId, areas, 'UNFORMATTED_VALUE');
    const all = [...areas, ...along.flatMap((each) => each.areas)];
    try {
      const found = await this.#readAs(spreadsheetId, all, 'UNFORMATTED_VALUE');
      let at = areas.length;
      for (const { areas: theirs, arrive } of along) {
        arrive(found.slice(at, at + theirs.length));
        at += theirs.length;
      }
      return found.slice(0, areas.length);
    } catch (error) {
      for (const { arrive } of along) arrive(undefined);
      // The areas of joined readers may be the cause: one of their tabs was deleted, or the answer was too large.
      if (!mayBeTheirs(error)) throw error;
      return this.#readAs(spreadsheetId, areas, 'UNFORMATTED_VALUE');
    }
  }

  /** As `read`, but joins another read if one begins within `waitMs`. Rejects with the signal's reason when the signal ends the wait. */
  async readAlong(
    spreadsheetId: string,
    areas: readonly GridArea[],
    waiting: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<Values> {
    const found = await this.#reads.join(spreadsheetId, areas, waiting);
    if (found !== undefined) return found;
    waiting.signal.throwIfAborted();
    return this.read(spreadsheetId, areas);
  }

  /** As `read`, but returns the text of formulas, so that a formula that shows nothing is not taken for blank. */
  readTyped(spreadsheetId: string, areas: readonly GridArea[]): Promise<Values> {
    return this.#readAs(spreadsheetId, areas, 'FORMULA');
  }

  async #readAs(
    spreadsheetId: string,
    areas: readonly GridArea[],
    valueRenderOption: 'UNFORMATTED_VALUE' | 'FORMULA',
  ): Promise<Values> {
    const requestBody: sheets_v4.Schema$BatchGetValuesByDataFilterRequest = {
      dataFilters: onceEach(areas).map((area) => ({ gridRange: toGridRange(area) })),
      majorDimension: 'ROWS',
      valueRenderOption,
      dateTimeRenderOption: 'SERIAL_NUMBER',
    };
    const { valueRanges } = await this.#call(
      { spreadsheetId, direction: 'read', schema: MATCHED_VALUES },
      // Line breaks and indentation would triple the size of a column.
      (api, options) =>
        api.values.batchGetByDataFilter({ spreadsheetId, requestBody, prettyPrint: false }, options),
    );
    // Each value range repeats its filters; Google does not promise their order.
    const byArea = new Map(
      valueRanges.flatMap(({ valueRange, dataFilters }) =>
        dataFilters.map((filter) => [areaName(filter.gridRange), toAreaValues(valueRange)] as const),
      ),
    );
    return areas.map((area) => byArea.get(areaName(toGridRange(area))));
  }

  /**
   * The rows of an area, counted from 0, in which a cell has a note. Values do not include notes (Sheets API, CellData). Costs one read;
   * undefined when Google returned nothing for the area.
   */
  async notedRows(spreadsheetId: string, area: GridArea): Promise<ReadonlySet<number> | undefined> {
    const requestBody: sheets_v4.Schema$GetSpreadsheetByDataFilterRequest = {
      dataFilters: [{ gridRange: toGridRange(area) }],
    };
    const found = await this.#call({ spreadsheetId, direction: 'read', schema: NOTES }, (api, options) =>
      api.getByDataFilter({ spreadsheetId, requestBody, fields: NOTE_FIELDS }, options),
    );
    const sheet = found.sheets.find(({ properties }) => properties.sheetId === area.sheetId);
    if (sheet === undefined || sheet.data.length === 0) return undefined;
    const noted = sheet.data.flatMap(({ startRow, rowData }) =>
      rowData.flatMap(({ values }, row) => (values.some(({ note }) => note) ? [startRow + row] : [])),
    );
    return new Set(noted);
  }

  /** Rows of one column, counted from 0, whose cell shows a time of day. Costs one read. */
  async timedRows(spreadsheetId: string, column: GridArea): Promise<ReadonlySet<number>> {
    const requestBody: sheets_v4.Schema$GetSpreadsheetByDataFilterRequest = {
      dataFilters: [{ gridRange: toGridRange(column) }],
    };
    const found = await this.#call({ spreadsheetId, direction: 'read', schema: FORMATS }, (api, options) =>
      api.getByDataFilter({ spreadsheetId, requestBody, fields: FORMAT_FIELDS, prettyPrint: false }, options),
    );
    return timedRows(found, column.sheetId);
  }

  /** The first rows of several tabs, with their values and data validation rules, as of one moment. Costs one read. */
  async ruled(
    spreadsheetId: string,
    tabs: readonly { readonly sheetId: number; readonly rows: number }[],
  ): Promise<ReadonlyMap<number, RuledCells>> {
    const requestBody: sheets_v4.Schema$GetSpreadsheetByDataFilterRequest = {
      dataFilters: tabs.map(({ sheetId, rows }) => ({ gridRange: toGridRange({ sheetId, endRow: rows }) })),
    };
    const found = await this.#call({ spreadsheetId, direction: 'read', schema: RULED }, (api, options) =>
      api.getByDataFilter({ spreadsheetId, requestBody, fields: RULED_FIELDS, prettyPrint: false }, options),
    );
    return ruledCells(found);
  }

  /** Every value of a tab, by its title. Costs one read. */
  async readWhole(spreadsheetId: string, title: string): Promise<AreaValues> {
    const range = `'${title.replaceAll("'", "''")}'`;
    const values = await this.#call(
      { spreadsheetId, direction: 'read', schema: VALUE_RANGE },
      (api, options) =>
        api.values.get({ spreadsheetId, range, valueRenderOption: 'UNFORMATTED_VALUE' }, options),
    );
    return toAreaValues(values);
  }

  /**
   * Only a write shows whether the worker may write (asking the Drive API would need another scope). This one changes nothing, whatever
   * people do meanwhile: it deletes metadata under a random name that does not exist. Rejects with `spreadsheet-not-shared` when the right
   * is missing. Google checks the right first, so any other refusal of the request proves it.
   */
  async assertWritable(spreadsheetId: string): Promise<void> {
    const metadataKey = `slotbridge-check-${randomUUID()}`;
    const dataFilter = { developerMetadataLookup: { metadataKey } };
    try {
      await this.write(spreadsheetId, [{ deleteDeveloperMetadata: { dataFilter } }]);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
    }
  }

  /**
   * Performs all requests in order, or none of them (Google, spreadsheets.batchUpdate). Costs one write. Resolves with the areas in `shown`
   * as they are right after the write; a tab that Google returned incompletely is omitted. A refusal that names no request may be about
   * such an area: whether the write was performed is then unknown. Like every write, it rejects with `RetryableError` (`stopped`), unsent,
   * if a lease under which it runs is over.
   */
  async write(
    spreadsheetId: string,
    requests: readonly SheetRequest[],
    shown: readonly ShownArea[] = [],
  ): Promise<ShownTabs> {
    return shownTabs(await this.#write(spreadsheetId, requests, { shown, fields: SHOWN_FIELDS }), shown);
  }

  /** As `write`, for `findReplace` requests. Also resolves with the number of cells that each of them changed. */
  async replace(
    spreadsheetId: string,
    replacements: readonly NonNullable<SheetRequest['findReplace']>[],
    shown: readonly ShownArea[],
  ): Promise<{ readonly shown: ShownTabs; readonly changed: readonly number[] }> {
    const requests = replacements.map((findReplace) => ({ findReplace }));
    const answer = await this.#write(spreadsheetId, requests, { shown, fields: REPLACED_FIELDS });
    const changed = requests.map((_, at) => answer.replies[at]?.findReplace?.valuesChanged ?? 0);
    return { shown: shownTabs(answer, shown), changed };
  }

  #write(
    spreadsheetId: string,
    requests: readonly SheetRequest[],
    { shown, fields }: { readonly shown: readonly ShownArea[]; readonly fields: string },
  ) {
    const requestBody: sheets_v4.Schema$BatchUpdateSpreadsheetRequest = { requests: [...requests] };
    // Line breaks and indentation would double the size of the answer.
    const asked =
      shown.length === 0
        ? { requestBody }
        : { requestBody: showing(requestBody, shown), fields, prettyPrint: false };
    return this.#call({ spreadsheetId, direction: 'write', schema: WRITTEN }, (api, options) =>
      api.batchUpdate({ spreadsheetId, ...asked }, options),
    );
  }

  async #call<T>({ spreadsheetId, direction, schema }: Asked<T>, request: SheetsRequest): Promise<T> {
    const { timeoutMs: readMs, writeTimeoutMs = WRITE_TIMEOUT_MS } = this.#options;
    const target = `spreadsheet:${spreadsheetId}`;
    const timeoutMs = direction === 'read' ? readMs : writeTimeoutMs;
    const turnBound: TurnBound = direction === 'write' ? { inTurnOnly: true } : {};
    const asked = { target, direction, timeoutMs, quota: `google-sheets-${direction}` } as const;
    const { data } = await this.#google.call(asked, (client, signal) =>
      request(client, { timeout: timeoutMs, retry: false, signal, ...turnBound }),
    );
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    // Perhaps a proxy's page with status 200; whether a write was made is unknown.
    throw new RetryableError('google-unreadable', "Google's answer is not a spreadsheet", {
      target,
    });
  }
}

function showing(
  body: sheets_v4.Schema$BatchUpdateSpreadsheetRequest,
  shown: readonly ShownArea[],
): sheets_v4.Schema$BatchUpdateSpreadsheetRequest {
  const responseRanges = shown.map(a1Of);
  return { ...body, includeSpreadsheetInResponse: true, responseIncludeGridData: true, responseRanges };
}

interface Asked<T> {
  readonly spreadsheetId: string;
  readonly direction: 'read' | 'write';
  readonly schema: z.ZodType<T>;
}

type RequestOptions = { timeout: number; retry: boolean; signal: AbortSignal };
type SheetsRequest = (
  api: sheets_v4.Resource$Spreadsheets,
  options: RequestOptions,
) => Promise<{ data: unknown }>;

/** Google omits zeros, empty lists and false. */
const index = z.number().int().default(0);
const GRID_RANGE = z.object({
  sheetId: index,
  startRowIndex: z.number().optional(),
  endRowIndex: z.number().optional(),
  startColumnIndex: z.number().optional(),
  endColumnIndex: z.number().optional(),
});
/** Checked, and not copied as `z.array` would: a column may have a million cells. */
const ROWS = z.custom<unknown[][] | PackedTexts>(
  (rows) => rows instanceof PackedTexts || (Array.isArray(rows) && rows.every(Array.isArray)),
);
const VALUE_RANGE = z.object({ range: z.string(), values: ROWS.default([]) });
const MATCHED_VALUES = z.object({
  spreadsheetId: z.string(),
  valueRanges: z
    .array(
      z.object({
        valueRange: VALUE_RANGE,
        dataFilters: z.array(z.object({ gridRange: GRID_RANGE })),
      }),
    )
    .default([]),
});
const GRID = z.object({ rowCount: index, columnCount: index }).default({ rowCount: 0, columnCount: 0 });
const UNTYPED = 'COLUMN_TYPE_UNSPECIFIED';
const MADE = z.object({ spreadsheetId: z.string().min(1) });
const COLUMN = z.object({ columnIndex: index, columnType: z.string().default(UNTYPED) });
/** Parts that nothing depends on unless they are there: another form of them must not make the whole answer unreadable. */
const SHAPE = {
  tables: z
    .array(
      z.object({ tableId: z.string(), range: GRID_RANGE, columnProperties: z.array(COLUMN).default([]) }),
    )
    .default([])
    .catch([]),
  merges: z.array(GRID_RANGE).default([]).catch([]),
  basicFilter: z
    .object({ criteria: z.record(z.string(), z.unknown()), filterSpecs: z.array(z.unknown()) })
    .partial()
    .optional()
    .catch(undefined),
};
const SPREADSHEET = z.object({
  sheets: z.array(
    z.object({
      properties: z.object({
        sheetId: index,
        title: z.string(),
        gridProperties: GRID,
      }),
      ...SHAPE,
      protectedRanges: z
        .array(
          z.object({
            range: GRID_RANGE.optional(),
            warningOnly: z.boolean().default(false),
            requestingUserCanEdit: z.boolean().default(false),
            unprotectedRanges: z.array(GRID_RANGE).default([]),
          }),
        )
        .default([]),
    }),
  ),
});
const SETTINGS = z.object({
  properties: z.object({ timeZone: z.string().default('UTC') }),
  sheets: z
    .array(
      z.object({
        properties: z.object({ sheetId: index, title: z.string(), gridProperties: GRID }),
        ...SHAPE,
      }),
    )
    .default([]),
});
const NOTES = gridDataOf(z.object({ note: z.string().optional() }));
type GridRange = z.output<typeof GRID_RANGE>;
type GridRangeSent = { sheetId: number } & sheets_v4.Schema$GridRange;

function toTabInfo(sheet: z.output<typeof SPREADSHEET>['sheets'][number]): TabInfo {
  const { sheetId, title, gridProperties } = sheet.properties;
  return {
    sheetId,
    title,
    rows: gridProperties.rowCount,
    columns: gridProperties.columnCount,
    ...shapeOf(sheet),
    // A protection that only warns does not stop the API.
    locks: sheet.protectedRanges.flatMap(
      ({ range, warningOnly, requestingUserCanEdit, unprotectedRanges }) =>
        warningOnly || requestingUserCanEdit || range === undefined
          ? []
          : [{ area: toArea(range), except: unprotectedRanges.map(toArea) }],
    ),
  };
}

function shapeOf({
  tables,
  merges,
  basicFilter,
}: Pick<z.output<typeof SPREADSHEET>['sheets'][number], 'tables' | 'merges' | 'basicFilter'>) {
  const { criteria = {}, filterSpecs = [] } = basicFilter ?? {};
  const isFiltered = Object.keys(criteria).length > 0 || filterSpecs.length > 0;
  return {
    ...(tables.length > 0 && {
      tables: tables.map(({ tableId, range, columnProperties }) => {
        const typed = columnProperties
          .filter(({ columnType }) => columnType !== UNTYPED)
          .map(({ columnIndex }) => (range.startColumnIndex ?? 0) + columnIndex);
        return { id: tableId, area: toArea(range), ...(typed.length > 0 && { typed }) };
      }),
    }),
    ...(merges.length > 0 && { merges: merges.map(toArea) }),
    ...(isFiltered && ({ isFiltered } as const)),
  };
}

export function toGridRange({ sheetId, startRow, endRow, startColumn, endColumn }: GridArea): GridRangeSent {
  return {
    sheetId,
    ...(startRow === undefined ? {} : { startRowIndex: startRow }),
    ...(endRow === undefined ? {} : { endRowIndex: endRow }),
    ...(startColumn === undefined ? {} : { startColumnIndex: startColumn }),
    ...(endColumn === undefined ? {} : { endColumnIndex: endColumn }),
  };
}

function toArea(range: GridRange): GridArea {
  const { sheetId, startRowIndex, endRowIndex, startColumnIndex, endColumnIndex } = range;
  return {
    sheetId,
    ...(startRowIndex === undefined ? {} : { startRow: startRowIndex }),
    ...(endRowIndex === undefined ? {} : { endRow: endRowIndex }),
    ...(startColumnIndex === undefined ? {} : { startColumn: startColumnIndex }),
    ...(endColumnIndex === undefined ? {} : { endColumn: endColumnIndex }),
  };
}

function onceEach(areas: readonly GridArea[]): readonly GridArea[] {
  return [...new Map(areas.map((area) => [areaName(toGridRange(area)), area])).values()];
}

function mayBeTheirs(error: unknown): boolean {
  return (
    error instanceof TerminalError || (error instanceof RetryableError && error.code === ANSWER_TOO_LARGE)
  );
}

/** Google omits a start of zero. */
function areaName(range: GridRange | GridRangeSent): string {
  const { sheetId, startRowIndex = 0, endRowIndex, startColumnIndex = 0, endColumnIndex } = range;
  return [sheetId, startRowIndex, endRowIndex ?? '', startColumnIndex, endColumnIndex ?? ''].join(' ');
}

function toAreaValues({ range, values }: z.output<typeof VALUE_RANGE>): AreaValues {
  const last = /(?<!\d)(\d+)$/.exec(range)?.[1];
  const about = { lastRow: last === undefined ? undefined : Number(last), title: titleIn(range) };
  if (!(values instanceof PackedTexts)) return { ...about, rows: values };
  let rows: AreaValues['rows'] | undefined;
  return {
    ...about,
    column: values,
    get rows() {
      rows ??= values.rows();
      return rows;
    },
  };
}

/**
 * The zone of a spreadsheet's dates: a name of IANA, or `UTC-07:00` for `GMT-07:00` (Sheets API,
 * SpreadsheetProperties.timeZone). Undefined for an unknown zone: a guess would move every date.
 */
export function readSheetZone(shown: string): string | undefined {
  const name = shown.trim();
  const [whole, sign = '+', hours = '', minutes = '00'] = OFFSET.exec(name) ?? [];
  if (whole !== undefined) {
    const isOffset = Number(hours) <= HOURS_MAX && Number(minutes) < 60;
    return isOffset ? `UTC${sign}${hours.padStart(2, '0')}:${minutes}` : undefined;
  }
  return /^[A-Za-z]/.test(name) && isZoneName(name) ? name : undefined;
}

const OFFSET = /^(?:GMT|UTC)\s?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
/** Largest UTC offset: Kiribati is 14 hours ahead. */
const HOURS_MAX = 14;

// Which cells show a time of day. A day and a day with 00:00 are the same number; only the number format tells them apart (Google,
// NumberFormat).

const FORMAT_FIELDS = 'sheets(properties.sheetId,data(startRow,rowData.values.effectiveFormat.numberFormat))';

const FORMAT = z.object({ type: z.string().default(''), pattern: z.string().default('') });
const CELL = z.object({ effectiveFormat: z.object({ numberFormat: FORMAT.optional() }).optional() });

export const FORMATS = gridDataOf(CELL);

/** Rows of one column, counted from 0, whose cell shows an hour. */
export function timedRows({ sheets }: z.output<typeof FORMATS>, sheetId: number): ReadonlySet<number> {
  const parts = sheets.find(({ properties }) => properties.sheetId === sheetId)?.data ?? [];
  return new Set(
    parts.flatMap(({ startRow, rowData }) =>
      rowData.flatMap(({ values: [cell] }, row) =>
        showsHour(cell?.effectiveFormat?.numberFormat) ? [startRow + row] : [],
      ),
    ),
  );
}

function showsHour(format: z.output<typeof FORMAT> | undefined): boolean {
  if (format === undefined) return false;
  // Brackets hold colours, currencies and languages (`[White]`, `[$CHF]`), or hours that have passed (`[hh]`).
  const pattern = format.pattern.replaceAll(/"[^"]*"|\\.|\[(?!h+\])[^[\]]*\]/gi, '');
  return format.type === 'DATE_TIME' || format.type === 'TIME' || /h/i.test(pattern);
}

// Joins reads of one spreadsheet. A caller that can wait a moment registers its areas, and the next read in this process includes them.
// That read begins after both callers asked, so each sees what a read of its own would have shown.

type Values = readonly (AreaValues | undefined)[];

interface Joiner {
  readonly areas: readonly GridArea[];
  /** Undefined: the read failed, perhaps because of another caller's areas. */
  readonly arrive: (values: Values | undefined) => void;
}

export class SharedReads {
  readonly #waiting = new Map<string, Set<Joiner>>();

  /** Takes all waiting callers into a read that begins now; they wait for it. */
  board(spreadsheetId: string): readonly Joiner[] {
    const waiting = this.#waiting.get(spreadsheetId);
    const passengers = [...(waiting ?? [])];
    waiting?.clear();
    return passengers;
  }

  /**
   * Resolves with the values of the next read that begins within `waitMs`; undefined when none begins, or it fails. The signal ends the
   * wait only while that read has not begun.
   */
  join(
    spreadsheetId: string,
    areas: readonly GridArea[],
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<Values | undefined> {
    const waiting = this.#waiting.get(spreadsheetId) ?? new Set();
    this.#waiting.set(spreadsheetId, waiting);
    return new Promise((resolve) => {
      const arrive = (values: Values | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        resolve(values);
      };
      const passenger = { areas, arrive };
      const leave = () => {
        if (waiting.delete(passenger)) arrive(undefined);
      };
      const timer = setTimeout(leave, waitMs);
      signal.addEventListener('abort', leave);
      waiting.add(passenger);
      if (signal.aborted) leave();
    });
  }
}
