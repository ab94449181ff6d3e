import type { KnownColumns, TabMemory } from '../../src/sheet/tab/tab-memory.ts';

/** Remembers for as long as the test runs. */
export class MemoryTabs implements TabMemory {
  readonly #ids = new Map<string, number>();
  readonly #columns = new Map<string, KnownColumns>();

  async get(spreadsheetId: string, tab: string): Promise<number | undefined> {
    return this.#ids.get(`${spreadsheetId} ${tab}`);
  }

  async set(spreadsheetId: string, tab: string, sheetId: number): Promise<void> {
    this.#ids.set(`${spreadsheetId} ${tab}`, sheetId);
  }

  async forget(spreadsheetId: string, tab: string): Promise<void> {
    this.#ids.delete(`${spreadsheetId} ${tab}`);
  }

  async columns(spreadsheetId: string, tab: string): Promise<KnownColumns | undefined> {
    return this.#columns.get(`${spreadsheetId} ${tab}`);
  }

  async setColumns(spreadsheetId: string, tab: string, columns: KnownColumns): Promise<void> {
    this.#columns.set(`${spreadsheetId} ${tab}`, columns);
  }
}
