import { RetryableError, type TerminalError } from '../../../domain/errors.ts';
import type { KeyedTab } from '../../../domain/mirror.ts';
import type { PendingRow } from '../../../domain/sheet-row.ts';
import type { SheetsApi, TabInfo } from '../../../google/sheets-api.ts';
import type { ShownTabs } from '../../../google/shown-cells.ts';
import type { TabFault } from '../tab/layout.ts';
import { isLocked } from './locks.ts';
import { planWithout, type RowWrite, type TabPlan, writesNothing } from './plan.ts';
import { type Refusal, readRefusal } from './refusal.ts';
import { type OwnedRequest, requestsOf } from './requests.ts';
import { areasToShow } from './written.ts';

export interface WriteParts {
  readonly api: SheetsApi;
  readonly spreadsheetId: string;
  /** Google is to show the tabs in the answer. */
  readonly isShown?: boolean;
}

export interface WriteOutcome {
  /** What was performed. */
  readonly plans: readonly TabPlan[];
  /** The tabs right after it, those that Google has shown. */
  readonly shown: ShownTabs;
  /** Rows that Google refuses for what is in them. */
  readonly refused: readonly { readonly row: PendingRow; readonly error: TerminalError }[];
  /** Tabs that could not take everything, and why; what they did not take stays in the outbox. */
  readonly faults: ReadonlyMap<KeyedTab, TabFault>;
}

/** Nothing was written: the tab is not as it was read. */
export const SHEET_CHANGED = 'sheet-changed';
/** Google refused something and did not say what: perhaps only what was to be shown after the write, and the write is done. */
export const PERHAPS_WRITTEN = 'sheet-perhaps-written';
/** Each refused batch is a write of the quota. Rows that were not reached wait for the next flush. */
const ATTEMPTS_MAX = 16;

/**
 * Performs the plans of one spreadsheet in one request, all or nothing. When Google refuses it, what was refused is taken out and
 * the rest tried again: first whole blocks, then row by row. Rejects with `RetryableError` (`sheet-changed`) when the rows
 * are not where they were read, and with whatever else is no refusal. `isShown`: the write is to show the tabs in its answer. Then it also
 * rejects with `RetryableError` (`sheet-perhaps-written`), for a refusal that names no request.
 */
export async function writePlans(parts: WriteParts, plans: readonly TabPlan[]): Promise<WriteOutcome> {
  const attempt = new Attempt(parts, plans);
  for (let i = 0; i < ATTEMPTS_MAX; i += 1) {
    if (await attempt.isDone()) return attempt.outcome(true);
  }
  return attempt.outcome(false);
}

class Attempt {
  readonly #api: SheetsApi;
  readonly #spreadsheetId: string;
  readonly #isShown: boolean;
  #plans: readonly TabPlan[];
  #shown: ShownTabs = new Map();
  #isIsolated = false;
  #tabs: readonly TabInfo[] | undefined;
  readonly #refused: { row: PendingRow; error: TerminalError }[] = [];
  readonly #faults = new Map<KeyedTab, TabFault>();

  constructor({ api, spreadsheetId, isShown = false }: WriteParts, plans: readonly TabPlan[]) {
    this.#api = api;
    this.#spreadsheetId = spreadsheetId;
    this.#isShown = isShown;
    this.#plans = plans;
  }

  outcome(isWritten: boolean): WriteOutcome {
    const plans = isWritten ? this.#plans : [];
    return { plans, shown: this.#shown, refused: this.#refused, faults: this.#faults };
  }

  /** Tries once; false when something was taken out and the rest is to be tried. */
  async isDone(): Promise<boolean> {
    this.#plans = this.#plans.filter((plan) => !writesNothing(plan));
    if (this.#plans.length === 0) return true;
    const requests = this.#plans.flatMap((plan) => requestsOf(plan, this.#isIsolated));
    const shown = this.#isShown ? areasToShow(this.#plans) : [];
    try {
      this.#shown = await this.#api.write(
        this.#spreadsheetId,
        requests.map(({ request }) => request),
        shown,
      );
      return true;
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal === undefined) throw error;
      if (shown.length > 0 && refusal.request === undefined) throw this.#openError(error);
      if (refusal.kind === 'stale') throw this.#staleError(error);
      await this.#takeOut(refusal, refusal.request === undefined ? undefined : requests[refusal.request]);
      return false;
    }
  }

