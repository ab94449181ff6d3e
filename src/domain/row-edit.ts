// What people typed into cells of mirrored rows, from the look that found it to the answer beside it.

/** Fields of a contact that the office may change in its row (platform API, PATCH /v1/contacts/{contact}). */
export const CARRIED_FIELDS = ['name', 'phone', 'email', 'lifecycle'] as const;
export type ContactField = (typeof CARRIED_FIELDS)[number];

/**
 * Cells of an appointment's row. `start`: date and hour, typed. `cancel`: a tick that cancels it. `shown`: all else; it is only put back, and tells
 * whose row it is.
 */
export type AppointmentField = 'start' | 'cancel' | 'shown';
export type CarriedField = ContactField | AppointmentField;

/** A sheet mirror whose cells people may change. */
export interface SheetCarry {
  /** Header of the column in which the worker says what became of a change. */
  readonly answerHeader: string;
  readonly conflict: 'platform' | 'staff' | 'latest';
  /** Country of phone numbers that are written without one, ISO 3166. */
  readonly region?: string;
  readonly language: 'en' | 'ru';
  readonly columns: readonly CarriedColumn[];
  /** Whether the platform mails the customer about what the office did in the row of an appointment. */
  readonly notifyCustomer: boolean;
}

export interface CarriedColumn {
  readonly header: string;
  readonly field: CarriedField;
}

/** The carried cells of one row as they were last confirmed; their marks (`markOf`), by header. */
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
 * - `mixed`: other cells of an appointment's row differ as well.
 * - `elsewhere`: another row of the tab said the same: cells were sorted, dragged or copied.
 * - `many`: too many rows differ at once.
 * - `again`: another row says the same, or a cell beside it nearly so; if it is meant, it is written once more.
 * - `ticks`: several rows were ticked at once.
 * - `renewed`: the row was written in that very moment, or was shown in another time zone.
 */
export type RowDoubt =
  | 'unknown'
  | 'copied'
  | 'unproven'
  | 'mixed'
  | 'elsewhere'
  | 'many'
  | 'again'
  | 'ticks'
  | 'renewed';

/** One cell that people changed. It is stored before anything is asked of the platform, and stays until it is answered. */
export interface RowEdit {
  readonly mirror: string;
  readonly header: string;
  /** What the cell says now; a number as its digits, a date as it is spoken. Empty: the cell was emptied. */
  readonly text: string;
  /** The instant that was typed as a start, ISO 8601 in UTC; absent when none can be told for sure. */
  readonly startsAt?: string;
  /** `ShownCells.as` of the row that was changed; empty when nobody knows. */
  readonly as: string;
  /** Mark of what the cell was shown as, and what its author knew; of a tick that of the start beside it. Absent when nobody knows. */
  readonly base?: string;
  /** The cell was as it was shown at this moment, or later; epoch milliseconds. 0: nobody knows. */
  readonly sinceMs: number;
  readonly seenAtMs: number;
  readonly doubt?: RowDoubt;
}

/** Why a change was not carried, beside the doubts. */
export type RowRefusal =
  | RowDoubt
  | 'emptied'
  | 'unreadable'
  | 'changed-meanwhile'
  | 'not-found'
  | 'refused'
  /** The following concern appointments only. */
  | 'no-start'
  | 'no-tick'
  | 'only-shown'
  | 'past'
  | 'started'
  | 'not-movable'
  | 'not-cancellable';

/** What became of people's changes to one row, until the contact changes again. */
export interface RowNote {
  readonly done: readonly string[];
  readonly refused: readonly {
    readonly header: string;
    readonly code: RowRefusal;
    /** What they wrote, where the worker may repeat it. */
    readonly wrote?: string;
    /** The platform's refusal for people, with free times where there are any. */
    readonly said?: string;
  }[];
  /** Hash of all that may be changed in the row, when it was said. */
  readonly of: string;
  /** Changes that were answered, newest first: the same one may be seen twice. */
  readonly answered: readonly AnsweredEdit[];
  /** Changes that were about to leave for the platform, without a known answer. */
  readonly sent: readonly SentEdit[];
}

export interface SentEdit {
  readonly header: string;
  /** Hash of what people wrote. */
  readonly hash: string;
  /** Hash of what the platform had. */
  readonly over: string;
  /** The start that was asked for. */
  readonly startsAt?: string;
}

export interface AnsweredEdit {
  readonly header: string;
  readonly as: string;
  /** Hash of what people wrote. */
  readonly hash: string;
  /** The platform had it then, through the worker or not: it is a known value. */
  readonly isKnown: boolean;
}
