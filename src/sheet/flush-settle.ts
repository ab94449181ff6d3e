import type { KeyedTab } from '../engine/mirror.ts';
import { agoMs } from '../engine/moments.ts';
import { formatKey } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Runtime } from '../engine/runtime.ts';
import { type Cell, type PendingRow, trimmedCell } from '../engine/sheet-row.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import type { ShownRows, ShownTabs } from '../google/shown-cells.ts';
import {
  isObjectId,
  keyAfter,
  type Layout,
  type RowSpan,
  type RowWrite,
  rowsAfter,
  rowsOfPlan,
  type TabPlan,
  type TabView,
} from './flush-plan.ts';
import { holdsAll, shownIn, writtenAreas } from './flush-write.ts';
import { type CoveredCells, goneKeys, misplacedCells, misplacedUnder } from './moved-cells.ts';
import type { Stranded } from './noted-cells.ts';
import { headersOf, isSameLayout, isTabFault, readLayout } from './tab-layout.ts';
import { fingerprint, holds, storable, type TabSurvey } from './tab-survey.ts';

export interface SettleParts extends Runtime {
  readonly api: SheetsApi;
  readonly survey: TabSurvey;
  readonly outbox: Outbox;
}

export interface Written {
  readonly plans: readonly TabPlan[];
  /** The tabs right after the write. */
  readonly shown?: ShownTabs | undefined;
  readonly outcome: Outcome;
}

/** `unknown`: perhaps Google performed nothing. `old`: others may have written since, so the tabs no longer show its effect. */
export type Outcome = 'performed' | 'unknown' | 'old';

export interface Settled {
  /** Rows that left the outbox. */
  readonly confirmed: number;
  /** Rows that hold other cells than were just written into them. They are still in the outbox. */
  readonly unkept: readonly PendingRow[];
  /** Plans that empty what the write left in the wrong place; write them next. */
  readonly repairs: readonly TabPlan[];
  /** Rows that lost their ids, by tab. Their objects are written again. */
  readonly stranded: ReadonlyMap<KeyedTab, Stranded>;
  /** Ids of rows that a plan has hit by accident. */
  readonly strayed: ReadonlyMap<TabPlan, readonly string[]>;
  /** As in `Misplaced`, by tab. */
  readonly unsure: ReadonlyMap<KeyedTab, readonly number[]>;
  /** As in `Misplaced`, by tab. */
  readonly covered: ReadonlyMap<KeyedTab, readonly CoveredCells[]>;
}

/**
 * Compares the tabs with the plans after a write, whether or not Google confirmed it. Rows as planned leave the outbox, and rows hit by
 * accident are marked dirty. All others stay in the outbox. It uses the tabs in `shown`, and reads the rest. If nobody interfered with the
 * shown tabs, it reads nothing.
 */
