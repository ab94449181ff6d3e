/** Blocks over real parts: Redis, both sandboxes with one clock, the poll of the private calendars, and turns of the people. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { BlockPoll } from '../../src/calendar/block-poll.ts';
import { createBlockTarget, createBlockWaker } from '../../src/calendar/block-target.ts';
import { readReport } from '../../src/calendar/block-wanted.ts';
import type { BlockRule } from '../../src/engine/block.ts';
import type { IntentStore } from '../../src/engine/intent.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { PlatformWriter } from '../../src/engine/platform.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import type { Disposition } from '../../src/engine/work.ts';
import type { WorkStore } from '../../src/engine/work-store.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { type BusyEventsApi, GoogleBusyEventsApi } from '../../src/google/calendar-events.ts';
import { createPlatformWriter } from '../../src/platform/client.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { SandboxStands } from '../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { OwnClock } from './own-clock.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { openTestStore } from './store.ts';

export const PRIVATE = 'anna.private@example.com';
export const FAMILY = 'family@group.calendar.google.com';
/** In which people also book, and a mirror writes. */
export const WORK = 'anna@clinic.example';
export const SECRET_TEXT = 'Dentist with Dr. Secret';

/** What a turn stands on, so that a test can put something in between. */
export interface BlockGround {
  readonly writer: PlatformWriter;
  readonly intents: IntentStore;
  readonly work: WorkStore;
}

const OFFSET = '+03:00';

/** Tuesday in Moscow; the clock stands at Monday noon there. */
export const tuesday = (time: string): string => `2026-03-03T${time}:00${OFFSET}`;
/** The same for any day of that month. */
export const march = (day: number, time: string): string =>
  `2026-03-${String(day).padStart(2, '0')}T${time}:00${OFFSET}`;

export class BlockStands {
  readonly #platforms = new SandboxStands();
  readonly #closers: (() => Promise<void>)[] = [];
  #redis: Promise<TestRedis> | undefined;

