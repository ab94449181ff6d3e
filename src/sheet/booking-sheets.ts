// Polls the booking tabs of one spreadsheet, and observes each row that counts. Level-based: only what a row says now matters. A row is
// handed on only with an id that a reading has shown in it. So id and row belong together, whatever people sort, insert or delete
// meanwhile. A death at any point loses nothing. An id without an observation is observed at the next poll; a row without an id gets one
// then. The caller's lease ensures one poll per spreadsheet at a time, across all processes. A reading has no effect once its lease is lost.

import type { EditGuard } from '../engine/edit-guard.ts';
import { isRowId } from '../engine/ids.ts';
import type { Intake } from '../engine/intake.ts';
import type { Lease, LeaseProof } from '../engine/leases.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import { inParts, type Snapshot } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import { isHeldBooking, ownOf, type SheetBookings } from '../engine/outside-booking.ts';
import { type CustomerMarks, compareCustomers, strongestMark } from '../engine/person.ts';
import type { PlatformReader } from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import type { SheetPlace } from '../engine/sheet-row.ts';
import type { SheetRows } from '../engine/sheet-rows.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import {
  type AsideRow,
  type BornId,
  cellsOf,
  confirmedAt,
  type Elsewhere,
  exchangedRows,
  FormerIds,
  isAnswered,
  type Judgement,
  judgeBookingRows,
  lookElsewhere,
  namesAppointment,
  printOf,
  split,
  TRACES_KEPT_MS,
  traceOf,
} from './booking-judge.ts';
import { intakeRead } from './booking-read-until.ts';
import { FormerSpreadsheets } from './former-spreadsheets.ts';
import {
  type AnswersKnown,
  AskedRows,
  type CellWrite,
  countTicks,
  type FlaggedRow,
  flagMarks,
  freshIds,
  KnownRows,
  markAt,
  readingsAfter,
  refusedFault,
  type SentMarks,
  strayMarks,
  type TabGround,
  type TabMarks,
  tabsToShow,
  UntickedRows,
  uncoveredMarks,
  unusedIds,
  withoutAppointment,
  writeCells,
} from './known-rows.ts';
import type { RowRegister } from './stores.ts';
import {
  asideText,
  bookingKeyOf,
  customerInRow,
  findColumns,
  type IntakeFault,
  isBlank,
  isFlag,
  isIntakeFault,
  isToldOfNothing,
  Midnights,
  readIdCell,
  readRows,
  readTabs,
  rowAsSeen,
  SheetClocks,
  type TabIds,
  type TabReading,
  type TypedRow,
} from './tab-reading.ts';
import { LEFT } from './target.ts';

