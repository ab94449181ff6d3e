import type { SheetsApi } from '../../google/sheets-api.ts';
import type { Memory } from '../../ports/memory.ts';

/** In which zone the dates of a spreadsheet are meant: people choose it in its settings. */
export interface SheetZones {
  /** IANA zone. Rejects with one of the three families while it has never been read and Google does not tell. */
  zoneOf(spreadsheetId: string): Promise<string>;
}

/** Read once per spreadsheet and kept: no object waits for Google because of a setting that hardly ever changes. */
export class RememberedZones implements SheetZones {
  readonly #api: SheetsApi;
  readonly #memory: Memory;

  constructor(parts: { api: SheetsApi; memory: Memory }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
  }

  async zoneOf(spreadsheetId: string): Promise<string> {
    const known = await this.#memory.get(nameOf(spreadsheetId));
    if (known !== undefined) return known;
    const { timeZone } = await this.#api.settings(spreadsheetId);
    await this.note(spreadsheetId, timeZone);
    return timeZone;
  }

  /** The zone as it was just read. True when another one was known, so that every date of the spreadsheet is to be written again. */
  async note(spreadsheetId: string, zone: string): Promise<boolean> {
    const before = await this.#memory.get(nameOf(spreadsheetId));
    if (before !== zone) await this.#memory.set(nameOf(spreadsheetId), zone);
    return before !== undefined && before !== zone;
  }
}

function nameOf(spreadsheetId: string): string {
  return `sheet-zone ${spreadsheetId}`;
}
