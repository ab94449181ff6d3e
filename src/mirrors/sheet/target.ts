// The state of one object comes in, its row goes into the outbox under the claim's fence; a flush writes it. Doing it again with
// the same state changes nothing.
import { formatKey } from '../../domain/entity.ts';
import { RetryableError } from '../../domain/errors.ts';
import type { SheetLink } from '../../domain/link.ts';
import type { SheetMirror } from '../../domain/mirror.ts';
import type { OutboxRow } from '../../domain/sheet-row.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { type Expectation, sheetPlace } from '../../domain/standing.ts';
import type { Claim } from '../../domain/work.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectorySource } from '../../ports/directory-source.ts';
import type { FlushBell } from '../../ports/flush-bell.ts';
import type { Log } from '../../ports/log.ts';
import type { Meter } from '../../ports/meter.ts';
import type { MirrorAction, MirrorTarget } from '../../ports/mirror-target.ts';
import type { Outbox } from '../../ports/outbox.ts';
import { sheetContext } from '../render/context.ts';
import { entersAtMs, filterHash, takesIntoSheet } from '../route.ts';
import {
  CLEARED,
  cellsPart,
  createRowRenderer,
  LEFT,
  type RowContent,
  type RowRenderer,
  rowHash,
} from './row-content.ts';
import type { SheetZones } from './sheet-zones.ts';

export interface SheetTargetParts {
  readonly mirror: SheetMirror;
  readonly outbox: Outbox;
  readonly bell: FlushBell;
  /** Needed by mirrors with dates or times and no zone of their own. */
  readonly zones?: SheetZones;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Throws `TerminalError` (`template-failed`) for a column whose template does not parse. */
export function createSheetTarget(parts: SheetTargetParts): MirrorTarget {
  return new SheetTarget(parts);
}

type Wish = 'row' | 'cleared' | 'nothing' | 'row-if-there';

class SheetTarget implements MirrorTarget {
  readonly name: string;
  readonly from: SheetMirror['from'];
  readonly #parts: SheetTargetParts;
  readonly #renderer: RowRenderer;

  constructor(parts: SheetTargetParts) {
    const { mirror } = parts;
    this.#parts = parts;
    this.name = mirror.name;
    this.from = mirror.from;
    this.#renderer = createRowRenderer(mirror);
  }

  async reconcile(claim: Claim): Promise<MirrorAction> {
    const wish = await this.#settled(claim, this.#wish(claim));
    if (wish === 'nothing') return 'nothing';
    if (wish === 'row' && this.#staysAway && this.#linkHere(claim)?.hash === LEFT) return 'nothing';
    const snapshot = wish === 'row' ? claim.snapshot : undefined;
    const row = this.#row(claim, snapshot === undefined ? undefined : await this.#render(claim, snapshot));
    const outcome = await this.#parts.outbox.put(claim, row);
    if (outcome === 'fenced') throw new RetryableError('fenced', 'another handler took the object over');
    if (outcome === 'unchanged') return 'nothing';
    this.#parts.bell.ring(row.spreadsheetId);
    return 'queued';
  }

  async preview(claim: Claim): Promise<MirrorAction> {
    const wish = await this.#settled(claim, this.#wish(claim));
    if (wish === 'nothing') return 'nothing';
    const snapshot = wish === 'row' ? claim.snapshot : undefined;
    const row = this.#row(claim, snapshot === undefined ? undefined : await this.#render(claim, snapshot));
    const link = claim.links[this.name]?.sheet;
    const isSame =
      link?.hash === row.hash && link.tab === row.tab && link.spreadsheetId === row.spreadsheetId;
    // Taking away asks for no link, so that a row of an earlier installation goes too; most often there is none.
    return isSame || (wish === 'cleared' && link === undefined) ? 'nothing' : 'queued';
  }

  nextTurnAtMs(claim: Claim, nowMs: number): number | undefined {
    const { mirror, directory } = this.#parts;
    const { snapshot } = claim;
    if (mirror.from !== 'appointment' || snapshot === undefined || claim.deleted) return undefined;
    const around = { nowMs, linked: this.#isLinked(claim), directory: directory.current() };
    return entersAtMs(mirror.where, snapshot, around);
  }

  async expected(claim: Claim): Promise<readonly Expectation[]> {
    const wish = await this.#settled(claim, this.#wish(claim));
    const link = this.#linkHere(claim);
    const snapshot = claim.snapshot;
    const isKept = snapshot !== undefined && !claim.deleted && !this.#takes(snapshot, true);
    const about = { place: sheetPlace(this.#parts.mirror), linked: this.#parts.mirror.tab };
    if (wish === 'row' && snapshot !== undefined) {
      const hash = rowHash(await this.#render(claim, snapshot));
      const isRight = (content: unknown) => content === cellsPart(hash);
      const isLeft = this.#staysAway && link?.hash === LEFT;
      if (isLeft) return [{ ...about, rule: 'may', because: 'left', isRight, isConfirmed: false }];
      if (isKept && this.#parts.mirror.unmatched === 'clear') {
        return [{ ...about, rule: 'may', because: 'changed-mapping', isRight, isConfirmed: false }];
      }
      return [{ ...about, rule: 'must', isRight, isConfirmed: link?.hash === hash }];
    }
    // Where kept rows are meant, a row of which nothing is known here may be one of those.
    const mayStay = claim.deleted
      ? this.#parts.mirror.deleted === 'keep'
      : this.#parts.mirror.unmatched === 'keep';
    const rule = wish === 'nothing' && mayStay ? 'may' : 'must-not';
    return [{ ...about, rule, isRight: () => false, isConfirmed: link?.hash === CLEARED }];
  }

  #wish(claim: Claim): Wish {
    const { snapshot, deleted } = claim;
    const { mirror } = this.#parts;
    if (deleted) {
      if (mirror.deleted === 'clear') return 'cleared';
      // What was deleted before it was ever mirrored gets no row for that.
      return snapshot === undefined ? 'nothing' : 'row-if-there';
    }
    if (snapshot === undefined) return 'nothing';
    // A row may stand in the tab of which nothing is known here (after Redis was lost), so taking away does not ask for a link.
    if (!this.#takes(snapshot, true)) {
      return mirror.unmatched === 'clear' && !this.#isYamlsDoing(claim, snapshot)
        ? 'cleared'
        : 'row-if-there';
    }
    return this.#takes(snapshot, false) ? 'row' : 'row-if-there';
  }

  /** The object is what it was when its row was written: an edit of `where` has left it out, and an edit of the YAML clears no rows. */
  #isYamlsDoing(claim: Claim, snapshot: Snapshot): boolean {
    const link = this.#linkHere(claim);
    if (link === undefined || link.hash === CLEARED || link.released === true) return false;
    return link.standing === undefined || link.standing === filterHash(snapshot);
  }

  /** Kept rows are kept up to date, and rows are never begun for what the mirror does not take. */
  async #settled(claim: Claim, wish: Wish): Promise<Exclude<Wish, 'row-if-there'>> {
    if (wish !== 'row-if-there') return wish;
    return this.#isLinked(claim) || (await this.#isWaiting(claim)) ? 'row' : 'nothing';
  }

  #isLinked(claim: Claim): boolean {
    const link = this.#linkHere(claim);
    return link !== undefined && link.hash !== CLEARED;
  }

  get #staysAway(): boolean {
    return this.#parts.mirror.check?.removed === 'leave';
  }

