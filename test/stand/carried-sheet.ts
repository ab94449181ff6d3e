/** A tab of contacts or appointments whose cells people may change, over real parts: Redis, both sandboxes with one clock, the look, the turns, the flush. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { DateTime } from 'luxon';
import { refusalText } from '../../src/engine/booking-answer.ts';
import { DirectoryKeeper } from '../../src/engine/directory-keeper.ts';
import { EditGuard } from '../../src/engine/edit-guard.ts';
import type { CarryingMirror } from '../../src/engine/mirror.ts';
import type { ForgottenTime } from '../../src/engine/moments.ts';
import { parseKey, type Snapshot } from '../../src/engine/object.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import type { SheetCarry } from '../../src/engine/row-edit.ts';
import { type BookingSubmitter, createBookingSubmitter } from '../../src/engine/submitter.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { createContactWriter, createCustomerCards, createPlatformWriter } from '../../src/platform/client.ts';
import { CarriedRows } from '../../src/sheet/carried-rows.ts';
import { createAppointmentRules, createContactRules, createRowEditCarrier } from '../../src/sheet/carrier.ts';
import { upcomingRows } from '../../src/sheet/cells.ts';
import { SheetChecker } from '../../src/sheet/check.ts';
import { createSheetFlusher } from '../../src/sheet/flush.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { createSheetTarget } from '../../src/sheet/target.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { SandboxStands } from '../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { Calls } from './doom.ts';
import { heldRowsOf } from './held-rows.ts';
import { InterruptedSheets } from './intake-sheet.ts';
import { OwnClock } from './own-clock.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { backupOf, openTestStore } from './store.ts';

const BOOK = 'carried-book';
const TURNS_MAX = 8;
const PHONE = '+74950001101';
const HOUR_MS = 3_600_000;

interface TabOf {
  readonly tab: string;
  /** Header to template, in the order of the tab, without the columns that the worker adds. */
  readonly columns: Readonly<Record<string, string>>;
  readonly carried: SheetCarry['columns'];
}

const TABS: Readonly<Record<'contact' | 'appointment', TabOf>> = {
  contact: {
    tab: 'Contacts',
    columns: {
      ID: '{{ id }}',
      Name: '{{ name }}',
      Phone: '{{ phone }}',
      Email: '{{ email }}',
      Stage: '{{ lifecycle }}',
    },
    carried: [
      { header: 'Name', field: 'name' },
      { header: 'Phone', field: 'phone' },
      { header: 'Email', field: 'email' },
      { header: 'Stage', field: 'lifecycle' },
    ],
  },
  appointment: {
    tab: 'Visits',
    columns: {
      ID: '{{ id }}',
      Start: '{{ starts_at }}',
      Name: '{{ customer_name }}',
      Phone: '{{ customer_phone }}',
      Service: '{{ service_name }}',
      Status: '{{ status }}',
    },
    carried: [
      { header: 'Start', field: 'start' },
      { header: 'Name', field: 'shown' },
      { header: 'Phone', field: 'shown' },
      { header: 'Service', field: 'shown' },
      { header: 'Status', field: 'shown' },
      { header: 'Cancel', field: 'cancel' },
    ],
  },
};

export interface CarriedRules extends Partial<SheetCarry> {
  readonly kind?: 'contact' | 'appointment';
  /** Appointments that the tab takes; default: all. */
  readonly statuses?: readonly string[];
  /** The tab's zone; default: the spreadsheet's own. */
  readonly timezone?: string;
  /** What happens between the decision and the request, of appointments. */
  readonly around?: (submitter: BookingSubmitter) => BookingSubmitter;
}

export class CarriedStands {
  readonly #platforms = new SandboxStands();
  readonly #closers: (() => Promise<void>)[] = [];
  #redis: Promise<TestRedis> | undefined;

