import type { ColumnType } from './mirror.ts';
import type { Cell } from './sheet-row.ts';

/** What a turn of one object would do in one place of a mirror, by what is known here. */
export interface PlannedStep {
  /** `same`: what stands there stays. `kept`: the mapping does not take it any more, and an edit of the YAML takes nothing away. */
  readonly action: 'created' | 'updated' | 'moved' | 'removed' | 'kept' | 'same';
  /** `calendar:…` or `spreadsheet:…/…`; of a move the new one. */
  readonly place: string;
  /** Where what moves stands now. */
  readonly from?: string;
  /** What differs, as far as is known; of what is in doubt nothing. */
  readonly fields?: readonly FieldChange[];
  /** Set for a row that stands and whose cells would be written. */
  readonly row?: PlannedRow;
  /** Set for an event that stands and would be written. */
  readonly event?: PlannedEvent;
}

/** What an event would say, for whoever shows it beside what stands there. */
export interface PlannedEvent {
  /** Where it stands now. */
  readonly calendarId: string;
  readonly id: string;
  /** What a write would set; fields that it leaves as they are do not stand here. */
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

/** What a row would say, for whoever shows it beside what stands there. */
export interface PlannedRow {
  /** As in the key column. */
  readonly id: string;
  /** Without the key column, in the order of the columns. */
  readonly cells: readonly PlannedCell[];
  /** What the object says that names nobody: an old cell with one of these names nobody either. */
  readonly harmless: readonly string[];
}

export interface PlannedCell {
  readonly header: string;
  readonly value: Cell;
  /** How its number is to be read. */
  readonly as: ColumnType | undefined;
  readonly isPersonal: boolean;
}

export interface FieldChange {
  readonly field: string;
  /** Absent: only that it was something else is known. */
  readonly old?: string;
  readonly new?: string;
  /** The values may name people, or hold what they typed. */
  readonly personal?: true;
}
