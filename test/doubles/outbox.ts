import { fenced } from '../../src/engine/errors.ts';
import type { SheetLink } from '../../src/engine/link.ts';
import type { Outbox, OutboxDepth, Put, RowsAmong } from '../../src/engine/outbox.ts';
import type { OutboxRow, PendingRow } from '../../src/engine/sheet-row.ts';
import type { Claim } from '../../src/engine/work.ts';

/** Rows in memory. A row that is to be rewritten waits again at once, as it was last put: the worker's next look would do that. */
export class MemoryOutbox implements Outbox {
  readonly rewritten: string[] = [];
  /** `<mirror> <key>` to how often a row of it was confirmed. */
  readonly confirmations = new Map<string, number>();
  readonly #waiting = new Map<string, PendingRow>();
  readonly #newest = new Map<string, OutboxRow>();
  /** As they were last put, unless they were rewritten since. */
  readonly #puts = new Map<string, OutboxRow>();
  readonly #links = new Map<string, SheetLink>();
  readonly #fences = new Map<string, number>();
  #version = 0;

  async put(claim: Claim, row: OutboxRow): Promise<Put> {
    const newestFence = this.#fences.get(row.key) ?? 0;
    if (Number(claim.fence) < newestFence) throw fenced();
    this.#fences.set(row.key, Number(claim.fence));
    const name = nameOf(row.mirror, row.key);
    const link = this.#links.get(name);
    const isThere =
      link?.hash === row.hash && link.tab === row.tab && link.spreadsheetId === row.spreadsheetId;
    if (isThere && !this.#waiting.has(name)) {
      this.#links.set(name, { ...link, ...(row.standing && { standing: row.standing }) });
      return 'unchanged';
    }
    const known = this.#waiting.has(name) ? this.#puts.get(name) : undefined;
    const isSame =
      known?.hash === row.hash &&
      (['spreadsheetId', 'tab', 'onlyIfThere'] as const).every((each) => known[each] === row[each]);
    const isMove = [known, row].some((each) => (each?.movesFrom ?? each?.leftBehind) !== undefined);
    if (isSame && !isMove) return 'waiting';
    this.#puts.set(name, row);
    this.queue([row]);
    return 'queued';
  }

  /** As if the worker had put them. */
  queue(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const name = nameOf(row.mirror, row.key);
      this.#version += 1;
      this.#newest.set(name, row);
      this.#waiting.set(name, { ...row, version: this.#version });
    }
  }

  link(key: string, mirror: string): SheetLink | undefined {
    return this.#links.get(nameOf(mirror, key));
  }

  /** Object key to link. */
  linksOf(mirror: string): ReadonlyMap<string, SheetLink> {
    const ofMirror = [...this.#links].filter(([name]) => name.startsWith(`${mirror} `));
    return new Map(ofMirror.map(([name, link]) => [name.slice(mirror.length + 1), link]));
  }

  /** The row stays away, unless it was written since it had this hash. */
  leave(key: string, mirror: string, hash: string): void {
    const name = nameOf(mirror, key);
    const link = this.#links.get(name);
    if (link?.hash === hash) this.#links.set(name, { ...link, hash: 'left' });
  }

  async pending(
    spreadsheetId: string,
    limit: number,
    { mirror, wants = () => true }: RowsAmong = {},
  ): Promise<readonly PendingRow[]> {
    return this.#of(spreadsheetId)
      .filter((row) => (mirror === undefined || row.mirror === mirror) && wants(row))
      .sort((a, b) => a.version - b.version)
      .slice(0, limit);
  }

  async confirm(rows: readonly PendingRow[]): Promise<void> {
    for (const { mirror, key, spreadsheetId, tab, hash, formats, standing, version } of rows) {
      const name = nameOf(mirror, key);
      // A row that is not there any more was confirmed by another flush, perhaps with newer cells.
      if (!this.#waiting.has(name)) continue;
      this.confirmations.set(name, (this.confirmations.get(name) ?? 0) + 1);
      const patterns = Object.entries(formats ?? {}).map(([header, { pattern }]) => [header, pattern]);
      const looks = formats === undefined ? {} : { formats: Object.fromEntries(patterns) };
      this.#links.set(name, { spreadsheetId, tab, hash, ...looks, ...(standing && { standing }) });
      if (this.#waiting.get(name)?.version === version) this.#waiting.delete(name);
    }
  }

  async drop(rows: readonly PendingRow[]): Promise<void> {
    for (const row of rows) this.refuse(row);
  }

  /** The row leaves, unless it was replaced. */
  refuse({ mirror, key, version }: PendingRow): void {
    const name = nameOf(mirror, key);
    if (this.#waiting.get(name)?.version === version) this.#waiting.delete(name);
  }

  async waits(row: { readonly mirror: string; readonly key: string }): Promise<boolean> {
    const waiting = this.#waiting.get(nameOf(row.mirror, row.key));
    return waiting?.cells !== undefined && waiting.onlyIfThere !== true;
  }

  async rewrite(keys: readonly string[], mirror: string): Promise<void> {
    for (const key of keys) {
      const newest = this.#newest.get(nameOf(mirror, key));
      this.rewritten.push(key);
      this.#puts.delete(nameOf(mirror, key));
      const link = this.#links.get(nameOf(mirror, key));
      if (link !== undefined) {
        const { formats: _, ...rest } = link;
        this.#links.set(nameOf(mirror, key), { ...rest, hash: '' });
      }
      if (newest !== undefined) this.queue([newest]);
    }
  }

  async waiting(): Promise<readonly OutboxDepth[]> {
    const ids = new Set([...this.#waiting.values()].map(({ spreadsheetId }) => spreadsheetId));
    return [...ids].map((spreadsheetId) => ({ spreadsheetId, rows: this.#of(spreadsheetId).length }));
  }

  #of(spreadsheetId: string): PendingRow[] {
    return [...this.#waiting.values()].filter((row) => row.spreadsheetId === spreadsheetId);
  }
}

function nameOf(mirror: string, key: string): string {
  return `${mirror} ${key}`;
}
