import { fenced, TerminalError } from '../engine/errors.ts';
import { seedOf } from '../engine/memory.ts';
import { formatKey, inParts } from '../engine/object.ts';
import { RedisStore, replyWithin, Script, TimedStore } from '../engine/redis-script.ts';
import type { RewriteParts } from '../engine/rewrite.ts';
import type { RowEdit, RowNote, ShownCells } from '../engine/row-edit.ts';
import type { SheetSpot } from '../engine/sheet-row.ts';
import type { Claim } from '../engine/work.ts';
import { FENCE, MARK_DIRTY, rowEditField, rowEditText, rowNoteField } from '../engine/work-store.ts';

/** One step, so that no crash leaves a change that no handler looks at. */
const NOTE = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now = ARGV[1], ARGV[2]
local state = redis.call('HMGET', object, 'd', 'y')
if not state[1] then return end
mark_dirty(object, dirty, since, key, now)
if state[1] == state[2] then redis.call('HSET', object, 'e', now) end
for i = 3, #ARGV, 2 do
  -- The same change, seen again, keeps its state: a second look makes it neither more nor less certain. A start's text has no seconds.
  local known = redis.call('HGET', object, ARGV[i])
  local was, is = known and cjson.decode(known), cjson.decode(ARGV[i + 1])
  local is_same = was and was.text == is.text and was.startsAt == is.startsAt and was.as == is.as and was.isNumber == is.isNumber
  if not is_same then redis.call('HSET', object, ARGV[i], ARGV[i + 1]) end
end
`);

const WITHDRAW = new Script(`${MARK_DIRTY}
local object, dirty, since = KEYS[1], KEYS[2], KEYS[3]
local key, now, field, as = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local known = redis.call('HGET', object, field)
if not known or cjson.decode(known).as ~= as then return end
local state = redis.call('HMGET', object, 'd', 'y')
mark_dirty(object, dirty, since, key, now)
if state[1] == state[2] then redis.call('HSET', object, 'e', now) end
redis.call('HDEL', object, field)
`);

const KEEP = new Script(`${FENCE}
local object = KEYS[1]
if fence_of(object) ~= ARGV[1] then return 0 end
redis.call('HSET', object, ARGV[2], ARGV[3])
-- Only the very changes that the claim carried: a newer one of the same cell has not been looked at.
for i = 4, #ARGV, 2 do
  if redis.call('HGET', object, ARGV[i]) == ARGV[i + 1] then redis.call('HDEL', object, ARGV[i]) end
