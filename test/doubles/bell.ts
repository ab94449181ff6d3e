import type { FlushBell } from '../../src/engine/outbox.ts';

/** Counts how often it was rung, by spreadsheet. */
export class CountingBell implements FlushBell {
  readonly rings: Record<string, number> = {};

  ring(spreadsheetId: string): void {
    this.rings[spreadsheetId] = (this.rings[spreadsheetId] ?? 0) + 1;
  }
}
