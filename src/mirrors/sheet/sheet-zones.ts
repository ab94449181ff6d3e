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
  readonly #known = new Map<string, string>();

  constructor(parts: { api: SheetsApi; memory: Memory }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
  }

  async zoneOf(spreadsheetId: string): Promise<string> {
    const known = this.#known.get(spreadsheetId) ?? (await this.#memory.get(nameOf(spreadsheetId)));
    if (known === undefined) return (await this.refresh(spreadsheetId)).zone;
    this.#known.set(spreadsheetId, known);
    return known;
  }

  /** Asks Google; one read. `isNew`: it is another one than was known, so every date of the spreadsheet is to be written again. */
  async refresh(spreadsheetId: string): Promise<{ zone: string; isNew: boolean }> {
    const zone = await this.#api.timeZone(spreadsheetId);
    const before = await this.#memory.get(nameOf(spreadsheetId));
    if (before !== zone) await this.#memory.set(nameOf(spreadsheetId), zone);
    this.#known.set(spreadsheetId, zone);
    return { zone, isNew: before !== undefined && before !== zone };
  }
}

function nameOf(spreadsheetId: string): string {
  return `sheet-zone ${spreadsheetId}`;
}
