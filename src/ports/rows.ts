// Rows on their way into sheets, and what is remembered of those that stand there.

import type { RowEdit, RowNote, ShownCells } from '../domain/row-edit.ts';
import type { OutboxRow, PendingRow, SheetSpot } from '../domain/sheet-row.ts';
import type { Claim, DeadLetter } from '../domain/work.ts';

/** Rows that must be written to sheets, as the flush sees them. A row leaves only after its write was confirmed. */
export interface Outbox {
  /** Spreadsheets with rows waiting. */
  waiting(): Promise<readonly OutboxDepth[]>;
  /**
   * `unchanged` when the very row was confirmed before and none is waiting; `fenced` when another handler has taken the object.
   * A waiting row of the same mirror and object is replaced, also one that waits in `others`, the mirror's other spreadsheets.
   */
  put(claim: Claim, row: OutboxRow, others?: readonly string[]): Promise<'queued' | 'unchanged' | 'fenced'>;
  /** Whether a row with cells waits for this mirror and object, to be begun where none stands. */
  waits(row: Pick<OutboxRow, 'mirror' | 'spreadsheetId' | 'key'>): Promise<boolean>;
  /** Oldest first, at most `limit`; those that `among` leaves out hide nothing that waits behind them. */
  pending(spreadsheetId: string, limit: number, among?: RowsAmong): Promise<readonly PendingRow[]>;
  /** The rows stand in the sheet: their links are recorded and they leave, except those that were replaced meanwhile. */
  confirm(rows: readonly PendingRow[]): Promise<void>;
  /** No mirror has the place of these rows any more. They leave, unless replaced meanwhile, and their objects have a turn. */
  drop(rows: readonly PendingRow[]): Promise<void>;
  /** The rows of these objects were overwritten by accident: they are to be written again from the newest known state. */
  rewrite(keys: readonly string[], mirror: string): Promise<void>;
}

/** Which of the waiting rows are meant; default all. */
export interface RowsAmong {
  readonly mirror?: string;
  readonly wants?: (row: PendingRow) => boolean;
}

export interface OutboxDepth {
  readonly spreadsheetId: string;
  readonly rows: number;
}

/** Told that a spreadsheet has rows waiting; a flush follows soon, one per spreadsheet at a time. */
export interface FlushBell {
  ring(spreadsheetId: string): void;
}

/** Moves of rows between the tabs of a mirror that people's own cells stand in the way of. */
export interface RowMoves {
  /**
   * The waiting row is not moved. Until `untilMs` the object's row is the one at `at`, and its copy in the other tab is emptied. The object
   * has a turn. A row that is not waiting any more is left alone.
   */
  stay(
    row: PendingRow,
    stay: { readonly at: SheetSpot; readonly elsewhere: SheetSpot; readonly untilMs: number },
  ): Promise<void>;
}