end
return 1
`);

/**
 * People's changes in cells of mirrored rows, on their way to the platform: fields of their object, so that a claim includes them. Each call
 * is one atomic step, durable when it resolves.
 */
export class RowEdits {
  readonly #parts: RewriteParts;

  constructor(parts: RewriteParts) {
    this.#parts = parts;
  }

  /** Gives the object a turn. One change per cell: a newer one replaces it, unless it is the same. Ignores unknown objects. */
  async note(key: string, edits: readonly RowEdit[]): Promise<void> {
    if (edits.length === 0) return;
    const { redis, keys, clock } = this.#parts;
    const fields = edits.flatMap((edit) => [rowEditField(edit), rowEditText(edit)]);
    await NOTE.run(redis, [keys.object(key), keys.dirty, keys.dirtySince], [key, clock.now(), ...fields]);
    this.#parts.dirtied?.([key]);
  }

  /** People took the change back, in a row shown under this name: gives the object a turn without it. Does nothing if none waits. */
  async withdraw(key: string, cell: Pick<RowEdit, 'mirror' | 'header' | 'as'>): Promise<void> {
    const { redis, keys, clock } = this.#parts;
    const args = [key, clock.now(), rowEditField(cell), cell.as];
    await WITHDRAW.run(redis, [keys.object(key), keys.dirty, keys.dirtySince], args);
    this.#parts.dirtied?.([key]);
  }

  /**
   * Stores the note and removes the answered changes; a newer change of the same cell stays. Rejects with `RetryableError` `fenced`.
   */
  async keep(
    claim: Claim,
    mirror: string,
    { note, answered }: { readonly note: RowNote; readonly answered: readonly RowEdit[] },
  ): Promise<void> {
    const { redis, keys } = this.#parts;
    const fields = answered.flatMap((edit) => [rowEditField(edit), rowEditText(edit)]);
    const args = [claim.fence, rowNoteField(mirror), JSON.stringify(note), ...fields];
    if ((await KEEP.run(redis, [keys.object(formatKey(claim.key))], args)) !== 1) throw fenced();
  }
}

export interface RowTrace {
  readonly id: string;
  readonly traces: readonly string[];
  readonly keepMs: number;
}

/** How long a sent id may still arrive. Google may perform a write late that the worker gave up, but not after a day. */
const SENT_FOR_MS = 86_400_000;
const KEYS_AT_ONCE = 250;

/** Never shortens the life of a trace. */
const TRACE = new Script(`
redis.call('SADD', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
`);

/**
 * What is remembered of the rows of one `bookings` entry: one hash of ids on their way, and one set of ids per trace. It survives a restart.
 * Both expire automatically, so the cost of a look does not grow with old rows.
 */
export class RowRegister extends TimedStore {
  /** Random, and equal for all workers. After a loss of the register it is another one. */
  seed(): Promise<string> {
    return seedOf(this.redis, this.keys);
  }

  /** Ids that were sent to rows and not seen there yet, with the content print of the row that each was meant for. */
  async sent(entry: string): Promise<ReadonlyMap<string, string>> {
    const key = this.keys.rowIdsSent(entry);
    const fields = await replyWithin(this.redis.hgetall(key));
    const sinceMs = this.clock.now() - SENT_FOR_MS;
    const prints = new Map<string, string>();
    const late: string[] = [];
    for (const [id, value] of Object.entries(fields)) {
      const [print = '', atMs] = value.split(' ');
      if (Number(atMs) < sinceMs) late.push(id);
      else prints.set(id, print);
    }
    if (late.length > 0) await replyWithin(this.redis.hdel(key, ...late));
    return prints;
  }

  /** Call it before the ids leave: it identifies an id that lands in another row. */
  async send(entry: string, prints: ReadonlyMap<string, string>): Promise<void> {
    if (prints.size === 0) return;
    const key = this.keys.rowIdsSent(entry);
    const now = this.clock.now();
    const fields: string[] = [];
    for (const [id, print] of prints) fields.push(id, `${print} ${now}`);
    await replyWithin(this.redis.hset(key, ...fields));
    await replyWithin(this.redis.pexpire(key, SENT_FOR_MS));
  }

  /** Each was seen in its row. */
  async arrived(entry: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await replyWithin(this.redis.hdel(this.keys.rowIdsSent(entry), ...ids));
  }

  /**
   * Call it before the rows are handed on. A trace is a content print or a customer's mark; it is kept for `keepMs` after the last time.
   */
  async trace(entry: string, traces: readonly RowTrace[]): Promise<void> {
    const each: { id: string; keepMs: number; key: string }[] = [];
    for (const { id, traces: marks, keepMs } of traces)
      for (const mark of marks) each.push({ id, keepMs, key: this.keys.rowTrace(entry, mark) });
    for (const some of inParts(each, KEYS_AT_ONCE))
      await Promise.all(
        some.map(({ id, keepMs, key }) => TRACE.run(this.redis, [key], [id, Math.ceil(keepMs)])),
      );
  }

  /** Each trace with the ids that left it. What a row says now may differ. */
  async find(entry: string, traces: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const marks = [...new Set(traces)];
    const found = new Map<string, readonly string[]>();
    for (const some of inParts(marks, KEYS_AT_ONCE)) {
      const ids = await Promise.all(
        some.map((mark) => replyWithin(this.redis.smembers(this.keys.rowTrace(entry, mark)))),
      );
      for (const [i, mark] of some.entries()) found.set(mark, ids[i] ?? []);
    }
    return found;
  }
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

interface OverWrittenRow {
  /** Key of the object. */
  readonly key: string;
  /** What the row showed before. */
  readonly shown?: ShownCells;
  /** Hashes of what was to be written. */
  readonly wrote: ShownCells['cells'];
  /** The write has hit this row by accident: it may show the cells of any other, or none after a repair. */
  readonly isStray?: true;
}

/** How long writes of a spreadsheet are kept without a new one; by then the spreadsheet no longer belongs to the worker. */
const FORGOTTEN_MS = 35 * 86_400_000;

/**
 * Writes over cells that people may change, from before they leave until none of their cells can be mistaken for people's. One field per
 * write, of hashes, keys and columns only, nothing that people wrote.
 */
export class OverWrites extends RedisStore {
  async begin(spreadsheetId: string, write: OverWrite): Promise<void> {
    const key = this.keys.overWrites(spreadsheetId);
    const noted = this.redis
      .multi()
      .hset(key, String(write.sheetId), toText(write))
      .pexpire(key, FORGOTTEN_MS);
    await replyWithin(noted.exec());
  }

  landed(spreadsheetId: string, write: OverWrite): Promise<void> {
    return this.begin(spreadsheetId, { ...write, hasLanded: true });
  }

  async ended(spreadsheetId: string, { sheetId }: OverWrite): Promise<void> {
    await replyWithin(this.redis.hdel(this.keys.overWrites(spreadsheetId), String(sheetId)));
  }

  /** Oldest first. */
  async open(spreadsheetId: string): Promise<readonly OverWrite[]> {
    const found = await replyWithin(this.redis.hvals(this.keys.overWrites(spreadsheetId)));
    return found.map(fromText).sort((a, b) => a.sentAtMs - b.sentAtMs);
  }
}

/** Stored as a list, from which an erasure can remove single rows. */
function toText({ rows, doubled, ...write }: OverWrite): string {
  return JSON.stringify([write, ...rows, ...doubled]);
}

function fromText(text: string): OverWrite {
  const [write, ...others] = JSON.parse(text) as [
    Omit<OverWrite, 'rows' | 'doubled'>,
    ...(OverWrittenRow | string)[],
  ];
  return {
    ...write,
    rows: others.flatMap((each) => (typeof each === 'string' ? [] : [each])),
    doubled: others.filter((each) => typeof each === 'string'),
  };
}

/** Reason for giving a row up whose cells change again after each write. */
export function cellsNotKept(mirror: string, { spreadsheetId, tab }: SheetSpot): TerminalError {
  return new TerminalError('cells-not-kept', 'the row does not keep what is written into it', {
    target: `spreadsheet:${spreadsheetId}/${tab}`,
    advice: `After each write, something changes the cells of the mirror ${mirror} in this row. It may be a script or an add-on (Extensions), another program, or a formula that fills the column. Take it off the mirror's columns, then retry.`,
  });
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
  /**
   * `stray`: a look after the write found them in the wrong place, and they are to be emptied. `text`: one cell of a repair, which may stay
   * in a column of people.
   */
  readonly kind: 'new' | 'in-place' | 'stray' | 'text';
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
 * Writes from before they leave until their effect was checked, one field each. Google may still perform a write that was given up. A process
 * may die before it has repaired what its write hit. The lease of the flush ensures that no two writes begin in the same millisecond.
 */
