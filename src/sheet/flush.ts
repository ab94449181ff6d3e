// Input: rows that wait in the outbox. Output: rows in the tabs of one spreadsheet. At least once, repeatable: rows are found by their key,
// so writing a row again changes nothing. A row leaves the outbox only after it was seen in its tab. The caller allows one flush per
// spreadsheet at a time, across all processes. Normally a flush takes one read and one write, however many rows and tabs: the write's
// answer shows its effect (decision 0034).

import {
  DeferredError,
  isOfQuota,
  RetryableError,
  TerminalError,
  TURN_OVER,
  WorkerError,
} from '../engine/errors.ts';
import { sheetPlace } from '../engine/ids.ts';
import type { Leases } from '../engine/leases.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import { distanceMs } from '../engine/moments.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log, Runtime } from '../engine/runtime.ts';
import type { PendingRow, SheetPlace } from '../engine/sheet-row.ts';
import type { RowMoves, UnkeptRows } from '../engine/sheet-rows.ts';
import { type Attempt, backoffMs, type Disposition, deferredForMs } from '../engine/work.ts';
import type { SheetsApi, TabInfo } from '../google/sheets-api.ts';
import type { ShownTabs } from '../google/shown-cells.ts';
import type { CarriedRows } from './carried-rows.ts';
import {
  assertHeld,
  isMoving,
  planFlush,
  rowsOfPlan,
  type TabPlan,
  type TabView,
  type Turn,
  writesNothing,
} from './flush-plan.ts';
import { confirmRows, type Outcome, type SettleParts, settle } from './flush-settle.ts';
import { PERHAPS_WRITTEN, SHEET_CHANGED, SHEET_FULL, type WriteOutcome, writePlans } from './flush-write.ts';
import { arriving, type Movable, type MoveParts, movableRows } from './moving-rows.ts';
import { CutWrites, homesOfRows, loneRows, type Stranded } from './noted-cells.ts';
import { cellsNotKept, type OpenWrite, type SentRows } from './stores.ts';
import {
  cellsCovered,
  coveredColumns,
  fitToShape,
  hasShape,
  isTabFault,
  rowsUnsure,
  type TabFault,
  TabProblems,
} from './tab-layout.ts';
import { bytesOf, isSameSpot, type RememberedTabs, TabSurvey } from './tab-survey.ts';
import { CLEARED, LEFT } from './target.ts';

export interface SheetFlusherParts extends Runtime {
  readonly api: SheetsApi;
  readonly outbox: Outbox;
  /** A mirror with an archive appears once for each of its tabs (`placesOf`). */
  readonly mirrors: readonly KeyedTab[];
  /** Required for mirrors with an archive. */
  readonly moves?: RowMoves;
  readonly unkept: UnkeptRows;
  /** Without it, what a write hit stays if the process dies before the repair, and so does a row that a late write adds again. */
  readonly sent?: SentRows;
  /** Required for mirrors whose cells users may change. */
  readonly carried?: CarriedRows;
  readonly tabs: RememberedTabs;
  /** Shared with the check; default: its own. */
  readonly survey?: TabSurvey;
  readonly problems: ProblemBoard;
  /** Default 2,000. */
  readonly rowsPerFlush?: number;
  /** Google refuses the row's content, or the row does not keep it: remove the row from the outbox. The flush retries it until then. */
  readonly onRefused?: (row: PendingRow, error: TerminalError) => Promise<void> | void;
  /**
   * An empty tab is about to get its header. If the tab was in use before, its rows are gone and not in the outbox: request all of them.
   * May be called more than once.
   */
  readonly onTabBegun?: (place: SheetPlace) => Promise<void> | void;
}

export interface FlushResult {
  /** Rows that left the outbox. */
  readonly written: number;
  /** Rows still waiting, including those that cannot be written now. If `written` is 0, wait before flushing again. */
  readonly remaining: number;
}

