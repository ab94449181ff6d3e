import { formatKey } from '../../domain/entity.ts';
import type { KeyedTab } from '../../domain/mirror.ts';
import type { PendingRow } from '../../domain/sheet-row.ts';
import type { SheetsApi } from '../../google/sheets-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Outbox } from '../../ports/outbox.ts';
import { type Findings, inspect, isAsPlanned } from './inspect.ts';
import { isFault, type Layout, readLayout, textOf } from './layout.ts';
import type { TabPlan } from './plan.ts';
import type { TabSurvey } from './survey.ts';
import { holdsAll, writtenAreas } from './written.ts';

export interface SettleParts {
  readonly api: SheetsApi;
  readonly survey: TabSurvey;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

export interface Settled {
  /** Rows that left the outbox. */
  readonly confirmed: number;
  /** Rows in which other cells stand than were just written into them. They are still in the outbox. */
  readonly unkept: readonly PendingRow[];
  /** What the write has left where it does not belong: to be written next. */
  readonly repairs: readonly TabPlan[];
}

/**
 * Looks at the tabs again after a write, and it does not matter whether Google said that it was done: what stands there as it should
 * leaves the outbox; rows that the write has hit by accident are asked for anew; whatever else is open stays in the outbox. One read when nobody interfered, two otherwise.
 */
export async function settle(
  parts: SettleParts,
  spreadsheetId: string,
  plans: readonly TabPlan[],
): Promise<Settled> {
  const areas = plans.map(writtenAreas);
  const { seen, also } = await parts.survey.lookAlsoAt(
    spreadsheetId,
    plans.map(({ mirror }) => mirror),
    areas.flat().map(({ area }) => area),
  );
  const values = [...also];
  const stands: PendingRow[] = [];
  const odd: TabPlan[] = [];
  for (const [i, plan] of plans.entries()) {
    const isWritten = (areas[i] ?? []).map((written) => holdsAll(written, values.shift())).every(Boolean);
    const after = seen.get(plan.mirror);
    // Of a tab that cannot be read any more nothing is known: its rows wait for the next flush.
    if (after === undefined || isFault(after) || after.sheetId !== plan.view.sheetId) continue;
    // What moved away is not gone while a copy of it stands further down.
    const isGone = (row: PendingRow) => row.leftBehind === undefined || !after.keys.includes(row.rowKey);
    if (isWritten && isAsPlanned(plan, after)) stands.push(...rowsOf(plan).filter(isGone));
    else odd.push(plan);
  }
  const repairs: TabPlan[] = [];
  const unkept: PendingRow[] = [];
  for (const { plan, layout, grid } of await readOdd(parts.api, spreadsheetId, odd)) {
    const findings = inspect(plan, layout, grid);
    stands.push(...findings.stands);
    unkept.push(...findings.unkept);
    await askAnew(parts, plan.mirror, findings);
    if (findings.leftovers.size > 0) repairs.push(repairOf(plan, { layout, grid, findings }));
  }
  await confirmRows(parts, stands);
  return { confirmed: stands.length, unkept, repairs };
}

/** These rows stand in the sheet. The lag is counted from when their oldest change happened. */
export async function confirmRows(parts: SettleParts, rows: readonly PendingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await parts.outbox.confirm(rows);
  const now = parts.clock.now();
  for (const { mirror, occurredAtMs } of rows) {
    if (occurredAtMs === undefined) continue;
    parts.meter.observe('slotbridge_lag_seconds', Math.max(0, now - occurredAtMs) / 1000, { mirror });
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
    return isFault(layout) ? [] : [{ plan, layout, grid }];
  });
}

async function askAnew(parts: SettleParts, mirror: KeyedTab, findings: Findings): Promise<void> {
  const { hit, detached, leftovers } = findings;
  if (hit.length === 0 && leftovers.size === 0) return;
  const counts = { hit: hit.length, detached, leftovers: leftovers.size };
  parts.log.warn({ mirror: mirror.name, ...counts }, 'people moved rows while they were written');
  const keys = hit.map((id) => formatKey({ kind: mirror.from, id }));
  if (keys.length > 0) await parts.outbox.rewrite(keys, mirror.name);
}

function repairOf(
  plan: TabPlan,
  now: { layout: Layout; grid: readonly (readonly unknown[])[]; findings: Findings },
): TabPlan {
  const keys = now.grid.map((row) => textOf(row[now.layout.keyColumn]));
  return {
    mirror: plan.mirror,
    view: { sheetId: plan.view.sheetId, layout: now.layout, keys, rowCount: undefined },
    inPlace: now.findings.leftovers,
    insertAt: keys.length,
    fresh: [],
    absent: [],
    left: [],
    doubledRows: 0,
  };
}

function rowsOf(plan: TabPlan): readonly PendingRow[] {
  const writes = [...plan.inPlace.values(), ...plan.fresh];
  return writes.flatMap(({ pending }) => (pending === undefined ? [] : [pending]));
}
