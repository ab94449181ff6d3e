// The tabs of one spreadsheet in which people book come in; what leaves is an observation of each row that counts. Level-based: what a
// row says now is the whole story. A row is handed on only with an id that a reading has shown in it, so whatever people sort,
// insert or delete while an id is on its way, id and row belong together. Repeatable, and nothing is lost by a death at any point:
// an id without an observation is observed at the next poll, and a row without an id gets one then.
// One poll per spreadsheet at a time, across all processes: the caller sees to that.
import type { SheetBookings } from '../../domain/outside-booking.ts';
import { newRowId } from '../../domain/row-id.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { SheetsApi } from '../../google/sheets-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Intake } from '../../ports/intake.ts';
import type { ObjectView } from '../../ports/ledger.ts';
import type { Log } from '../../ports/log.ts';
import type { Memory } from '../../ports/memory.ts';
import type { Outbox } from '../../ports/outbox.ts';
import type { PlatformReader } from '../../ports/platform-reader.ts';
import type { ProblemBoard } from '../../ports/problem-board.ts';
import type { SheetPlace, SheetRows } from '../../ports/sheet-rows.ts';
import { findColumns, type IntakeFault, isFault } from './columns.ts';
import { FormerIds } from './former.ts';
import { displaced, judge } from './judge.ts';
import { KnownRows } from './known-rows.ts';
import { flagMarks, type JudgedTab, markAt, refusedFault, type TabMarks } from './marks.ts';
import { type PencilMark, pencilIn } from './pencil.ts';
import { keyOf, seenOf } from './seen-row.ts';
import { type SentMarks, strayMarks } from './strays.ts';
import { readTabs, type TabIds, type TabReading } from './tab-reading.ts';
import { isBlank, readRows, type TypedRow } from './typed-row.ts';
import { SheetClocks } from './zone.ts';

export interface IntakeSheetsParts {
  readonly mappings: readonly SheetBookings[];
  readonly api: SheetsApi;
  readonly tabs: TabIds;
  readonly memory: Memory;
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly reader: Pick<PlatformReader, 'get'>;
  /** Metadata key under which an appointment names its origin. */
  readonly originMark: string;
  /** Rows of answers: where they are known to stand, and how they are asked for again. */
  readonly rows: Pick<SheetRows, 'known'>;
  readonly outbox: Pick<Outbox, 'rewrite'>;
  readonly placeOf: (mapping: SheetBookings) => SheetPlace;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

/** Each pass that writes is followed by one that looks at what it has led to. */
const PASSES_MAX = 4;
const OBSERVED_AT_ONCE = 20;
/** New ids under which another row's appointment stands: more of them, and it is no accident but a lost memory. */
const ODD_ROWS_MAX = 20;
/** The hash of an answer whose row was not in its tab (`src/mirrors/sheet`). */
const LEFT = 'left';

/** In the memory: up to which moment the rows of an entry have been read, epoch milliseconds as text. */
export function intakeRead(entry: string): string {
  return `intake-read ${entry}`;
}

export class IntakeSheets {
  readonly #parts: IntakeSheetsParts;
  readonly #clocks: SheetClocks;
  readonly #known = new Map<SheetBookings, KnownRows>();
  readonly #troubled = new Set<string>();
  /** What this poll has written, until a reading has shown where it went. */
  readonly #sent = new Map<SheetBookings, SentMarks>();

  constructor(parts: IntakeSheetsParts) {
    this.#parts = parts;
    this.#clocks = new SheetClocks(parts);
  }

  /** As after a start: the rows are looked up, and handed on, once more. */
  forget(): void {
    this.#known.clear();
  }

