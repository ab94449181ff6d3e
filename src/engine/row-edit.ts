// What people typed into cells of mirrored rows, from the check that found it to the answer beside it.

/** Fields of a contact that staff may change in its row (platform API, PATCH /v1/contacts/{contact}). */
export const CARRIED_FIELDS = ['name', 'phone', 'email', 'lifecycle'] as const;
export type ContactField = (typeof CARRIED_FIELDS)[number];

/**
 * Cells of an appointment's row. `start`: date and time, typed. `cancel`: a tick that cancels it. `shown`: all others; the worker only puts
 * them back, and identifies the row by them.
 */
export type AppointmentField = 'start' | 'cancel' | 'shown';
export type CarriedField = ContactField | AppointmentField;

/** The settings of a sheet mirror whose cells people may change. */
export interface SheetCarry {
  /** Header of the column in which the worker answers a change. */
  readonly answerHeader: string;
  readonly conflict: 'platform' | 'staff' | 'latest';
  /** Country of phone numbers without a country code, ISO 3166. */
  readonly region?: string;
  readonly language: 'en' | 'ru';
  readonly columns: readonly CarriedColumn[];
  /** Whether the platform mails the customer about staff edits in an appointment's row. */
  readonly notifyCustomer: boolean;
  /** Rows whose edits may go to the platform within an hour without a person; absent: `EDITS_PER_HOUR`. */
  readonly editsPerHour?: number;
}

/** One row every two minutes for a whole hour: more is rarely typed by hand, and a filled or pasted column has more. */
export const EDITS_PER_HOUR = 30;

export interface CarriedColumn {
  readonly header: string;
  readonly field: CarriedField;
}

/** The carried cells of one row as last confirmed; their marks (`cellMark`), by header. */
export interface ShownCells {
  /** Names the confirmation; unique. */
  readonly as: string;
  readonly cells: Readonly<Record<string, string>>;
  /** By header: marks that the cell showed before, newest first. */
  readonly was?: Readonly<Record<string, readonly string[]>>;
  /** Ids of the appointment's resources; not stored with the row, absent if unknown. */
  readonly resources?: readonly string[];
}

/**
 * Why it is not proven that a person changed this object in its own row.
 * - `unknown`: it is unknown what the row showed.
 * - `copied`: the id is in several rows.
 * - `unproven`: no cell that identifies the object has kept its content.
 * - `mixed`: other cells of an appointment's row differ as well.
 * - `elsewhere`: another row of the tab showed the same: cells were sorted, dragged or copied.
 * - `displaced`: other cells of its column stand in other rows than before, and it may have moved with them. Counts once it is written again.
 * - `many`: too many rows differ in one check.
 * - `again`: another row says the same, or a cell beside it nearly so. If it is meant, the user writes it once more.
 * - `former`: the cell showed the same before the platform changed it. Counts once it is written again.
 * - `older`: several rows show what they showed before: somebody restored an older version of the spreadsheet.
 * - `ticks`: several rows were ticked in one check.
 * - `renewed`: the row was written at that very moment, or was shown in another time zone.
 */
export type RowDoubt =
  | 'unknown'
  | 'copied'
  | 'unproven'
  | 'mixed'
  | 'elsewhere'
  | 'displaced'
  | 'many'
  | 'again'
  | 'former'
  | 'older'
  | 'ticks'
  | 'renewed';

/** The change counts once people type it again after the question. */
export function isAskedAbout(doubt: RowRefusal): boolean {
  return doubt === 'again' || doubt === 'displaced' || doubt === 'former';
}

/** True when this very change was asked about before. `hash`: of what people wrote. */
export function wasAskedAbout(
  note: Pick<RowNote, 'answered' | 'refused'>,
  header: string,
  hash: string,
): boolean {
  const last = note.answered.find((each) => each.header === header);
  return (
    last?.hash === hash && note.refused.some((each) => each.header === header && isAskedAbout(each.code))
  );
}

/** One cell that people changed. It is stored before any request to the platform, until it is answered. */
export interface RowEdit {
  readonly mirror: string;
  readonly header: string;
  /** What the cell says now; a number as its digits, a date as text. Empty: the cell was emptied. */
  readonly text: string;
  /** The cell holds a number: if it is a phone, it has lost its plus and its leading zeros. */
  readonly isNumber?: true;
  /** The instant typed as a start, ISO 8601 in UTC; absent if it is not certain. */
  readonly startsAt?: string;
  /** `ShownCells.as` of the changed row; empty if unknown. */
  readonly as: string;
  /** Mark of what the cell showed, and so of what its author knew. For a tick: the mark of the start beside it. Absent if unknown. */
  readonly base?: string;
  /** The cell still had its shown content at this moment or later; epoch milliseconds. 0: unknown. */
  readonly sinceMs: number;
  readonly seenAtMs: number;
  readonly doubt?: RowDoubt;
  /** The worker may have written the cell itself after this moment, and Redis forgot it; epoch milliseconds. */
  readonly forgottenMs?: number;
}

/** Why a change was not carried, in addition to the doubts. */
export type RowRefusal =
  | RowDoubt
  | 'emptied'
  | 'unreadable'
  | 'changed-meanwhile'
  | 'not-found'
  | 'refused'
  /** A person declined it, because much was typed at once. */
  | 'mass-edit-declined'
  /** The following concern appointments only. */
  | 'no-start'
  | 'no-tick'
  | 'only-shown'
  | 'past'
  | 'started'
  | 'not-movable'
  | 'not-cancellable';

/** What became of people's changes to one row, until its object changes again. */
export interface RowNote {
  readonly done: readonly string[];
  readonly refused: readonly {
    readonly header: string;
    readonly code: RowRefusal;
    /** What they wrote, if the worker may repeat it. */
    readonly wrote?: string;
    /** The platform's refusal in words for people, with free times if there are any. */
    readonly said?: string;
  }[];
  /** Hash of everything that may be changed in the row, when the note was written. */
  readonly of: string;
  /** Answered changes, newest first: the worker may see the same one twice. */
  readonly answered: readonly AnsweredEdit[];
  /** Changes that were about to leave for the platform, without a known answer. */
  readonly sent: readonly SentEdit[];
  /** Changes that wait for a person, because much was typed at once; one per header. Absent: none. */
  readonly held?: readonly RowEdit[];
}

export interface SentEdit {
  readonly header: string;
  /** Hash of what people wrote. */
  readonly hash: string;
  /** Hash of what the platform had then. */
  readonly over: string;
  readonly startsAt?: string;
}

export interface AnsweredEdit {
  readonly header: string;
  readonly as: string;
  /** Hash of what people wrote. */
  readonly hash: string;
  /** The platform had this value then, through the worker or not: it is a known value. */
  readonly isKnown: boolean;
}