  async start({
    kind = 'contact',
    timezone,
    statuses,
    around = (same) => same,
    ...rules
  }: CarriedRules = {}) {
    const { tab: TAB, columns, carried: carriedColumns } = TABS[kind];
    const at = { spreadsheetId: BOOK, tab: TAB };
    const keyOf = (id: string) => ({ kind, id });
    this.#redis ??= startTestRedis();
    const platform = await this.#platforms.start({ rateLimitPerMinute: 1_000_000 });
    const { dashboard } = platform;
    const clock = new OwnClock(platform.clock);
    const client = platform.client();
    const directory = new DirectoryKeeper(client.reader, clock);
    await directory.refresh();
    const google = await GoogleSandbox.start({
      clock: platform.clock,
      quotas: { sheetsReadsPerMinutePerUser: 1_000_000, sheetsWritesPerMinutePerUser: 1_000_000 },
    });
    const sheetZone = 'Europe/Moscow';
    google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs: [{ title: TAB }], timeZone: sheetZone });
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-carried-'));
    const credentialsPath = join(folder, 'key.json');
    writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
    const store = openTestStore((await this.#redis).url, { now: () => clock.now() });
    await store.ready();
    this.#closers.push(async () => {
      store.close();
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const carry: SheetCarry = {
      ...{ answerHeader: 'Answer', conflict: 'platform', region: 'RU', language: 'en' },
      ...{ columns: carriedColumns, notifyCustomer: false },
      ...rules,
    };
    const isOfAppointments = kind === 'appointment';
    const mirror: CarryingMirror = {
      ...{ kind: 'sheet', name: TAB.toLowerCase(), ...at, timezone },
      ...(isOfAppointments
        ? ({
            from: 'appointment',
            where: { sinceMs: 30 * 24 * HOUR_MS, ...(statuses && { statuses }) },
          } as const)
        : ({ from: 'contact', where: {} } as const)),
      columns: [
        ...Object.entries(columns).map(([header, template]) => ({
          ...{ header, template },
          ...(header === 'Start' && { as: 'datetime' as const }),
        })),
        ...(isOfAppointments ? [{ header: 'Cancel', template: 'false', as: 'boolean' } as const] : []),
        { header: 'Answer', template: '' },
      ],
      ...{ keyHeader: 'ID', unmatched: 'clear', deleted: 'clear', carry },
      check: { everyMs: 600_000, removed: 'restore', edited: 'restore' },
    };
    const [log, meter] = [new KeptLog(), new KeptMeter()];
    const api = new InterruptedSheets({
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: `${google.url}/`,
      budget: new CountingBudget(),
      ...{ problems: store.problems, clock, timeoutMs: 5_000 },
    });
    const common = { directory, clock, log, meter };
    const calls = new Calls();
    const mortal = calls.of;
    const contactRules = () => createContactRules(mortal(createContactWriter(client)));
    const appointmentRules = () => {
      const submitter = createBookingSubmitter({
        ...{ writer: mortal(createPlatformWriter(client)), cards: createCustomerCards(client) },
        ...{ intents: mortal(store.intents), leases: store.leases, directory, clock, log },
      });
      return createAppointmentRules({
        submitter: around(submitter),
        guard: new EditGuard({ ...store, events: { upcoming: () => Promise.resolve(0) } as never, clock }),
        upcoming: async () => {
          const rows = await store.sheetRows.shown({ mirror: mirror.name, ...at });
          return upcomingRows(carry, rows.values(), clock.now());
        },
        refusalText: (refusal) => refusalText(refusal, { language: 'en', zone: 'UTC' }),
      });
    };
    const life = () => {
      const holds = heldRowsOf(store, clock, mortal);
      const tabs = new RememberedTabs(store.memory);
      const sheets = mortal(api);
      const zones = new SheetZones({ api: sheets, memory: store.memory, problems: store.problems });
      const carried = new CarriedRows({
        ...{ api: sheets, mirrors: [mirror], shown: mortal(store.sheetRows), edits: mortal(store.rowEdits) },
        ...{ overWrites: mortal(store.overWrites), memory: mortal(store.memory), clock, log },
        ...{ zones, problems: store.problems, forgotten: async () => world.forgotten },
      });
      const shared = { api: sheets, tabs, carried, unkept: store.unkept, problems: store.problems };
      const outbox = mortal(store.outbox);
      return {
        holds,
        flusher: createSheetFlusher({
          ...shared,
          outbox,
          mirrors: [mirror],
          sent: store.sentRows,
          clock,
          log,
          meter,
        }),
        checker: new SheetChecker({
          ...shared,
          rows: mortal(store.sheetRows),
          mirrors: [mirror],
          zones,
          clock,
          log,
        }),
        target: createSheetTarget({ ...common, mirror, outbox, zones, waker: { wake: () => undefined } }),
        carrier: createRowEditCarrier({
          ...{ mirrors: new Map([[mirror.name, carry]]), reader: mortal(client.reader) },
          ...{ rules: isOfAppointments ? appointmentRules() : contactRules(), work: mortal(store.work) },
          ...{ edits: mortal(store.rowEdits), holds, history: store.history, clock, log },
        }),
      };
    };
    let alive = life();
    /** Id to what was told last. A replay changes nothing, and most of the time here would go into replays. */
    const told = new Map<string, string>();
    const world = {
      /** What Redis may have forgotten since it was put back. */
      forgotten: undefined as ForgottenTime | undefined,
      ...{ platform, dashboard, clock, google, store, mirror, api, log, calls },
      staff: google.staff.sheets,
      at,
      create: (name: string, phone?: string, email?: string) =>
        dashboard.createContact({
          ...{ projectId: platform.projectId, name },
          ...(phone && { phone }),
          ...(email && { email }),
        }),
      contact: (id: string) => platform.sandbox.truth.contacts().find((each) => each['id'] === id),
      /** An appointment, of Anna's unless it is said otherwise. */
      book: (customerName: string, startsAt: string, more: Record<string, unknown> = {}) =>
        dashboard.bookAs('crm', {
          ...{ serviceId: platform.serviceId, resourceId: platform.annaId, startsAt },
          ...{ customerName, customerPhone: PHONE, ...more },
        }),
      appointment: (id: string) => platform.sandbox.truth.appointments().find((each) => each['id'] === id),
      /** Its start on the platform, as the spreadsheet shows it. */
      startOf: (id: string) => {
        const startsAt = String(world.appointment(id)?.['starts_at']);
        return DateTime.fromISO(startsAt, { zone: timezone ?? sheetZone }).toFormat('yyyy-MM-dd HH:mm');
      },
      /** What the platform's webhooks would bring. */
      async hear(): Promise<void> {
        const { truth } = platform.sandbox;
        for (const now of isOfAppointments ? truth.appointments() : truth.contacts()) {
          const snapshot = now as unknown as Snapshot;
          const key = keyOf(snapshot.id);
          const text = JSON.stringify(now);
          if (told.get(snapshot.id) === text) continue;
          told.set(snapshot.id, text);
          const seen = { as: 'snapshot', snapshot } as const;
          await store.intake.observe({ key, source: 'webhook', occurredAtMs: clock.now(), seen });
        }
      },
      look: () => alive.checker.check(at.spreadsheetId),
      lookAtHeld: () => alive.holds.look(),
      /** `but`: the object whose turn is still to come. */
      async work(max = TURNS_MAX, but = ''): Promise<void> {
        for (let turns = 0; turns < max; turns += 1) {
          const keys = await store.work.due(clock.now(), 100);
          const due = keys.filter((key) => parseKey(key) !== undefined && parseKey(key)?.id !== but);
          if (due.length === 0) return;
          for (const key of due) {
            const parts = {
              work: mortal(store.work),
              reader: mortal(client.reader),
              history: store.history,
              ...common,
            };
            await reconcile(
              { ...parts, handlers: [alive.target], editCarrier: alive.carrier, ...WORKER_DEFAULTS },
              key,
            );
          }
          clock.advance(1_000);
        }
      },
      async flush(): Promise<void> {
        if ((await store.outbox.waiting()).length > 0)
          await alive.flusher.flush(at.spreadsheetId, new AbortController());
      },
      /** All that the worker does by itself, often enough for it to come to rest. */
      async settle(often = 3): Promise<void> {
        for (let rounds = 0; rounds < often; rounds += 1) {
          await world.hear();
          await world.work();
          await world.flush();
          await world.look();
          clock.advance(1_000);
        }
        await world.work();
        await world.flush();
      },
      async round(): Promise<void> {
        await world.look();
        await world.work();
        await world.flush();
      },
      /** One round in which the worker dies at its n-th step. True when it did. */
      dieAt: (step: number): Promise<boolean> => calls.dieAt(step, () => world.round()),
      /** One life of the worker ends, another begins: what was not stored is forgotten. */
      async restart(): Promise<void> {
        await store.problems.clearAll();
        alive = life();
      },
      /** People copy the spreadsheet: the copy has the cells of this moment. */
      copy(spreadsheetId: string): void {
        google.addSpreadsheet(spreadsheetId, {
          ...{ shareWith: [defaultAccount], timeZone: sheetZone, tabs: [{ title: TAB }] },
        });
        for (const [nth, values] of world.rows().entries())
          world.staff.setRow({ spreadsheetId, tab: TAB, row: nth + 1, values: values.map(asTyped) });
      },
      /** The YAML names another spreadsheet, and the worker starts anew. People type there from now on. */
      async pointAt(spreadsheetId: string): Promise<void> {
        at.spreadsheetId = spreadsheetId;
        Object.assign(mirror, { spreadsheetId });
        await world.restart();
        // As a worker does that starts with another mapping.
        await store.dirtyMarks.markDirty([...told.keys()].map(keyOf), { read: true });
      },
      rowNumber: (id: string) =>
        google.truth.values(at.spreadsheetId, TAB).findIndex(([key]) => key === id) + 1,
      row(id: string): Record<string, unknown> {
        const [headers = [], ...rows] = google.truth.values(at.spreadsheetId, TAB);
        const cells = rows[world.rowNumber(id) - 2] ?? [];
        return Object.fromEntries(headers.map((header, i) => [String(header), cells[i] ?? '']));
      },
      rows: () => google.truth.values(at.spreadsheetId, TAB),
      put(id: string, column: string, value: string | number | boolean): void {
        world.staff.typeInto({ ...at, row: world.rowNumber(id), column, value });
      },
      titles: () =>
        (
          google.truth.spreadsheet(at.spreadsheetId) as { sheets: { properties: { title: string } }[] }
        ).sheets.map(({ properties }) => properties.title),
      open: () => store.overWrites.open(at.spreadsheetId),
      claim: (id: string) => store.ledger.peek(keyOf(id)),
      /** What is in Redis now is in it again, once the returned function is called. */
      async backup(): Promise<() => Promise<void>> {
        const fromMs = clock.now();
        const putBack = await backupOf(store.redis);
        return async () => {
          told.clear();
          await putBack();
          world.forgotten = { fromMs, untilMs: clock.now() };
        };
      },
      async loseRedis(): Promise<void> {
        told.clear();
        await store.redis.flushall();
      },
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

/** The cell as somebody would type it to have the same content. */
function asTyped(cell: unknown): string | number | boolean {
  return typeof cell === 'string' && cell !== '' ? `'${cell}` : ((cell ?? '') as string | number | boolean);
}

export type CarriedWorld = Awaited<ReturnType<CarriedStands['start']>>;
