// Rows on their way into sheets, and what is remembered of rows that are there.

import type { RowEdit, RowNote, ShownCells } from '../domain/row-edit.ts';
import type { OutboxRow, PendingRow, SheetSpot } from '../domain/sheet-row.ts';
import type { Claim, DeadLetter } from '../domain/work.ts';

/** Rows to write to sheets, as the flush sees them. A row leaves only after its write was confirmed. */
export interface Outbox {
  /** Spreadsheets with waiting rows. */
  waiting(): Promise<readonly OutboxDepth[]>;
  /**
   * `unchanged` if this very row was confirmed before and none is waiting; `fenced` if another handler has taken the object. Replaces a
   * waiting row of the same mirror and object, also one that waits in `others`, the mirror's other spreadsheets.
   */
  put(claim: Claim, row: OutboxRow, others?: readonly string[]): Promise<'queued' | 'unchanged' | 'fenced'>;
  /** Whether a row with cells waits for this mirror and object, to be added if there is none. */
  waits(row: Pick<OutboxRow, 'mirror' | 'spreadsheetId' | 'key'>): Promise<boolean>;
  /** Oldest first, at most `limit`; rows that `among` excludes do not hide rows behind them. */
  pending(spreadsheetId: string, limit: number, among?: RowsAmong): Promise<readonly PendingRow[]>;
  /** The rows are in the sheet: records their links and removes them, except rows replaced meanwhile. */
  confirm(rows: readonly PendingRow[]): Promise<void>;
  /** No mirror has the place of these rows any more. Removes them, unless replaced meanwhile, and gives their objects a turn. */
  drop(rows: readonly PendingRow[]): Promise<void>;
  /** The rows of these objects were overwritten by accident: writes them again from the newest known state. */
  rewrite(keys: readonly string[], mirror: string): Promise<void>;
}

/** Which waiting rows are meant; default all. */
export interface RowsAmong {
  readonly mirror?: string;
  readonly wants?: (row: PendingRow) => boolean;
}

export interface OutboxDepth {
  readonly spreadsheetId: string;
  readonly rows: number;
}

/** Rung for a spreadsheet with waiting rows; a flush follows soon, one per spreadsheet at a time. */
export interface FlushBell {
  ring(spreadsheetId: string): void;
}

/** Moves of rows between the tabs of a mirror that people's own cells block. */
export interface RowMoves {
  /**
   * The waiting row does not move. Until `untilMs` the object's row is the one at `at`, and its copy in the other tab is emptied. The
   * object gets a turn. Does nothing if the row no longer waits.
   */
  stay(
    row: PendingRow,
    stay: { readonly at: SheetSpot; readonly elsewhere: SheetSpot; readonly untilMs: number },
  ): Promise<void>;
}

