import type { SheetPlace } from '../../src/engine/sheet-row.ts';
import type { SheetRows } from '../../src/engine/sheet-rows.ts';
import type { MemoryOutbox } from './outbox.ts';

/** The rows that a `MemoryOutbox` has had confirmed. Restored ones wait in it again at once. */
export class MemorySheetRows implements Omit<Pick<SheetRows, keyof SheetRows>, 'shown' | 'among' | 'forget'> {
  readonly #outbox: MemoryOutbox;

  constructor(outbox: MemoryOutbox) {
    this.#outbox = outbox;
  }

  async known({ mirror, spreadsheetId, tab }: SheetPlace): Promise<ReadonlyMap<string, string>> {
    const links = [...this.#outbox.linksOf(mirror)].filter(
      ([, link]) => link.spreadsheetId === spreadsheetId && link.tab === tab && link.hash !== 'cleared',
    );
    return new Map(links.map(([key, link]) => [key, link.hash]));
  }

  async restore(keys: readonly string[], mirror: string): Promise<void> {
    await this.#outbox.rewrite(keys, mirror);
  }

  async leave(rows: ReadonlyMap<string, string>, { mirror }: SheetPlace): Promise<void> {
    for (const [key, hash] of rows) this.#outbox.leave(key, mirror, hash);
  }
}
