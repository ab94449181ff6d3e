/** What one place of a mirror holds for one object, as read there, reduced to what a comparison needs. */
export interface Actual {
  /** `calendar:<id>` or `spreadsheet:<id>/<tab>`. */
  readonly place: string;
  /** The platform's id of the object. */
  readonly id: string;
  /** Event id, or the row number that people see. */
  readonly name: string;
  /** Only the target that reads it understands it. */
  readonly content: unknown;
  /** False for an item that only a link can distinguish from a copy made by people. */
  readonly isOurs: boolean;
}

/** What one place should hold for one object. */
export interface Expectation {
  readonly place: string;
  /** `may`: people or an edit of the YAML left it there, or left it out; whatever is there is not wrong. */
  readonly rule: 'must' | 'may' | 'must-not';
  /** Why it may: `changed-mapping` if the mapping no longer takes the object. */
  readonly because?: 'changed-mapping' | 'left' | 'history' | 'open';
  /** Whether the content is as it should be. Meant for `must`. */
  readonly isRight: (content: unknown) => boolean;
  /** The worker remembers having written exactly this: any other content was written by people. */
  readonly isConfirmed: boolean;
  /** Name of the linked item (event id, or tab), if the place may hold several. */
  readonly linked?: string;
}

export function calendarPlace(calendarId: string): string {
  return `calendar:${calendarId}`;
}

export function sheetPlace(sheet: { readonly spreadsheetId: string; readonly tab: string }): string {
  return `spreadsheet:${sheet.spreadsheetId}/${sheet.tab}`;
}
