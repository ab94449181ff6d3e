import type { Memory } from '../../engine/ports/memory.ts';

/** The sheet id behind each tab title of the mapping. A tab that users rename keeps its id. */
export interface TabMemory {
  get(spreadsheetId: string, tab: string): Promise<number | undefined>;
  set(spreadsheetId: string, tab: string, sheetId: number): Promise<void>;
  forget(spreadsheetId: string, tab: string): Promise<void>;
  /** The mirror's headers when all of them were last seen in the tab. */
  columns(spreadsheetId: string, tab: string): Promise<KnownColumns | undefined>;
  setColumns(spreadsheetId: string, tab: string, columns: KnownColumns): Promise<void>;
}

export interface KnownColumns {
  readonly key: string;
  /** Including the key column's. */
  readonly headers: readonly string[];
}

/** Stored in the memory of the installation. */
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

  async columns(spreadsheetId: string, tab: string): Promise<KnownColumns | undefined> {
    const text = await this.#memory.get(columnsOf(spreadsheetId, tab));
    if (text === undefined) return undefined;
    const [key, ...others] = text.split('\n');
    return key === undefined ? undefined : { key, headers: [key, ...others] };
  }

  /** Headers contain no line break, because the YAML allows one line only. */
  async setColumns(spreadsheetId: string, tab: string, { key, headers }: KnownColumns): Promise<void> {
    const lines = [key, ...headers.filter((header) => header !== key)];
    await this.#memory.set(columnsOf(spreadsheetId, tab), lines.join('\n'));
  }
}

/** A spreadsheet id contains no space. */
function nameOf(spreadsheetId: string, tab: string): string {
  return `sheet-tab ${spreadsheetId} ${tab}`;
}

function columnsOf(spreadsheetId: string, tab: string): string {
  return `sheet-columns ${spreadsheetId} ${tab}`;
}