const ROWS_PER_FLUSH = 2_000;
const BYTES_PER_FLUSH = 2_000_000;
/** How soon the problem board allows another try at a tab with a fault. */
const RETRY_FAULT_MS = 15_000;
/** Repair writes per flush, after users moved cells between the read and the write. */
const REPAIRS_MAX = 3;
/**
 * How long after a write that could not be checked the worker may still empty cells because of it. Later, another process may have written
 * the tab, or users may have typed the same cells.
 */
const UNSETTLED_MS_MAX = 60_000;
/**
 * Refused rows that a process remembers for each tab, besides the new rows of a full one. It bounds the memory. Above it, the process
 * forgets those it learned first and retries them first. Rows behind them may then wait until the tab accepts some.
 */
const REFUSED_MAX = 200_000;
/** Consecutive writes of a row after which other cells are in its place, before the worker gives the row up. */
const WRITES_MAX = 5;

export function createSheetFlusher(parts: SheetFlusherParts): SheetFlusher {
  return new SheetFlusher(parts);
}

/** Plans that were sent and not yet checked. */
interface Unsettled {
  readonly plans: readonly TabPlan[];
  readonly outcome: Outcome;
  readonly sentAtMs: number;
  /** What is stored of them. */
  readonly open: OpenWrite | undefined;
}

export class SheetFlusher {
  readonly #parts: SheetFlusherParts;
  readonly #mirrors: readonly KeyedTab[];
  readonly #survey: TabSurvey;
  readonly #settling: SettleParts;
  readonly #moving: MoveParts;
  readonly #cut: CutWrites | undefined;
  /** Writes that could not be checked, by spreadsheet. The next flush checks them first. */
  readonly #unsettled = new Map<string, Unsettled>();
  /** Rows that lost their ids to the last writes, until their objects are written again. */
  readonly #stranded = new Map<KeyedTab, Stranded>();
  /** Rows that a tab refused, kept as long as it refuses any. */
  readonly #refused = new Map<KeyedTab, RefusedRows>();
  /** Spreadsheets whose next write must not request an answer with cells, because Google refused the last write, perhaps for that. */
  readonly #unshown = new Set<string>();

  constructor(parts: SheetFlusherParts) {
    this.#parts = parts;
    this.#mirrors = parts.mirrors;
    this.#survey = parts.survey ?? new TabSurvey({ api: parts.api, memory: parts.tabs, log: parts.log });
    this.#settling = { ...parts, survey: this.#survey };
    this.#moving = { ...parts, moves: parts.moves, survey: this.#survey, places: parts.mirrors };
    this.#cut = parts.sent && new CutWrites({ ...parts, sent: parts.sent });
  }

  /**
   * Rejects with one of the three families when nothing could be written; waiting rows stay. A flush whose turn is over writes nothing. A
   * write that was sent is followed to its end.
   */
  async flush(spreadsheetId: string, turn: Turn): Promise<FlushResult> {
    try {
      return await this.#flush(spreadsheetId, turn);
    } catch (error) {
      // Google refused the worker's own read, not a row: start again from the beginning.
      if (!(error instanceof TerminalError)) throw error;
      const details = { target: `spreadsheet:${spreadsheetId}`, cause: error };
      throw new RetryableError('sheet-unreadable', error.message, details);
    }
  }

  async #flush(spreadsheetId: string, turn: Turn): Promise<FlushResult> {
    const { log } = this.#parts;
    const startedAtMs = this.#parts.clock.now();
    const unsettled = this.#unsettled.get(spreadsheetId);
    let written = unsettled === undefined ? 0 : await this.#settle(spreadsheetId, this.#aged(unsettled));
    await this.#parts.carried?.recover(spreadsheetId);
    await this.#cut?.lookOnce(spreadsheetId, turn);