  /** A row that is to be written again from nothing (an empty hash) was not deleted by anybody. */
  #isConfirmed(claim: Claim): boolean {
    const hash = this.#linkHere(claim)?.hash;
    return hash !== undefined && hash !== '' && hash !== CLEARED;
  }

  #linkHere(claim: Claim): SheetLink | undefined {
    const { name, spreadsheetId, tab } = this.#parts.mirror;
    const link = claim.links[name]?.sheet;
    return link?.spreadsheetId === spreadsheetId && link.tab === tab ? link : undefined;
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

  #row(claim: Claim, content: RowContent | undefined): OutboxRow {
    const { name, spreadsheetId, tab } = this.#parts.mirror;
    return {
      spreadsheetId,
      tab,
      mirror: name,
      key: formatKey(claim.key),
      rowKey: claim.key.id,
      cells: content?.cells,
      hash: content === undefined ? CLEARED : rowHash(content),
      ...(claim.snapshot === undefined ? {} : { standing: filterHash(claim.snapshot) }),
      ...(content !== undefined && this.#staysAway && this.#isConfirmed(claim) ? { staysAway: true } : {}),
      ...this.#looks(claim, content?.formats ?? {}),
      occurredAtMs: claim.pendingSinceMs,
    };
  }

  /** The format of a cell is people's once it was given: only another one, of another currency perhaps, is given again. */
  #looks(claim: Claim, formats: RowContent['formats']): Pick<OutboxRow, 'formats' | 'reformat'> {
    if (Object.keys(formats).length === 0) return {};
    const given = this.#linkHere(claim)?.formats ?? {};
    const reformat = Object.keys(formats).filter((header) => given[header] !== formats[header]?.pattern);
    return reformat.length === 0 ? { formats } : { formats, reformat };
  }

  async #render(claim: Claim, snapshot: Snapshot): Promise<RowContent> {
    const { mirror, directory } = this.#parts;
    const { from, timezone } = mirror;
    const around = { directory: directory.current(), timezone, deleted: claim.deleted };
    return this.#renderer.render(sheetContext(from, snapshot, around), await this.#zone());
  }

  async #zone(): Promise<string> {
    const { mirror, zones } = this.#parts;
    if (mirror.timezone !== undefined) return mirror.timezone;
    if (!this.#renderer.needsZone || zones === undefined) return 'UTC';
    return zones.zoneOf(mirror.spreadsheetId);
  }
}
