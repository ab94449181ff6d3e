import type { ColumnType } from './mirror.ts';
import type { Division } from './object.ts';
import type { Cell } from './sheet-row.ts';

/** What a turn of one object would do in one place of a mirror, judged by local knowledge. */
export interface PlannedStep {
  /** `same`: the place stays as it is. `kept`: the mapping no longer takes the object, and an edit of the YAML removes nothing. */
  readonly action: 'created' | 'updated' | 'moved' | 'removed' | 'kept' | 'same';
  /** `calendar:…` or `spreadsheet:…/…`; for a move, the new place. */
  readonly place: string;
  /** For a move: the current place. */
  readonly from?: string;
  /** The known differences; absent if the content is in doubt. */
  readonly fields?: readonly FieldChange[];
  /** Set for an existing row whose cells would be written. */
  readonly row?: PlannedRow;
  /** Set for an existing event that would be written. */
  readonly event?: PlannedEvent;
}

/** What an event would say, to show beside its current content. */
export interface PlannedEvent {
  /** The current calendar. */
  readonly calendarId: string;
  readonly id: string;
  /** What a write would set; unchanged fields are omitted. */
  readonly fields: readonly PlannedText[];
  /** As in `PlannedRow`. */
  readonly harmless: readonly string[];
}

export interface PlannedText {
  readonly field: EventField;
  readonly value: string;
  readonly isPersonal: boolean;
}

/** The fields of an event, as people know them. */
export type EventField =
  | 'start'
  | 'end'
  | 'title'
  | 'description'
  | 'location'
  | 'color'
  | 'visibility'
  | 'busy';

/** What a row would say, to show beside its current content. */
export interface PlannedRow {
  /** As in the key column. */
  readonly id: string;
  /** Without the key column, in the order of the columns. */
  readonly cells: readonly PlannedCell[];
  /** Values of the object that name no one: an old cell with one of these names no one either. */
  readonly harmless: readonly string[];
}

export interface PlannedCell {
  readonly header: string;
  readonly value: Cell;
  /** How to read its number. */
  readonly as: ColumnType | undefined;
  readonly isPersonal: boolean;
}

export interface FieldChange {
  readonly field: string;
  /** Absent: it is only known to have been different. */
  readonly old?: string;
  readonly new?: string;
  /** The values may name people or contain what they typed. */
  readonly personal?: true;
}

/**
 * Says in one language why a mirror takes an object or not: one clause each, without personal data. `setting` is a line of `where`, moments
 * are ISO 8601, and the words of a mapping are quoted as they stand in it.
 */
export interface WhyWords {
  readonly onlyId: string;
  readonly deleted: string;
  readonly deletedRow: (does: 'clear' | 'keep') => string;
  readonly notKnownYet: (setting: string) => string;
  readonly notKnown: (setting: string) => string;
  /** `value`: null if the object has none. `allowed`: what the line takes. */
  readonly notAllowed: (setting: string, about: { value: string | null; allowed: string }) => string;
  readonly range: (bounds: { readonly min?: number; readonly max?: number }) => string;
  /** The platform's lists lack a name of the line. */
  readonly notListed: (setting: string, value: string) => string;
  readonly metadata: (key: string, allowed: string) => string;
  readonly condition: Readonly<Record<'yes' | 'no' | 'unknown' | 'failed', string>>;
  readonly tooOld: (field: 'starts_at' | 'created_at', at: string) => string;
  readonly tooFar: (at: string, enters: string) => string;
  /** It is mirrored already, and stays although the clause holds. */
  readonly stays: (clause: string) => string;
  readonly takenBy: (settings: readonly string[]) => string;
  readonly archivedLater: (tab: string, at: string) => string;
  readonly archivedNot: (tab: string) => string;
  /** `by`: the field that gives its age. */
  readonly archived: (tab: string, about: { by: string; at: string }) => string;
  readonly cancelled: (does: 'remove' | 'keep') => string;
  readonly cancelledWithoutEvent: string;
  /** What of an appointment has a calendar. */
  readonly owners: Readonly<Record<Division, string>>;
  readonly without: (by: Exclude<Division, 'all'>) => string;
  readonly noCalendarOf: (by: Exclude<Division, 'all'>, name: string) => string;
  readonly noCalendar: string;
  readonly and: (clauses: readonly string[]) => string;
  readonly inClass: (id: string) => string;
  readonly shownAsClass: (isShown: boolean) => string;
  readonly blocked: string;
}