    const problems = await TabProblems.read(this.#parts);
    const open: KeyedTab[] = [];
    /** Tabs with a fault, which must wait. */
    const paused: KeyedTab[] = [];
    for (const mirror of this.#mirrors) {
      if (mirror.spreadsheetId !== spreadsheetId) continue;
      ((await problems.mayTry(mirror)) ? open : paused).push(mirror);
    }
    const limits = { rows: this.#parts.rowsPerFlush ?? ROWS_PER_FLUSH, bytes: BYTES_PER_FLUSH };
    const refused = this.#refused;
    const taken = await takeRows(this.#parts.outbox, spreadsheetId, { open, limits, refused });
    if (taken.size === 0) {
      written += await this.#dropUnmapped(spreadsheetId, paused);
      const remaining = await this.#remaining(spreadsheetId);
      if (written === 0 && remaining > 0 && paused.length > 0) throw pausedError(spreadsheetId);
      return { written, remaining };
    }
    assertHeld(turn, spreadsheetId);
    const { plans, faults, stayed } = await this.#plan(spreadsheetId, taken);
    written += stayed;
    const settled: PendingRow[] = [];
    let left = 0;
    for (const plan of plans) {
      for (const row of plan.absent) settled.push(knownAbsent(row));
      for (const { formats: _, ...row } of plan.left) settled.push({ ...row, hash: LEFT });
      left += plan.left.length;
    }
    await confirmRows(this.#settling, settled);
    written += settled.length;
    if (left > 0) log.info({ spreadsheetId, rows: left }, 'rows that people deleted stay away');
    assertHeld(turn, spreadsheetId);
    const outcome = await this.#send(spreadsheetId, plans);
    await this.#cut?.lookAtRepairs(spreadsheetId, turn);
    written += outcome.confirmed;

    for (const [mirror, fault] of [...faults, ...outcome.faults]) await problems.raise(mirror, fault);
    for (const { mirror, doubledRows } of plans) {
      if (outcome.faults.has(mirror) || faults.has(mirror)) continue;
      this.#refused.delete(mirror);
      await problems.settle(mirror, doubledRows);
    }
    const [fault] = [...faults, ...outcome.faults];
    if (written === 0 && fault !== undefined) throw faultError(...fault);
    const remaining = await this.#remaining(spreadsheetId);
    const tookMs = this.#parts.clock.now() - startedAtMs;
    this.#parts.log.info(
      { spreadsheetId, written, remaining, tabs: plans.length, tookMs },
      'spreadsheet flushed',
    );
    return { written, remaining };
  }

  /**
   * Drops rows for a place that the mapping does not name: a worker with an older mapping was still handling their objects. The tab keeps
   * what it holds. Skipped while a tab is paused, because each flush would read through all of its rows.
   */
  async #dropUnmapped(spreadsheetId: string, paused: readonly KeyedTab[]): Promise<number> {
    if (paused.length > 0) return 0;
    const isHomeless = (row: PendingRow) =>
      !this.#mirrors.some((mirror) => mirror.name === row.mirror && isSameSpot(mirror, row));
    const limit = this.#parts.rowsPerFlush ?? ROWS_PER_FLUSH;
    const homeless = await this.#parts.outbox.pending(spreadsheetId, limit, { wants: isHomeless });
    if (homeless.length === 0) return 0;
    await this.#parts.outbox.drop(homeless);
    this.#parts.log.info({ spreadsheetId, rows: homeless.length }, 'rows of a former mapping dropped');
    return homeless.length;
  }

  async #plan(spreadsheetId: string, rows: ReadonlyMap<KeyedTab, readonly PendingRow[]>) {
    // What these need is beside their rows, too.
    const isWhole = (mirror: KeyedTab) => mirror.carry !== undefined || this.#stranded.has(mirror);
    const { seen, read } = await this.#survey.lookFor(spreadsheetId, rows, isWhole);
    for (const extent of ['rows', 'whole'] as const)
      this.#parts.meter.add('slotbridge_tab_looks_total', { extent }, read[extent]);
    const shapes = await this.#shapes(spreadsheetId, [...rows.keys()]);
    const plans: TabPlan[] = [];
    const faults = new Map<KeyedTab, TabFault>();
    let stayed = 0;
    for (const [mirror, view] of seen) {
      if (isTabFault(view)) faults.set(mirror, view);
      else {
        const taken = rows.get(mirror) ?? [];
        const movable: Movable = taken.some(isMoving)
          ? await movableRows(this.#moving, mirror, { view, rows: taken })
          : { rows: taken, stayed: 0 };
        stayed += movable.stayed;
        if (movable.fault !== undefined) {
          faults.set(mirror, movable.fault);
          this.#refuse(mirror, arriving(taken));
        }
        const stranded = this.#stranded.get(mirror);
        const now = { view, rows: movable.rows };
        const found = stranded === undefined ? now : await this.#returning(mirror, stranded, now);
        const plan = planFlush(mirror, found.view, found.rows);
        const shape = shapes.get(view.sheetId);
        const fitted = shape === undefined ? { plan, waiting: [] } : fitToShape(plan, shape);
        if (fitted.fault !== undefined) {
          faults.set(mirror, fitted.fault);
          this.#refuse(
            mirror,
            fitted.waiting.flatMap(({ pending }) => pending ?? []),
          );
        }
        plans.push(fitted.plan);
      }
    }
    return { plans, faults, stayed };
  }

