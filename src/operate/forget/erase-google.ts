// Removes events and rows of one person, or removes the person from them. Each write says which content it expects, so it does not touch
// what people have changed or moved meanwhile. The next look finds that.

import { setTimeout as sleep } from 'node:timers/promises';
import { RetryableError, TerminalError, WorkerError } from '../../engine/errors.ts';
import type { Leases } from '../../engine/leases.ts';
import { inParts } from '../../engine/object.ts';
import { matchesIn, type PersonMatch, type PersonTerms } from '../../engine/person.ts';
import type { Cell } from '../../engine/sheet-row.ts';
import type { CalendarApi } from '../../google/calendar-api.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';
import { rowsIn, textOfEvent } from '../../google/calendar-events.ts';
import { EVENT_FORBIDDEN } from '../../google/errors.ts';
import type { SheetRequest, SheetsApi } from '../../google/sheets-api.ts';
import type { ShownArea } from '../../google/shown-cells.ts';
import { FLUSH_LEASE_MS, flushLease } from '../../sheet/flush.ts';
import { toCellData } from '../../sheet/tab-survey.ts';
import {
  type CountErased,
  isClassEvent,
  judgeEvent,
  judgeRow,
  type LeftPlace,
  type PersonalPlace,
  rewritten,
  type Verdict,
} from './look.ts';

/** How many rows one request reads. */
const ROWS_PER_READ = 5_000;
/** Longest wait for a flush: a large spreadsheet takes long. */
const FLUSH_WAIT_MAX_MS = 300_000;
const LEASE_ASKED_EVERY_MS = 500;

export function personalCalendars(
  calendarIds: Iterable<string>,
  parts: Parameters<typeof eraseEvents>[0],
): readonly PersonalPlace[] {
  return [...calendarIds].map((calendarId) => ({
    name: `calendar ${calendarId}`,
    async *texts() {
      for await (const event of parts.eventsOf(calendarId)) {
        const where = `calendar ${calendarId}${event.status === 'cancelled' ? ', deleted events' : ''}`;
        yield { kind: 'event', where, name: event.id, text: textOfEvent(event) };
      }
    },
    erase: (about) => eraseEvents(parts, calendarId, about),
  }));
}

export function personalSheets(
  spreadsheetIds: readonly string[],
  { api, leases }: { readonly api: Parameters<typeof eraseRows>[0]; readonly leases: Leases },
): readonly PersonalPlace[] {
  return spreadsheetIds.map((spreadsheetId) => ({
    name: `spreadsheet ${spreadsheetId}`,
    async *texts() {
      for await (const { tab, row, text } of rowsIn(api, spreadsheetId))
        yield { kind: 'row', where: `spreadsheet ${spreadsheetId}, tab ${tab}`, name: `row ${row}`, text };
    },
    erase: (about) => {
      const look = () => eraseRows(api, spreadsheetId, about);
      return about.act ? withSheet(leases, spreadsheetId, look) : look();
    },
  }));
}

/** Works between two flushes: a flush under way would write a row that was just emptied. */
async function withSheet<T>(leases: Leases, spreadsheetId: string, work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; waitedMs < FLUSH_WAIT_MAX_MS; waitedMs += LEASE_ASKED_EVERY_MS) {
    const held = await leases.hold(flushLease(spreadsheetId), work, { ttlMs: FLUSH_LEASE_MS });
    if (held !== undefined) return held.result;
    await sleep(LEASE_ASKED_EVERY_MS);
  }
  throw new RetryableError('spreadsheet-busy', 'a flush of this spreadsheet does not finish', {
    target: `spreadsheet:${spreadsheetId}`,
  });
}

export interface EventsDone {
  readonly events: number;
  readonly rewritten: number;
  readonly left: readonly LeftPlace[];
}