export interface BookingSheetsParts {
  readonly mappings: readonly SheetBookings[];
  readonly api: SheetsApi;
  readonly tabs: TabIds;
  readonly memory: RedisMemory;
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly reader: Pick<PlatformReader, 'get'>;
  /** Whether a status is the worker's own word about an appointment. */
  readonly isAnswer: (status: string) => boolean;
  /** Metadata key under which an appointment names its origin. */
  readonly originMark: string;
  /** Rows of answers: where they are known to be, and how to request them again. */
  readonly rows: SheetRows;
  readonly register: RowRegister;
  readonly outbox: Pick<Outbox, 'rewrite' | 'waits'>;
  readonly guard: Pick<EditGuard, 'deletionWaits' | 'deletionUndone'>;
  readonly placeOf: (mapping: SheetBookings) => SheetPlace;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

/** Passes of one poll: each pass that writes needs another one to see the result. */
const PASSES_MAX = 4;
const OBSERVED_AT_ONCE = 20;
/** Rows of one poll whose appointments are read to find who booked them: more mean a lost memory rather than an accident. */
const ODD_ROWS_MAX = 20;
const TIDIED_EVERY_MS = 86_400_000;

/** The judgement of one reading, after all look-ups. */
interface Settled {
  /** Rows that are handed on. */
  readonly bearers: readonly BornId[];
  /** Rows that get back an id that they had. */
  readonly restored: readonly BornId[];
  readonly aside: readonly AsideRow[];
  /** Rows that get a new id. */
  readonly fresh: readonly TypedRow[];
  /** Rows that lose an id that is not theirs. */
  readonly waiting: readonly TypedRow[];
  /** Rows that are no longer asked anything. */
  readonly unasked: readonly TypedRow[];
  readonly flagged: readonly FlaggedRow[];
  /** Rows that are no booking, and show the answer of the row that they were copied from. */
  readonly unanswered: readonly TypedRow[];
}

/** `unticked`: prints. */
type OddRows = { readonly unticked: ReadonlySet<string>; readonly outdated: ReadonlyMap<TypedRow, boolean> };

/** When the tabs were read, and the lease for reading them and storing the effects. */
interface ReadTurn {
  readonly readAtMs: number;
  readonly lease: LeaseProof;
  readonly hashes: AnswersKnown['hashes'];
}

interface Written {
  /** The tabs after the write; undefined when they have to be read. */
  readonly readings: ReadonlyMap<SheetBookings, TabReading> | undefined;
}

export class BookingSheets {
  readonly #parts: BookingSheetsParts;
  readonly #clocks: SheetClocks;
  readonly #midnights = new Midnights();
  readonly #former: FormerSpreadsheets;
  readonly #asked: AskedRows;
  readonly #unticked: UntickedRows;
  readonly #known = new Map<SheetBookings, KnownRows>();
  /** Entries whose next poll begins without `#known`. */
  readonly #toForget = new Set<SheetBookings>();
  readonly #troubled = new Set<string>();
  readonly #traced = new Set<SheetBookings>();
  readonly #tidiedMs = new Map<SheetBookings, number>();
  /** What this poll wrote, until a reading has shown where it went. */
  readonly #sent = new Map<SheetBookings, SentMarks>();
  readonly #elsewhere = new Map<SheetBookings, Elsewhere>();
  /** Entries with marks that merged cells or protections cover. */
  readonly #covered = new Set<SheetBookings>();

  constructor(parts: BookingSheetsParts) {
    this.#parts = parts;
    this.#clocks = new SheetClocks(parts);
    this.#former = new FormerSpreadsheets(parts);
    this.#asked = new AskedRows(parts.memory);
    this.#unticked = new UntickedRows(parts.memory);
  }

