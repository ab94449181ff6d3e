import type { FlushWaker } from '../../src/engine/outbox.ts';

/** Counts how often it was woken, by spreadsheet. */
export class CountingWaker implements FlushWaker {
  readonly wakes: Record<string, number> = {};

  wake(spreadsheetId: string): void {
    this.wakes[spreadsheetId] = (this.wakes[spreadsheetId] ?? 0) + 1;
  }
}