  /** Tables and merged cells by sheet id. Takes one more read if a tab was last seen with any. */
  async #shapes(spreadsheetId: string, places: readonly KeyedTab[]): Promise<ReadonlyMap<number, TabInfo>> {
    const { api, tabs } = this.#parts;
    let isAnyShaped = false;
    for (const { tab } of places) isAnyShaped ||= await tabs.isShaped(spreadsheetId, tab);
    if (!isAnyShaped) return new Map();
    return new Map((await api.tabs(spreadsheetId)).map((tab) => [tab.sheetId, tab]));
  }

  /** Rows that do not hold what was written: perhaps cells were merged. Returns those of which no cell is covered. */
  async #uncovered(
    spreadsheetId: string,
    plans: readonly TabPlan[],
    unkept: readonly PendingRow[],
  ): Promise<readonly PendingRow[]> {
    const { api, tabs } = this.#parts;
    const infos = new Map((await api.tabs(spreadsheetId)).map((tab) => [tab.sheetId, tab]));
    const covered = new Set<PendingRow>();
    for (const { mirror, view, inPlace, fresh, insertAt } of plans) {
      const shape = infos.get(view.sheetId) ?? {};
      if (hasShape(shape)) await tabs.noteShape(spreadsheetId, mirror.tab, true);
      for (const [row, { pending }] of [
        ...inPlace,
        ...fresh.map((write, at) => [insertAt + at, write] as const),
      ])
        if (pending !== undefined && coveredColumns(shape, view.layout, row).length > 0) covered.add(pending);
    }
    return unkept.filter((row) => !covered.has(row));
  }

  /** Rows whose ids the last writes went over were not deleted by people. Takes one more read when the object of such a row is written. */
  async #returning(
    place: KeyedTab,
    stranded: Stranded,
    { view, rows }: { readonly view: TabView; readonly rows: readonly PendingRow[] },
  ) {
    const gone = new Set([...stranded.gone].filter((id) => !view.keys.includes(id)));
    if (gone.size > 0) this.#stranded.set(place, { ...stranded, gone });
    else this.#stranded.delete(place);
    const isGone = ({ rowKey }: PendingRow) => gone.has(rowKey.trim());
    if (!rows.some(isGone)) return { view, rows };
    const [tab] = await this.#parts.api.read(place.spreadsheetId, [{ sheetId: view.sheetId }]);
    const grid = tab?.rows ?? [];
    const homes = homesOfRows({ ...stranded, gone }, { view, grid }, rows);
    const lone = loneRows(stranded, { view, grid }, homes);
    if (lone.length > 0) await this.#parts.problems.raise(rowsUnsure(place, lone));
    const back = rows.map((row) => (isGone(row) ? { ...row, staysAway: false } : row));
    return { view: { ...view, homes }, rows: back };
  }

  async #send(spreadsheetId: string, plans: readonly TabPlan[]) {
    const { api } = this.#parts;
    const needed = plans.filter((plan) => !writesNothing(plan));
    const carried = needed.some(({ mirror }) => mirror.carry) ? this.#parts.carried : undefined;
    for (const { mirror, view } of needed) {
      if (view.blankColumns === undefined) continue;
      this.#parts.log.info({ mirror: mirror.name, spreadsheetId }, 'empty tab gets its header');
      const { name, tab } = mirror;
      await this.#parts.onTabBegun?.({ mirror: name, spreadsheetId, tab });
    }
    const toWrite = (await carried?.begin(spreadsheetId, needed)) ?? needed;
    const open = await this.#cut?.note(spreadsheetId, toWrite);
    let outcome: WriteOutcome;
    let perhapsDone = toWrite;
    const onTry = (tried: readonly TabPlan[]) => {
      perhapsDone = tried;
    };
    try {
      const isShown = !this.#unshown.delete(spreadsheetId);
      outcome = await writePlans({ api, spreadsheetId, isShown, onTry }, toWrite);
    } catch (error) {
      if (error instanceof RetryableError && error.code === PERHAPS_WRITTEN) this.#unshown.add(spreadsheetId);
      if (!mayBeDone(error)) {
        await this.#cut?.ended(spreadsheetId, open);
        await carried?.finish(spreadsheetId, toWrite, []);
        throw error;
      }
      // Perhaps Google performed the last try and only its answer was lost: look in the tabs. Rows that the try left out were not sent.
      const confirmed = await this.#settle(spreadsheetId, this.#sent(perhapsDone, 'unknown', open));
      if (confirmed < rowCount(toWrite)) throw error;
      await this.#cut?.ended(spreadsheetId, open);
      await carried?.recover(spreadsheetId);
      return { confirmed, faults: new Map<KeyedTab, TabFault>() };
    }
    this.#noteRefused(toWrite, outcome);
    for (const { row, error } of outcome.refused) {
      this.#parts.log.warn({ mirror: row.mirror, key: row.key, code: error.code }, 'row refused by Google');
      await this.#giveUp(row, error);
    }
    const confirmed = await this.#settle(
      spreadsheetId,
      this.#sent(outcome.plans, 'performed', open),
      outcome.shown,
    );
    await carried?.finish(spreadsheetId, toWrite, outcome.plans);
    return { confirmed, faults: outcome.faults };
  }

  #noteRefused(sent: readonly TabPlan[], { plans, faults }: WriteOutcome): void {
    const taken = new Set(plans.flatMap(rowsOfPlan));
    for (const plan of sent) {
      const fault = faults.get(plan.mirror);
      if (fault === undefined) continue;
      const rows = rowsOfPlan(plan).filter((row) => !taken.has(row));
      const keys = fault.code === SHEET_FULL.code ? new Set(plan.view.keys) : undefined;
      this.#refuse(plan.mirror, rows, keys);
    }
  }

  #refuse(place: KeyedTab, rows: readonly PendingRow[], keys?: ReadonlySet<string>): void {
    const before = this.#refused.get(place)?.versions ?? [];
    const learned = rows.filter((row) => !isRefused(row, { versions: new Set(), keys }));
    const versions = new Set([...before, ...learned.map(({ version }) => version)]);
    this.#refused.set(place, { versions: new Set([...versions].slice(-REFUSED_MAX)), keys });
  }

  #sent(plans: readonly TabPlan[], outcome: Outcome, open: OpenWrite | undefined): Unsettled {
    return { plans, outcome, sentAtMs: this.#parts.clock.now(), open };
  }

  #aged(unsettled: Unsettled): Unsettled {
    const isOld = distanceMs(unsettled.sentAtMs, this.#parts.clock.now()) > UNSETTLED_MS_MAX;
    return isOld ? { ...unsettled, outcome: 'old' } : unsettled;
  }

  /**
   * Checks what was sent, and repairs what it hit by accident. Returns how many rows left the outbox. `shown`: the tabs in the write's
   * answer; absent in a later flush, or when the outcome of the write is unknown.
   */
  async #settle(spreadsheetId: string, first: Unsettled, shown?: ShownTabs): Promise<number> {
    let sent = first;
    let now = shown;
    let confirmed = 0;
    let isLeft = false;
    for (let repairs = 0; sent.plans.length > 0; repairs += 1) {
      this.#unsettled.set(spreadsheetId, sent);
      const { plans, outcome } = sent;
      const settled = await settle(this.#settling, spreadsheetId, { plans, outcome, shown: now });
      confirmed += settled.confirmed;
      for (const [mirror, rows] of settled.stranded) this.#stranded.set(mirror, rows);
      for (const [plan, ids] of settled.strayed) await this.#parts.carried?.strayed(spreadsheetId, plan, ids);
      for (const [mirror, rows] of settled.unsure) await this.#parts.problems.raise(rowsUnsure(mirror, rows));
      // A repair goes over no cells of people: it empties what the write has left.
      const isRepair = plans[0]?.view.grid !== undefined;
      for (const [mirror, cells] of settled.covered)
        if (!isRepair) await this.#parts.problems.raise(cellsCovered(mirror, cells));
      // If the write was perhaps never performed, differing cells prove nothing.
      const isMissing = plans.some(({ fresh }) => fresh.length > 0) && settled.confirmed < rowCount(plans);
      if (shown !== undefined && (settled.unkept.length > 0 || isMissing)) {
        const unkept = await this.#uncovered(spreadsheetId, plans, settled.unkept);
        for (const row of unkept) await this.#countUnkept(row);
      }
      if (settled.repairs.length === 0) break;
      if (repairs === REPAIRS_MAX) {
        this.#parts.log.warn({ spreadsheetId }, 'spreadsheet changes faster than it can be mended');
        isLeft = true;
        break;
      }
      const open = await this.#cut?.note(spreadsheetId, settled.repairs);
      if (outcome === 'performed') await this.#cut?.ended(spreadsheetId, sent.open, open);
      const repaired = await writePlans({ api: this.#parts.api, spreadsheetId }, settled.repairs);
      sent = this.#sent(repaired.plans, 'performed', open);
      now = undefined;
    }
    this.#unsettled.delete(spreadsheetId);
    if (sent.outcome === 'performed' && !isLeft) await this.#cut?.ended(spreadsheetId, sent.open);
    return confirmed;
  }

  /** A user may have typed there in that moment. A row that never keeps its content is given up, or the flush would write it forever. */
  async #countUnkept(row: PendingRow): Promise<void> {
    if ((await this.#parts.unkept.missed(row)) < WRITES_MAX) return;
    this.#parts.log.warn({ mirror: row.mirror, key: row.key }, 'row does not keep what is written');
    await this.#giveUp(row, cellsNotKept(row.mirror, row));
  }

  async #giveUp(row: PendingRow, error: TerminalError): Promise<void> {
    await this.#parts.onRefused?.(row, error);
  }

  async #remaining(spreadsheetId: string): Promise<number> {
    const depths = await this.#parts.outbox.waiting();
    return depths.find((depth) => depth.spreadsheetId === spreadsheetId)?.rows ?? 0;
  }
}

