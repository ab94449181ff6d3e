import { awayMs, begunBy } from '../../domain/moments.ts';
import type { ObjectView } from '../../ports/work.ts';
import { cellsOf, printOf } from './former.ts';
import type { LastSeen } from './judge.ts';
import { customerInRow, type TypedRow } from './typed-row.ts';

interface Known {
  /** Undefined: it is not known to the intake. */
  readonly last: LastSeen | undefined;
  /** What was handed on; undefined: nothing was yet, by this process. */
  readonly handed?: string;
}

/** After which everything is handed on once more: what was forgotten behind the worker's back is found again. */
const HANDED_FOR_MS = 600_000;
const LOOKS_AT_ONCE = 20;

/** What this process has seen of the rows of one tab. Lost with it: then rows are handed on again, and stillness begins again. */
export class KnownRows {
  readonly #rows = new Map<string, Known>();
  /** Print to when a row that says this was first seen without an id. */
  readonly #still = new Map<string, number>();
  /** Ids that were just given: since when their row has been unchanged. */
  readonly #given = new Map<string, { readonly print: string; readonly sinceMs: number }>();
  #handedSinceMs = 0;

  last(id: string): LastSeen | undefined {
    return this.#rows.get(id)?.last;
  }

  /** Looks up ids that this process meets for the first time, or whose row says something else: another process may know more. */
  async meet(rows: readonly { id: string; print?: string }[], view: Pick<ObjectView, 'peek'>): Promise<void> {
    const news = rows.filter(({ id, print }) => {
      const last = this.last(id);
      return last === undefined || (print !== undefined && print !== last.print);
    });
    const ids = [...new Set(news.map(({ id }) => id))];
    for (let from = 0; from < ids.length; from += LOOKS_AT_ONCE) {
      const some = ids.slice(from, from + LOOKS_AT_ONCE);
      const found = await Promise.all(some.map((id) => view.peek({ kind: 'booking', id })));
      for (const [i, id] of some.entries()) {
        const snapshot = found[i]?.snapshot;
        const last = snapshot && { print: printOf(snapshot), customer: customerInRow(cellsOf(snapshot)) };
        // Else what this process handed on was replaced by another one, or was forgotten.
        if (last === undefined || last.print !== this.last(id)?.print) this.#rows.set(id, { last });
      }
    }
  }

  /** Rows without an id, of one reading: those that stand since `stillForMs` as they are. */
  still(rows: readonly TypedRow[], { stillForMs, nowMs }: { stillForMs: number; nowMs: number }) {
    const prints = new Set(rows.map(({ print }) => print));
    for (const print of this.#still.keys()) if (!prints.has(print)) this.#still.delete(print);
    for (const print of prints) this.#still.set(print, begunBy(this.#still.get(print), nowMs));
    return rows.filter(({ print }) => nowMs - (this.#still.get(print) ?? nowMs) >= stillForMs);
  }

  /** The row has been left alone long enough, and is given this id: it need not begin to wait again. */
  give(id: string, { print }: TypedRow): void {
    const sinceMs = this.#still.get(print);
    if (sinceMs !== undefined) this.#given.set(id, { print, sinceMs });
  }

  /** When what the row says now was first seen; undefined when it was handed on already. */
  newsSince(row: TypedRow, nowMs: number): number | undefined {
    if (awayMs(this.#handedSinceMs, nowMs) > HANDED_FOR_MS) this.#forgetHanded(nowMs);
    const known = this.#rows.get(row.id);
    if (known?.handed === stateOf(row)) return undefined;
    const given = this.#given.get(row.id);
    return given?.print === row.print ? given.sinceMs : nowMs;
  }

  handed(row: TypedRow): void {
    const last = { print: row.print, customer: customerInRow(row.cells) };
    this.#rows.set(row.id, { last, handed: stateOf(row) });
    this.#given.delete(row.id);
  }

  #forgetHanded(nowMs: number): void {
    this.#handedSinceMs = nowMs;
    for (const [id, { last }] of this.#rows) this.#rows.set(id, { last });
  }
}

function stateOf({ print, startsAt, ready, cancel }: TypedRow): string {
  return [print, startsAt, ready, cancel].join(' ');
}
