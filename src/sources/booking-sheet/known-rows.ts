import { distanceMs, startedBy } from '../../domain/moments.ts';
import type { ObjectView } from '../../ports/work.ts';
import { cellsOf, printOf } from './former.ts';
import type { LastSeen } from './judge.ts';
import { customerInRow, type TypedRow } from './typed-row.ts';

interface Known {
  /** Undefined: the intake does not know the id. */
  readonly last: LastSeen | undefined;
  /** The state that this process last handed on; undefined: none yet. */
  readonly handed?: string;
}

/** How often everything is handed on again: this repairs what was forgotten behind the worker's back. */
const HANDED_FOR_MS = 600_000;
const LOOKS_AT_ONCE = 20;

/** What this process has seen of one tab's rows. It is lost with the process: then rows are handed on again, and their waiting restarts. */
export class KnownRows {
  readonly #rows = new Map<string, Known>();
  /** When content without an id was first seen, by its print. */
  readonly #still = new Map<string, number>();
  /** Ids that were just given, and since when their row has been unchanged. */
  readonly #given = new Map<string, { readonly print: string; readonly sinceMs: number }>();
  #handedSinceMs = 0;

  last(id: string): LastSeen | undefined {
    return this.#rows.get(id)?.last;
  }

  /** Looks up ids that are new to this process, or whose row says something else: another process may know more. */
  async lookUp(
    rows: readonly { id: string; print?: string }[],
    view: Pick<ObjectView, 'peek'>,
  ): Promise<void> {
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
        // A difference means that another process replaced what this one handed on, or that it was forgotten.
        if (last === undefined || last.print !== this.last(id)?.print) this.#rows.set(id, { last });
      }
    }
  }

  /** Those rows of one reading without an id that are unchanged for `stillForMs`. */
  still(rows: readonly TypedRow[], { stillForMs, nowMs }: { stillForMs: number; nowMs: number }) {
    const prints = new Set(rows.map(({ print }) => print));
    for (const print of this.#still.keys()) if (!prints.has(print)) this.#still.delete(print);
    for (const print of prints) this.#still.set(print, startedBy(this.#still.get(print), nowMs));
    return rows.filter(({ print }) => nowMs - (this.#still.get(print) ?? nowMs) >= stillForMs);
  }

  /** The row was left alone for long enough and gets this id: it need not wait again. */
  give(id: string, { print }: TypedRow): void {
    const sinceMs = this.#still.get(print);
    if (sinceMs !== undefined) this.#given.set(id, { print, sinceMs });
  }

  /** When the row's current state was first seen; undefined when it was already handed on. */
  newsSince(row: TypedRow, nowMs: number): number | undefined {
    if (distanceMs(this.#handedSinceMs, nowMs) > HANDED_FOR_MS) this.#forgetHanded(nowMs);
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
