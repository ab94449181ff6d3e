import { randomInt } from 'node:crypto';

// The values of one column with a cell for each row of a large tab, such as its ids. As strings in arrays they would take ten times as much.

/** A key column as trimmed text, by row. An array of texts is one. */
export interface Texts extends Iterable<string> {
  readonly length: number;
  at(row: number): string | undefined;
  entries(): Iterable<[number, string]>;
  includes(text: string): boolean;
}

const ID_BYTES = 16;
/** Hexadecimal figures of an id, a hyphen before each of these. */
const HYPHENS = [8, 12, 16, 20];
const DELETED = -1;

/** Holds ids in 16 bytes each, and everything else as it is. Finds the row of an id. */
export class PackedTexts implements Texts {
  #length = 0;
  /** Zero bytes where the row holds no id. */
  #ids = Buffer.alloc(ID_BYTES * 1_024);
  /** Cells that are no ids, by row. Blank ones are left out. */
  readonly #others = new Map<number, unknown>();
  /** Rows by the hash of their id, each one more; the first free place ends a search. */
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
    return this.#doubledRows;
  }

  isDoubled(id: string): boolean {
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
    return [...this.#others].map(([row, cell]) => [row, trimmed(cell)] as const);
  }

  at(row: number): string | undefined {
    if (row < 0 || row >= this.#length) return undefined;
    return this.#isId(row) ? this.#idAt(row) : trimmed(this.#others.get(row));
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
    const bytes = Buffer.alloc(ID_BYTES);
    if (!writeId(id, bytes, 0)) return this.#otherRow(id);
    const place = this.#placeOf(bytes, 0);
    return place === undefined ? undefined : (this.#places[place] ?? 0) - 1;
  }

  push(cell: unknown): void {
    this.#length += 1;
    this.set(this.#length - 1, cell);
  }

  set(row: number, cell: unknown): void {
    this.#grow();
    if (this.#isId(row)) this.#unindex(row);
    this.#others.delete(row);
    this.#ids.fill(0, row * ID_BYTES, (row + 1) * ID_BYTES);
    if (typeof cell === 'string' && writeId(cell, this.#ids, row * ID_BYTES)) {
      this.#last = Math.max(this.#last, row);
      this.#index(row);
      return;
    }
    while (this.#last > 0 && !this.#isId(this.#last)) this.#last -= 1;
    if (cell !== undefined && cell !== null && cell !== '') this.#others.set(row, cell);
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

  #isId(row: number): boolean {
    for (let at = row * ID_BYTES; at < (row + 1) * ID_BYTES; at += 1) if (this.#ids[at] !== 0) return true;
    return false;
  }

  #idAt(row: number): string {
    const figures = this.#ids.toString('hex', row * ID_BYTES, (row + 1) * ID_BYTES);
    return [0, ...HYPHENS].map((from, i) => figures.slice(from, HYPHENS[i])).join('-');
  }

  #otherRow(text: string): number | undefined {
    const rows = [...this.#others].flatMap(([row, cell]) => (trimmed(cell) === text ? [row] : []));
    return rows.length === 0 ? undefined : rows.reduce((first, row) => Math.min(first, row));
  }

  #index(row: number): void {
    if (2 * (this.#taken + 1) > this.#places.length) this.#reindex();
    if (this.#placeOf(this.#ids, row * ID_BYTES) !== undefined) {
      this.#doubledRows += 1;
      this.#doubled.add(this.#idAt(row));
      return;
    }
    let place = this.#hash(this.#ids, row * ID_BYTES);
    while (this.#places[place] !== 0) place = (place + 1) % this.#places.length;
    this.#places[place] = row + 1;
    this.#taken += 1;
  }

  #unindex(row: number): void {
    const place = this.#placeOf(this.#ids, row * ID_BYTES);
    if (place === undefined || this.#places[place] !== row + 1) return;
    const id = this.#idAt(row);
    const isOther = (other: number) => other !== row && this.#isId(other) && this.#idAt(other) === id;
    let next = this.#doubled.has(id) ? 0 : this.#length;
    while (next < this.#length && !isOther(next)) next += 1;
    this.#places[place] = next < this.#length ? next + 1 : DELETED;
  }

  #reindex(): void {
    const rows = this.#places.filter((row) => row > 0);
    this.#places = new Int32Array(Math.max(1_024, 4 * rows.length));
    this.#taken = rows.length;
    for (const row of rows) {
      let place = this.#hash(this.#ids, (row - 1) * ID_BYTES);
      while (this.#places[place] !== 0) place = (place + 1) % this.#places.length;
      this.#places[place] = row;
    }
  }

  /** Where the id stands in the index. */
  #placeOf(bytes: Buffer, at: number): number | undefined {
    if (this.#places.length === 0) return undefined;
    for (let place = this.#hash(bytes, at); ; place = (place + 1) % this.#places.length) {
      const row = this.#places[place] ?? 0;
      if (row === 0) return undefined;
      if (row === DELETED) continue;
      const own = (row - 1) * ID_BYTES;
      if (bytes.compare(this.#ids, own, own + ID_BYTES, at, at + ID_BYTES) === 0) return place;
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

  #grow(): void {
    if (this.#length * ID_BYTES <= this.#ids.length) return;
    const ids = Buffer.alloc(Math.ceil(this.#length * 1.5) * ID_BYTES);
    this.#ids.copy(ids);
    this.#ids = ids;
  }
}

function trimmed(cell: unknown): string {
  return cell === undefined || cell === null ? '' : String(cell).trim();
}

/** False for anything but an id in lower case, and for the one of zeros only. */
function writeId(text: string, into: Buffer, at: number): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)) return false;
  if (text.startsWith('00000000-0000-0000-0000-000000000000')) return false;
  into.write(text.replaceAll('-', ''), at, ID_BYTES, 'hex');
  return true;
}

// A large answer is read in pieces: its text and all of its cells at once would take five times its size.

const PIECE_BYTES = 65_536;
/** A column with more cells that are no ids is not packed: they are looked through one by one. */
const OTHERS_MAX = 1_000;
const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [...'"\\[],'].map((sign) => sign.charCodeAt(0));

/** As `JSON.parse`. Lists of rows under `values` with one cell at most in each are `PackedTexts`. */
export function parseInPieces(bytes: Buffer): unknown {
  const lists: unknown[] = [];
  const rest: string[] = [];
  let from = 0;
  for (let at = rowsFrom(bytes, from); at !== -1; at = rowsFrom(bytes, from)) {
    rest.push(bytes.toString('utf8', from, at), String(lists.length));
    const { list, end } = readRows(bytes, at);
    lists.push(list);
    from = end;
  }
  rest.push(bytes.toString('utf8', from));
  const putBack = (key: string, value: unknown) =>
    key === 'values' && typeof value === 'number' ? lists[value] : value;
  return JSON.parse(rest.join(''), lists.length === 0 ? undefined : putBack);
}

/** Where the next list of rows begins; -1 without one. Within a text, quotation marks are escaped. */
function rowsFrom(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf('"values"', from); at !== -1; at = bytes.indexOf('"values"', at + 1)) {
    const [head = ''] = /^"values"\s*:\s*(?=\[\s*\[)/.exec(bytes.toString('latin1', at, at + 200)) ?? [];
    if (head !== '') return at + head.length;
  }
  return -1;
}

function readRows(bytes: Buffer, start: number): { readonly list: unknown; readonly end: number } {
  let packed: PackedTexts | undefined = new PackedTexts();
  const rows: unknown[] = [];
  const take = (from: number, to: number) => {
    for (const row of JSON.parse(`[${bytes.toString('utf8', from, to)}]`) as unknown[]) {
      const isPacked = Array.isArray(row) && row.length <= 1 && (packed?.otherCells ?? 0) < OTHERS_MAX;
      if (packed !== undefined && isPacked) packed.push(row[0]);
      else {
        for (const before of packed?.rows() ?? []) rows.push(before);
        packed = undefined;
        rows.push(row);
      }
    }
  };
  let [depth, isText, from] = [0, false, start + 1];
  for (let at = start; at < bytes.length; at += 1) {
    const sign = bytes[at];
    if (isText && sign === BACKSLASH) at += 1;
    else if (sign === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (sign === OPEN) depth += 1;
    else if (sign === CLOSE) depth -= 1;
    const isEnd = depth === 0;
    if (isText || !(isEnd || (depth === 1 && sign === COMMA && at - from > PIECE_BYTES))) continue;
    take(from, at);
    from = at + 1;
    if (isEnd) return { list: packed ?? rows, end: from };
  }
  throw new SyntaxError('the answer ends within its rows');
}
