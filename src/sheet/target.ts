// Input: the state of one object. Output: its row in the outbox, stored under the claim's fence; a flush writes it. Repeating this with the
// same state changes nothing.

import { RetryableError, TerminalError } from '../engine/errors.ts';
import type { Action, MirrorTarget } from '../engine/handler.ts';
import { sheetPlace } from '../engine/ids.ts';
import type { SheetLink } from '../engine/link.ts';
import type { Expectation, MirrorPlaces, SheetMirror } from '../engine/mirror.ts';
import { formatKey, type Snapshot } from '../engine/object.ts';
import type { FlushWaker, Outbox } from '../engine/outbox.ts';
import type { FieldChange, PlannedRow, PlannedStep } from '../engine/planned.ts';
import type { DirectorySource } from '../engine/platform.ts';
import type { Runtime } from '../engine/runtime.ts';
import { type CellFormat, type OutboxRow, type SheetSpot, trimmedCell } from '../engine/sheet-row.ts';
import type { Claim } from '../engine/work.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import { assertReadable } from '../mapping/filter-lines.ts';
import { entersAtMs, filterMark, isLeftOutByYaml, takesIntoSheet } from '../mapping/route.ts';
import { compileTemplate, sheetContext, type TemplateContext } from '../mapping/template.ts';
import { harmlessWords, maskPeople } from '../mapping/template-names.ts';
import { carriedHash } from './carrier.ts';
import { cellMark, noteText } from './cells.ts';
import { isObjectId, type TabView } from './flush-plan.ts';
import { isTabFault, type TabFault } from './tab-layout.ts';
import {
  archivedAtMs,
  isSameSpot,
  leftoverOf,
  otherSpot,
  placesOf,
  spotFor,
  spotOf,
  storable,
  type TabSurvey,
} from './tab-survey.ts';
import {
  cellsHash,
  cellsPart,
  hasZone,
  type RowContent,
  rowHash,
  type SheetZones,
  typedCell,
} from './typed-cell.ts';

export interface SheetTargetParts extends Runtime {
  readonly mirror: SheetMirror;
  readonly outbox: Outbox;
  readonly waker: FlushWaker;
  /** Required for mirrors with dates or times and no zone of their own. */
  readonly zones?: SheetZones;
  readonly directory: DirectorySource;
}

/** Throws `TerminalError` (`template-failed`) for a column whose template does not parse. */
export function createSheetTarget(parts: SheetTargetParts): MirrorTarget {
  return new SheetTarget(parts);
}

/** `zone`: the zone of its times. */
type ZonedContent = RowContent & { readonly zone: string };

/** A box that users tick. Without the validation rule the cell would show the word FALSE. */
const CHECKBOX: CellFormat = { type: 'CHECKBOX', pattern: 'checkbox' };