  async #takeOut(refusal: Refusal, owner: OwnedRequest | undefined): Promise<void> {
    if (refusal.kind === 'full' && this.#plans.some((plan) => plan.fresh.length > 0)) {
      // The limit counts the whole spreadsheet: rows that are there can still be written.
      for (const plan of this.#plans) if (plan.fresh.length > 0) this.#dropFresh(plan, SHEET_FULL);
      return;
    }
    const widened = this.#plans.find(({ view }) => view.addedColumns !== undefined);
    if (refusal.kind === 'full' && widened !== undefined) {
      this.#dropPlan(widened, SHEET_FULL);
      return;
    }
    if (owner?.isLayout === true) {
      const isLockedTab =
        refusal.kind === 'protected' || ((await this.#tab(owner.plan))?.locks.length ?? 0) > 0;
      this.#dropPlan(owner.plan, isLockedTab ? PROTECTED : refusedFault(refusal.error));
      return;
    }
    if (owner === undefined) {
      if (refusal.kind === 'protected') this.#dropAll(PROTECTED);
      else this.#halve(refusal.error);
      return;
    }
    if (refusal.kind === 'protected' || (await this.#isProtected(owner))) {
      await this.#dropProtected(owner);
      return;
    }
    const [only, ...others] = owner.rows;
    if (only === undefined || owner.request.insertDimension !== undefined) {
      this.#dropFresh(owner.plan, refusedFault(refusal.error));
    } else if (others.length > 0) this.#isIsolated = true;
    else this.#refuse(only.write, refusal.error);
  }

  /** Google's sentence comes in the language of the spreadsheet: where it is protected tells more (Google, ProtectedRange). */
  async #isProtected({ plan, request, rows }: OwnedRequest): Promise<boolean> {
    const tab = await this.#tab(plan);
    if (tab === undefined) return false;
    if (request.insertDimension !== undefined) return isLocked(tab, plan.insertAt, undefined);
    return rows.some(({ row, write }) => isLocked(tab, row, [...write.cells.keys()]));
  }

  /** All rows of the tab that lie under a protection at once, or each would cost a refused batch. */
  async #dropProtected({ plan, rows, request }: OwnedRequest): Promise<void> {
    const isFresh =
      request.insertDimension !== undefined || rows.some(({ write }) => plan.fresh.includes(write));
    if (isFresh || rows.length === 0) {
      this.#dropFresh(plan, PROTECTED);
      return;
    }
    const tab = await this.#tab(plan);
    const isUnder = (write: RowWrite, row: number | 'fresh') =>
      row !== 'fresh' && tab !== undefined && isLocked(tab, row, [...write.cells.keys()]);
    const known = [...plan.inPlace].some(([row, write]) => isUnder(write, row));
    // Where no protection can be seen, all that is in place is left out.
    this.#replace(
      plan,
      planWithout(plan, (write, row) => (known ? isUnder(write, row) : row !== 'fresh')),
      PROTECTED,
    );
  }

  async #tab({ view }: TabPlan): Promise<TabInfo | undefined> {
    this.#tabs ??= await this.#api.tabs(this.#spreadsheetId);
    return this.#tabs.find(({ sheetId }) => sheetId === view.sheetId);
  }

  /** Google did not say which request it means: half of the rows are tried, and half of those, down to the one. */
  #halve(error: TerminalError): void {
    const writes = this.#plans.flatMap((plan) => [...plan.inPlace.values(), ...plan.fresh]);
    const [only] = writes;
    if (writes.length === 1 && only !== undefined) {
      this.#refuse(only, error);
      return;
    }
    const kept = new Set(writes.slice(0, Math.ceil(writes.length / 2)));
    this.#plans = this.#plans.map((plan) => planWithout(plan, (write) => !kept.has(write)));
  }

  #refuse(refused: RowWrite, error: TerminalError): void {
    this.#plans = this.#plans.map((plan) => planWithout(plan, (write) => write === refused));
    if (refused.pending !== undefined) this.#refused.push({ row: refused.pending, error });
  }

  #dropAll(fault: TabFault): void {
    for (const plan of this.#plans) this.#dropPlan(plan, fault);
  }

  #dropPlan(plan: TabPlan, fault: TabFault): void {
    this.#replace(
      plan,
      planWithout(plan, () => true),
      fault,
    );
  }

  #dropFresh(plan: TabPlan, fault: TabFault): void {
    this.#replace(
      plan,
      planWithout(plan, (_, row) => row === 'fresh'),
      fault,
    );
  }

  #replace(plan: TabPlan, by: TabPlan, fault: TabFault): void {
    this.#faults.set(plan.mirror, fault);
    this.#plans = this.#plans.map((other) => (other === plan ? by : other));
  }

  #openError(cause: unknown): RetryableError {
    const message = 'Google refused something of the write, and did not say what';
    return new RetryableError(PERHAPS_WRITTEN, message, {
      target: `spreadsheet:${this.#spreadsheetId}`,
      cause,
    });
  }

  #staleError(cause: unknown): RetryableError {
    return new RetryableError(SHEET_CHANGED, 'people changed the spreadsheet before it was written', {
      target: `spreadsheet:${this.#spreadsheetId}`,
      cause,
    });
  }
}

const SHEET_FULL: TabFault = {
  code: 'sheet-full',
  message: 'the spreadsheet has as many cells as Google allows: no row can be added',
  advice: 'Delete empty columns, old rows or unused tabs, or give the mirror another spreadsheet.',
};

const PROTECTED: TabFault = {
  code: 'protected-range',
  message: 'a protected range covers cells of the mirror, and the worker may not edit it',
  advice:
    "Let the worker's service account edit it (Google Sheets, Data, Protect sheets and ranges), or leave the mirror's columns out of it.",
};

function refusedFault(error: TerminalError): TabFault {
  return {
    code: 'tab-refused',
    message: error.message,
    advice: 'See whether the tab is an ordinary one and can be edited by the worker.',
  };
}