/** What is remembered of the rows of one entry of `bookings`, beside the objects themselves. Survives a restart. */
export interface RowRegister {
  /** Ids that were sent to rows and were not seen in them yet, to the content print of the row that each was meant for. */
  sent(entry: string): Promise<ReadonlyMap<string, string>>;
  /** Before the ids leave: an id that lands in another row is known by it. */
  send(entry: string, prints: ReadonlyMap<string, string>): Promise<void>;
  /** Each was seen in its row. */
  arrived(entry: string, ids: readonly string[]): Promise<void>;
  /** The rows are about to be handed on. A trace is a content print or a customer's mark; kept for `keepMs` after the last time. */
  trace(entry: string, traces: readonly RowTrace[]): Promise<void>;
  /** Each trace to the ids that have left it. What a row says now may be another matter. */
  find(entry: string, traces: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface RowTrace {
  readonly id: string;
  readonly traces: readonly string[];
  readonly keepMs: number;
}

/** A row that was sent to be added to a tab. */
export interface SentRow {
  readonly mirror: string;
  readonly tab: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column. */
  readonly rowKey: string;
  readonly hash: string;
}

/** Rows of one write of which the end is not known. */
export interface OpenWrite {
  readonly sentAtMs: number;
  readonly rows: readonly SentRow[];
}

/** Writes that add rows, from before they leave until their end is known: one that was given up may still be performed. */
export interface SentRows {
  /** Resolves with what `ended` and `open` call the write by. */
  sent(spreadsheetId: string, rows: readonly SentRow[]): Promise<OpenWrite>;
  /** It was performed, was refused, or cannot come any more. */
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

/** The rows that are known to stand in tabs, for whoever compares them with what really stands there. */
export interface SheetRows {
  /** Object key (`formatKey`) to the hash of the row as it was last confirmed; `left` of a row that people took away for good. */
  known(place: SheetPlace): Promise<ReadonlyMap<string, string>>;
  /** People changed or deleted these rows: they are written again from the newest known state. */
  restore(keys: readonly string[], mirror: string): Promise<void>;
  /** People deleted these rows and they shall stay away. A row that was written since it was looked at (another hash) is not meant. */
  leave(rows: ReadonlyMap<string, string>, place: SheetPlace): Promise<void>;
}

/** The rows in which people book, as they were answered. */
export interface AnsweredRows extends Pick<SheetRows, 'known'> {
  /** As `known`, of these only: it costs nothing by the rows of the past. */
  among(place: SheetPlace, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Nobody will ask for these rows any more. */
  forget(place: SheetPlace, keys: readonly string[]): Promise<void>;
}

/** Rows whose cells do not stay as they were written, counted by all processes together. */
export interface UnkeptRows {
  /** Right after it was written other cells stood in its place. Returns how often in a row, this time included. */
  missed(row: Pick<PendingRow, 'mirror' | 'key' | 'hash'>): Promise<number>;
  /**
   * Takes the result of a look at a tab. `edited` rows differ from what was confirmed (object key to the hash confirmed), `right` ones do
   * not. Returns how often in a row each edited one was found so after a write. Infinity for those that were told of, or given up when they
   * were written. Looks between which the row was not confirmed count as one.
   */
  found(
    mirror: string,
    rows: { readonly edited: ReadonlyMap<string, string>; readonly right: readonly string[] },
  ): Promise<ReadonlyMap<string, number>>;
  /** The row stands among the dead letters until other cells are confirmed. */
  tell(mirror: string, letter: DeadLetter): Promise<void>;
}

/** What the cells that people may change were shown as, of the rows of one tab. */
export interface ShownRows {
  /** Object key to its cells; rows of which it is not known are left out. `among`: of these only. */
  shown(place: SheetPlace, among?: ReadonlySet<string>): Promise<ReadonlyMap<string, ShownCells>>;
}

/** What people changed in cells of mirrored rows, on its way to the platform. Each call is one atomic step, durable when it resolves. */
export interface RowEditStore {
  /** The object has a turn. One change per cell: a newer one replaces it, unless it is the same once more. Nothing is noted of objects that are not known. */
  note(key: string, edits: readonly RowEdit[]): Promise<void>;
  /** People took the change back, in a row that was shown under this name: the object has a turn without it. Nothing where none waits. */
  withdraw(key: string, cell: Pick<RowEdit, 'mirror' | 'header' | 'as'>): Promise<void>;
  /**
   * Keeps what is to be remembered, and lets go of the changes that are answered; a newer one of the same cell stays. False when another
   * handler has taken the object over: then nothing was kept.
   */
  keep(
    claim: Claim,
    mirror: string,
    kept: { readonly note: RowNote; readonly answered: readonly RowEdit[] },
  ): Promise<boolean>;
}

/**
 * A write over cells that people may change. In the same step it copies what stood there into a hidden tab of its own. The copy shows what
 * people wrote between the reading and the writing.
 */
export interface OverWrite {
  /** Id of the hidden tab. */
  readonly sheetId: number;
  readonly sentAtMs: number;
  readonly mirror: string;
  readonly tab: string;
  readonly rows: readonly OverWrittenRow[];
  /** Object keys whose ids stand in several rows. */
  readonly doubled: readonly string[];
  /** It was performed, perhaps after a later one: what it wrote may stand in the tab. The hidden tab is gone. */
  readonly hasLanded?: true;
}

export interface OverWrittenRow {
  /** Key of the object. */
  readonly key: string;
  /** What the row was shown as before. */
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