/** Earlier marks kept of each cell. */
const FORMER_MARKS_MAX = 4;

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

  async reconcile(claim: Claim): Promise<Action> {
    // A user's edit of this row waits for the platform: keep the row as it is until the edit is answered.
    if (claim.rowEdits?.some(({ mirror }) => mirror === this.name) === true) return 'nothing';
    const row = await this.#wanted(claim);
    if (row === undefined) return 'nothing';
    const { outbox, waker, mirror } = this.#parts;
    const others = placesOf(mirror)
      .map(({ spreadsheetId }) => spreadsheetId)
      .filter((spreadsheetId) => spreadsheetId !== row.spreadsheetId);
    const outcome = await outbox.put(claim, row, others);
    if (outcome === 'unchanged') return 'nothing';
    if (outcome === 'queued') waker.wake(row.spreadsheetId);
    return 'queued';
  }

  async preview(claim: Claim): Promise<Action> {
    const row = await this.#wanted(claim);
    if (row === undefined) return 'nothing';
    const link = this.#link(claim);
    const isSame = link?.hash === row.hash && isSameSpot(link, row);
    // Clearing or finding a row needs no link, because it may date from an earlier installation. Usually there is no such row, so report
    // nothing.
    const isSought = (row.cells === undefined || row.onlyIfThere === true) && link === undefined;
    return isSame || isSought ? 'nothing' : 'queued';
  }

  async planned(claim: Claim): Promise<readonly PlannedStep[]> {
    const row = await this.#wanted(claim);
    const link = this.#link(claim);
    const stands = link !== undefined && link.hash !== CLEARED && link.hash !== LEFT ? link : undefined;
    const kept = (await this.expected(claim)).find(({ because }) => because === 'changed-mapping');
    if (kept !== undefined) return [{ action: 'kept', place: kept.place }];
    const there = stands === undefined ? [] : [sheetPlace(stands)];
    if (row === undefined) return there.map((place) => ({ action: 'same', place }));
    const place = sheetPlace(row);
    if (row.leftBehind !== undefined) return [{ action: 'removed', place }];
    if (row.cells === undefined) return there.map((where) => ({ action: 'removed', place: where }));
    if (stands === undefined) return row.onlyIfThere === true ? [] : [{ action: 'created', place }];
    const isElsewhere = !isSameSpot(stands, row);
    if (!isElsewhere && stands.hash === row.hash) return [{ action: 'same', place }];
    const told = { fields: rowChanges(stands, row), row: await this.#plannedRow(claim, row) };
    if (isElsewhere) return [{ action: 'moved', place, from: sheetPlace(stands), ...told }];
    return [{ action: 'updated', place, ...told }];
  }

  /** A cell is personal if masking the people in the snapshot changes it. */
  async #plannedRow(claim: Claim, { cells = {} }: OutboxRow): Promise<PlannedRow> {
    const { mirror, directory } = this.#parts;
    const { snapshot = { id: claim.key.id } } = claim;
    const masked = maskPeople(mirror.from, snapshot);
    const { cells: ofNobody } = await this.#render(claim, masked);
    const types = new Map(mirror.columns.map(({ header, as }) => [header.trim(), as]));
    return {
      id: claim.key.id,
      cells: Object.entries(cells).map(([header, value]) => ({
        ...{ header, value, as: types.get(header) },
        isPersonal: value !== ofNobody[header] || header === this.#carry?.answerHeader,
      })),
      harmless: harmlessWords(snapshot, { masked, directory: directory.current() }),
    };
  }

  /** The row that brings the tabs to the object's state. A started move is finished first. */
  async #wanted(claim: Claim): Promise<OutboxRow | undefined> {
    const { mirror, directory } = this.#parts;
    if (claim.snapshot !== undefined && !claim.deleted) {
      const subject = { kind: mirror.from, snapshot: claim.snapshot, directory: directory.current() };
      assertReadable(mirror.where, subject);
    }
    const link = this.#link(claim);
    const spot = this.#spot(claim, link);
    const leftover = leftoverOf(link, spot);
    if (leftover !== undefined && this.#isMapped(leftover.at)) {
      return { ...this.#row(claim, undefined, leftover.at), leftBehind: { forced: leftover.forced } };
    }
    const wish = await this.#settled(claim, this.#wish(claim));
    if (wish === 'nothing') return undefined;
    if (wish === 'row' && this.#staysAway && link?.hash === LEFT) return undefined;
    const snapshot = wish === 'cleared' ? undefined : claim.snapshot;
    const content = snapshot === undefined ? undefined : await this.#render(claim, snapshot);
    const movesFrom = this.#movesFrom(claim, { link, spot });
    const onlyIfThere = wish === 'row-if-there' ? ({ onlyIfThere: true } as const) : {};
    return { ...this.#row(claim, content, spot), ...(movesFrom && { movesFrom }), ...onlyIfThere };
  }

  /** Where the row belongs: the object's age decides, unless users have written beside the row where it is now. */
  #spot(claim: Claim, link: SheetLink | undefined): SheetSpot {
    const { mirror, clock } = this.#parts;
    const now = clock.now();
    const isToStay = link !== undefined && ((link.staysUntilMs ?? 0) > now || !this.#isToKeep(claim));
    return isToStay ? spotOf(link) : spotFor(mirror, claim.snapshot, now);
  }

  /** False when the row is to be cleared: then it is cleared where it is now. */
  #isToKeep(claim: Claim): boolean {
    return this.#wish(claim) !== 'cleared';
  }

  #movesFrom(claim: Claim, { link, spot }: { link: SheetLink | undefined; spot: SheetSpot }) {
    const { mirror, clock } = this.#parts;
    if (link === undefined) return otherSpot(mirror, claim.snapshot, { spot, nowMs: clock.now() });
    return isSameSpot(link, spot) || link.hash === CLEARED ? undefined : spotOf(link);
  }

  #isMapped(spot: SheetSpot): boolean {
    return placesOf(this.#parts.mirror).some((place) => isSameSpot(place, spot));
  }

  nextTurnAtMs(claim: Claim, nowMs: number): number | undefined {
    const moments = [this.#entersAtMs(claim, nowMs), ...this.#movesAtMs(claim, nowMs)];
    const ahead = moments.filter((moment) => moment !== undefined && moment > nowMs) as number[];
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  #entersAtMs({ snapshot, deleted, links }: Claim, nowMs: number): number | undefined {
    const { mirror, directory } = this.#parts;
    if (mirror.from !== 'appointment' || snapshot === undefined || deleted) return undefined;
    const linked = this.#isLinked({ links });
    return entersAtMs(mirror.where, snapshot, { nowMs, linked, directory: directory.current() });
  }

  /** When the row moves to the archive, or when a postponed move is tried again. */
  #movesAtMs(claim: Claim, nowMs: number): readonly (number | undefined)[] {
    const { mirror } = this.#parts;
    if (mirror.archive === undefined || !(this.#isLinked(claim) || this.#wish(claim) === 'row')) return [];
    const at = archivedAtMs(mirror, claim.snapshot);
    const link = this.#link(claim);
    const belongs = spotFor(mirror, claim.snapshot, nowMs);
    return [at, link === undefined || isSameSpot(link, belongs) ? undefined : link.staysUntilMs];
  }

  async expected(claim: Claim): Promise<readonly Expectation[]> {
    const wish = await this.#settled(claim, this.#wish(claim));
    const link = this.#link(claim);
    const snapshot = claim.snapshot;
    const spot = link ?? this.#spot(claim, link);
    const isKept = snapshot !== undefined && !claim.deleted && !this.#takes(claim, snapshot, true);
    const about = { place: sheetPlace(spot), linked: spot.tab };
    const elsewhere = this.#expectedElsewhere(claim, spot);
    if (wish === 'row' && snapshot !== undefined) {
      const hash = rowHash(await this.#render(claim, snapshot));
      const isRight = (content: unknown) => content === cellsPart(hash);
      const isLeft = this.#staysAway && link?.hash === LEFT;
      if (isLeft)
        return [{ ...about, rule: 'may', because: 'left', isRight, isConfirmed: false }, ...elsewhere];
      if (isKept && this.#parts.mirror.unmatched === 'clear') {
        return [
          { ...about, rule: 'may', because: 'changed-mapping', isRight, isConfirmed: false },
          ...elsewhere,
        ];
      }
      return [{ ...about, rule: 'must', isRight, isConfirmed: link?.hash === hash }, ...elsewhere];
    }
    // Where rows are kept, an unknown row may be a kept one.
    if (wish === 'row-if-there' && snapshot !== undefined) {
      const hash = rowHash(await this.#render(claim, snapshot));
      const isRight = (content: unknown) => content === cellsPart(hash);
      const may: Expectation = { ...about, rule: 'may', isRight, isConfirmed: false };
      return [may, ...elsewhere.map((each): Expectation => ({ ...each, rule: 'may' }))];
    }
    const mayStay = claim.deleted
      ? this.#parts.mirror.deleted === 'keep'
      : this.#parts.mirror.unmatched === 'keep';
    const rule: Expectation['rule'] = mayStay ? 'may' : 'must-not';
    const isConfirmed = link?.hash === CLEARED;
    return [
      { ...about, rule, isRight: () => false, isConfirmed },
      ...elsewhere.map((each) => ({ ...each, rule })),
    ];
  }

  /** The mirror's other tab must hold no row of the object, unless the row is moving between the two. */
  #expectedElsewhere(claim: Claim, spot: SheetSpot): readonly Expectation[] {
    const link = this.#link(claim);
    const isMoving =
      link?.former !== undefined || link?.bound !== undefined || !isSameSpot(spot, this.#spot(claim, link));
    return placesOf(this.#parts.mirror)
      .filter((place) => !isSameSpot(place, spot))
      .map(
        (place): Expectation => ({
          ...{ place: sheetPlace(place), linked: place.tab },
          rule: isMoving ? 'may' : 'must-not',
          ...{ isRight: () => false, isConfirmed: false },
        }),
      );
  }

  #wish(claim: Claim): Wish {
    const { snapshot, deleted } = claim;
    const { mirror } = this.#parts;
    if (deleted) {
      if (mirror.deleted === 'clear') return 'cleared';
      // An object deleted before it was ever mirrored gets no new row.
      return snapshot === undefined ? 'nothing' : 'row-if-there';
    }
    if (snapshot === undefined) return 'nothing';
    // After a lost Redis the tab may hold a row unknown here, so clearing does not require a link.
    if (!this.#takes(claim, snapshot, true)) {
      return mirror.unmatched === 'clear' && !this.#isExcludedByYamlEdit(claim, snapshot)
        ? 'cleared'
        : 'row-if-there';
    }
    return this.#takes(claim, snapshot, false) ? 'row' : 'row-if-there';
  }

  /** The object is unchanged since its row was written, so an edit of `where` excluded it. Edits of the YAML clear no rows. */
  #isExcludedByYamlEdit(claim: Claim, snapshot: Snapshot): boolean {
    const link = this.#link(claim);
    if (link === undefined || link.hash === CLEARED || link.released === true) return false;
    if (link.standing === undefined) return true;
    const { mirror, directory } = this.#parts;
    const { customer } = claim;
    return isLeftOutByYaml(mirror, snapshot, {
      directory: directory.current(),
      customer,
      mark: link.standing,
    });
  }

  /**
   * Keeps an existing row up to date, but starts no row for an object that the mirror does not take. A missing link does not prove that the
   * row is missing, because Redis may have been lost. The flush then looks in the tab, once.
   */
  async #settled(claim: Claim, wish: Wish): Promise<Wish> {
    if (wish !== 'row-if-there') return wish;
    if (this.#isLinked(claim) || (await this.#isWaiting(claim))) return 'row';
    const isUnknown = claim.links[this.name]?.sheet === undefined;
    return isUnknown ? 'row-if-there' : 'nothing';
  }

  #isLinked(claim: Pick<Claim, 'links'>): boolean {
    const link = this.#link(claim);
    return link !== undefined && link.hash !== CLEARED;
  }

  get #staysAway(): boolean {
    return this.#parts.mirror.check?.removed === 'leave';
  }

  /** True when the worker has seen its row in the tab. An empty hash means that the row must be rewritten, so users did not delete it. */
  #isConfirmed(claim: Claim): boolean {
    const hash = this.#link(claim)?.hash;
    return hash !== undefined && hash !== '' && hash !== CLEARED;
  }

  /** The link, if its row is in one of the mirror's tabs. */
  #link({ links }: Pick<Claim, 'links'>): SheetLink | undefined {
    const link = links[this.name]?.sheet;
    return link !== undefined && this.#isMapped(link) ? link : undefined;
  }

  /** A row put earlier and not yet written has no link. It must not be written with its old content. */
  async #isWaiting({ key, desiredRev }: Claim): Promise<boolean> {
    // At an object's first revision no row was put before.
    if (desiredRev <= 1) return false;
    const { mirror, outbox } = this.#parts;
    for (const spreadsheetId of new Set(placesOf(mirror).map((place) => place.spreadsheetId))) {
      if (await outbox.waits({ mirror: mirror.name, spreadsheetId, key: formatKey(key) })) return true;
    }
    return false;
  }

  #takes({ customer }: Claim, snapshot: Snapshot, linked: boolean): boolean {
    const { mirror, clock, directory } = this.#parts;
    return takesIntoSheet(mirror, snapshot, {
      nowMs: clock.now(),
      linked,
      directory: directory.current(),
      customer,
    });
  }

  #row(claim: Claim, content: ZonedContent | undefined, spot: SheetSpot): OutboxRow {
    const link = this.#link(claim);
    const staysUntilMs = link !== undefined && isSameSpot(link, spot) ? link.staysUntilMs : undefined;
    return {
      ...spot,
      mirror: this.name,
      key: formatKey(claim.key),
      rowKey: claim.key.id,
      cells: content?.cells,
      hash: content === undefined ? CLEARED : rowHash(content),
      ...(claim.snapshot === undefined ? {} : { standing: this.#mark(claim, claim.snapshot) }),
      ...(content !== undefined && this.#staysAway && this.#isConfirmed(claim) ? { staysAway: true } : {}),
      ...(claim.links[this.name]?.sheet !== undefined && { hadRow: true as const }),
      ...(staysUntilMs === undefined ? {} : { staysUntilMs }),
      ...this.#shown(content, link),
      ...this.#looks({ link, spot }, content?.formats ?? {}),
      occurredAtMs: claim.pendingSinceMs,
    };
  }

  get #carry() {
    const { mirror } = this.#parts;
    return mirror.from === 'contact' || mirror.from === 'appointment' ? mirror.carry : undefined;
  }

  /** Marks of the carried cells as written, and as they were. Later looks compare cells with them to find users' changes. */
  #shown(content: ZonedContent | undefined, link: SheetLink | undefined): Pick<OutboxRow, 'shown' | 'was'> {
    const carry = this.#carry;
    if (carry === undefined || content === undefined) return {};
    const { zone } = content;
    const marks = carry.columns.map(({ header, field }) => {
      return [header, cellMark(content.cells[header], { field, region: carry.region, zone })] as const;
    });
    const was = marks.flatMap(([header, mark]) => {
      const before = [link?.shown?.cells[header] ?? mark, ...(link?.shown?.was?.[header] ?? [])];
      const others = [...new Set(before)].filter((each) => each !== mark).slice(0, FORMER_MARKS_MAX);
      return others.length === 0 ? [] : [[header, others] as const];
    });
    return { shown: Object.fromEntries(marks), ...(was.length > 0 && { was: Object.fromEntries(was) }) };
  }

  #mark(claim: Claim, snapshot: Snapshot): string {
    const { mirror, directory } = this.#parts;
    const former = this.#link(claim)?.standing;
    return filterMark(mirror, snapshot, {
      directory: directory.current(),
      customer: claim.customer,
      former,
    });
  }

  /**
   * Once written, a cell's format belongs to the users. The worker rewrites it only if the pattern changes, for example to another
   * currency.
   */
  #looks(
    { link, spot }: { link: SheetLink | undefined; spot: SheetSpot },
    formats: RowContent['formats'],
  ): Pick<OutboxRow, 'formats' | 'reformat'> {
    if (Object.keys(formats).length === 0) return {};
    const given = (link !== undefined && isSameSpot(link, spot) ? link.formats : undefined) ?? {};
    const reformat = Object.keys(formats).filter((header) => given[header] !== formats[header]?.pattern);
    return reformat.length === 0 ? { formats } : { formats, reformat };
  }

  async #render(claim: Claim, snapshot: Snapshot): Promise<ZonedContent> {
    const { mirror, directory } = this.#parts;
    const { from, timezone } = mirror;
    const around = { directory: directory.current(), timezone, deleted: claim.deleted };
    const zone = await this.#zone();
    const content = { ...this.#renderer.render(sheetContext(from, snapshot, around), zone), zone };
    const carry = this.#carry;
    if (carry === undefined) return content;
    const note = claim.rowNotes?.[this.name];
    const isTrue = note !== undefined && !claim.deleted && note.of === carriedHash(from, snapshot);
    // What waits stays said, whatever the platform changes meanwhile.
    const said = isTrue ? note : { done: [], refused: [], ...(note?.held && { held: note.held }) };
    const answer = storable(claim.deleted ? null : noteText(said, carry) || null);
    const boxes = carry.columns.flatMap(({ header, field }) => (field === 'cancel' ? [header] : []));
    return {
      ...content,
      cells: { ...content.cells, [carry.answerHeader]: answer },
      formats: { ...content.formats, ...Object.fromEntries(boxes.map((header) => [header, CHECKBOX])) },
    };
  }

  async #zone(): Promise<string> {
    const { mirror, zones } = this.#parts;
    if (mirror.timezone !== undefined) return mirror.timezone;
    if (!this.#renderer.needsZone || zones === undefined) return 'UTC';
    return zones.zoneOf(mirror.spreadsheetId);
  }
}