  /**
   * Forgets the rows, as after a start: the next poll looks them up and hands them on again. A running poll keeps what it has looked up,
   * otherwise rows that were typed over would count as new.
   */
  forget(): void {
    for (const mapping of this.#parts.mappings) this.#toForget.add(mapping);
  }

  /**
   * Reads once, and again after each write whose answer does not prove its result. For up to `waitMs`, waits to share another reading of
   * the spreadsheet. Rejects with one of the three families, or with the reason of the lease's signal.
   */
  async poll(spreadsheetId: string, lease: Lease, { waitMs = 0 } = {}): Promise<void> {
    const mappings = this.#parts.mappings.filter((each) => each.spreadsheetId === spreadsheetId);
    for (const mapping of mappings) this.#begin(mapping);
    const [former, { view, clock }] = [this.#former, this.#parts];
    await former.look(mappings);
    const sinceMs = clock.now();
    let after: Written | undefined;
    for (let pass = 0; pass < PASSES_MAX && !lease.signal.aborted; pass += 1) {
      const waiting = pass === 0 && waitMs > 0 ? { waitMs, signal: lease.signal } : undefined;
      const readings = after?.readings ?? (await readTabs(this.#parts, { spreadsheetId, mappings, waiting }));
      const [readAtMs, hashes] = [clock.now(), await confirmedAt(readings, { ...this.#parts, former })];
      if (readings.size > 1) await lookElsewhere(this.#elsewhere, readings, { view, former });
      const plans: TabMarks[] = [];
      for (const [mapping, reading] of readings) {
        const plan = await this.#take(mapping, reading, { readAtMs, lease, hashes });
        if (plan !== undefined) plans.push(plan);
      }
      // If this process froze, another one may have marked these rows.
      lease.signal.throwIfAborted();
      const marks = await this.#uncovered(spreadsheetId, plans, pass > 0);
      // Only the first write requests the tabs: if Google refuses that, the next write has the marks alone.
      after = await this.#write(spreadsheetId, marks, pass === 0 ? readings : new Map());
      if (after !== undefined) continue;
      // Only now: every row that was there when the poll began has been handed on, or has not been still for long enough.
      for (const { mapping } of plans) {
        if (this.#troubled.has(`intake:${mapping.name}`)) continue;
        await this.#parts.memory.setUnder(lease, { [intakeRead(mapping.name)]: String(sinceMs) });
        await former.looked(mapping, lease);
      }
      return;
    }
  }

  #begin(mapping: SheetBookings): void {
    this.#sent.delete(mapping);
    if (!this.#toForget.delete(mapping)) return;
    this.#known.delete(mapping);
    this.#unticked.forget(mapping);
    this.#traced.delete(mapping);
  }

  async #take(mapping: SheetBookings, reading: TabReading, turn: ReadTurn): Promise<TabMarks | undefined> {
    if (isIntakeFault(reading)) return this.#stop(mapping, reading);
    if (reading.grid === undefined) return undefined;
    const columns = findColumns(reading.grid[0] ?? [], mapping);
    if (isIntakeFault(columns)) {
      await this.#stop(mapping, columns);
      return this.#strays(mapping, reading.grid);
    }
    const zone = await this.#clocks.zoneOf(mapping);
    if (typeof zone !== 'string') return this.#stop(mapping, zone);
    await this.#goOn(mapping);
    const grid = await this.#midnights.in(this.#parts.api, {
      ...{ spreadsheetId: mapping.spreadsheetId, sheetId: reading.sheetId, grid: reading.grid },
      ...{ column: columns.get('starts_at') ?? -1, nowMs: turn.readAtMs },
    });
    const rows = await readRows(grid, columns, { zone, formats: mapping.dateFormats ?? [] });
    const strays = strayMarks(this.#sent.get(mapping), reading.grid);
    const plan = await this.#judged(mapping, rows, { columns, sheetId: reading.sheetId, zone, ...turn });
    this.#sent.set(mapping, { marks: [...plan.ids, ...plan.flags], grid: reading.grid });
    return { ...plan, flags: [...strays, ...plan.flags] };
  }

  /** A column was deleted while marks were on their way: they are taken out of the columns of people, although nothing else is done. */
  #strays(mapping: SheetBookings, grid: readonly (readonly unknown[])[]): TabMarks | undefined {
    const flags = strayMarks(this.#sent.get(mapping), grid);
    this.#sent.delete(mapping);
    return flags.length === 0 ? undefined : { mapping, ids: [], flags, again: [] };
  }

  async #judged(
    mapping: SheetBookings,
    rows: readonly TypedRow[],
    tab: TabGround & ReadTurn & { readonly zone: string },
  ): Promise<TabMarks> {
    const [{ register }, { name, spreadsheetId }] = [this.#parts, mapping];
    const [spreadsheetIds, elsewhere] = [this.#former.of(mapping), this.#elsewhere.get(mapping)];
    const known = this.#knownOf(mapping);
    const own = rows.flatMap(({ id: text, print }) => {
      const cell = readIdCell(text, spreadsheetIds);
      if (cell.as === 'own') return [{ id: cell.id, print }];
      return cell.as === 'aside' ? [{ id: cell.id }] : [];
    });
    const standing = new Set(own.map(({ id }) => id));
    await known.lookUp(own, this.#parts.view);
    const last = (id: string) => known.last(id);
    const unticked = await this.#unticked.among(mapping, rows, { last, lease: tab.lease });
    await this.#traceOlder(mapping);
    await this.#forgetOld(mapping, standing);
    const sentTo = await register.sent(name);
    const place = { spreadsheetId, spreadsheetIds, elsewhere };
    const knowledge = { ...place, last, sentTo: (id: string) => sentTo.get(id) };
    const found = await this.#settled(mapping, judgeBookingRows(rows, knowledge));
    const ids: CellWrite[] = [];
    const again = new Set<string>();
    const meant = new Map<string, string>();
    const unused = unusedIds(sentTo, { standing, known });
    const isUsed = (id: string) => standing.has(id) || sentTo.has(id);
    const freshId = await freshIds(register, found.fresh, { spreadsheetId, entry: name, isUsed });
    const mark = (row: TypedRow, id: string | null) => {
      if (row.id === (id ?? '')) return;
      ids.push({ ...markAt(tab, row, 'id'), cell: id });
      if (id !== null && isRowId(id, ...spreadsheetIds)) meant.set(id, row.print);
    };
    for (const { row, id } of found.restored) {
      mark(row, id);
      again.add(bookingKeyOf(id));
    }
    for (const { row, id, flag } of found.aside) {
      const text = asideText(flag, id, row.print);
      // The answer may have gone to this row before.
      if (row.id !== text) again.add(bookingKeyOf(id));
      mark(row, text);
    }
    for (const row of found.fresh) {
      // Reuse an id already sent to this row, by a write that may still be performed.
      const isNew = readIdCell(row.id, spreadsheetIds).as === 'new';
      const id = (isNew ? undefined : unused.get(row.print)?.pop()) ?? freshId(row.print, isNew);
      mark(row, id);
      if (isNew && namesAppointment(row)) ids.push(...withoutAppointment(tab, row));
      known.give(id, row);
    }
    for (const row of found.waiting) mark(row, null);
    // Stored before the write: after people sort, or after a restart, an id must not count as that of another row.
    await register.send(name, meant);
    await this.#asked.keep(
      name,
      found.flagged.flatMap(({ row, flag }) => (flag === 'lost' || flag === 'undecided' ? [row] : [])),
      tab.lease,
    );
    const bearers = await this.#midnights.steady(this.#parts.api, found.bearers, { ...tab, ...knowledge });
    const is = { mapping, isFirstLook: this.#former.isFirstLook(mapping) };
    const outdated = await known.outdated(bearers, { ...this.#parts, ...tab, ...is });
    await this.#handOn(mapping, bearers, { ...tab, unticked, outdated });
    const arrived = bearers.map(({ id }) => id).filter((id) => sentTo.has(id));
    await register.arrived(name, arrived);
    for (const row of bearers) {
      const key = bookingKeyOf(row.id);
      if (isFlag(row.status) || tab.hashes.get(key) === LEFT || outdated.has(row)) again.add(key);
    }
    const restored = found.restored.map(({ row }) => row);
    const others = [...bearers, ...restored, ...found.fresh, ...found.unasked].filter(
      (row) => !found.flagged.some((each) => each.row === row),
    );
    const flags = flagMarks(tab, { ...found, others }, mapping);
    if (found.flagged.length > 0 && flags.length > 0)
      this.#parts.log.info(
        { mapping: name, rows: found.flagged.length },
        'rows of a booking sheet are told why they do not count',
      );
    return { mapping, ids, flags, again: [...again] };
  }

  /** Completes the judgement: looks up what rows without an id of their own were before. */
  async #settled(mapping: SheetBookings, judgement: Judgement): Promise<Settled> {
    const { doubtful, newcomers, aside, foreign } = judgement;
    const former = this.#formerIds(mapping, judgement.bearers);
    const [twins, bearers] = await this.#refusedTwins(mapping, judgement, former);
    const questioned = await this.#asked.among(
      mapping.name,
      [...newcomers, ...doubtful].map(({ row }) => row),
    );
    const said = new Set<TypedRow>();
    // People who read that there is nothing to cancel must not have something cancelled later by the same tick.
    const told = new Set<TypedRow>();
    const unsaid: TypedRow[] = [];
    const strayed = new Set<TypedRow>();
    for (const { row, as } of newcomers) {
      if (as === 'said') said.add(row);
      if (as === 'hit') strayed.add(row);
      if (row.cancel && isToldOfNothing(row)) told.add(row);
      if (!said.has(row) && !told.has(row)) unsaid.push(row);
    }
    const seekers = [...unsaid, ...[...doubtful, ...aside, ...twins].map(({ row }) => row)];
    const refused = new Set(twins.map(({ row }) => row));
    const restored = new Map(await former.byContent(seekers, refused));
    const odd = [...doubtful.map(({ row }) => row), ...unsaid].filter(
      (row) => namesAppointment(row) && !restored.has(row),
    );
    for (const row of odd.slice(0, ODD_ROWS_MAX)) {
      const id = await former.byAppointment(row);
      if (id !== undefined) restored.set(row, id);
    }
    for (const { row } of twins) {
      const id = restored.has(row) ? undefined : await former.byHour(row);
      if (id !== undefined) restored.set(row, id);
    }
    // A row that turns out to be what its id says keeps it.
    const proven = doubtful.filter(({ row, id }) => restored.get(row) === id);
    for (const { row } of proven) restored.delete(row);
    const given = new Set(restored.values());
    // Customers of rows that were typed over, or changed while their id was written: a row without an id may be theirs.
    const adrift = [...doubtful, ...[...strayed].filter(({ id }) => !given.has(id))];
    const typedOver = adrift.flatMap(({ id }) => this.#knownOf(mapping).last(id)?.customer ?? []);
    const isRestored = ({ row }: { row: TypedRow }) => restored.has(row);
    // A bearer either still shows its id, or gets it back from a cell in which the worker noted it.
    const borne = [...bearers, ...twins.filter((each) => !isRestored(each))];
    const [inPlace, noted] = split(borne, ({ row, id }) => row.id === id);
    const [lost, kept] = split(
      doubtful.filter((each) => !isRestored(each) && !proven.includes(each)),
      ({ id }) => given.has(id),
    );
    const rest = [
      ...newcomers.filter((each) => !isRestored(each)).map(({ row }) => row),
      ...lost.map(({ row }) => row),
    ];
    const counting = new Set(this.#counting(mapping, rest));
    const [fresh, asked]: [TypedRow[], TypedRow[]] = [[], []];
    const hit = new Set([...strayed, ...lost.map(({ row }) => row)]);
    const about = (row: TypedRow) => {
      const hasStrayId = strayed.has(row) && isRowId(row.id, ...this.#former.of(mapping));
      return { former, bearers, typedOver, isHit: hit.has(row), hasStrayId };
    };
    for (const row of counting) {
      const id = said.has(row)
        ? undefined
        : questioned.has(row)
          ? 'ask'
          : await this.#formerOf(row, about(row));
      if (id === 'ask') asked.push(row);
      else if (id === undefined) fresh.push(row);
      else restored.set(row, id);
    }
    const [unasked, unbooked, unanswered]: [TypedRow[], TypedRow[], TypedRow[]] = [[], [], []];
    const undecided: TypedRow[] = [];
    const unlooked = new Set(odd.slice(ODD_ROWS_MAX));
    for (const row of rest) {
      if (counting.has(row) || unlooked.has(row)) continue;
      const isIdle = this.#isIdle(row);
      if (questioned.has(row) && !said.has(row)) (told.has(row) ? undecided : asked).push(row);
      // A row that cancels may have lost its id, whatever its status says.
      else if (!isIdle && !row.cancel) unasked.push(row);
      else {
        const id = said.has(row) ? undefined : await this.#formerOf(row, about(row));
        if (told.has(row)) (id === undefined ? unbooked : undecided).push(row);
        else if (id === 'ask') asked.push(row);
        else if (id !== undefined) restored.set(row, id);
        else if (!isIdle) unasked.push(row);
        else (row.cancel ? unbooked : unanswered).push(row);
      }
    }
    const asideNow = aside.filter((each) => !isRestored(each));
    return {
      bearers: [...inPlace, ...proven, ...kept].sort((a, b) => a.row.row - b.row.row),
      restored: [...noted, ...[...restored].map(([row, id]) => ({ row, id }))],
      ...{ aside: asideNow, fresh, unasked, unanswered },
      waiting: [...hit].filter((row) => !restored.has(row) && !fresh.includes(row)),
      flagged: [
        ...asideNow,
        ...asked.map((row) => ({ row, flag: 'lost' as const })),
        ...unbooked.map((row) => ({ row, flag: 'unbooked' as const })),
        ...undecided.map((row) => ({ row, flag: 'undecided' as const })),
        ...foreign.map((row) => ({ row, flag: 'foreign' as const })),
      ],
    };
  }

  /**
   * Splits off the bearers that were refused and may be copies that asked for the hour of their own original. The original is typed over
   * now, or deleted.
   */
  async #refusedTwins(
    mapping: SheetBookings,
    { bearers, doubtful }: Judgement,
    former: FormerIds,
  ): Promise<readonly [readonly BornId[], readonly BornId[]]> {
    const known = this.#knownOf(mapping);
    const prints = new Set(doubtful.map(({ id }) => known.last(id)?.print));
    const orphaned = await former.orphaned(
      bearers.map(({ row }) => row).filter((row) => this.#isRefused(row)),
    );
    const twins = new Set<BornId>();
    const suspects = bearers.filter(({ row }) => prints.has(row.print) || orphaned.has(row));
    for (const each of suspects.slice(0, ODD_ROWS_MAX)) {
      const claim = await this.#parts.view.peek({ kind: 'booking', id: each.id });
      const record = claim?.links[mapping.name]?.booking;
      const isRefused = record?.state === 'refused' && !isHeldBooking(record);
      if (isRefused && ownOf(record) === undefined) twins.add(each);
    }
    return split(bearers, (each) => twins.has(each));
  }

  /** The row shows the worker's refusal of an hour that is still ahead, as far as its cells say. */
  #isRefused({ status, appointment, startsAt }: TypedRow): boolean {
    const isAhead = Date.parse(startsAt ?? '') > this.#parts.clock.now();
    return isAhead && appointment === '' && status !== '' && !isFlag(status) && !this.#parts.isAnswer(status);
  }

  /** The row is to book nothing, or not yet, and shows the worker's words about an appointment. If there is one, it is another row's. */
  #isIdle(row: TypedRow): boolean {
    const isAnswer = namesAppointment(row) || this.#parts.isAnswer(row.status);
    return row.cancel ? isAnswer || isFlag(row.status) : !row.ready && isAnswer;
  }

  /** The id of a row that counts, if neither its content nor its appointment has identified it. */
  async #formerOf(
    row: TypedRow,
    {
      former,
      bearers,
      typedOver,
      isHit,
      hasStrayId,
    }: {
      former: FormerIds;
      bearers: Judgement['bearers'];
      typedOver: readonly CustomerMarks[];
      isHit: boolean;
      /** The worker's own write put the id of another row there, not a person. */
      hasStrayId: boolean;
    },
  ): Promise<string | 'ask' | undefined> {
    const id = await former.byCustomer(row, hasStrayId);
    const own = customerInRow(row.cells);
    if (id === undefined && typedOver.some((each) => compareCustomers(own, each) === 'same')) return 'ask';
    if (id !== undefined || !isHit) return id;
    // What its id cell held is unknown: the row may have been a copy.
    const hasTwin = bearers.some(
      ({ row: { cells } }) => compareCustomers(own, customerInRow(cells)) === 'same',
    );
    if (hasTwin) return 'ask';
    if (!isAnswered(row)) return undefined;
    // The answer went astray as well: if the row had been booked, its customer would be known.
    const isNew = hasStrayId && strongestMark(own) !== undefined && (await former.showsAnothers(row));
    return isNew ? undefined : 'ask';
  }

  /** Rows that say they are ready, are unclear, or were left alone for long enough. Cancelling what was never booked is no wish. */
  #counting(mapping: SheetBookings, newcomers: readonly TypedRow[]): readonly TypedRow[] {
    const { columns, stillForMs } = mapping;
    const ready = newcomers.filter(
      (row) => (row.ready || row.unclear !== undefined) && !row.cancel && !isBlank(row),
    );
    const nowMs = this.#parts.clock.now();
    if (columns.ready === undefined) return this.#knownOf(mapping).still(ready, { stillForMs, nowMs });
    const [unfinished, others] = split(ready, ({ unclear }) => unclear === 'formula');
    return [...others, ...this.#knownOf(mapping).still(unfinished, { stillForMs: 0, nowMs })];
  }

  #formerIds(mapping: SheetBookings, bearers: Judgement['bearers']): FormerIds {
    return new FormerIds(this.#parts, {
      ...{ spreadsheetIds: this.#former.of(mapping), mapping: mapping.name },
      answers: this.#parts.placeOf(mapping).mirror,
      standing: new Set([...bearers.map(({ id }) => id), ...(this.#elsewhere.get(mapping)?.ids ?? [])]),
      nowMs: this.#parts.clock.now(),
    });
  }

  /** Traces rows that were answered before traces existed, and may be missing by now. */
  async #traceOlder(mapping: SheetBookings): Promise<void> {
    const { memory, register, clock } = this.#parts;
    const fact = `intake-traced ${mapping.name}`;
    if (this.#traced.has(mapping)) return;
    if ((await memory.get(fact)) === undefined) {
      await this.#eachAnswered(mapping, async (rows) => {
        const traces = rows.flatMap(({ id, snapshot }) => {
          if (snapshot === undefined) return [];
          const startsAt = snapshot['starts_at'] as string | undefined;
          return [traceOf({ id, cells: cellsOf(snapshot), print: printOf(snapshot), startsAt }, clock.now())];
        });
        await register.trace(mapping.name, traces);
      });
      await memory.set(fact, '1');
    }
    this.#traced.add(mapping);
  }

  /** Forgets the answers of rows that people deleted and whose appointment is long over: they are never needed again. */
  async #forgetOld(mapping: SheetBookings, standing: ReadonlySet<string>): Promise<void> {
    const { memory, rows, placeOf, clock } = this.#parts;
    const nowMs = clock.now();
    const fact = `intake-tidied ${mapping.name}`;
    if (distanceMs(this.#tidiedMs.get(mapping) ?? 0, nowMs) < TIDIED_EVERY_MS) return;
    if (distanceMs(Number((await memory.get(fact)) ?? 0), nowMs) >= TIDIED_EVERY_MS) {
      await this.#eachAnswered(mapping, async (some) => {
        const old = some.filter(({ id, snapshot }) => {
          const endedMs = Date.parse(String(snapshot?.['starts_at'] ?? snapshot?.['seen_at']));
          return !standing.has(id) && !(endedMs + TRACES_KEPT_MS > nowMs);
        });
        if (old.length > 0)
          await rows.forget(
            placeOf(mapping),
            old.map(({ id }) => bookingKeyOf(id)),
          );
      });
      await memory.set(fact, String(nowMs));
    }
    this.#tidiedMs.set(mapping, nowMs);
  }

  async #eachAnswered(
    mapping: SheetBookings,
    see: (rows: readonly { id: string; snapshot: Snapshot | undefined }[]) => Promise<void>,
  ): Promise<void> {
    const { rows, placeOf, view } = this.#parts;
    const keys = [...(await rows.known(placeOf(mapping))).keys()];
    for (const some of inParts(keys, OBSERVED_AT_ONCE)) {
      const ids = some.map((key) => key.slice(key.indexOf('/') + 1));
      const claims = await Promise.all(ids.map((id) => view.peek({ kind: 'booking', id })));
      await see(ids.map((id, i) => ({ id, snapshot: claims[i]?.snapshot })));
    }
  }

  async #handOn(
    mapping: SheetBookings,
    rows: readonly TypedRow[],
    { readAtMs, lease, unticked, outdated }: ReadTurn & OddRows,
  ): Promise<void> {
    const { intake, register } = this.#parts;
    const [known, under] = [this.#knownOf(mapping), { name: lease.name, proof: lease.proof }];
    const news = rows.flatMap((row) => {
      const sinceMs = known.isSettled(row, readAtMs) ? known.newsSince(row, readAtMs) : undefined;
      return sinceMs === undefined ? [] : [{ row, sinceMs }];
    });
    const handed = rows.map((row) => ({ row, last: known.last(row.id) }));
    await countTicks(this.#parts, mapping.name, handed);
    const exchanged = exchangedRows(handed, outdated);
    for (const batch of inParts(news, OBSERVED_AT_ONCE)) {
      // Traced before anything else, so that a row that loses its id at any moment is recognized.
      await register.trace(
        mapping.name,
        batch.map(({ row }) => traceOf(row, readAtMs)),
      );
      await Promise.all(
        batch.map(async ({ row, sinceMs }) => {
          const snapshot = {
            ...rowAsSeen(mapping, row, sinceMs),
            rules: this.#former.rules.get(mapping),
            ...(unticked.has(row.print) && { unticked: true }),
            ...(exchanged.has(row) && { exchanged: exchanged.get(row) }),
          } as unknown as Snapshot;
          await intake.observe({
            ...{ key: { kind: 'booking', id: row.id }, source: 'sheet', occurredAtMs: readAtMs, under },
            seen: { as: 'snapshot', snapshot },
          });
          known.handed(row, exchanged.get(row));
        }),
      );
    }
  }

  /** Without marks that are covered. Looks at the tabs' shape once a mark was refused or has to be repeated. */
  async #uncovered(spreadsheetId: string, plans: readonly TabMarks[], isRepeated: boolean) {
    const marked = plans.filter(({ ids, flags }) => ids.length > 0 || flags.length > 0);
    if (!marked.some(({ mapping }) => isRepeated || this.#covered.has(mapping))) return plans;
    const tabs = await this.#parts.api.tabs(spreadsheetId);
    const left: TabMarks[] = [];
    for (const plan of plans) {
      const { uncovered, isCovered, fault } = uncoveredMarks(plan, tabs, this.#sent.get(plan.mapping));
      this.#covered[isCovered ? 'add' : 'delete'](plan.mapping);
      if (fault !== undefined) await this.#stop(plan.mapping, fault);
      left.push(uncovered);
    }
    return left;
  }

  /** Undefined when no write needs another look. `readings`: the tabs that the write's answer should show. */
  async #write(
    spreadsheetId: string,
    plans: readonly TabMarks[],
    readings: ReadonlyMap<SheetBookings, TabReading>,
  ): Promise<Written | undefined> {
    const { api, outbox, placeOf } = this.#parts;
    const ids = plans.flatMap((plan) => plan.ids);
    const flags = plans.flatMap((plan) => plan.flags);
    const show = tabsToShow(readings);
    // Two separate writes: a protected status column must not prevent bookings.
    const ofIds = await writeCells(api, spreadsheetId, { marks: ids, show: flags.length === 0 ? show : [] });
    const ofFlags = await writeCells(api, spreadsheetId, { marks: flags, show });
    for (const { mapping, ids: own, flags: ownFlags, again } of plans) {
      const refused = own.length > 0 ? ofIds.refused : undefined;
      const error = refused ?? (ownFlags.length > 0 ? ofFlags.refused : undefined);
      if (error !== undefined) {
        this.#covered.add(mapping);
        await this.#stop(mapping, refusedFault(error, refused === undefined ? 'status' : 'id'));
      }
      if (again.length > 0) await outbox.rewrite(again, placeOf(mapping).mirror);
      this.#knownOf(mapping).keepShown();
    }
    const isWritten =
      (ids.length > 0 && ofIds.refused === undefined) || (flags.length > 0 && ofFlags.refused === undefined);
    if (!isWritten) return undefined;
    const { shown } = flags.length === 0 ? ofIds : ofFlags;
    return { readings: readingsAfter(readings, plans, shown) };
  }

  #knownOf(mapping: SheetBookings): KnownRows {
    const known = this.#known.get(mapping) ?? new KnownRows();
    this.#known.set(mapping, known);
    return known;
  }

  async #stop({ name }: SheetBookings, fault: IntakeFault): Promise<undefined> {
    const target = `intake:${name}`;
    const { names, ...logged } = fault;
    if (!this.#troubled.has(target))
      this.#parts.log.warn({ mapping: name, ...logged }, 'nothing is taken from the booking sheet');
    this.#troubled.add(target);
    await this.#parts.problems.raise({ target, ...fault });
  }

  /** The problem may be one that this process never raised: of a process that is gone, or of a Redis that forgot its end. */
  async #goOn({ name }: SheetBookings): Promise<void> {
    const target = `intake:${name}`;
    this.#troubled.delete(target);
    await this.#parts.problems.clear(target);
  }
}