/** Records that the object has no row in any of the mirror's tabs. */
function knownAbsent(row: PendingRow): PendingRow {
  if (row.onlyIfThere !== true) return row;
  const { formats: _, movesFrom: __, ...rest } = row;
  return { ...rest, cells: undefined, hash: CLEARED };
}

/** After a quota error or a refusal, nothing was performed. After a time-out, a reset or a 5xx, the outcome is unknown. */
function mayBeDone(error: unknown): boolean {
  return error instanceof RetryableError && error.code !== SHEET_CHANGED && error.code !== TURN_OVER;
}

function rowCount(plans: readonly TabPlan[]): number {
  return plans.reduce((sum, plan) => sum + plan.inPlace.size + plan.fresh.length, 0);
}

/** Only tabs have faults, not the spreadsheet: rows of its other tabs need not wait. */
export class TabsAtFault extends DeferredError {}

function pausedError(spreadsheetId: string): TabsAtFault {
  return new TabsAtFault('tab-paused', 'the tabs of the waiting rows refuse them: waiting for the next try', {
    target: `spreadsheet:${spreadsheetId}`,
    retryAfterMs: RETRY_FAULT_MS,
  });
}

function faultError(mirror: KeyedTab, { code, message, advice }: TabFault): TabsAtFault {
  return new TabsAtFault(code, message, {
    target: sheetPlace(mirror),
    advice,
    retryAfterMs: RETRY_FAULT_MS,
  });
}