  async start(change: Partial<BlockRule> = {}) {
    this.#redis ??= startTestRedis();
    const platform = await this.#platforms.start({ rateLimitPerMinute: 1_000_000 });
    const { dashboard, projectId, annaId, borisId, sandbox } = platform;
    const clock = new OwnClock(platform.clock);
    const busyId = dashboard.createService({
      ...{ projectId, name: 'Busy', resourceIds: [annaId, borisId], bookingMode: 'interval' },
      ...{ minDurationMin: 30, maxDurationMin: 240, durationStepMin: 15, onlineBookable: false },
    });
    const houseId = dashboard.createContact({ projectId, name: 'House' });
    const client = platform.client();
    const directory = await client.reader.directory();
    const google = await GoogleSandbox.start({
      clock: platform.clock,
      quotas: { calendarPerMinutePerUser: 100_000 },
    });
    google.addCalendar(PRIVATE, { shareWith: [defaultAccount], role: 'freeBusyReader' });
    google.addCalendar(FAMILY, { shareWith: [defaultAccount], role: 'reader' });
    google.addCalendar(WORK, { shareWith: [defaultAccount] });
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-blocks-'));
    const credentialsPath = join(folder, 'key.json');
    writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
    const store = openTestStore((await this.#redis).url, { now: () => clock.now() });
    await store.ready();
    this.#closers.push(async () => {
      store.close();
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const log = new KeptLog();
    const meter = new KeptMeter();
    const problems = new MemoryProblemBoard();
    const calendars = new GoogleBusyEventsApi({
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: google.url,
      budget: new CountingBudget(),
      ...{ problems, clock, timeoutMs: 5_000 },
    });
    const rule: BlockRule = {
      name: 'private-time',
      service: 'Busy',
      contactId: houseId,
      people: [
        { resource: 'Anna', calendars: [PRIVATE, FAMILY, WORK].map((calendarId) => ({ calendarId })) },
      ],
      hours: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((day) => [day, [[540, 1_260] as const]])),
      busy: {
        ...{ free: false, declined: false, tentative: true, unanswered: false },
        ...{ allDay: true, outOfOffice: true, shortestMs: 0, paddingMs: 0 },
      },
      ...{ horizonMs: 30 * 86_400_000, everyMs: 60_000, paused: false },
      ...change,
    };
    const rules = [rule];
    const lists = { current: () => directory };
    const pollOver = (over: BusyEventsApi) =>
      new BlockPoll({
        ...{ rules, calendars: over, directory: lists, intake: store.intake, view: store.ledger },
        ...{ memory: store.memory, problems, clock, log },
        bookingsIn: (id) => (id === WORK ? [{ title: '#book *' }] : []),
      });
    const ground: BlockGround = {
      writer: createPlatformWriter(client),
      intents: store.intents,
      work: store.work,
    };
    const { memory, history, dirtyMarks, ledger: view } = store;
    const turn = async (own: BlockGround = ground, key = `block/${annaId}`): Promise<Disposition> => {
      const parts = { rules, directory: lists, memory, problems, clock, log };
      return reconcile(
        {
          ...{ work: own.work, reader: client.reader, history, ...WORKER_DEFAULTS, clock, log, meter },
          editCarrier: { carry: async (claim) => ({ claim, failures: [] }) },
          handlers: [
            createBlockTarget({ ...parts, writer: own.writer, intents: own.intents }),
            createBlockWaker({ rules, directory: lists, view, dirtyMarks, queue: { add() {} }, clock }),
          ],
        },
        key,
      );
    };
    const local = (iso: unknown) =>
      new Date(Date.parse(String(iso)) + 3 * 3_600_000).toISOString().slice(8, 16);
    const world = {
      ...{
        sandbox,
        dashboard,
        clock,
        google,
        staff: google.staff.calendar,
        store,
        ground,
        problems,
        log,
        rule,
      },
      ...{ platform, annaId, borisId, busyId, houseId, calendars },
      turn,
      directory,
      /** The calendars are read as by a worker that has just started. */
      async poll(over: BusyEventsApi = calendars): Promise<void> {
        await store.under(`blocks:${rule.name}`, (lease) => pollOver(over).round(rule, lease));
      },
      /** The calendars are read, and turns are taken until nothing is left to do. */
      async settle(own: BlockGround = ground): Promise<void> {
        await world.poll();
        await world.rest(own);
      },
      async rest(own: BlockGround = ground): Promise<void> {
        for (let turns = 0; turns < 30; turns += 1) {
          const next = await turn(own);
          if (next.next === 'done') return;
          clock.advance(next.afterMs ?? 1_000);
        }
        throw new Error('does not settle');
      },
      /** The platform reports an appointment to the worker as it is, except for these fields. */
      async hear(id: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Disposition> {
        const snapshot = { ...sandbox.truth.appointment(id), ...fields } as unknown as Snapshot;
        const key = { kind: 'appointment', id } as const;
        const seen = { as: 'snapshot', snapshot } as const;
        await store.intake.observe({ key, source: 'webhook', occurredAtMs: clock.now(), force: true, seen });
        return turn(ground, `appointment/${id}`);
      },
      /** A private event; its id. */
      busy(
        from: string,
        to: string,
        { calendarId = PRIVATE, fields = {} }: { calendarId?: string; fields?: Record<string, unknown> } = {},
      ): string {
        const event = { summary: SECRET_TEXT, start: { dateTime: from }, end: { dateTime: to }, ...fields };
        return String(google.staff.calendar.add({ calendarId, event: event as never })['id']);
      },
      /** Live blocks as `03T10:00-11:00` in Moscow. */
      blocks: () =>
        appointments().map(({ starts_at, ends_at }) => `${local(starts_at)}-${local(ends_at).slice(3)}`),
      blockIds: () => appointments().map(({ id }) => String(id)),
      all: () => sandbox.truth.appointments(),
      report: () => readReport(store.memory, annaId),
    };
    const appointments = () =>
      sandbox.truth
        .appointments()
        .filter(({ status, contact_id }) => status !== 'cancelled' && contact_id === houseId)
        .toSorted((a, b) => String(a['starts_at']).localeCompare(String(b['starts_at'])));
    return world;
  }

  async closeWorlds(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
    await this.#platforms.close();
  }

  async close(): Promise<void> {
    await this.closeWorlds();
    await (await this.#redis)?.stop();
  }
}

export type BlockWorld = Awaited<ReturnType<BlockStands['start']>>;
