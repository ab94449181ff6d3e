import type { BEHAVIOURS, KeyCode } from '../submit/codes.ts';

/** Codes with a sentence of their own: every code that refuses, and `unknown` for all other codes. */
export type RefusalWord = Exclude<keyof typeof BEHAVIOURS, KeyCode> | 'unknown';

/** Everything that the worker says to people about a refusal, in one language. */
export interface Words {
  /** Whole sentences for a receptionist, without codes. */
  readonly refusals: Readonly<Record<RefusalWord, string>>;
  /** Precedes the names of the fields that were not accepted. */
  readonly fields: string;
  /** Precedes the free times. */
  readonly freeTimes: string;
  /** Names of the platform's fields in this language; other fields appear as they are. */
  readonly fieldNames: Readonly<Record<FieldName, string>>;
}

/** The fields that a wish fills. */
export type FieldName =
  | 'starts_at'
  | 'duration_min'
  | 'guests_count'
  | 'customer_name'
  | 'customer_phone'
  | 'customer_email'
  | 'name'
  | 'phone'
  | 'email'
  | 'comment'
  | 'reason';
