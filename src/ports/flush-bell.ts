/** Told that a spreadsheet has rows waiting; a flush follows soon, one per spreadsheet at a time. */
export interface FlushBell {
  ring(spreadsheetId: string): void;
}