  /** One read; as many more as writes are needed. Rejects with one of the three families. */
  async poll(spreadsheetId: string, signal: AbortSignal): Promise<void> {
    const mappings = this.#parts.mappings.filter((each) => each.spreadsheetId === spreadsheetId);
    for (const mapping of mappings) this.#sent.delete(mapping);
    const sinceMs = this.#parts.clock.now();
    for (let pass = 0; pass < PASSES_MAX && !signal.aborted; pass += 1) {
      const readings = await readTabs(this.#parts, spreadsheetId, mappings);
      const plans: TabMarks[] = [];
      for (const [mapping, reading] of readings) {
        const plan = await this.#take(mapping, reading);
        if (plan !== undefined) plans.push(plan);
      }
      if (await this.#write(spreadsheetId, plans)) continue;
      // Only now: what stood in them when the poll began has been handed on, or has been left alone for too short.
      for (const { mapping } of plans) {
        if (this.#troubled.has(`intake:${mapping.name}`)) continue;
        await this.#parts.memory.set(intakeRead(mapping.name), String(sinceMs));
      }
      return;
    }
  }

  async #take(mapping: SheetBookings, reading: TabReading): Promise<TabMarks | undefined> {
    if (isFault(reading)) return this.#stop(mapping, reading);
    if (reading.grid === undefined) return undefined;
    const columns = findColumns(reading.grid[0] ?? [], mapping);
    if (isFault(columns)) return this.#stop(mapping, columns);
    const zone = await this.#clocks.zoneOf(mapping);
    if (typeof zone !== 'string') return this.#stop(mapping, zone);
    await this.#goOn(mapping);
    const rows = readRows(reading.grid, columns, { zone, formats: mapping.dateFormats ?? [] });
    const known = this.#knownOf(mapping);
    const ids = rows.flatMap(({ id }) => (id === '' ? [] : [id]));
    await known.meet(ids, this.#parts.view);
    const { spreadsheetId } = mapping;
    const judgement = judge(rows, { spreadsheetId, lastPrint: (id) => known.lastPrint(id) });
    const sent = this.#sent.get(mapping);
    const strays = sent === undefined ? [] : strayMarks(sent, reading.grid);
    const tab = { judgement, columns, sheetId: reading.sheetId, ids: new Set(ids) };
    const plan = await this.#judged(mapping, tab);
    const marks = [...plan.ids, ...plan.flags];
    this.#sent.set(mapping, { marks, grid: reading.grid });
    return { ...plan, flags: [...strays, ...plan.flags] };
  }

  async #judged(mapping: SheetBookings, tab: JudgedTab): Promise<TabMarks> {
    const { bearers, newcomers, flagged } = tab.judgement;
    const answers = await this.#parts.rows.known(this.#parts.placeOf(mapping));
    const former = this.#formerIds(mapping, { standing: tab.ids, answered: answers });
    const known = this.#knownOf(mapping);
    const ids: PencilMark[] = [];
    const again: string[] = [];
    const mark = (row: TypedRow, id: string | null) => {
      ids.push({ ...markAt(tab, row, 'id'), cell: id });
    };
    for (const row of this.#counting(mapping, newcomers)) {
      const before = await former.of(row);
      const id = before ?? newRowId(mapping.spreadsheetId);
      mark(row, id);
      if (before === undefined) known.give(id, row);
      else again.push(keyOf(before));
    }
    const strangers = bearers.filter(({ id }) => known.lastPrint(id) === undefined);
    const odd = strangers.length > ODD_ROWS_MAX ? [] : strangers;
    const owners = displaced(bearers, (id) => known.lastPrint(id));
    const holders = new Set(owners.values());
    const toHandOn: TypedRow[] = [];
    for (const row of bearers) {
      const before = owners.get(row)?.id ?? (odd.includes(row) ? await former.of(row) : undefined);
      // What it bears is another row's: without it, it is a row like any new one.
      if (holders.has(row)) mark(row, null);
      else if (before === undefined) toHandOn.push(row);
      else {
        mark(row, before);
        again.push(keyOf(before));
      }
    }
    await this.#handOn(mapping, toHandOn);
    const flags = flagMarks(tab, mapping);
    const cleared = new Set(flags.cleared.map(({ id }) => id));
    again.push(
      ...bearers.flatMap(({ id }) => (cleared.has(id) || answers.get(keyOf(id)) === LEFT ? [keyOf(id)] : [])),
    );
    if (flagged.length > 0 && flags.marks.length > 0)
      this.#parts.log.info(
        { mapping: mapping.name, rows: flagged.length },
        'rows of an intake sheet are told why they do not count',
      );
    return { mapping, ids, flags: flags.marks, again };
  }

  /** Told that they are ready, or left alone for long enough; whoever cancels what was never booked wishes nothing. */
  #counting(mapping: SheetBookings, newcomers: readonly TypedRow[]): readonly TypedRow[] {
    const { columns, stillForMs } = mapping;
    const ready = newcomers.filter((row) => row.ready && !row.cancel && !isBlank(row));
    if (columns.ready !== undefined) return ready;
    return this.#knownOf(mapping).still(ready, { stillForMs, nowMs: this.#parts.clock.now() });
  }