export class SentRows extends TimedStore {
  /** Resolves with the write, for `ended` and `open`. */
  async sent(spreadsheetId: string, rows: readonly SentRow[]): Promise<OpenWrite> {
    const sentAtMs = Math.floor(this.clock.now());
    const key = this.keys.sentRows(spreadsheetId);
    const noted = this.redis
      .multi()
      .hset(key, String(sentAtMs), JSON.stringify(rows))
      .pexpire(key, FORGOTTEN_MS);
    await replyWithin(noted.exec());
    return { sentAtMs, rows };
  }

  /** The write was performed and checked, was refused, or can no longer arrive. */
  async ended(spreadsheetId: string, { sentAtMs }: OpenWrite): Promise<void> {
    await replyWithin(this.redis.hdel(this.keys.sentRows(spreadsheetId), String(sentAtMs)));
  }

  /** Oldest first. */
  async open(spreadsheetId: string): Promise<readonly OpenWrite[]> {
    const found = await replyWithin(this.redis.hgetall(this.keys.sentRows(spreadsheetId)));
    return Object.entries(found)
      .map(([sentAtMs, rows]) => ({ sentAtMs: Number(sentAtMs), rows: JSON.parse(rows) as SentRow[] }))
      .sort((a, b) => a.sentAtMs - b.sentAtMs);
  }
}