/**
 * What would change in a row. The link remembers only a hash of the cells and the patterns of their formats, so the result says no more.
 */
export function rowChanges(
  link: Pick<SheetLink, 'hash' | 'formats'>,
  row: Pick<OutboxRow, 'hash' | 'formats'>,
): readonly FieldChange[] {
  if (link.hash === '') return [];
  const isOther = cellsPart(link.hash) !== cellsPart(row.hash);
  const formats = Object.entries(row.formats ?? {}).flatMap(([header, { pattern }]): FieldChange[] => {
    const old = link.formats?.[header];
    if (old === pattern) return [];
    return [{ field: `format of ${header}`, ...(old === undefined ? {} : { old }), new: pattern }];
  });
  return [...(isOther ? [{ field: 'cells' }] : []), ...formats];
}

// Renders the cells of one object's row from the columns of its mirror.

/** Hash of a row that the worker removed. */
export const CLEARED = 'cleared';
/** Hash of a row that users deleted and that the worker does not write again. */
export const LEFT = 'left';

interface RowRenderer {
  /** True when the cells depend on the time zone of the spreadsheet. */
  readonly needsZone: boolean;
  /** Throws `TerminalError` (`template-failed`) when a template cannot be rendered for the object. */
  render(context: TemplateContext, zone: string): RowContent;
}