/** With `act` false, only counts what would be done. */
export async function eraseEvents(
  parts: {
    readonly api: Pick<CalendarApi, 'patch' | 'remove'>;
    /** Called before the event of a class is emptied: the class then writes it again, without the erased person. */
    readonly doubtClass: (event: CalendarEvent) => Promise<void>;
    readonly eventsOf: (calendarId: string) => AsyncIterable<CalendarEvent>;
  },
  calendarId: string,
  about: { readonly terms: PersonTerms; readonly act: boolean; readonly count?: CountErased },
): Promise<EventsDone> {
  const { terms, act, count } = about;
  let [events, changed] = [0, 0];
  const left: LeftPlace[] = [];
  for await (const event of parts.eventsOf(calendarId)) {
    const verdict = judgeEvent(event, terms);
    if (verdict === undefined) continue;
    const place = {
      ...{ kind: 'event' as const, where: `calendar ${calendarId}`, name: event.id },
      by: matchesIn(textOfEvent(event), terms),
    };
    const isForbidden =
      act && (await isForbiddenTo(() => erase(parts, calendarId, { event, verdict, terms, count })));
    if (isForbidden) left.push({ ...place, why: 'forbidden' });
    else if (verdict === 'leave') left.push(place);
    else if (verdict === 'remove') events += 1;
    else changed += 1;
  }
  return { events, rewritten: changed, left };
}

interface Judged {
  readonly event: CalendarEvent;
  readonly verdict: Verdict;
  /** The terms that identify the person. */
  readonly terms: PersonTerms;
  readonly count: CountErased | undefined;
}

async function erase(
  { api, doubtClass }: Parameters<typeof eraseEvents>[0],
  calendarId: string,
  { event, verdict, terms, count }: Judged,
): Promise<void> {
  if (verdict === 'remove' && (await isRemoved(api, calendarId, event))) await count?.({ events: 1 });
  if (verdict !== 'rewrite') return;
  if (!isClassEvent(event)) await rewriteEvent(api, calendarId, { event, terms });
  else {
    await doubtClass(event);
    // If the class was faster, the next round sees what it wrote.
    await api.patch(calendarId, event, rewritten(event, terms));
  }
  await count?.({ rewritten: 1 });
}

/** Perhaps another person's invitation: one such event must not keep the others from being erased. */
async function isForbiddenTo(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return false;
  } catch (error) {
    if (error instanceof WorkerError && error.code === EVENT_FORBIDDEN) return true;
    throw error;
  }
}

/**
 * Google keeps and shows deleted events for a time, so an event is emptied before it is removed. An event that people move or change
 * between the two calls remains, and the next round finds it. False if nothing was emptied.
 */
async function isRemoved(
  api: Pick<CalendarApi, 'patch' | 'remove'>,
  calendarId: string,
  { id }: CalendarEvent,
): Promise<boolean> {
  const patched = await api.patch(calendarId, { id }, { summary: '', description: '', location: '' });
  if (typeof patched !== 'object') return false;
  await api.remove(calendarId, { id, etag: patched.etag });
  return true;
}

async function rewriteEvent(
  api: Pick<CalendarApi, 'patch'>,
  calendarId: string,
  { event, terms }: Pick<Judged, 'event' | 'terms'>,
): Promise<void> {
  const patched = await api.patch(calendarId, event, rewritten(event, terms));
  if (patched === 'changed')
    throw new RetryableError('event-changed', 'people are editing an event of this person', {
      target: `calendar:${calendarId}`,
    });
}

export interface RowsDone {
  readonly cells: number;
  readonly left: readonly LeftPlace[];
}

/**
 * The caller holds the lease of the spreadsheet, so no flush is under way. Resolves with the number of cells to be emptied. `moved` is
 * filled immediately, because no later look finds these places again.
 */