export async function settle(
  parts: SettleParts,
  spreadsheetId: string,
  { plans, shown = new Map(), outcome }: Written,
): Promise<Settled> {
  const sights: TabAfterWrite[] = [];
  const unseen: TabPlan[] = [];
  for (const plan of plans) {
    const rows = shown.get(plan.view.sheetId);
    if (rows === undefined) unseen.push(plan);
    else sights.push(sightIn(plan, rows));
  }
  if (unseen.length > 0) sights.push(...(await lookAt(parts, spreadsheetId, unseen)));
  const stands: PendingRow[] = [];
  const odd: TabPlan[] = [];
  for (const { plan, after, isWritten } of sights) {
    // A row that moved away is not gone while a copy of it is further down.
    const isGone = (row: PendingRow) => row.leftBehind === undefined || !after.keys.includes(row.rowKey);
    if (isWritten && isAsPlanned(plan, after)) {
      stands.push(...rowsOfPlan(plan).filter(isGone));
      const { blankColumns, addedColumns } = plan.view;
      if (blankColumns !== undefined || addedColumns !== undefined)
        await parts.survey.columns.note(plan.mirror);
      if (outcome === 'performed') parts.survey.keys.note(plan);
      else parts.survey.keys.forget(plan);
    } else {
      parts.survey.keys.forget(plan);
      odd.push(plan);
    }
  }
  const isPerformed = outcome === 'performed' || (outcome === 'unknown' && sights.some(hasNewRow));
  const repairs: TabPlan[] = [];
  const unkept: PendingRow[] = [];
  const stranded = new Map<KeyedTab, Stranded>();
  const strayed = new Map<TabPlan, readonly string[]>();
  const unsure = new Map<KeyedTab, readonly number[]>();
  const covered = new Map<KeyedTab, readonly CoveredCells[]>();
  for (const { plan, layout, grid, hasNewRows } of odd.length === 0
    ? []
    : await readOdd(parts.api, spreadsheetId, odd)) {
    if (isTabFault(layout)) {
      if (!isPerformed) continue;
      const under = misplacedUnder(plan, grid, new Set(headersOf(plan.mirror)));
      const keys = under.hit.map((id) => formatKey({ kind: plan.mirror.from, id }));
      if (keys.length > 0) await parts.outbox.rewrite(keys, plan.mirror.name);
      strayed.set(plan, under.hit);
      const now = { layout: plan.view.layout, grid, leftovers: under.repairs };
      if (under.repairs.size > 0) repairs.push(repairOf(plan, now));
      continue;
    }
    const findings = inspect(plan, layout, grid);
    const isProven = isPerformed || findings.isProof;
    stands.push(...findings.stands);
    unkept.push(...findings.unkept);
    // Without proof that the write was performed, users may have typed the equal cells.
    const leftovers = isProven ? findings.leftovers : new Map<number, RowWrite>();
    strayed.set(plan, findings.hit);
    if (isProven && findings.stranded.rows.length > 0) stranded.set(plan.mirror, findings.stranded);
    if (isProven && findings.unsure.length > 0) unsure.set(plan.mirror, findings.unsure);
    // A row that people have just inserted was blank.
    const cells = findings.covered.filter(({ isRowOfPeople }) => !isRowOfPeople || !hasNewRows);
    if (isProven && cells.length > 0) covered.set(plan.mirror, cells);
    await markHitDirty(parts, plan.mirror, { ...findings, leftovers });
    if (leftovers.size > 0) repairs.push(repairOf(plan, { layout, grid, leftovers }));
    else reportLeft(parts, plan.mirror, findings.leftovers.size);
  }
  await confirmRows(parts, stands);
  return { confirmed: stands.length, unkept, repairs, stranded, strayed, unsure, covered };
}

interface TabAfterWrite {
  readonly plan: TabPlan;
  readonly after: Pick<TabView, 'layout' | 'keys'>;
  /** True if the tab holds every cell that was written. */
  readonly isWritten: boolean;
}

/** One new row proves that the whole batch was performed: it is all or nothing, and no tab had the keys of fresh rows before. */
function hasNewRow({ plan, after }: TabAfterWrite): boolean {
  const keys = new Set(after.keys);
  return plan.fresh.some(({ keyAfter }) => keys.has(keyAfter));
}

/** Uses the write's own answer. A tab without the plan's header proves nothing about its rows, so it is read whole. */
function sightIn(plan: TabPlan, rows: ShownRows): TabAfterWrite {
  const layout = readLayout(rows.get(0) ?? [], plan.mirror);
  const isRead = !isTabFault(layout) && isSameLayout(layout, plan.view.layout);
  const { keyColumn } = plan.view.layout;
  const after = { layout: plan.view.layout, keys: keysIn(rows, keyColumn, plan.view.spans) };
  const isWritten =
    isRead && writtenAreas(plan).every((written) => holdsAll(written, shownIn(rows, written)));
  return { plan, after, isWritten };
}

/** `spans`: looks only at these rows; absent: at all. */
function keysIn(
  rows: ShownRows,
  keyColumn: number,
  spans: readonly RowSpan[] = [{ startRow: 0 }],
): readonly string[] {
  const keys: string[] = [];
  for (const [row, cells] of rows)
    if (spans.some(({ startRow, endRow = row + 1 }) => startRow <= row && row < endRow))
      keys[row] = trimmedCell(cells[keyColumn]);
  return keys;
}