/** Throws `TerminalError` (`template-failed`) for a column whose template does not parse. */
export function createRowRenderer(mirror: SheetMirror): RowRenderer {
  // The key column holds the object's id whatever its template says, because rows are found by it.
  const columns = mirror.columns
    .filter(({ header }) => header.trim() !== mirror.keyHeader.trim())
    .map((column) => ({
      column,
      header: column.header.trim(),
      template: compileTemplate(column.template, 'text', ['columns', column.header]),
      currency:
        column.currency === undefined
          ? undefined
          : compileTemplate(column.currency, 'text', ['columns', column.header]),
    }));
  return {
    needsZone: columns.some(({ column }) => hasZone(column.as)),
    render(context, zone) {
      const typed = columns.map(({ column, header, template, currency }) => {
        const about = { zone, currency: currency?.text(context) ?? '' };
        return [header, typedCell(column, template.cell(context), about)] as const;
      });
      return {
        cells: Object.fromEntries(typed.map(([header, { cell }]) => [header, storable(cell)])),
        formats: Object.fromEntries(
          typed.flatMap(([header, { format }]) => (format === undefined ? [] : [[header, format]])),
        ),
      };
    },
  };
}

// Reads the rows of one mirror from its tab: id, and hash of the mirror's own cells.

/** Rows per read: some megabytes if rows are wide. */
const ROWS_PER_READ = 10_000;