interface TakeLimits {
  readonly rows: number;
  /** Google recommends requests of at most 2 MB (Sheets API, usage limits). */
  readonly bytes: number;
}

/** What a tab refused, as the process remembers it. */
interface RefusedRows {
  readonly versions: ReadonlySet<number>;
  /** Present while the tab cannot get new rows: its keys. All rows that it would have to get are refused, tried or not. */
  readonly keys?: ReadonlySet<string> | undefined;
}

/** Approximate size of a cell's number format in a request. */
const FORMAT_BYTES = 110;

/**
 * Takes the rows to write now: the oldest of each mirror, with the mirrors in turn. However many rows wait for one tab, the others get
 * their share. `open`: the spreadsheet's mirrors whose tabs accept rows. `refused`: rows that a tab refused; they come last, because they
 * would otherwise block its other rows forever.
 */
export async function takeRows(
  outbox: Pick<Outbox, 'pending'>,
  spreadsheetId: string,
  taking: {
    readonly open: readonly KeyedTab[];
    readonly limits: TakeLimits;
    readonly refused?: ReadonlyMap<KeyedTab, RefusedRows>;
  },
): Promise<ReadonlyMap<KeyedTab, readonly PendingRow[]>> {
  const { open, limits, refused = new Map() } = taking;
  const found = await Promise.all(
    open.map(async (place) => {
      const notTaken = refused.get(place);
      const among = (isLast: boolean) => ({
        mirror: place.name,
        wants: (row: PendingRow) => isSameSpot(place, row) && isRefused(row, notTaken) === isLast,
      });
      const others = await outbox.pending(spreadsheetId, limits.rows, among(false));
      const last =
        notTaken === undefined ? [] : await outbox.pending(spreadsheetId, limits.rows, among(true));
      // One refused row goes early, so that each flush learns whether the tab accepts them now.
      const rows = [...others.slice(0, 1), ...last.slice(0, 1), ...others, ...last];
      return [place, onePerKey(rows)] as const;
    }),
  );
  return inTurn(new Map(found), limits);
}

