import type { Memory } from '../../ports/memory.ts';

/** Which sheet id stands behind the title that the mapping gives a tab: a tab that people rename keeps its id. */
export interface TabMemory {
  get(spreadsheetId: string, tab: string): Promise<number | undefined>;
  set(spreadsheetId: string, tab: string, sheetId: number): Promise<void>;
  forget(spreadsheetId: string, tab: string): Promise<void>;
}

/** Kept among the small facts of the installation. */
export class RememberedTabs implements TabMemory {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  async get(spreadsheetId: string, tab: string): Promise<number | undefined> {
    const text = await this.#memory.get(nameOf(spreadsheetId, tab));
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  }

  async set(spreadsheetId: string, tab: string, sheetId: number): Promise<void> {
    await this.#memory.set(nameOf(spreadsheetId, tab), String(sheetId));
  }

  async forget(spreadsheetId: string, tab: string): Promise<void> {
    await this.#memory.forget(nameOf(spreadsheetId, tab));
  }
}

/** A spreadsheet's id has no space in it. */
function nameOf(spreadsheetId: string, tab: string): string {
  return `sheet-tab ${spreadsheetId} ${tab}`;
}