export async function eraseRows(
  api: Pick<SheetsApi, 'tabs' | 'read' | 'readTyped' | 'replace' | 'write'>,
  spreadsheetId: string,
  about: Parameters<PersonalPlace['erase']>[0],
): Promise<RowsDone> {
  const { terms, act, moved, count: countErased } = about;
  const left: LeftPlace[] = [];
  let count = 0;
  for (const { sheetId, title, rows } of await api.tabs(spreadsheetId)) {
    const found: RowToEmpty[] = [];
    const placeOf = ({ row, cells }: Pick<RowToEmpty, 'row' | 'cells'>): LeftPlace => ({
      ...{ kind: 'row', where: `spreadsheet ${spreadsheetId}, tab ${title}`, name: `row ${row + 1}` },
      by: matchesIn(cells.map(String).join('\n'), terms),
    });
    for (let startRow = 0; startRow < rows; startRow += ROWS_PER_READ) {
      const endRow = Math.min(startRow + ROWS_PER_READ, rows);
      const asked = [{ sheetId, startRow, endRow }];
      const [area] = await api.read(spreadsheetId, asked);
      const judgedRows = (area?.rows ?? []).flatMap((cells, at) => {
        const judged = judgeRow(cells, terms);
        return judged === undefined ? [] : [{ at, cells, judged }];
      });
      const [typed] = judgedRows.length === 0 ? [] : await api.readTyped(spreadsheetId, asked);
      for (const { at, cells, judged } of judgedRows) {
        const row = startRow + at;
        if (judged.verdict === 'leave') left.push(placeOf({ row, cells }));
        const formulas = formulasIn(cells, typed?.rows[at] ?? []);
        const shown = judged.columns.filter((column) => formulas.has(column)).map((column) => cells[column]);
        const by = matchesIn(shown.map(String).join('\n'), terms);
        if (by.length > 0) left.push({ ...placeOf({ row, cells }), by, why: 'formula' });
        const columns = judged.columns.filter((column) => !formulas.has(column));
        const anchor = anchorOf(cells, columns, terms);
        if (anchor !== undefined) found.push({ row, cells, columns, anchor });
        count += columns.length;
      }
    }
    const told: NotEmptied = { refused: [], moved: [] };
    try {
      const tab = { spreadsheetId, sheetId, title };
      if (act) await emptyRows({ api, tab, told, count: countErased }, found);
    } finally {
      moved.push(
        ...told.moved.map((row) => ({
          ...placeOf(row),
          kind: 'row' as const,
          by: [] as const,
          why: 'moved' as const,
        })),
      );
    }
    for (const row of told.refused) {
      left.push({ ...placeOf(row), why: 'forbidden' });
      count -= row.columns.length;
    }
  }
  return { cells: count, left };
}

/** Columns of formulas, which only people change. Empty if another row is in this place by now: the next look sees it. */
function formulasIn(cells: readonly unknown[], typed: readonly unknown[]): ReadonlySet<number> {
  const differing = cells.flatMap((cell, column) =>
    String(cell ?? '') === String(typed[column] ?? '') ? [] : [column],
  );
  const isSame = differing.every((column) => String(typed[column] ?? '').startsWith('='));
  return new Set(isSame ? differing : []);
}

/** The cell that no other person's row has: an id, otherwise a number or an address. */
function anchorOf(
  cells: readonly unknown[],
  columns: readonly number[],
  terms: PersonTerms,
): number | undefined {
  const by = (kinds: readonly PersonMatch[]) =>
    columns.find((column) => matchesIn(String(cells[column]), terms).some((kind) => kinds.includes(kind)));
  return by(['id']) ?? by(['phone', 'email']) ?? columns[0];
}

// Empties cells of one person's rows, and of no other row, although people sort meanwhile and Google has no conditional write. A write
// empties a cell only if it still contains the text that was read. Texts that others may have too go first, while the cell that identifies
// the person still exists. The answer to that write shows whether it hit this row. If it hit another row, that row gets its texts back
// immediately.

/** How many rows one request empties; each is an area of the answer. */
const ROWS_AT_ONCE = 50;

interface RowToEmpty {
  /** Counted from 0. */
  readonly row: number;
  readonly cells: readonly unknown[];
  readonly columns: readonly number[];
  /** The column that identifies the person. */
  readonly anchor: number;
}

interface Tab {
  readonly spreadsheetId: string;
  readonly sheetId: number;
  readonly title: string;
}

interface NotEmptied {
  /** Rows that Google refuses to change. */
  readonly refused: RowToEmpty[];
  /** Places where the write hit another person's row that could not be found again: its cells may be empty. */
  readonly moved: RowToEmpty[];
}

interface Emptying {
  readonly api: Pick<SheetsApi, 'replace' | 'write'>;
  readonly tab: Tab;
  /** Filled immediately, so that it is complete even if the work rejects. */
  readonly told: NotEmptied;
  readonly count: CountErased | undefined;
}

/** Rows that people moved meanwhile stay as they are: the next look finds them. */
async function emptyRows(emptying: Emptying, rows: readonly RowToEmpty[]): Promise<void> {
  for (const some of inParts(rows, ROWS_AT_ONCE)) await emptyAllowed(emptying, some);
}

