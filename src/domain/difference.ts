/** What is wrong in one place of a mirror. */
export const DIFFERENCES = ['missing', 'stale', 'doubled', 'orphaned', 'unmapped'] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** Why it is so, as far as what is stored tells. */
export const DIFFERENCE_REASONS = [
  'pending',
  'dead-letter',
  'missed-event',
  'foreign-edit',
  'failed-write',
  'changed-mapping',
  'unknown',
] as const;
export type DifferenceReason = (typeof DIFFERENCE_REASONS)[number];

/**
 * One difference between the platform and a mirror.
 * - `missing`: it should stand there and does not. `stale`: it stands there and says something else.
 * - `doubled`: it stands there once more. `orphaned`: it stands there and should not.
 * - `unmapped`: the mapping does not take it any more, and an edit of the YAML takes nothing away.
 */
export interface Difference {
  readonly what: DifferenceKind;
  readonly why: DifferenceReason;
  /** `formatKey` of the object. */
  readonly key: string;
  readonly mirror: string;
  readonly place: string;
  /** Event id or row; absent for what is missing. Of blocks: id of the appointment, or the start of a missing one. */
  readonly name?: string;
}
