import type { PendingRow } from '../../domain/sheet-row.ts';

/** More than this many are not remembered: the oldest is then tried once more. */
const REMEMBERED_MAX = 10_000;

/** Rows that Google refuses as they are. A newer version of the same row is another matter. */
export class RefusedRows {
  readonly #versions = new Map<string, number>();

  add(row: PendingRow): void {
    const [oldest] = this.#versions.keys();
    if (this.#versions.size >= REMEMBERED_MAX && oldest !== undefined) this.#versions.delete(oldest);
    this.#versions.set(nameOf(row), row.version);
  }

  has(row: PendingRow): boolean {
    return this.#versions.get(nameOf(row)) === row.version;
  }
}

function nameOf(row: PendingRow): string {
  return `${row.mirror} ${row.key}`;
}