/** Takes one read. Unreadable tabs are left out, and their rows wait for the next flush. */
async function lookAt(
  { survey }: SettleParts,
  spreadsheetId: string,
  plans: readonly TabPlan[],
): Promise<readonly TabAfterWrite[]> {
  const areas = plans.map(writtenAreas);
  const { seen, also } = await survey.lookAlsoAt(
    spreadsheetId,
    plans.map(({ mirror }) => mirror),
    areas.flat().map(({ area }) => area),
  );
  const values = [...also];
  return plans.flatMap((plan, i) => {
    const isWritten = (areas[i] ?? []).map((written) => holdsAll(written, values.shift())).every(Boolean);
    const after = seen.get(plan.mirror);
    if (after === undefined || isTabFault(after) || after.sheetId !== plan.view.sheetId) return [];
    return [{ plan, after, isWritten }];
  });
}

/** Call for rows that are in the sheet. The lag counts from their oldest change. */
export async function confirmRows(parts: SettleParts, rows: readonly PendingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await parts.outbox.confirm(rows);
  const now = parts.clock.now();
  for (const { mirror, occurredAtMs } of rows) {
    if (occurredAtMs === undefined) continue;
    parts.meter.observe('slotbridge_lag_seconds', agoMs(occurredAtMs, now) / 1000, { mirror });
  }
}

async function readOdd(api: SheetsApi, spreadsheetId: string, plans: readonly TabPlan[]) {
  const found = await api.read(
    spreadsheetId,
    plans.map(({ view }) => ({ sheetId: view.sheetId })),
  );
  return plans.flatMap((plan, i) => {
    const grid = found[i]?.rows ?? [];
    const { rowCount, keys } = plan.view;
    const rowsNow = found[i]?.lastRow ?? 0;
    const hasNewRows = rowsNow > (rowCount ?? keys.length) + plan.fresh.length;
    return [{ hasNewRows, plan, layout: readLayout(grid[0] ?? [], plan.mirror), grid }];
  });
}

async function markHitDirty(parts: SettleParts, mirror: KeyedTab, findings: Findings): Promise<void> {
  const { hit, stranded, leftovers } = findings;
  if (hit.length === 0 && leftovers.size === 0) return;
  const counts = { hit: hit.length, detached: stranded.rows.length, leftovers: leftovers.size };
  parts.log.warn({ mirror: mirror.name, ...counts }, 'people moved rows while they were written');
  const keys = hit.map((id) => formatKey({ kind: mirror.from, id }));
  if (keys.length > 0) await parts.outbox.rewrite(keys, mirror.name);
}

/** Call with the number of rows that may hold cells of a misplaced write, and that the worker does not empty. */
function reportLeft(parts: SettleParts, { name, tab }: KeyedTab, rows: number): void {
  if (rows === 0) return;
  const advice =
    'Look for rows of the tab that show the cells of another row. Empty them if nobody typed them.';
  parts.log.warn(
    { mirror: name, tab, rows, advice },
    'a write that could not be checked may have left cells in other rows',
  );
}

function repairOf(
  plan: TabPlan,
  now: {
    layout: Layout;
    grid: readonly (readonly unknown[])[];
    leftovers: ReadonlyMap<number, RowWrite>;
  },
): TabPlan {
  const keys = now.grid.map((row) => trimmedCell(row[now.layout.keyColumn]));
  return {
    mirror: plan.mirror,
    view: { sheetId: plan.view.sheetId, layout: now.layout, keys, rowCount: undefined, grid: now.grid },
    inPlace: now.leftovers,
    insertAt: keys.length,
    fresh: [],
    absent: [],
    left: [],
    doubledRows: 0,
  };
}

// After a write: does the tab match the plan, and if not, what did the write hit? Between the read and the write, users may have sorted,
// inserted, deleted or moved something. Sheets has no precondition that would stop the write (Google has no etag for cells). Pure.

