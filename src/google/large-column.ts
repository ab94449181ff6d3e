import { randomInt } from 'node:crypto';
import { trimmedCell } from '../engine/sheet-row.ts';

// The values of one column with a cell for each row of a large tab, such as its ids. As strings in arrays they would take ten times as much.

/** A key column as trimmed text, by row. An array of texts is one. */
export interface Texts extends Iterable<string> {
  readonly length: number;
  at(row: number): string | undefined;
  entries(): Iterable<[number, string]>;
  includes(text: string): boolean;
}

const ID_BYTES = 16;
/** Rows whose ids share a buffer: a column that grows copies nothing. */
const BLOCK_ROWS = 4_096;
/** Hexadecimal figures of an id, a hyphen before each of these. */
const HYPHENS = [8, 12, 16, 20];
const DELETED = -1;
const PLACES_MIN = 1_024;
/** The index is filled by three quarters at most. */
const PLACES_PER_ROW = 1.5;

/** Holds ids in 16 bytes each, and everything else as it is. Finds the row of an id. */
export class PackedTexts implements Texts {
  #length = 0;
  /** Zero bytes where the row holds no id. */
  readonly #blocks: Buffer[] = [];
  /** Cells that are no ids, by row. Blank ones are left out. */
  readonly #others = new Map<number, unknown>();
  /** Rows by the hash of their id, each one more; the first free place ends a search. Empty until somebody asks. */
  #places = new Int32Array(0);
  #taken = 0;
  #last = 0;
  #doubledRows = 0;
  readonly #doubled = new Set<string>();
  readonly #seed = randomInt(2 ** 31) | 1;

  get length(): number {
    return this.#length;
  }

  /** Rows whose id another row further up had when they were set. */
  get doubledRows(): number {
    this.#indexAll();
    return this.#doubledRows;
  }

  isDoubled(id: string): boolean {
    this.#indexAll();
    return this.#doubled.has(id);
  }

  /** The last row with an id; 0 without one. */
  get lastId(): number {
    return this.#last;
  }

  get otherCells(): number {
    return this.#others.size;
  }

