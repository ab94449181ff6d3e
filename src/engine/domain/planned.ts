import type { ColumnType } from './mirror.ts';
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
