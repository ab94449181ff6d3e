/** A booking sheet over real parts: Redis, both sandboxes with one clock, the poll, the submitter, the flush that answers. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { isAppointmentWord } from '../../src/engine/booking-answer.ts';
import { createBookingTarget } from '../../src/engine/booking-turn.ts';
import { DirectoryKeeper } from '../../src/engine/directory-keeper.ts';
import { EditGuard } from '../../src/engine/edit-guard.ts';
import { keySpace } from '../../src/engine/key-space.ts';
import { formatKey, ORIGIN_MARK, parseKey, type Snapshot } from '../../src/engine/object.ts';
import { createAnswerWaker, createUnjudgedRows } from '../../src/engine/origin.ts';
import type { SheetBookings } from '../../src/engine/outside-booking.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { createBookingSubmitter } from '../../src/engine/submitter.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { createCalendarEvents } from '../../src/google/calendar-events.ts';
import { type GridArea, type SheetRequest, SheetsApi } from '../../src/google/sheets-api.ts';
import type { ShownArea, ShownTabs } from '../../src/google/shown-cells.ts';
import { createBookingTemplates } from '../../src/mapping/phone-filter.ts';
import { createCustomerCards, createPlatformWriter } from '../../src/platform/client.ts';
import { BookingSheets } from '../../src/sheet/booking-sheets.ts';
import { createSheetFlusher } from '../../src/sheet/flush.ts';
import { answerTab, createRowAnswers } from '../../src/sheet/known-rows.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { SandboxStands } from '../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { Calls } from './doom.ts';
import { double } from './double.ts';
import { heldRowsOf } from './held-rows.ts';
import { OwnClock } from './own-clock.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { openTestStore } from './store.ts';

export const BOOK = 'front-submitter-book';
export const TAB = 'Intake';
export const HEADERS = [
  ...['Service', 'Start', 'Name', 'Phone', 'Resource', 'Ready', 'Cancel'],
  ...['ID', 'Status', 'Appointment', 'Time', 'Notes'],
];
const NO_ANSWER_TRIES = 6;

/** People's hands at the worst moment: what is set here is done once, right before the worker reads, right before or right after it writes. */
export class InterruptedSheets extends SheetsApi {
  beforeWrite: (() => void) | undefined;
  afterWrite: (() => void) | undefined;
  beforeRead: (() => void) | undefined;
  /** Runs once, after a reading and before the worker acts on it. */
  afterRead: (() => Promise<void>) | undefined;
  writes = 0;
  reads = 0;
  /** Readings that were to go along with others. */
  waits = 0;

  override async write(
    spreadsheetId: string,
    requests: readonly SheetRequest[],
    shown: readonly ShownArea[] = [],
  ): Promise<ShownTabs> {
    this.writes += 1;
    const before = this.beforeWrite;
    this.beforeWrite = undefined;
    before?.();
    const tabs = await super.write(spreadsheetId, requests, shown);
    const after = this.afterWrite;
    this.afterWrite = undefined;
    after?.();
    return tabs;
  }

  override readAlong(...asked: Parameters<SheetsApi['readAlong']>) {
    this.waits += 1;
    return super.readAlong(...asked);
  }

  override async read(spreadsheetId: string, areas: readonly GridArea[]) {
    this.reads += 1;
    const before = this.beforeRead;
    this.beforeRead = undefined;
    before?.();
    const found = await super.read(spreadsheetId, areas);
    const after = this.afterRead;
    this.afterRead = undefined;
    await after?.();
    return found;
  }
}

type Mutable<T> = { -readonly [Part in keyof T]: T[Part] };

export class IntakeStands {
  readonly #platforms = new SandboxStands();
  readonly #closers: (() => Promise<void>)[] = [];
  #redis: Promise<TestRedis> | undefined;

