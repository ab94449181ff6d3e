import { formatKey } from '../../../domain/entity.ts';
import type { KeyedTab } from '../../../domain/mirror.ts';
import { agoMs } from '../../../domain/moments.ts';
import { type PendingRow, trimmedCell } from '../../../domain/sheet-row.ts';
import type { SheetsApi } from '../../../google/sheets-api.ts';
import type { ShownTabs } from '../../../google/shown-cells.ts';
import type { Outbox } from '../../../ports/rows.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { isSameLayout, isTabFault, type Layout, readLayout } from '../tab/layout.ts';
import type { TabSurvey } from '../tab/survey.ts';
import { type Findings, inspect, isAsPlanned } from './inspect.ts';
import type { RowWrite, TabPlan, TabView } from './plan.ts';
import { holdsAll, shownIn, writtenAreas } from './written.ts';

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
  const sights = [
    ...plans.flatMap((plan) => sightIn(plan, shown)),
    ...(await lookAt(
      parts,
      spreadsheetId,
      plans.filter(({ view }) => !shown.has(view.sheetId)),
    )),
  ];
  const stands: PendingRow[] = [];
  const odd: TabPlan[] = [];
  for (const { plan, after, isWritten } of sights) {
    // A row that moved away is not gone while a copy of it is further down.
    const isGone = (row: PendingRow) => row.leftBehind === undefined || !after.keys.includes(row.rowKey);
    if (isWritten && isAsPlanned(plan, after)) {
      stands.push(...rowsOf(plan).filter(isGone));
      if (hasNewHeader(plan)) await parts.survey.noteColumns(plan.mirror);
    } else odd.push(plan);
  }
  const isProven = outcome === 'performed' || (outcome === 'unknown' && sights.some(hasNewRow));
  const repairs: TabPlan[] = [];
  const unkept: PendingRow[] = [];
  for (const { plan, layout, grid } of await readOdd(parts.api, spreadsheetId, odd)) {
    const findings = inspect(plan, layout, grid);
    stands.push(...findings.stands);
    unkept.push(...findings.unkept);
    // Without proof that the write was performed, users may have typed the equal cells.
    const leftovers = isProven ? findings.leftovers : new Map<number, RowWrite>();
    await markHitDirty(parts, plan.mirror, { ...findings, leftovers });
    if (leftovers.size > 0) repairs.push(repairOf(plan, { layout, grid, leftovers }));
    else reportLeft(parts, plan.mirror, findings.leftovers.size);
  }
  await confirmRows(parts, stands);
  return { confirmed: stands.length, unkept, repairs };
}

/** A tab after the write of a plan. */
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
function sightIn(plan: TabPlan, shown: ShownTabs): readonly TabAfterWrite[] {
  const grid = shown.get(plan.view.sheetId);
  if (grid === undefined) return [];
  const layout = readLayout(grid[0] ?? [], plan.mirror);
  const isRead = !isTabFault(layout) && isSameLayout(layout, plan.view.layout);
  const after = {
    layout: plan.view.layout,
    keys: grid.map((row) => trimmedCell(row[plan.view.layout.keyColumn])),
  };
  const isWritten =
    isRead && writtenAreas(plan).every((written) => holdsAll(written, shownIn(grid, written)));
  return [{ plan, after, isWritten }];
}

/** Takes one read. Unreadable tabs are left out, and their rows wait for the next flush. */
async function lookAt(
  { survey }: SettleParts,
  spreadsheetId: string,
  plans: readonly TabPlan[],
): Promise<readonly TabAfterWrite[]> {
  if (plans.length === 0) return [];
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
  if (plans.length === 0) return [];
  const found = await api.read(
    spreadsheetId,
    plans.map(({ view }) => ({ sheetId: view.sheetId })),
  );
  return plans.flatMap((plan, i) => {
    const grid = found[i]?.rows ?? [];
    const layout = readLayout(grid[0] ?? [], plan.mirror);
    return isTabFault(layout) ? [] : [{ plan, layout, grid }];
  });
}

async function markHitDirty(parts: SettleParts, mirror: KeyedTab, findings: Findings): Promise<void> {
  const { hit, detached, leftovers } = findings;
  if (hit.length === 0 && leftovers.size === 0) return;
  const counts = { hit: hit.length, detached, leftovers: leftovers.size };
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
    view: { sheetId: plan.view.sheetId, layout: now.layout, keys, rowCount: undefined },
    inPlace: now.leftovers,
    insertAt: keys.length,
    fresh: [],
    absent: [],
    left: [],
    doubledRows: 0,
  };
}

function hasNewHeader({ view }: TabPlan): boolean {
  return view.blankColumns !== undefined || view.addedColumns !== undefined;
}

function rowsOf(plan: TabPlan): readonly PendingRow[] {
  const writes = [...plan.inPlace.values(), ...plan.fresh];
  return writes.flatMap(({ pending }) => (pending === undefined ? [] : [pending]));
}