interface Findings {
  /** Rows that are in the tab as planned. */
  readonly stands: readonly PendingRow[];
  /** Rows that were written in the right place but now hold other cells. */
  readonly unkept: readonly PendingRow[];
  /** Keys of rows that were overwritten by accident and must be written again. */
  readonly hit: readonly string[];
  /** Rows that lost their key cell. */
  readonly stranded: Stranded;
  /** As in `Misplaced`. */
  readonly unsure: readonly number[];
  /** As in `Misplaced`. */
  readonly covered: readonly CoveredCells[];
  /** By row: what undoes the accident. Write it only if the write was certainly performed. */
  readonly leftovers: ReadonlyMap<number, RowWrite>;
  /** The tab itself proves that the write was performed. */
  readonly isProof: boolean;
}

/** True when the header, and what was read of the key column, have changed only as planned. */
export function isAsPlanned(plan: TabPlan, after: Pick<TabView, 'layout' | 'keys'>): boolean {
  if (!isSameLayout(plan.view.layout, after.layout)) return false;
  const length = Math.max(rowsAfter(plan), after.keys.length);
  const { spans = [{ startRow: 0 }] } = plan.view;
  return spans.every(({ startRow, endRow = length }: RowSpan) => {
    for (let row = startRow; row < endRow; row += 1)
      if (keyAfter(plan, row) !== (after.keys.at(row) ?? '')) return false;
    return true;
  });
}

/** Checks every cell of a tab that is not as planned. `grid`: the tab as it is now, unformatted, from its first row on. */
export function inspect(plan: TabPlan, after: Layout, grid: readonly (readonly unknown[])[]): Findings {
  const keys = grid.map((row) => trimmedCell(row[after.keyColumn]));
  const rowsOf = new Map<string, number[]>();
  for (const [row, key] of keys.entries()) {
    if (row > 0 && key !== '') rowsOf.set(key, [...(rowsOf.get(key) ?? []), row]);
  }
  const rows = new Map([
    ...[...plan.inPlace].map(([row, write]) => [write, row] as const),
    ...plan.fresh.map((write, i) => [write, plan.insertAt + i] as const),
  ]);
  const writes = [...rows.keys()];
  const doubles = ownDoubles(plan, { after, grid, rowsOf });
  const standing = new Set(
    writes.filter((write) => {
      const [row] = (rowsOf.get(write.keyAfter || write.key) ?? []).filter((at) => !doubles.has(at));
      if (write.keyAfter === '') return row === undefined;
      // Formats are not read back. They certainly reached the row only if it is in its planned place.
      if (write.formats !== undefined && rows.get(write) !== row) return false;
      return row !== undefined && isWritten(grid[row] ?? [], write, { from: plan.view.layout, to: after });
    }),
  );
  const misplaced = misplacedCells(plan, { after, grid, isRight: (write) => standing.has(write) });
  for (const write of misplaced.again) standing.delete(write);
  const missed = new Set(writes.flatMap((write) => (standing.has(write) ? [] : [write.keyAfter])));
  const strays = straysOf(plan, { after, grid, keys, missed });
  const own = new Set([...plan.inPlace.values()].map(({ key }) => key));
  const displaced = [...plan.inPlace].flatMap(([row, write]) => {
    const key = keys[row] ?? '';
    return !standing.has(write) && key !== write.key && isObjectId(key) ? [key] : [];
  });
  return {
    stands: [...standing].flatMap(({ pending }) => (pending === undefined ? [] : [pending])),
    unkept: writes.flatMap((write) => {
      const isInPlace = keys[rows.get(write) ?? -1] === write.keyAfter && write.keyAfter !== '';
      if (standing.has(write) || !isInPlace || write.pending === undefined) return [];
      return isSameLayout(plan.view.layout, after) ? [write.pending] : [];
    }),
    hit: [...new Set([...strays.hit, ...displaced, ...misplaced.hit])],
    stranded: { rows: misplaced.stranded, gone: new Set(goneKeys(plan, keys)), own },
    ...{ unsure: misplaced.unsure, covered: misplaced.covered },
    leftovers: new Map([...strays.leftovers, ...doubles, ...misplaced.repairs]),
    isProof: misplaced.isProof,
  };
}