  /** `beside`: tabs of further entries, whose rows are read and marked, but not booked. */
  async start(rules: Partial<SheetBookings> = {}, beside: readonly string[] = []) {
    this.#redis ??= startTestRedis();
    const platform = await this.#platforms.start({ rateLimitPerMinute: 1_000_000 });
    const { dashboard } = platform;
    const clock = new OwnClock(platform.clock);
    const client = platform.client();
    const directory = new DirectoryKeeper(client.reader, clock);
    await directory.refresh();
    const google = await GoogleSandbox.start({
      clock: platform.clock,
      quotas: { sheetsReadsPerMinutePerUser: 10_000, sheetsWritesPerMinutePerUser: 10_000 },
    });
    google.addSpreadsheet(BOOK, {
      shareWith: [defaultAccount],
      timeZone: 'Europe/Moscow',
      tabs: [TAB, ...beside].map((title) => ({ title, rows: 50, columns: HEADERS.length })),
    });
    for (const tab of [TAB, ...beside])
      google.staff.sheets.setRow({ spreadsheetId: BOOK, tab, row: 1, values: HEADERS });
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-intake-'));
    const credentialsPath = join(folder, 'key.json');
    writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
    const store = openTestStore((await this.#redis).url, { now: () => clock.now() });
    await store.ready();
    this.#closers.push(async () => {
      store.close();
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const at = { spreadsheetId: BOOK, tab: TAB };
    const mapping: Mutable<SheetBookings> = {
      kind: 'sheet',
      name: 'front-submitter',
      ...{ ...at, everyMs: 30_000, stillForMs: 30_000 },
      columns: {
        ...{ service: 'Service', starts_at: 'Start', name: 'Name', phone: 'Phone', resource: 'Resource' },
        ...{ ready: 'Ready', cancel: 'Cancel' },
        ...{ id: 'ID', status: 'Status', appointment: 'Appointment', booked_at: 'Time' },
      },
      service: '{{ service }}',
      resource: '{{ resource }}',
      customer: { name: '{{ name }}', phone: '{{ phone | phone }}', create: true },
      region: 'RU',
      notifyCustomer: false,
      language: 'en',
      ...rules,
    };
    const log = new KeptLog();
    const meter = new KeptMeter();
    const shared = {
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: `${google.url}/`,
      budget: new CountingBudget(),
      ...{ problems: store.problems, clock, timeoutMs: 5_000 },
    };
    const api = new InterruptedSheets(shared);
    const zones = new SheetZones({ api, memory: store.memory, problems: store.problems });
    const tabs = new RememberedTabs(store.memory);
    const others = beside.map((tab): SheetBookings => ({ ...mapping, name: tab.toLowerCase(), tab }));
    const common = { directory, clock, log, meter };
    /** What stands between parts, so that a test can have the process die there. */
    const deaths = { observe: false, submit: false, answer: false };
    const dieAt = (place: keyof typeof deaths) => {
      if (!deaths[place]) return;
      deaths[place] = false;
      throw new Error(`killed at ${place}`);
    };
    const intake = {
      async observe(seen: Parameters<typeof store.intake.observe>[0]) {
        if (seen.source === 'sheet') dieAt('observe');
        return store.intake.observe(seen);
      },
    };
    /** Runs once, when the poll asks the platform who booked a row's appointment. */
    const meanwhile: { lookUp: (() => void) | undefined } = { lookUp: undefined };
    const lookUps: Pick<typeof client.reader, 'get'> = {
      get: (key) => {
        const { lookUp } = meanwhile;
        meanwhile.lookUp = undefined;
        lookUp?.();
        return client.reader.get(key);
      },
    };
    const calls = new Calls();
    const mortal = calls.of;
    const events = createCalendarEvents(new GoogleCalendarApi(shared));
    const guard = new EditGuard({ tally: store.tally, memory: store.memory, clock, events });
    const open = () =>
      new BookingSheets({
        ...{
          mappings: [...others, mapping],
          api: mortal(api),
          tabs: mortal(tabs),
          memory: mortal(store.memory),
          clock,
          log,
        },
        ...{ intake: mortal(intake), view: mortal(store.ledger), reader: mortal(lookUps) },
        ...{
          rows: mortal(store.sheetRows),
          register: mortal(store.rowRegister),
          outbox: mortal(store.outbox),
          problems: store.problems,
        },
        isAnswer: isAppointmentWord,
        originMark: ORIGIN_MARK,
        placeOf: (each) => ({ mirror: answerTab(each).name, spreadsheetId: at.spreadsheetId, tab: each.tab }),
        guard,
      });
    const openFlusher = (mirrors = [answerTab(mapping)]) =>
      createSheetFlusher({
        ...{ api, outbox: store.outbox, unkept: store.unkept, mirrors, tabs },
        ...{ problems: store.problems, clock, log, meter },
      });
    const pollBy = async (
      by: BookingSheets,
      { until, ...options }: { readonly waitMs?: number; readonly until?: AbortSignal } = {},
    ): Promise<void> => {
      const held = await store.leases.hold(
        `intake:${at.spreadsheetId}`,
        (lease) => by.poll(at.spreadsheetId, lease, options),
        until && { until },
      );
      if (held === undefined) throw new Error('another process polls the sheet');
    };
    let sheets = open();
    let flusher = openFlusher();
    const submitter = createBookingSubmitter({
      ...{ writer: mortal(createPlatformWriter(client)), cards: createCustomerCards(client) },
      ...{ intents: mortal(store.intents), leases: store.leases, ...common },
    });
    const answering = () =>
      createRowAnswers({
        mapping,
        outbox: mortal(store.outbox),
        waker: { wake: () => undefined },
        ...{ zones, rows: store.sheetRows, view: store.ledger, clock },
      });
    let answers = answering();
    const holds = heldRowsOf(store, clock);
    const openTargets = () => [
      createBookingTarget({
        ...{ events, holds },
        ...{ ...common, mapping, entries: [], intake },
        ...{ reader: mortal(client.reader), links: mortal(store.links) },
        submitter: double({
          submit: async (...asked) => {
            const verdict = await submitter.submit(...asked);
            dieAt('submit');
            return verdict;
          },
          finish: (origin) => submitter.finish(origin),
          withdraw: (origin) => submitter.withdraw(origin),
          made: (origin) => submitter.made(origin),
          find: (origin, wish) => submitter.find(origin, wish),
          freeTimes: (wished, within) => submitter.freeTimes(wished, within),
        }),
        guard,
        view: store.ledger,
        history: store.history,
        resourceAt: () => undefined,
        templates: createBookingTemplates({ region: mapping.region, serviceNames: () => [] }),
        place: {
          async answer(...said) {
            dieAt('answer');
            return answers.answer(...said);
          },
        },
      }),
      createAnswerWaker({ dirtyMarks: store.dirtyMarks, queue: { add: () => undefined } }),
    ];
    let targets = openTargets();
    // Belongs to no turn of the poll in which a test calls it.
    const asAnotherProcess = AsyncLocalStorage.snapshot();
    const world = {
      ...{ platform, dashboard, clock, google, store, mapping, api, deaths, meanwhile, log, calls },
      staff: google.staff.sheets,
      /** Types a row at the end: Tuesday at ten, ready, unless told otherwise. Its number, as people see it. */
      type(cells: Record<string, string | number | boolean> = {}): number {
        const all: Record<string, string | number | boolean> = {
          ...{ Service: 'Haircut', Start: '03.03.2026 10:00', Name: 'Vera Orlova' },
          ...{ Phone: '8 495 000-11-01', Resource: 'Anna', Ready: true, ...cells },
        };
        return world.staff.addRow({ ...at, values: HEADERS.map((header) => all[header] ?? '') }).row;
      },
      put(row: number, column: string, value: string | number | boolean): void {
        world.staff.typeInto({ ...at, row, column, value });
      },
      at,
      lookAtHeld: () => holds.look(),
      poll: (until?: AbortSignal) => pollBy(sheets, until && { until }),
      /** Ends the lease of the running poll unnoticed, as if its process had been frozen for too long. */
      async outliveLease(): Promise<void> {
        await store.redis.del(keySpace(store.prefix).lease(`intake:${at.spreadsheetId}`));
      },
      /** A poll by another process, which has no memory of earlier readings. */
      pollElsewhere: () => asAnotherProcess(() => pollBy(open())),
      /** As after a loss of Redis. */
      forget: () => sheets.forget(),
      /** A poll that goes along with the next flush, however long that takes; resolves when it waits for it. */
      async pollAlong(): Promise<{ polled: Promise<void> }> {
        const { waits } = api;
        const polled = pollBy(sheets, { waitMs: 600_000 });
        while (api.waits === waits) await new Promise((done) => setTimeout(done, 2));
        return { polled };
      },
      /** The poll dies at its n-th step. True when it did. */
      dieAt: (step: number): Promise<boolean> => calls.dieAt(step, () => world.poll()),
      /** One life of the worker ends, another begins: what was not stored is forgotten. */
      async restart(): Promise<void> {
        await store.problems.clearAll();
        sheets = open();
        flusher = openFlusher();
        answers = answering();
        targets = openTargets();
      },
      /** People copy the spreadsheet: the copy has the cells of this moment. */
      copy(spreadsheetId: string): void {
        const tabs = [{ title: TAB, rows: 50, columns: HEADERS.length }];
        google.addSpreadsheet(spreadsheetId, {
          shareWith: [defaultAccount],
          timeZone: 'Europe/Moscow',
          tabs,
        });
        for (const [nth, values] of world.rows().entries())
          world.staff.setRow({ spreadsheetId, tab: TAB, row: nth + 1, values: values as string[] });
      },
      /** The YAML names another spreadsheet, and the worker starts anew. People type there from now on. */
      async pointAt(spreadsheetId: string): Promise<void> {
        at.spreadsheetId = spreadsheetId;
        mapping.spreadsheetId = spreadsheetId;
        await world.restart();
      },
      /** Turns of what is due. `isNamed`: false while the YAML has no such entry. */
      async work(max = NO_ANSWER_TRIES, { isNamed = true } = {}): Promise<void> {
        const unjudged = createUnjudgedRows({
          mappings: isNamed ? [mapping] : [],
          intake: store.intake,
          clock,
        });
        const handlers = [...(isNamed ? targets : []), unjudged];
        for (let tries = 0; tries < max; tries += 1) {
          const due = (await store.work.due(clock.now(), 100)).filter((key) => parseKey(key) !== undefined);
          if (due.length === 0) return;
          for (const key of due) {
            const parts = {
              ...{
                work: mortal(store.work),
                reader: mortal(client.reader),
                handlers,
                history: store.history,
                ...common,
              },
              ...WORKER_DEFAULTS,
              editCarrier: { carry: async (claim: never) => ({ claim, failures: [] }) } as never,
            };
            await reconcile(parts, key);
          }
          clock.advance(1_000);
        }
      },
      /** False when nothing waits. `isNamed`: as for `work`. */
      async flush({ isNamed = true } = {}): Promise<boolean> {
        const waiting = await store.outbox.waiting();
        const by = isNamed ? flusher : openFlusher([]);
        if (waiting.length > 0) await by.flush(at.spreadsheetId, new AbortController());
        return waiting.length > 0;
      },
      /** A poll, everything that follows from it, and time for it. */
      async settle(): Promise<void> {
        for (let rounds = 0; rounds < 2; rounds += 1) {
          await world.poll();
          await world.work();
          await world.flush();
        }
      },
      /** What the platform's webhooks would bring. */
      async hear(): Promise<void> {
        for (const told of platform.sandbox.truth.appointments()) {
          const snapshot = told as unknown as Snapshot;
          const key = { kind: 'appointment', id: snapshot.id } as const;
          const seen = { as: 'snapshot', snapshot } as const;
          await intake.observe({ key, source: 'webhook', occurredAtMs: clock.now(), seen });
        }
      },
      rows: () =>
        google.truth.values(at.spreadsheetId, TAB).map((row) => HEADERS.map((_, i) => row[i] ?? '')),
      /** By the number of the row; header to cell. */
      row(number: number): Record<string, unknown> {
        const cells = google.truth.values(at.spreadsheetId, TAB)[number - 1] ?? [];
        return Object.fromEntries(HEADERS.map((header, i) => [header, cells[i] ?? '']));
      },
      rowOf(name: string): Record<string, unknown> {
        const at = world.rows().findIndex((row) => row[2] === name);
        return world.row(at + 1);
      },
      record: async (id: unknown) =>
        (await store.ledger.peek({ kind: 'booking', id: String(id) }))?.links[mapping.name]?.booking,
      keyOf: (id: unknown) => formatKey({ kind: 'booking', id: String(id) }),
      appointments: () => platform.sandbox.truth.appointments(),
      /** Live ones: start, resource, customer. */
      booked: () =>
        platform.sandbox.truth
          .appointments()
          .filter(({ status }) => status !== 'cancelled')
          .map(
            ({ starts_at, resource_id, customer_name }) =>
              `${String(starts_at)} ${resource_id === platform.annaId ? 'Anna' : 'Boris'} ${String(customer_name)}`,
          )
          .sort(),
      problems: async () => (await store.problems.list()).map(({ target, code }) => `${target} ${code}`),
      loseRedis: () => store.redis.flushall(),
    };
    return world;
  }

  async closeWorlds(): Promise<void> {
    await Promise.all(this.#closers.splice(0).map((close) => close()));
    await this.#platforms.close();
  }

  async close(): Promise<void> {
    await this.closeWorlds();
    await (await this.#redis)?.stop();
  }
}

export type IntakeWorld = Awaited<ReturnType<IntakeStands['start']>>;
