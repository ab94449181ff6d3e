import { DeferredError } from '../../../domain/errors.ts';
import type { SheetsApi, SpreadsheetSettings } from '../../../google/sheets-api.ts';
import type { Memory } from '../../../ports/memory.ts';
import type { ProblemBoard } from '../../../ports/operator.ts';

/** In which zone the dates of a spreadsheet are meant: people choose it in its settings. */
export interface SheetZones {
  /** As luxon takes it. Rejects with one of the three families while it has never been read and Google does not tell, or tells an unknown one. */
  zoneOf(spreadsheetId: string): Promise<string>;
}

/** A little longer than the turn in which one caller may see whether the zone is another one. */
const UNKNOWN_WAIT_MS = 20_000;

/** Read once per spreadsheet and kept: no object waits for Google because of a setting that hardly ever changes. */
export class RememberedZones implements SheetZones {
  readonly #api: SheetsApi;
  readonly #memory: Memory;
  readonly #problems: ProblemBoard;

  constructor(parts: { api: SheetsApi; memory: Memory; problems: ProblemBoard }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
    this.#problems = parts.problems;
  }

  async zoneOf(spreadsheetId: string): Promise<string> {
    const known = await this.#memory.get(nameOf(spreadsheetId));
    if (known !== undefined) return known;
    if (!(await this.#problems.mayTry(targetOf(spreadsheetId)))) throw unknownZone(spreadsheetId);
    const settings = await this.#api.settings(spreadsheetId);
    await this.note(spreadsheetId, settings);
    if (settings.timeZone === undefined) throw unknownZone(spreadsheetId);
    return settings.timeZone;
  }

  /**
   * The zone as it was just read. True when another one was known, so that every date of the spreadsheet is to be written again. One
   * that is not known here is told, and dates go on in the one before.
   */
  async note(
    spreadsheetId: string,
    { timeZone, shownZone }: Pick<SpreadsheetSettings, 'timeZone' | 'shownZone'>,
  ): Promise<boolean> {
    const target = targetOf(spreadsheetId);
    if (timeZone === undefined) {
      await this.#problems.raise({ target, ...unknownZoneFault(shownZone) });
      return false;
    }
    await this.#problems.clear(target);
    const before = await this.#memory.get(nameOf(spreadsheetId));
    if (before !== timeZone) await this.#memory.set(nameOf(spreadsheetId), timeZone);
    return before !== undefined && before !== timeZone;
  }
}

export function unknownZoneFault(shown: string) {
  return {
    code: 'sheet-zone-unknown',
    message: `the spreadsheet has a time zone that is not known here: ${shown.slice(0, 60)}`,
    advice:
      'Choose another one in its settings (Google Sheets, File, Settings), or write the zone of its dates into the mapping: timezone.',
  };
}

function unknownZone(spreadsheetId: string): DeferredError {
  return new DeferredError('sheet-zone-unknown', 'dates wait for a time zone that is known', {
    target: targetOf(spreadsheetId),
    retryAfterMs: UNKNOWN_WAIT_MS,
  });
}

function targetOf(spreadsheetId: string): string {
  return `spreadsheet-zone:${spreadsheetId}`;
}

function nameOf(spreadsheetId: string): string {
  return `sheet-zone ${spreadsheetId}`;
}