  /** Cells that are no ids. */
  others(): readonly (readonly [row: number, text: string])[] {
    return [...this.#others].map(([row, cell]) => [row, trimmedCell(cell)] as const);
  }

  at(row: number): string | undefined {
    if (row < 0 || row >= this.#length) return undefined;
    return this.#isId(row) ? this.#idAt(row) : trimmedCell(this.#others.get(row));
  }

  /** The cells as they were read. */
  rows(): readonly (readonly unknown[])[] {
    return Array.from({ length: this.#length }, (_, row) => {
      const cell = this.#isId(row) ? this.#idAt(row) : this.#others.get(row);
      return cell === undefined ? [] : [cell];
    });
  }

  *entries(): Generator<[number, string]> {
    for (let row = 0; row < this.#length; row += 1) yield [row, this.at(row) ?? ''];
  }

  *[Symbol.iterator](): Generator<string> {
    for (const [, text] of this.entries()) yield text;
  }

  includes(text: string): boolean {
    return this.rowOf(text) !== undefined || this.#otherRow(text) !== undefined;
  }

  /** The row of an id: the first, unless it was set since. */
  rowOf(id: string): number | undefined {
    this.#indexAll();
    const bytes = Buffer.alloc(ID_BYTES);
    if (!writeId(id, bytes, 0)) return this.#otherRow(id);
    const place = this.#placeOf(bytes, 0);
    return place === undefined ? undefined : (this.#places[place] ?? 0) - 1;
  }

  push(cell: unknown): void {
    this.#length += 1;
    this.#put(this.#length - 1, cell);
  }

  set(row: number, cell: unknown): void {
    this.#indexAll();
    if (this.#isId(row)) this.#unindex(row);
    this.#others.delete(row);
    this.#block(row).fill(0, offsetOf(row), offsetOf(row) + ID_BYTES);
    this.#put(row, cell);
    while (this.#last > 0 && !this.#isId(this.#last)) this.#last -= 1;
  }

  /** Cells at the row and below move down. */
  insert(at: number, cells: readonly string[]): void {
    const below = Array.from({ length: Math.max(0, this.#length - at) }, (_, i) => {
      const row = at + i;
      return this.#isId(row) ? this.#idAt(row) : this.#others.get(row);
    });
    for (let row = at; row < this.#length; row += 1) this.set(row, undefined);
    this.#length = Math.max(this.#length, at) + cells.length;
    for (const [i, cell] of [...cells, ...below].entries()) this.set(at + i, cell);
  }

  /** Into a row that holds nothing. */
  #put(row: number, cell: unknown): void {
    if (typeof cell === 'string' && writeId(cell, this.#block(row), offsetOf(row))) {
      this.#last = Math.max(this.#last, row);
      if (this.#places.length > 0) this.#index(row);
    } else if (cell !== undefined && cell !== null && cell !== '') this.#others.set(row, cell);
  }

  #block(row: number): Buffer {
    const nth = Math.floor(row / BLOCK_ROWS);
    while (this.#blocks.length <= nth) this.#blocks.push(Buffer.alloc(BLOCK_ROWS * ID_BYTES));
    return this.#blocks[nth] as Buffer;
  }

  #isId(row: number): boolean {
    const [block, from] = [this.#block(row), offsetOf(row)];
    for (let at = from; at < from + ID_BYTES; at += 1) if (block[at] !== 0) return true;
    return false;
  }

  #idAt(row: number): string {
    const figures = this.#block(row).toString('hex', offsetOf(row), offsetOf(row) + ID_BYTES);
    return [0, ...HYPHENS].map((from, i) => figures.slice(from, HYPHENS[i])).join('-');
  }

  #otherRow(text: string): number | undefined {
    const rows = [...this.#others].flatMap(([row, cell]) => (trimmedCell(cell) === text ? [row] : []));
    return rows.length === 0 ? undefined : rows.reduce((first, row) => Math.min(first, row));
  }

  /** A column that is only read through needs no index. */
  #indexAll(): void {
    if (this.#places.length > 0) return;
    this.#places = new Int32Array(PLACES_MIN + Math.ceil(PLACES_PER_ROW * this.#length));
    for (let row = 0; row < this.#length; row += 1) if (this.#isId(row)) this.#index(row);
  }

  #index(row: number): void {
    if (4 * (this.#taken + 1) > 3 * this.#places.length) this.#reindex();
    if (this.#placeOf(this.#block(row), offsetOf(row)) !== undefined) {
      this.#doubledRows += 1;
      this.#doubled.add(this.#idAt(row));
    } else this.#place(row);
  }

  #place(row: number): void {
    let place = this.#hash(this.#block(row), offsetOf(row));
    while (this.#places[place] !== 0) place = (place + 1) % this.#places.length;
    this.#places[place] = row + 1;
    this.#taken += 1;
  }

  #unindex(row: number): void {
    const place = this.#placeOf(this.#block(row), offsetOf(row));
    if (place === undefined || this.#places[place] !== row + 1) return;
    const id = this.#idAt(row);
    const isOther = (other: number) => other !== row && this.#isId(other) && this.#idAt(other) === id;
    let next = this.#doubled.has(id) ? 0 : this.#length;
    while (next < this.#length && !isOther(next)) next += 1;
    this.#places[place] = next < this.#length ? next + 1 : DELETED;
  }

  #reindex(): void {
    const rows = this.#places.filter((row) => row > 0);
    this.#places = new Int32Array(PLACES_MIN + 2 * PLACES_PER_ROW * rows.length);
    this.#taken = 0;
    for (const row of rows) this.#place(row - 1);
  }

  /** Where the id stands in the index. */
  #placeOf(bytes: Buffer, at: number): number | undefined {
    for (let place = this.#hash(bytes, at); ; place = (place + 1) % this.#places.length) {
      const row = this.#places[place] ?? 0;
      if (row === 0) return undefined;
      if (row === DELETED) continue;
      const own = offsetOf(row - 1);
      if (bytes.compare(this.#block(row - 1), own, own + ID_BYTES, at, at + ID_BYTES) === 0) return place;
    }
  }

  /** Nobody who types ids knows the seed, and so which of them meet. */
  #hash(bytes: Buffer, at: number): number {
    let hash = this.#seed;
    for (let i = 0; i < ID_BYTES; i += 4) {
      hash = Math.imul(hash ^ bytes.readInt32LE(at + i), 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 15), this.#seed);
    }
    return ((hash ^ (hash >>> 16)) >>> 0) % this.#places.length;
  }
}

function offsetOf(row: number): number {
  return (row % BLOCK_ROWS) * ID_BYTES;
}

/** False for anything but an id in lower case, and for the one of zeros only. */
function writeId(text: string, into: Buffer, at: number): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)) return false;
  if (text.startsWith('00000000-0000-0000-0000-000000000000')) return false;
  into.write(text.replaceAll('-', ''), at, ID_BYTES, 'hex');
  return true;
}

// A large answer is read as it comes: its bytes, its text and all of its cells at once would take five times its size.

/** A larger answer is read in pieces. */
const LARGE_BYTES = 1024 * 1024;
/** A column with more cells that are no ids is not packed: they are looked through one by one. */
const OTHERS_MAX = 1_000;
/** The key of a list, and whatever may stand between it and its first row. */
const HEAD_BYTES = 200;
const NONE = Buffer.alloc(0);
const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [...'"\\[],'].map((sign) => sign.charCodeAt(0));

/** Reads JSON. In a large answer, lists of rows under `values` with one cell at most in each are `PackedTexts`. */
export class AnswerReader {
  readonly #largeBytes: number;
  #bytes = 0;
  /** The answer, with a number for each list that was read. */
  readonly #rest: Buffer[] = [];
  readonly #lists: unknown[] = [];
  /** The list that is being read. */
  #rows: RowsReader | undefined;
  #isBroken = false;

  constructor(largeBytes = LARGE_BYTES) {
    this.#largeBytes = largeBytes;
  }

  push(part: Buffer): void {
    const wasLarge = this.#bytes > this.#largeBytes;
    this.#bytes += part.length;
    if (this.#bytes <= this.#largeBytes) this.#rest.push(part);
    else for (const each of wasLarge ? [part] : [...this.#rest.splice(0), part]) this.#read(each);
  }

  /** The text, if it is no JSON. What is broken within a list of rows is told up to there. */
  end(isJson: boolean): unknown {
    // The connection keeps its listeners, and they keep the reader.
    const [text, lists] = [Buffer.concat(this.#rest.splice(0)).toString('utf8'), this.#lists.splice(0)];
    const putBack = (key: string, value: unknown) =>
      key === 'values' && typeof value === 'number' ? lists[value] : value;
    try {
      return isJson ? JSON.parse(text, lists.length === 0 ? undefined : putBack) : text;
    } catch {
      return text;
    }
  }

  #read(part: Buffer): void {
    try {
      for (let left: Buffer | undefined = part; left !== undefined && !this.#isBroken; )
        left = this.#rows === undefined ? this.#readRest(left) : this.#readRows(this.#rows, left);
    } catch {
      // A list that has begun and never ends is no JSON.
      this.#isBroken = true;
    }
  }

  #readRows(rows: RowsReader, part: Buffer): Buffer | undefined {
    const end = rows.read(part);
    if (end === undefined) return undefined;
    this.#lists.push(rows.list);
    this.#rows = undefined;
    return part.subarray(end);
  }

  /** Up to the next list of rows: returns what follows its first bracket. The last bytes may be the beginning of its key. */
  #readRest(part: Buffer): Buffer | undefined {
    const tail = this.#rest.pop() ?? NONE;
    const left = tail.length === 0 ? part : Buffer.concat([tail, part]);
    const start = startOfRows(left);
    if (start === undefined) {
      const seen = Math.max(0, left.length - HEAD_BYTES);
      this.#rest.push(left.subarray(0, seen), left.subarray(seen));
      return undefined;
    }
    this.#rest.push(left.subarray(0, start), Buffer.from(String(this.#lists.length)), NONE);
    this.#rows = new RowsReader();
    return left.subarray(start + 1);
  }
}

/** Where the next list of rows begins. Within a text, quotation marks are escaped. */
function startOfRows(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf('"values"'); at !== -1; at = bytes.indexOf('"values"', at + 1)) {
    const head = bytes.toString('latin1', at, at + HEAD_BYTES);
    const [found] = /^"values"\s*:\s*(?=\[\s*\[)/.exec(head) ?? [];
    if (found !== undefined) return at + found.length;
  }
  return undefined;
}

/** One list of rows, from behind its first bracket. */
class RowsReader {
  #packed: PackedTexts | undefined = new PackedTexts();
  readonly #rows: unknown[] = [];
  /** The row that is not yet whole, with the comma before it. */
  #held: Buffer[] = [Buffer.from(',')];
  #depth = 1;
  #isText = false;
  #isEscaped = false;

  get list(): unknown {
    return this.#packed ?? this.#rows;
  }

  /** Where the list ends; undefined if it goes on. Throws `SyntaxError`. */
  read(part: Buffer): number | undefined {
    let [depth, isText, isEscaped, whole] = [this.#depth, this.#isText, this.#isEscaped, 0];
    for (let at = 0; at < part.length; at += 1) {
      const sign = part[at];
      if (isEscaped) isEscaped = false;
      else if (sign === QUOTE) isText = !isText;
      else if (isText) isEscaped = sign === BACKSLASH;
      else if (sign === OPEN) depth += 1;
      else if (sign === CLOSE) depth -= 1;
      else if (sign === COMMA && depth === 1) whole = at;
      if (depth > 0) continue;
      this.#take(part.subarray(0, at));
      return at + 1;
    }
    if (whole > 0) this.#take(part.subarray(0, whole));
    this.#held.push(part.subarray(whole));
    [this.#depth, this.#isText, this.#isEscaped] = [depth, isText, isEscaped];
    return undefined;
  }

  #take(last: Buffer): void {
    const rows = JSON.parse(`[0${Buffer.concat([...this.#held, last]).toString('utf8')}]`) as unknown[];
    this.#held = [];
    for (const row of rows.slice(1)) {
      const isPacked = Array.isArray(row) && row.length <= 1 && (this.#packed?.otherCells ?? 0) < OTHERS_MAX;
      if (this.#packed !== undefined && isPacked) this.#packed.push(row[0]);
      else {
        for (const before of this.#packed?.rows() ?? []) this.#rows.push(before);
        this.#packed = undefined;
        this.#rows.push(row);
      }
    }
  }
}