/** One protected cell makes Google refuse the whole write; then the rows are written one by one. */
async function emptyAllowed(emptying: Emptying, rows: readonly RowToEmpty[]): Promise<void> {
  try {
    await emptySome(emptying, rows);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    if (rows.length === 1) emptying.told.refused.push(...rows);
    else for (const row of rows) await emptyAllowed(emptying, [row]);
  }
}

async function emptySome(emptying: Emptying, rows: readonly RowToEmpty[]): Promise<void> {
  const { api, tab, told, count } = emptying;
  const others = rows.flatMap((each) =>
    each.columns.filter((column) => column !== each.anchor).map((column) => ({ ...each, column })),
  );
  const anchors = rows.map((row) => emptied(tab, { ...row, column: row.anchor }));
  const emptyAnchors = async (proven: typeof anchors) => {
    const { changed } = await api.replace(tab.spreadsheetId, proven, []);
    await count?.({ cells: changed.filter((times) => times > 0).length });
  };
  if (others.length === 0) return emptyAnchors(anchors);
  const { shown, changed } = await api.replace(
    tab.spreadsheetId,
    others.map((cell) => emptied(tab, cell)),
    rows.map((row) => areaOf(tab, row)),
  );
  const shownRows = shown.get(tab.sheetId);
  if (shownRows === undefined) {
    throw new RetryableError('google-unreadable', 'Google did not return the rows to be emptied', {
      target: `spreadsheet:${tab.spreadsheetId}`,
    });
  }
  const isThere = ({ row, anchor, cells }: RowToEmpty) =>
    String(shownRows.get(row)?.[anchor] ?? '') === String(cells[anchor]);
  for (const row of rows.filter((each) => !isThere(each))) {
    const hit = others.filter((cell, nth) => cell.row === row.row && (changed[nth] ?? 0) > 0);
    if (hit.length === 0) continue;
    const theirs = { row, columns: hit.map(({ column }) => column), seen: shownRows.get(row.row) ?? [] };
    if (!(await isGivenBack({ api, tab }, theirs))) told.moved.push(row);
  }
  await count?.({ cells: others.filter((cell, nth) => isThere(cell) && (changed[nth] ?? 0) > 0).length });
  const proven = anchors.filter((_, nth) => rows[nth] !== undefined && isThere(rows[nth]));
  if (proven.length > 0) await emptyAnchors(proven);
}

/** Restores another person's row, which was in this place for a moment. False when another row, or none, may have been there by then. */
async function isGivenBack(
  { api, tab }: Pick<Emptying, 'api' | 'tab'>,
  hit: { readonly row: RowToEmpty; readonly columns: readonly number[]; readonly seen: readonly unknown[] },
): Promise<boolean> {
  const { row, columns, seen } = hit;
  const requests = columns.map((column): SheetRequest => {
    const start = { sheetId: tab.sheetId, rowIndex: row.row, columnIndex: column };
    const values = [toCellData(row.cells[column] as Cell)];
    return { updateCells: { start, rows: [{ values }], fields: 'userEnteredValue' } };
  });
  const shown = await api.write(tab.spreadsheetId, requests, [areaOf(tab, row)]).catch((error: unknown) => {
    if (error instanceof WorkerError) return undefined;
    throw error;
  });
  const now = shown?.get(tab.sheetId)?.get(row.row) ?? [];
  return row.cells.every(
    (_, column) => columns.includes(column) || String(now[column] ?? '') === String(seen[column] ?? ''),
  );
}

function areaOf({ sheetId, title }: Tab, { row, cells }: RowToEmpty): ShownArea {
  return {
    title,
    area: { sheetId, startRow: row, endRow: row + 1, startColumn: 0, endColumn: cells.length },
  };
}

function emptied({ sheetId }: Tab, { row, column, cells }: RowToEmpty & { readonly column: number }) {
  const range = {
    ...{ sheetId, startRowIndex: row, endRowIndex: row + 1 },
    ...{ startColumnIndex: column, endColumnIndex: column + 1 },
  };
  return { find: String(cells[column]), replacement: '', matchCase: true, matchEntireCell: true, range };
}
