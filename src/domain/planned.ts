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
}

export interface FieldChange {
  readonly field: string;
  /** Absent: only that it was something else is known. */
  readonly old?: string;
  readonly new?: string;
  /** The values may name people, or hold what they typed. */
  readonly personal?: true;
}
