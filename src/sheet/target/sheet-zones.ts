import { DeferredError } from '../../engine/domain/errors.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import { unknownZoneAdvice } from '../../engine/zones/news.ts';
import type { SheetsApi, SpreadsheetSettings } from '../../google/sheets-api.ts';

/** The time zone in which a spreadsheet shows its dates. Users choose it in the spreadsheet's settings. */
export interface SheetZones {
  /**
   * A zone name that luxon accepts. If no zone is known yet and Google returns none or an unknown one, rejects with one of the three
   * families.
   */
  zoneOf(spreadsheetId: string): Promise<string>;
}

/** How long dates wait for a known zone: slightly longer than the 15 s after which the problem board lets one caller retry. */
const UNKNOWN_WAIT_MS = 20_000;

/** Reads the zone once per spreadsheet and stores it, so that objects never wait for Google over a setting that rarely changes. */
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
   * Stores the zone as just read. Returns true when a different zone was known before, so every date of the spreadsheet must be rewritten.
   * Does so at each call until `rewritten`, because the process may die in between. An unknown zone is reported as a problem, and dates keep
   * using the previous one.
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
    if (before !== undefined && before !== timeZone) await this.#memory.set(changeOf(spreadsheetId), before);
    if (before !== timeZone) await this.#memory.set(nameOf(spreadsheetId), timeZone);
    return (await this.#memory.get(changeOf(spreadsheetId))) !== undefined;
  }

  /** Call once every object with a date in the spreadsheet has a turn. */
  async rewritten(spreadsheetId: string): Promise<void> {
    await this.#memory.forget(changeOf(spreadsheetId));
  }
}

export function unknownZoneFault(shown: string) {
  return {
    code: 'sheet-zone-unknown',
    message: `the spreadsheet has a time zone that is not known here: ${shown.slice(0, 60)}`,
    names: [shown.slice(0, 60)],
    advice: `${unknownZoneAdvice(shown)} Or write the zone of its dates into the mapping: timezone.`,
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

function changeOf(spreadsheetId: string): string {
  return `sheet-zone-before ${spreadsheetId}`;
}