export function sheetPlaces(
  mirror: SheetMirror,
  parts: { readonly api: SheetsApi; readonly survey: TabSurvey },
): MirrorPlaces {
  const tabs = placesOf(mirror);
  return {
    mirror: mirror.name,
    places: tabs.map(sheetPlace),
    async *standing(place) {
      const tab = tabs.find((each) => sheetPlace(each) === place);
      if (tab === undefined) return;
      const filled = await filledOf(tab, parts);
      for await (const { row, id, cells } of rowsOf(tab, filled, parts.api)) {
        yield { place, id, name: `row ${row + 1}`, content: cellsHash(cells), isOurs: true };
      }
    },
  };
}

/**
 * The cells of one tab by header, without the key column. Where rows share an id, the first counts. Rejects when the tab cannot be read.
 */
export async function cellsById(
  tab: SheetMirror,
  parts: { readonly api: SheetsApi; readonly survey: TabSurvey },
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  const filled = await filledOf(tab, parts);
  for await (const { id, cells } of rowsOf(tab, filled, parts.api)) if (!found.has(id)) found.set(id, cells);
  return found;
}

/** The part of a tab that holds rows. */
type Filled = Pick<TabView, 'sheetId' | 'layout'> & { readonly endRow: number };

/** Drops the keys, which would stay in memory while the rows are read. Rejects when the tab cannot be read. */
async function filledOf(
  tab: SheetMirror,
  { survey }: { readonly survey: TabSurvey },
): Promise<Filled | undefined> {
  const view = (await survey.look(tab.spreadsheetId, [tab])).get(tab);
  if (view === undefined) return undefined;
  if (isTabFault(view)) throw faultOf(view, sheetPlace(tab));
  const { sheetId, layout, keys } = view;
  return { sheetId, layout, endRow: keys.length };
}