/** Rows that may be confirmed without being added are never refused because of their key. */
function isRefused(row: PendingRow, refused: RefusedRows | undefined): boolean {
  if (refused === undefined) return false;
  const { cells, onlyIfThere, inPlaceOnly, staysAway } = row;
  const mayAdd = cells !== undefined && onlyIfThere !== true && inPlaceOnly !== true && staysAway !== true;
  return refused.versions.has(row.version) || (mayAdd && refused.keys?.has(row.rowKey.trim()) === false);
}

/** Takes at least one row, however large. */
function inTurn(
  found: ReadonlyMap<KeyedTab, readonly PendingRow[]>,
  limits: TakeLimits,
): ReadonlyMap<KeyedTab, readonly PendingRow[]> {
  const taken = new Map<KeyedTab, PendingRow[]>();
  let [count, bytes] = [0, 0];
  let isLeft = true;
  for (let turn = 0; isLeft; turn += 1) {
    isLeft = false;
    for (const [place, rows] of found) {
      const row = rows[turn];
      if (row === undefined) continue;
      isLeft = true;
      bytes += bytesOfRow(row);
      if (count > 0 && (count >= limits.rows || bytes > limits.bytes)) return taken;
      count += 1;
      const ofPlace = taken.get(place) ?? [];
      ofPlace.push(row);
      taken.set(place, ofPlace);
    }
  }
  return taken;
}

function bytesOfRow({ cells, rowKey, formats }: PendingRow): number {
  return Object.values(cells ?? {}).reduce<number>(
    (sum, cell) => sum + bytesOf(cell),
    bytesOf(rowKey) + FORMAT_BYTES * Object.keys(formats ?? {}).length,
  );
}

/** A key has one row, so each flush writes it once. If two waiting rows have the same key, the second waits for the next flush. */
function onePerKey(rows: readonly PendingRow[]): readonly PendingRow[] {
  const byKey = new Map<string, PendingRow>();
  for (const row of rows) if (!byKey.has(row.rowKey)) byKey.set(row.rowKey, row);
  return [...byKey.values()];
}

