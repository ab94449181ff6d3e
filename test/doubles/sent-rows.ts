import type { OpenWrite, SentRow, SentRows } from '../../src/sheet/stores.ts';

/** Writes in memory, of one spreadsheet. */
export class MemorySentRows implements Pick<SentRows, keyof SentRows> {
  now = () => Date.now();
  #open: OpenWrite[] = [];

  async sent(_spreadsheetId: string, rows: readonly SentRow[]): Promise<OpenWrite> {
    const write = { sentAtMs: this.now(), rows };
    this.#open.push(write);
    return write;
  }

  async ended(_spreadsheetId: string, write: OpenWrite): Promise<void> {
    this.#open = this.#open.filter(({ sentAtMs }) => sentAtMs !== write.sentAtMs);
  }

  async open(): Promise<readonly OpenWrite[]> {
    return this.#open;
  }
}