interface Sight {
  readonly after: Layout;
  readonly grid: readonly (readonly unknown[])[];
}

/**
 * A key that this flush added and that is in the tab twice: an earlier write, given up, was performed after all. The copy equal to what was
 * written now is emptied. The other one stays, and the next flush writes it in place.
 */
function ownDoubles(
  plan: TabPlan,
  { after, grid, rowsOf }: Sight & { rowsOf: ReadonlyMap<string, readonly number[]> },
): ReadonlyMap<number, RowWrite> {
  const doubles = new Map<number, RowWrite>();
  for (const write of plan.fresh) {
    const rows = rowsOf.get(write.keyAfter) ?? [];
    const own = rows.filter((row) =>
      isWritten(grid[row] ?? [], write, { from: plan.view.layout, to: after }),
    );
    const surplus = own.length === rows.length ? own.slice(1) : own;
    const cells = new Map<number, Cell>([after.keyColumn, ...after.columns.values()].map((at) => [at, null]));
    for (const row of surplus)
      doubles.set(row, { key: write.keyAfter, keyAfter: '', cells, pending: undefined });
  }
  return doubles;
}

/**
 * Rows that hold the cells of another row's write: that row had moved before the write arrived. A fresh row cannot hit another one: Google
 * adds the row and fills it in one step.
 */
function straysOf(
  plan: TabPlan,
  { after, grid, keys, missed }: Sight & { keys: readonly string[]; missed: ReadonlySet<string> },
) {
  const headers = [...after.columns.keys()];
  const owners = new Map<string, Set<string>>();
  const blanked = new Set<string>();
  for (const write of plan.inPlace.values()) {
    const print = printOf(headers.map((header) => storable(cellOf(write, plan.view.layout, header))));
    if (print === undefined) blanked.add(write.keyAfter);
    else owners.set(print, (owners.get(print) ?? new Set()).add(write.keyAfter));
  }
  const hit: string[] = [];
  const showing = new Map<string, number[]>();
  for (const [row, cells] of grid.entries()) {
    const print = printOf(headers.map((header) => cells[after.columns.get(header) ?? -1]));
    const meant = print === undefined ? undefined : owners.get(print);
    const key = keys[row] ?? '';
    // Blank cells do not show where they come from.
    if (print === undefined && blanked.size > 0 && isObjectId(key) && !blanked.has(key)) hit.push(key);
    if (row === 0 || print === undefined || meant === undefined || meant.has(key)) continue;
    showing.set(print, [...(showing.get(print) ?? []), row]);
  }
  const leftovers = new Map<number, RowWrite>();
  for (const [print, rows] of showing) {
    // Each write that missed its row hit one other row. If more rows show its cells, users have typed or copied some of them.
    const strayed = [...(owners.get(print) ?? [])].filter((owner) => missed.has(owner)).length;
    for (const row of rows) {
      const key = keys[row] ?? '';
      if (isObjectId(key)) hit.push(key);
      else if (rows.length <= strayed) leftovers.set(row, emptied(key, after.columns.values()));
    }
  }
  return { hit, leftovers };
}

function isWritten(
  cells: readonly unknown[],
  write: RowWrite,
  layouts: { from: Layout; to: Layout },
): boolean {
  return [...layouts.to.columns].every(([header, column]) =>
    holds(cells[column], cellOf(write, layouts.from, header)),
  );
}

function cellOf(write: RowWrite, layout: Layout, header: string): Cell | undefined {
  return write.cells.get(layout.columns.get(header) ?? -1);
}

/** Undefined for blank cells. */
function printOf(cells: readonly unknown[]): string | undefined {
  const prints = cells.map(fingerprint);
  return prints.every((print) => print === '') ? undefined : prints.join('\n');
}

function emptied(key: string, columns: Iterable<number>): RowWrite {
  const cells = new Map<number, Cell>([...columns].map((column) => [column, null]));
  return { key, keyAfter: key, cells, pending: undefined };
}