/**
 * How long a process that stops renewing keeps a spreadsheet's lease. Two flushes at once could write a new row twice, so a frozen holder
 * gets time to return.
 */
export const FLUSH_LEASE_MS = 15_000;
/** How soon a flush tries again while another process holds the lease. */
const LEASE_RETRY_MS = 500;

/** Longest pause after flushes without a result; the pause doubles up to this. */
const FRUITLESS_PAUSE_MS_MAX = 15_000;

/** Lease under which one process at a time works on a spreadsheet. */
export function flushLease(spreadsheetId: string): string {
  return `flush:${spreadsheetId}`;
}

/**
 * Handles one spreadsheet of the flush queue, with one flush at a time across all processes. It keeps the configured interval, so that rows
 * gather. It never gives rows up: it retries for as long as they wait.
 */
export function flushHandler(parts: {
  readonly leases: Leases;
  /** Shortest interval between two flushes of one spreadsheet. */
  readonly flushEveryMs: number;
  readonly flusher: Pick<SheetFlusher, 'flush'>;
  /** A monotonic clock. */
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): (spreadsheetId: string, attempt: Attempt) => Promise<Disposition> {
  const { leases, flushEveryMs, flusher, clock, log } = parts;
  const nextAtMs = new Map<string, number>();
  /** Consecutive flushes that wrote no row and left some behind, by spreadsheet. */
  const fruitless = new Map<string, number>();
  /** Consecutive flushes that a quota ended, by spreadsheet. */
  const refusals = new Map<string, number>();
  return async (spreadsheetId, attempt) => {
    const waitMs = (nextAtMs.get(spreadsheetId) ?? 0) - clock.now();
    if (waitMs > 0) return { next: 'defer', afterMs: waitMs };
    const startedAtMs = clock.now();
    nextAtMs.set(spreadsheetId, startedAtMs + flushEveryMs);
    try {
      const held = await leases.hold(
        flushLease(spreadsheetId),
        (lease) => flusher.flush(spreadsheetId, lease),
        { ttlMs: FLUSH_LEASE_MS, until: parts.stopping },
      );
      if (held === undefined) return { next: 'defer', afterMs: LEASE_RETRY_MS };
      refusals.delete(spreadsheetId);
      const { written, remaining } = held.result;
      if (remaining === 0 || written > 0) fruitless.delete(spreadsheetId);
      if (remaining === 0) return { next: 'done' };
      const inVain = fruitless.get(spreadsheetId) ?? 0;
      if (written === 0) fruitless.set(spreadsheetId, inVain + 1);
      const pauseMs = Math.min(flushEveryMs * 2 ** inVain, FRUITLESS_PAUSE_MS_MAX);
      return { next: 'defer', afterMs: Math.max(pauseMs, flushEveryMs) };
    } catch (error) {
      const known = error instanceof WorkerError ? error : undefined;
      const code = known?.code ?? 'unexpected';
      const refused = (refusals.get(spreadsheetId) ?? 0) + 1;
      const isLimited = isOfQuota(known);
      if (isLimited) refusals.set(spreadsheetId, refused);
      // A flush takes several calls, and begins with the first one each time. Growing pauses let the budget fill up for all of them.
      const waits =
        known instanceof DeferredError
          ? deferredForMs({ retryAfterMs: known.retryAfterMs, backsOff: isLimited }, refused)
          : backoffMs(attempt.number);
      log.warn(
        { code, reason: known?.message, advice: known?.advice, retryInMs: waits },
        'sheet not flushed',
      );
      // The sweep queues the waiting rows again. A delayed job would swallow the waker for rows of the other tabs.
      if (known instanceof TabsAtFault) return { next: 'done' };
      if (isOfQuota(known)) return { next: 'defer', afterMs: waits, waitsFor: [known.quota] };
      if (known instanceof DeferredError || attempt.isLast) return { next: 'defer', afterMs: waits };
      return { next: 'retry', code, afterMs: waits };
    }
  };
}