  #formerIds(
    mapping: SheetBookings,
    { standing, answered }: { standing: ReadonlySet<string>; answered: ReadonlyMap<string, string> },
  ): FormerIds {
    const known = new Map<string, string | undefined>(
      [...answered.keys()].map((key) => [key.slice(key.indexOf('/') + 1), undefined]),
    );
    for (const [id, print] of this.#knownOf(mapping).prints()) known.set(id, print);
    const { spreadsheetId, name } = mapping;
    return new FormerIds(this.#parts, { spreadsheetId, mapping: name, standing, known });
  }

  async #handOn(mapping: SheetBookings, rows: readonly TypedRow[]): Promise<void> {
    const { clock, intake } = this.#parts;
    const known = this.#knownOf(mapping);
    const nowMs = clock.now();
    const news = rows.flatMap((row) => {
      const sinceMs = known.newsSince(row, nowMs);
      return sinceMs === undefined ? [] : [{ row, sinceMs }];
    });
    for (let from = 0; from < news.length; from += OBSERVED_AT_ONCE) {
      await Promise.all(
        news.slice(from, from + OBSERVED_AT_ONCE).map(async ({ row, sinceMs }) => {
          const snapshot = seenOf(mapping, row, sinceMs) as unknown as Snapshot;
          await intake.observe({
            ...{ key: { kind: 'booking', id: row.id }, source: 'sheet', occurredAtMs: nowMs },
            seen: { as: 'snapshot', snapshot },
          });
          known.handed(row);
        }),
      );
    }
  }

  /** True when something was written, and has to be looked at. */
  async #write(spreadsheetId: string, plans: readonly TabMarks[]): Promise<boolean> {
    const { api, outbox, placeOf } = this.#parts;
    const ids = plans.flatMap((plan) => plan.ids);
    const flags = plans.flatMap((plan) => plan.flags);
    // Apart from each other: a protected status column keeps nobody from booking.
    const refusedIds = await pencilIn(api, spreadsheetId, ids);
    const refusedFlags = await pencilIn(api, spreadsheetId, flags);
    for (const { mapping, ids: own, flags: ownFlags, again } of plans) {
      const refused = own.length > 0 ? refusedIds : undefined;
      const error = refused ?? (ownFlags.length > 0 ? refusedFlags : undefined);
      if (error !== undefined)
        await this.#stop(mapping, refusedFault(error, refused === undefined ? 'status' : 'id'));
      if (again.length > 0) await outbox.rewrite(again, placeOf(mapping).mirror);
    }
    return (ids.length > 0 && refusedIds === undefined) || (flags.length > 0 && refusedFlags === undefined);
  }

  #knownOf(mapping: SheetBookings): KnownRows {
    const known = this.#known.get(mapping) ?? new KnownRows();
    this.#known.set(mapping, known);
    return known;
  }

  async #stop({ name }: SheetBookings, fault: IntakeFault): Promise<undefined> {
    const target = `intake:${name}`;
    if (!this.#troubled.has(target))
      this.#parts.log.warn({ mapping: name, ...fault }, 'nothing is taken from the intake sheet');
    this.#troubled.add(target);
    const { code, message, advice } = fault;
    await this.#parts.problems.raise({ target, code, message, advice });
  }

  async #goOn({ name }: SheetBookings): Promise<void> {
    const target = `intake:${name}`;
    if (!this.#troubled.delete(target)) return;
    await this.#parts.problems.clear(target);
  }
}
