import type { Division } from './subject.ts';

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
