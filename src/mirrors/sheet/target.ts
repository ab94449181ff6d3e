// The state of one object comes in, its row goes into the outbox under the claim's fence; a flush writes it. Doing it again with
// the same state changes nothing.
import { formatKey } from '../../domain/entity.ts';
import { RetryableError } from '../../domain/errors.ts';
import type { SheetMirror } from '../../domain/mirror.ts';
import type { Cell, OutboxRow } from '../../domain/sheet-row.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { Claim } from '../../domain/work.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectorySource } from '../../ports/directory-source.ts';
import type { FlushBell } from '../../ports/flush-bell.ts';
import type { Log } from '../../ports/log.ts';
import type { Meter } from '../../ports/meter.ts';
import type { MirrorAction, MirrorTarget } from '../../ports/mirror-target.ts';
import type { Outbox } from '../../ports/outbox.ts';
import { sheetContext } from '../render/context.ts';
import { compileTemplate, type Template } from '../render/template.ts';
import { takesIntoSheet } from '../route.ts';
import { storable } from './cell-data.ts';

export interface SheetTargetParts {
  readonly mirror: SheetMirror;
  readonly outbox: Outbox;
  readonly bell: FlushBell;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** The hash of a row that was taken away. */
export const CLEARED = 'cleared';

/** Throws `TerminalError` (`template-failed`) for a column whose template does not parse. */
export function createSheetTarget(parts: SheetTargetParts): MirrorTarget {
  return new SheetTarget(parts);
}

type Wish = 'row' | 'cleared' | 'nothing' | 'row-if-there';

class SheetTarget implements MirrorTarget {
  readonly name: string;
  readonly from: SheetMirror['from'];
  readonly #parts: SheetTargetParts;
  readonly #columns: readonly { readonly header: string; readonly template: Template }[];

  constructor(parts: SheetTargetParts) {
    const { mirror } = parts;
    this.#parts = parts;
    this.name = mirror.name;
    this.from = mirror.from;
    // The key column holds the object's id, whatever its template says: rows are found by it.
    this.#columns = mirror.columns
      .filter(({ header }) => header.trim() !== mirror.keyHeader.trim())
      .map(({ header, template }) => ({ header: header.trim(), template: compileTemplate(template) }));
  }

  async reconcile(claim: Claim): Promise<MirrorAction> {
    const wish = await this.#settled(claim, this.#wish(claim));
    if (wish === 'nothing') return 'nothing';
    const row = this.#row(claim, wish === 'row' ? claim.snapshot : undefined);
    const outcome = await this.#parts.outbox.put(claim, row);
    if (outcome === 'fenced') throw new RetryableError('fenced', 'another handler took the object over');
    if (outcome === 'unchanged') return 'nothing';
    this.#parts.bell.ring(row.spreadsheetId);
    return 'queued';
  }

  async preview(claim: Claim): Promise<MirrorAction> {
    const wish = await this.#settled(claim, this.#wish(claim));
    if (wish === 'nothing') return 'nothing';
    const row = this.#row(claim, wish === 'row' ? claim.snapshot : undefined);
    const link = claim.links[this.name]?.sheet;
    const isSame =
      link?.hash === row.hash && link.tab === row.tab && link.spreadsheetId === row.spreadsheetId;
    // Taking away asks for no link, so that a row of an earlier installation goes too; most often there is none.
    return isSame || (wish === 'cleared' && link === undefined) ? 'nothing' : 'queued';
  }

  #wish({ snapshot, deleted }: Claim): Wish {
    const { mirror } = this.#parts;
    if (deleted) {
      if (mirror.deleted === 'clear') return 'cleared';
      // What was deleted before it was ever mirrored gets no row for that.
      return snapshot === undefined ? 'nothing' : 'row-if-there';
    }
    if (snapshot === undefined) return 'nothing';
    // A row may stand in the tab of which nothing is known here (after Redis was lost), so taking away does not ask for a link.
    if (!this.#takes(snapshot, true)) return mirror.unmatched === 'clear' ? 'cleared' : 'row-if-there';
    return this.#takes(snapshot, false) ? 'row' : 'row-if-there';
  }

  /** Kept rows are kept up to date, and rows are never begun for what the mirror does not take. */
  async #settled(claim: Claim, wish: Wish): Promise<Exclude<Wish, 'row-if-there'>> {
    if (wish !== 'row-if-there') return wish;
    return this.#isLinked(claim) || (await this.#isWaiting(claim)) ? 'row' : 'nothing';
  }

  #isLinked(claim: Claim): boolean {
    const { name, spreadsheetId, tab } = this.#parts.mirror;
    const link = claim.links[name]?.sheet;
    return link?.spreadsheetId === spreadsheetId && link.tab === tab && link.hash !== CLEARED;
  }

  /** A row that was put before and not written yet has no link: it must not be written as it was then. */
  async #isWaiting({ key, desiredRev }: Claim): Promise<boolean> {
    // At an object's first revision nothing was put before.
    if (desiredRev <= 1) return false;
    const { mirror, outbox } = this.#parts;
    return outbox.waits({ mirror: mirror.name, spreadsheetId: mirror.spreadsheetId, key: formatKey(key) });
  }

  #takes(snapshot: Snapshot, linked: boolean): boolean {
    const { mirror, clock, directory } = this.#parts;
    return takesIntoSheet(mirror, snapshot, {
      nowMs: clock.now(),
      linked,
      directory: directory.current(),
    });
  }

  #row(claim: Claim, snapshot: Snapshot | undefined): OutboxRow {
    const { name, spreadsheetId, tab } = this.#parts.mirror;
    const cells = snapshot === undefined ? undefined : this.#render(snapshot, claim.deleted);
    return {
      spreadsheetId,
      tab,
      mirror: name,
      key: formatKey(claim.key),
      rowKey: claim.key.id,
      cells,
      hash: cells === undefined ? CLEARED : contentHash(cells),
      occurredAtMs: claim.pendingSinceMs,
    };
  }

  #render(snapshot: Snapshot, deleted: boolean): Record<string, Cell> {
    const { mirror, directory } = this.#parts;
    const { from, timezone } = mirror;
    const context = sheetContext(from, snapshot, { directory: directory.current(), timezone, deleted });
    return Object.fromEntries(
      this.#columns.map(({ header, template }) => [header, storable(template.cell(context))]),
    );
  }
}
