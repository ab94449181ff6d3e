import { WorkerError } from './errors.ts';

/** What is wrong in one place of a mirror. */
export const DIFFERENCES = ['missing', 'stale', 'doubled', 'orphaned', 'unmapped'] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** Why it is so, as far as the stored state shows. */
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
 * - `missing`: it should be there and is not. `stale`: it is there and says something else.
 * - `doubled`: it is there once more. `orphaned`: it is there and should not be.
 * - `unmapped`: the mapping no longer takes it, and an edit of the YAML removes nothing.
 */
export interface Difference {
  readonly what: DifferenceKind;
  readonly why: DifferenceReason;
  /** `formatKey` of the object. */
  readonly key: string;
  readonly mirror: string;
  readonly place: string;
  /** Event id or row; absent if missing. For blocks: the appointment's id, or the start of a missing block. */
  readonly name?: string;
  /** Event id or row that stays; only of a doubled one. */
  readonly beside?: string;
}

/** Result of one check of a live side. */
export interface LiveFinding {
  /** `redis`, `platform`, `google`, or the section of a kind of calendar. */
  readonly side: string;
  /** `API key`, `resource Anna`, `calendar anna@clinic.example`, `tab Contacts of 1AbC`, … */
  readonly subject: string;
  /** `unknown`: the check could not run now. The worker can work only if every verdict is `ok` or `notice`. */
  readonly verdict: 'ok' | 'notice' | 'broken' | 'unknown';
  readonly detail: string;
  readonly advice?: string;
}

export interface LiveReport {
  /** Everything that the mapping needs is there. */
  readonly ok: boolean;
  /** The worker's identity at Google; for the operator's terminal, never for a log. */
  readonly account: string;
  readonly findings: readonly LiveFinding[];
}

type About = Pick<LiveFinding, 'side' | 'subject'>;

/** Converts an error of the three families to a finding. Any other error is a defect and is thrown again. */
export function findingOf(about: About, error: unknown): LiveFinding {
  if (!(error instanceof WorkerError)) throw error;
  const { message, code, advice } = error;
  // Only a terminal error, or a deferred one with advice, asks a person to act. A quota or a time-out says nothing about the subject.
  const isOpen = error.family === 'retryable' || (error.family === 'deferred' && advice === undefined);
  return {
    ...about,
    verdict: isOpen ? 'unknown' : 'broken',
    detail: `${message} (${code})`,
    ...(advice === undefined ? (isOpen ? { advice: 'Run the check again.' } : {}) : { advice }),
  };
}
