/** Told that a spreadsheet has rows waiting; flushes soon, one flush per spreadsheet at a time. */
export interface FlushBell {
  ring(spreadsheetId: string): void;
}