/** What is remembered of the rows of one `bookings` entry, in addition to the objects themselves. Survives a restart. */
export interface RowRegister {
  /** Random, and equal for all workers. After a loss of the register it is another one. */
  seed(): Promise<string>;
  /** Ids that were sent to rows and not seen there yet, with the content print of the row that each was meant for. */
  sent(entry: string): Promise<ReadonlyMap<string, string>>;
  /** Call it before the ids leave: it identifies an id that lands in another row. */
  send(entry: string, prints: ReadonlyMap<string, string>): Promise<void>;
  /** Each was seen in its row. */
  arrived(entry: string, ids: readonly string[]): Promise<void>;
  /**
   * Call it before the rows are handed on. A trace is a content print or a customer's mark; it is kept for `keepMs` after the last time.
   */
  trace(entry: string, traces: readonly RowTrace[]): Promise<void>;
  /** Each trace with the ids that left it. What a row says now may differ. */
  find(entry: string, traces: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface RowTrace {
  readonly id: string;
  readonly traces: readonly string[];
  readonly keepMs: number;
}

/** A row of a write, as stored before the write leaves. */
export interface SentRow {
  readonly mirror: string;
  readonly tab: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column. */
  readonly rowKey: string;
  readonly hash: string;
  /** Absent in notes of earlier versions. Their rows are new ones. */
  readonly cells?: SentCells;
}

/** The cells of a write, by which the worker recognizes them wherever people have moved them. Nothing that a cell says. */
export interface SentCells {
  /** `stray`: a look after the write found them in the wrong place, and they are to be emptied. */
  readonly kind: 'new' | 'in-place' | 'stray';
  readonly sheetId: number;
  /** Row as it was read, and the keys above and below it. */
  readonly row: number;
  readonly beside: readonly [above: string, below: string];
  readonly columns: readonly number[];
  /** Hash of the header of each column. */
  readonly under: readonly string[];
  /** Hash of the cells. */
  readonly print: string;
}

/** Rows of one write whose end is unknown, or whose effect nobody has checked. */
export interface OpenWrite {
  readonly sentAtMs: number;
  readonly rows: readonly SentRow[];
}

/**
 * Writes from before they leave until their effect was checked. Google may still perform a write that was given up. A process may die
 * before it has repaired what its write hit.
 */
export interface SentRows {
  /** Resolves with the write, for `ended` and `open`. */
  sent(spreadsheetId: string, rows: readonly SentRow[]): Promise<OpenWrite>;
  /** The write was performed and checked, was refused, or can no longer arrive. */
  ended(spreadsheetId: string, write: OpenWrite): Promise<void>;
  /** Oldest first. */
  open(spreadsheetId: string): Promise<readonly OpenWrite[]>;
}

/** A mirror's tab. */
export interface SheetPlace {
  readonly mirror: string;
  readonly spreadsheetId: string;
  readonly tab: string;
}

/** The rows known to be in tabs, for comparison with what is really there. */
export interface SheetRows {
  /** Object key (`formatKey`) to the hash of the row as last confirmed; `left` for a row that people removed for good. */
  known(place: SheetPlace): Promise<ReadonlyMap<string, string>>;
  /** People changed or deleted these rows: writes them again from the newest known state. */
  restore(keys: readonly string[], mirror: string): Promise<void>;
  /** People deleted these rows, and they stay away. Skips a row that was written since the check (another hash). */
  leave(rows: ReadonlyMap<string, string>, place: SheetPlace): Promise<void>;
}

/** The rows in which people book, as answered. */
export interface AnsweredRows extends Pick<SheetRows, 'known'> {
  /** Like `known`, for these keys only: its cost does not grow with past rows. */
  among(place: SheetPlace, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** These rows are no longer needed. */
  forget(place: SheetPlace, keys: readonly string[]): Promise<void>;
}

/** Rows whose cells do not stay as written, counted by all processes together. */
export interface UnkeptRows {
  /** Right after the write, other cells were in the row's place. Returns how often in a row, this time included. */
  missed(row: Pick<PendingRow, 'mirror' | 'key' | 'hash'>): Promise<number>;
  /**
   * Takes the result of a check of a tab. `edited` rows differ from what was confirmed (object key to the confirmed hash), `right` ones do
   * not. Returns how often in a row each edited one differed after a write. Infinity for rows that were reported, or given up when written.
   * Checks between which the row was not confirmed count as one.
   */
  found(
    mirror: string,
    rows: { readonly edited: ReadonlyMap<string, string>; readonly right: readonly string[] },
  ): Promise<ReadonlyMap<string, number>>;
  /** Keeps the row among the dead letters until other cells are confirmed. */
  tell(mirror: string, letter: DeadLetter): Promise<void>;
}

/** What the cells that people may change last showed, for the rows of one tab. */
export interface ShownRows {
  /** Object key to its cells; rows whose cells are unknown are omitted. `among`: for these only. */
  shown(place: SheetPlace, among?: ReadonlySet<string>): Promise<ReadonlyMap<string, ShownCells>>;
}

/** People's changes in cells of mirrored rows, on their way to the platform. Each call is one atomic step, durable when it resolves. */
export interface RowEditStore {
  /** Gives the object a turn. One change per cell: a newer one replaces it, unless it is the same. Ignores unknown objects. */
  note(key: string, edits: readonly RowEdit[]): Promise<void>;
  /** People took the change back, in a row shown under this name: gives the object a turn without it. Does nothing if none waits. */
  withdraw(key: string, cell: Pick<RowEdit, 'mirror' | 'header' | 'as'>): Promise<void>;
  /**
   * Stores the note and removes the answered changes; a newer change of the same cell stays. False if another handler has taken the object
   * over: nothing was stored.
   */
  keep(
    claim: Claim,
    mirror: string,
    kept: { readonly note: RowNote; readonly answered: readonly RowEdit[] },
  ): Promise<boolean>;
}

/**
 * A write over cells that people may change. In the same step it copies their content into a hidden tab of its own. The copy shows what
 * people wrote between the reading and the writing.
 */
export interface OverWrite {
  /** Id of the hidden tab. */
  readonly sheetId: number;
  readonly sentAtMs: number;
  readonly mirror: string;
  readonly tab: string;
  readonly rows: readonly OverWrittenRow[];
  /** Object keys whose ids are in several rows. */
  readonly doubled: readonly string[];
  /** The write was performed, perhaps after a later one: what it wrote may be in the tab. The hidden tab is gone. */
  readonly hasLanded?: true;
}

export interface OverWrittenRow {
  /** Key of the object. */
  readonly key: string;
  /** What the row showed before. */
  readonly shown?: ShownCells;
  /** Hashes of what was to be written. */
  readonly wrote: ShownCells['cells'];
}

/** Writes over cells that people may change, from before they leave until none of their cells can be mistaken for people's. */
export interface OverWrites {
  begin(spreadsheetId: string, write: OverWrite): Promise<void>;
  landed(spreadsheetId: string, write: OverWrite): Promise<void>;
  ended(spreadsheetId: string, write: OverWrite): Promise<void>;
  /** Oldest first. */
  open(spreadsheetId: string): Promise<readonly OverWrite[]>;
}
