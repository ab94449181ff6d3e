// What people typed into cells of mirrored rows, from the look that found it to the answer beside it.

/** Fields of a contact that the office may change in its row (platform API, PATCH /v1/contacts/{contact}). */
export const CARRIED_FIELDS = ['name', 'phone', 'email', 'lifecycle'] as const;
export type CarriedField = (typeof CARRIED_FIELDS)[number];

/** A sheet mirror whose cells people may change. */
export interface SheetCarry {
  /** Header of the column in which the worker says what became of a change. */
  readonly answerHeader: string;
  readonly conflict: 'platform' | 'staff' | 'latest';
  /** Country of phone numbers that are written without one, ISO 3166. */
  readonly region?: string;
  readonly language: 'en' | 'ru';
  readonly columns: readonly CarriedColumn[];
}

export interface CarriedColumn {
  readonly header: string;
  readonly field: CarriedField;
}

/** The carried cells of one row as they were last confirmed; hashes of their normal forms, by header. */
export interface ShownCells {
  /** Names the confirmation: two of them never have the same name. */
  readonly as: string;
  readonly cells: Readonly<Record<string, string>>;
}

/**
 * Why nothing proves that a person has changed this contact in its own row.
 * - `unknown`: nobody remembers what the row said.
 * - `copied`: the id stands in several rows.
 * - `unproven`: no cell that tells who it is has stayed as it was.
 * - `elsewhere`: another row of the tab said the same: cells were sorted, dragged or copied.
 * - `many`: too many rows differ at once.
 */
export type RowDoubt = 'unknown' | 'copied' | 'unproven' | 'elsewhere' | 'many';

/** One cell that people changed. It is stored before anything is asked of the platform, and stays until it is answered. */
export interface RowEdit {
  readonly mirror: string;
  readonly header: string;
  /** What the cell says now; a number as its digits. Empty: the cell was emptied. */
  readonly text: string;
  /** `ShownCells.as` of the row that was changed; empty when nobody knows. */
  readonly as: string;
  /** Hash of what the cell was shown as, and what its author knew; absent when nobody knows. */
  readonly base?: string;
  /** The cell was as it was shown at this moment, or later; epoch milliseconds. 0: nobody knows. */
  readonly sinceMs: number;
  readonly seenAtMs: number;
  readonly doubt?: RowDoubt;
}

/** Why a change was not carried, beside the doubts. */
export type RowRefusal = RowDoubt | 'emptied' | 'unreadable' | 'changed-meanwhile' | 'not-found' | 'refused';

/** What became of people's changes to one row, until the contact changes again. */
export interface RowNote {
  readonly done: readonly string[];
  readonly refused: readonly {
    readonly header: string;
    readonly code: RowRefusal;
    /** What they wrote, where the worker may repeat it. */
    readonly wrote?: string;
  }[];
  /** Hash of the contact's carried fields when it was said. */
  readonly of: string;
  /** Changes that were answered, newest first: the same one may be seen twice. */
  readonly answered: readonly AnsweredEdit[];
  /** Changes that were about to leave for the platform, and of which no answer is known. */
  readonly sent: readonly SentEdit[];
}

export interface SentEdit {
  readonly header: string;
  /** Hash of what people wrote. */
  readonly hash: string;
  /** Hash of what the platform had. */
  readonly over: string;
}

export interface AnsweredEdit {
  readonly header: string;
  readonly as: string;
  /** Hash of what people wrote. */
  readonly hash: string;
  /** The platform had it then, by the worker's doing or by its own: it is no change that nobody here knows of. */
  readonly isKnown: boolean;
}
