// Removes hidden tabs of before-images that were left behind. They hold users' texts, so none may stay.
import { TerminalError, WorkerError } from '../../../domain/errors.ts';
import type { SheetsApi, TabInfo } from '../../../google/sheets-api.ts';
import type { OverWrites } from '../../../ports/rows.ts';
import type { Clock, Log } from '../../../ports/runtime.ts';
import { beforeTitle } from './before-image.ts';

export interface LeftBehindParts {
  readonly api: Pick<SheetsApi, 'write' | 'tabs'>;
  readonly overWrites: Pick<OverWrites, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Age at which an unknown hidden tab is removed. Another installation may use the spreadsheet: its tab exists for seconds, or until its
 * next start.
 */
const LEFT_AFTER_MS = 30 * 60_000;

/** Repeating this changes nothing. */
export async function removeTab(
  api: Pick<SheetsApi, 'write' | 'tabs'>,
  spreadsheetId: string,
  sheetId: number,
): Promise<void> {
  try {
    await api.write(spreadsheetId, [{ deleteSheet: { sheetId } }]);
  } catch (error) {
    // A user has removed the tab, or an earlier answer was lost.
    if (!(error instanceof TerminalError)) throw error;
    const tabs = await api.tabs(spreadsheetId);
    if (tabs.some((tab) => tab.sheetId === sheetId)) throw error;
  }
}

/**
 * Removes hidden tabs of unknown writes: Redis was lost, or the write took effect after the worker had given it up. Their rows cannot be
 * compared with what was shown, so nothing is carried from them.
 */
export class LeftBehindTabs {
  readonly #parts: LeftBehindParts;
  /** Spreadsheet to its hidden tabs, each with the time this process first saw it. */
  readonly #seen = new Map<string, ReadonlyMap<number, number>>();

  constructor(parts: LeftBehindParts) {
    this.#parts = parts;
  }

  /** `tabs`: all tabs of the spreadsheet, read before this call. A write is stored before its tab can exist. */
  async remove(spreadsheetId: string, tabs: readonly Pick<TabInfo, 'sheetId' | 'title'>[]): Promise<void> {
    const { api, overWrites, clock, log } = this.#parts;
    const copies = tabs.filter(({ sheetId, title }) => title === beforeTitle(sheetId));
    const before = this.#seen.get(spreadsheetId);
    this.#seen.delete(spreadsheetId);
    if (copies.length === 0) return;
    const own = new Set((await overWrites.open(spreadsheetId)).map(({ sheetId }) => sheetId));
    const nowMs = clock.now();
    const seen = new Map<number, number>();
    for (const { sheetId } of copies) if (!own.has(sheetId)) seen.set(sheetId, before?.get(sheetId) ?? nowMs);
    this.#seen.set(spreadsheetId, seen);
    for (const [sheetId, sinceMs] of seen) {
      if (nowMs - sinceMs < LEFT_AFTER_MS) continue;
      try {
        await removeTab(api, spreadsheetId, sheetId);
        log.warn({ spreadsheetId }, 'hidden tab of an unknown write removed');
      } catch (error) {
        // The check of the rows does not wait for this.
        if (!(error instanceof WorkerError)) throw error;
        log.warn({ spreadsheetId, code: error.code }, 'hidden tab of an unknown write stays');
      }
    }
  }
}
