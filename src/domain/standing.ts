/** What stands in one place of a mirror for one object, as it was read there, cut down to what comparing needs. */
export interface Standing {
  /** `calendar:<id>` or `spreadsheet:<id>/<tab>`. */
  readonly place: string;
  /** The platform's id of the object. */
  readonly id: string;
  /** Event id, or the number of the row as people see it. */
  readonly name: string;
  /** Only the target that reads it understands it. */
  readonly content: unknown;
  /** False for what only a link can tell from a copy that people made. */
  readonly isOurs: boolean;
}

/** What should stand in one place for one object. */
export interface Expectation {
  readonly place: string;
  /** `may`: it was left there, or left away, by people or by an edit of the YAML; whatever stands is not wrong. */
  readonly rule: 'must' | 'may' | 'must-not';
  /** Why it may: `changed-mapping` for what the mapping no longer takes. */
  readonly because?: 'changed-mapping' | 'left' | 'history' | 'open';
  /** Whether what stands there is what should. Meant for `must`. */
  readonly isRight: (content: unknown) => boolean;
  /** The worker remembers having written exactly this: if something else stands, people did that. */
  readonly isConfirmed: boolean;
  /** Name of the linked thing (event id, or tab), where the place may hold several. */
  readonly linked?: string;
}

export function calendarPlace(calendarId: string): string {
  return `calendar:${calendarId}`;
}

export function sheetPlace(sheet: { readonly spreadsheetId: string; readonly tab: string }): string {
  return `spreadsheet:${sheet.spreadsheetId}/${sheet.tab}`;
}