function faultOf({ code, message, advice }: TabFault, target: string): TerminalError {
  return new TerminalError(code, message, { target, advice });
}

/** Each read includes the key column, to recognise rows that users move between two reads. */
async function* rowsOf(mirror: SheetMirror, filled: Filled | undefined, api: SheetsApi) {
  if (filled === undefined) return;
  const { sheetId, layout, endRow: end } = filled;
  const headers = [...layout.columns.keys()];
  const columns = [layout.keyColumn, ...layout.columns.values()];
  for (let startRow = 1; startRow < end; startRow += ROWS_PER_READ) {
    const endRow = Math.min(startRow + ROWS_PER_READ, end);
    const areas = columns.map((at) => ({ sheetId, startRow, endRow, startColumn: at, endColumn: at + 1 }));
    const read = await api.read(mirror.spreadsheetId, areas);
    if (read.some((area) => area === undefined)) {
      throw new RetryableError('sheet-changed', 'people changed the spreadsheet while it was being read', {
        target: sheetPlace(mirror),
      });
    }
    for (let at = 0; at < endRow - startRow; at += 1) {
      const id = trimmedCell(read[0]?.rows[at]?.[0]);
      if (!isObjectId(id)) continue;
      const cells = Object.fromEntries(headers.map((header, i) => [header, read[i + 1]?.rows[at]?.[0]]));
      yield { row: startRow + at, id, cells };
    }
  }
}
