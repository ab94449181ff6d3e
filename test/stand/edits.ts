/** One handler over real parts: Redis, both sandboxes with one clock, the calendar mirror, the submitter and staff edits. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { EditedMirror } from '../../src/calendar/edit-search.ts';
import { createEditCarrier } from '../../src/calendar/staff-edits.ts';
import { createCalendarTarget } from '../../src/calendar/target.ts';
import { markedEvents } from '../../src/calendar/wanted.ts';
import { NOTE_WORDS, refusalText } from '../../src/engine/booking-answer.ts';
import type { CalendarEvents } from '../../src/engine/calendar-events.ts';
import { EditGuard } from '../../src/engine/edit-guard.ts';
import type { ClassReader } from '../../src/engine/handler.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { IntentStore } from '../../src/engine/intent.ts';
import type { LinkStore } from '../../src/engine/link-store.ts';
import type { Tally } from '../../src/engine/memory.ts';
import {
  type CalendarMirror,
  calendarIdsOf,
  type Directory,
  type StaffEdits,
} from '../../src/engine/mirror.ts';
import type { ForgottenTime } from '../../src/engine/moments.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { PlatformReader, PlatformWriter } from '../../src/engine/platform.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { adoptMarkedEvents, everyCalendar } from '../../src/engine/redis-lost.ts';
import type { Clock } from '../../src/engine/runtime.ts';
import { type BookingSubmitter, createBookingSubmitter } from '../../src/engine/submitter.ts';
import type { Disposition } from '../../src/engine/work.ts';
import type { WorkStore } from '../../src/engine/work-store.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { type CalendarApi, GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { createCalendarEvents } from '../../src/google/calendar-events.ts';
import { isCalendarDenied } from '../../src/google/errors.ts';
import { resolveCalendars, shownElsewhere, takesAppointment } from '../../src/mapping/route.ts';
import { createCustomerCards, createPlatformWriter } from '../../src/platform/client.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { SandboxStands } from '../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { OwnClock } from './own-clock.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { openTestStore } from './store.ts';

export const ANNA = 'anna@clinic.example';
export const BORIS = 'boris@clinic.example';
/** A colleague in another branch. */
export const CLARA = 'clara@clinic.example';
export const ROOM = 'room@group.calendar.google.com';
/** Nobody's in this mirror. */
export const OTHER = 'other@clinic.example';
/** The calendar for everything, where there is a mirror for it. */
export const TEAM = 'team@group.calendar.google.com';
export const BOARD = 'board@group.calendar.google.com';

const ALL = [ANNA, BORIS, CLARA, ROOM, OTHER, TEAM, BOARD];

/** Id under which the worker makes the event in a calendar. */
export function idIn(calendarId: string, id: string): string {
  return eventIdOf(id, [TEAM, BOARD].includes(calendarId) ? calendarId : undefined);
}

/** Tuesday in Moscow; the clock stands at Monday noon there. */
export const TUESDAY_10 = '2026-03-03T07:00:00.000Z';
export const TUESDAY_12 = '2026-03-03T09:00:00.000Z';
export const TUESDAY_14 = '2026-03-03T11:00:00.000Z';
export const GRACE_MS = 120_000;

/** What a handler stands on, so that a test can put something in between. */
export interface EditGround {
  readonly events: CalendarEvents;
  readonly writer: PlatformWriter;
  readonly intents: IntentStore;
  /** Instead of one over the writer and the intents. */
  readonly submitter?: BookingSubmitter;
  readonly reader: PlatformReader;
  readonly work: WorkStore;
  readonly links: LinkStore;
  readonly tally: Tally;
  readonly api: CalendarApi;
}

const SILENT_EDITS: StaffEdits = {
  moved: 'revert',
  deleted: 'restore',
  conflict: 'platform',
  graceMs: GRACE_MS,
  notifyCustomer: false,
};

export class EditStands {
  readonly #platforms = new SandboxStands();
  readonly #closers: (() => Promise<void>)[] = [];
  #redis: Promise<TestRedis> | undefined;

  /**
   * `split`: the calendar of Boris belongs to a mirror of its own, whose edits may differ; `more`: further calendars, of nobody known; `team`: two
   * mirrors show everything, one of them busy, and what becomes of edits there. `lines`: of the mapping, beside those of the resources.
   */
  async start(
    staffEdits: Partial<StaffEdits> = {},
    about: {
      readonly split?: { readonly edits?: Partial<StaffEdits>; readonly statuses?: readonly string[] };
      readonly more?: readonly string[];
      readonly team?: Partial<StaffEdits>;
      readonly lines?: CalendarMirror['calendars'];
    } = {},
  ) {
    this.#redis ??= startTestRedis();
    const platform = await this.#platforms.start({ rateLimitPerMinute: 1_000_000 });
    const { dashboard, projectId } = platform;
    const clock = new OwnClock(platform.clock);
    const elsewhere = dashboard.createBranch({ projectId, name: 'North', timezone: 'Europe/Moscow' });
    dashboard.createResource({ branchId: elsewhere, name: 'Clara' });
    const roomId = dashboard.createResource({ branchId: platform.branchId, name: 'Room', kind: 'place' });
    const massageId = dashboard.createService({
      ...{ projectId, name: 'Massage', resourceIds: [platform.annaId], secondResourceIds: [roomId] },
    });
    const client = platform.client();
    const directory = await client.reader.directory();
    const google = await GoogleSandbox.start({
      clock: platform.clock,
      quotas: { calendarPerMinutePerUser: 100_000 },
    });
    const more = about.more ?? [];
    for (const id of [...ALL, ...more]) google.addCalendar(id, { shareWith: [defaultAccount] });
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-edits-'));
    const credentialsPath = join(folder, 'key.json');
    writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
    const store = openTestStore((await this.#redis).url, { now: () => clock.now() });
    await store.ready();
    this.#closers.push(async () => {
      store.close();
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const mirror: CalendarMirror = {
      kind: 'calendar',
      name: 'staff',
      from: 'appointment',
      where: { sinceMs: 30 * 86_400_000 },
      calendars: [
        { resource: 'Anna', calendarId: ANNA },
        ...(about.split === undefined ? [{ resource: 'Boris', calendarId: BORIS }] : []),
        { resource: 'Clara', calendarId: CLARA },
        { resource: 'Room', calendarId: ROOM },
        ...more.map((calendarId) => ({ resource: `Somebody of ${calendarId}`, calendarId })),
        ...(about.lines ?? []),
      ],
      event: {
        title: '{{ service_name }}, {{ customer_name }}',
        description: '{{ customer_phone }}',
        location: undefined,
        colorIds: { no_show: '11' },
        cancelled: 'remove',
      },
      staffEdits: { ...SILENT_EDITS, ...staffEdits },
    };
    const others: CalendarMirror = {
      ...mirror,
      name: 'others',
      where: { ...mirror.where, ...(about.split?.statuses && { statuses: about.split.statuses }) },
      calendars: [{ resource: 'Boris', calendarId: BORIS }],
      staffEdits: { ...mirror.staffEdits, ...about.split?.edits },
    };
    const team: CalendarMirror = {
      ...mirror,
      name: 'team',
      calendars: [{ all: true, calendarId: TEAM }],
      event: { ...mirror.event, title: '{{ resource_names | first }}' },
      staffEdits: { ...SILENT_EDITS, ...about.team },
    };
    const board: CalendarMirror = {
      ...team,
      name: 'board',
      calendars: [{ all: true, calendarId: BOARD, busyTitle: 'Busy' }],
    };
    const mirrors = [mirror, ...(about.split ? [others] : []), ...(about.team ? [team, board] : [])];
    const isNamed = (id: string) =>
      mirrors.some(({ calendars }) => calendars.some(({ calendarId }) => calendarId === id));
    const log = new KeptLog();
    const meter = new KeptMeter();
    const problems = new MemoryProblemBoard();
    const api = new GoogleCalendarApi({
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: google.url,
      budget: new CountingBudget(),
      ...{ problems, clock, timeoutMs: 5_000 },
    });
    const { work, links, tally, intents } = store;
    const ground: EditGround = {
      ...{
        events: createCalendarEvents(api, () => everyCalendar(store.memory)),
        writer: createPlatformWriter(client),
        intents,
      },
      ...{ reader: client.reader, work, links, tally, api },
    };
    const submitterOver = ({ writer, intents }: EditGround, ownClock: Clock = clock) =>
      createBookingSubmitter({
        ...{ writer, intents, cards: createCustomerCards(client), leases: store.leases },
        ...{ directory: { current: () => directory }, clock: ownClock, log },
      });
    const handler = (own: EditGround, ownClock: Clock = clock, machine = 'a machine') => {
      const shared = { directory: { current: () => directory }, clock: ownClock, log, meter };
      const guard = new EditGuard({
        ...{ tally: own.tally, memory: store.memory, events: own.events, clock: ownClock },
      });
      const targets = mirrors.map((each) =>
        createCalendarTarget({
          ...{ ...shared, mirror: each, api: own.api, links: own.links },
          resolved: () => resolveCalendars(each, directory).resolved,
          isNamed,
          beforePutBack: (key, mark) => guard.assertNoLoop(key, mark),
          ...shownElsewhere(
            mirrors
              .filter((other) => other !== each)
              .map((other) => ({ ...other, resolved: () => resolveCalendars(other, directory).resolved })),
            shared,
          ),
        }),
      );
      const editCarrier = createEditCarrier({
        ...{
          ...shared,
          guard,
          submitter: submitterOver(own, ownClock),
          ...own,
          history: store.history,
          isNamed,
          isCalendarDenied: isCalendarDenied,
          ...{ classes: NO_CLASSES, memory: store.memory, erased: store.erasures },
          forgotten: async () => world.forgotten,
        },
        mirrors: mirrors.map((each) => editedMirror(each, directory, ownClock)),
        words: NOTE_WORDS.en,
        refusalText: (refusal) => refusalText(refusal, { language: 'en', zone: 'UTC' }),
        machine,
      });
      return {
        work: own.work,
        reader: own.reader,
        handlers: targets,
        editCarrier,
        ...WORKER_DEFAULTS,
        history: store.history,
        ...shared,
      };
    };
    let mailed = 0;
    const world = {
      /** What Redis may have forgotten since it was put back. */
      forgotten: undefined as ForgottenTime | undefined,
      ...{
        platform,
        dashboard,
        clock,
        google,
        staff: google.staff.calendar,
        store,
        ground,
        submitter: submitterOver(ground),
        problems,
        log,
        meter,
      },
      /** A service that takes the room as well. */
      massageId,
      /** One attempt at the key of an appointment. Time passes until the next one, if it counts. */
      turn: async (id: string, own: EditGround = ground): Promise<Disposition> => {
        const next = await reconcile(handler(own), `appointment/${id}`);
        if (next.next === 'retry') clock.advance(next.afterMs ?? 0);
        return next;
      },
      /** The same by another worker, whose clock is ahead. */
      turnElsewhere: (id: string, aheadMs: number): Promise<Disposition> =>
        reconcile(
          handler(ground, { now: () => clock.now() + aheadMs }, 'another machine'),
          `appointment/${id}`,
        ),
      /** Turns until nothing is left to do at this moment. */
      async settle(id: string): Promise<Disposition> {
        for (let turns = 0; turns < 10; turns += 1) {
          const next = await world.turn(id);
          const isShort = next.next === 'defer' && next.afterMs < 1_000;
          if (next.next !== 'retry' && !isShort) return next;
          if (isShort) clock.advance(next.afterMs);
        }
        throw new Error('does not settle');
      },
      /** An edit of the YAML takes a calendar out of it. */
      unname(calendarId: string): void {
        for (const [at, each] of mirrors.entries())
          mirrors[at] = { ...each, calendars: each.calendars.filter((one) => one.calendarId !== calendarId) };
      },
      /** An edit of the YAML. */
      remap(name: string, calendars: CalendarMirror['calendars'], where?: CalendarMirror['where']): void {
        for (const [at, each] of mirrors.entries())
          if (each.name === name) mirrors[at] = { ...each, calendars, ...(where && { where }) };
      },
      /** An edit of the YAML: edits of events are treated differently from now on, and every appointment has a turn. */
      async reedit(edits: Partial<StaffEdits>, id: string): Promise<void> {
        for (const [at, each] of mirrors.entries())
          mirrors[at] = { ...each, staffEdits: { ...each.staffEdits, ...edits } };
        const snapshot = platform.sandbox.truth.appointment(id) as unknown as Snapshot;
        const seen = { as: 'snapshot', snapshot } as const;
        const about = { key: key(id), source: 'list', occurredAtMs: clock.now(), force: true } as const;
        await store.intake.observe({ ...about, seen });
      },
      /** What a worker does when it notices that Redis was started again. */
      adopt: (redisRun: string, { isInPart = false } = {}) =>
        adoptMarkedEvents({
          ...{
            mirrors,
            marked: markedEvents(api, isNamed),
            links: store.links,
            intake: store.intake,
            clock,
            memory: store.memory,
            redisRun,
            isInPart,
            log,
          },
        }),
      /** The feed, or a webhook, tells the worker of the appointment as it is. */
      async hear(id: string, told: unknown = platform.sandbox.truth.appointment(id)): Promise<void> {
        const snapshot = told as Snapshot;
        const seen = { as: 'snapshot', snapshot } as const;
        await store.intake.observe({ key: key(id), source: 'webhook', occurredAtMs: clock.now(), seen });
      },
      /** The calendar's list shows the event as it is now. */
      async sight(id: string, calendarId = ANNA, eventId = idIn(calendarId, id)): Promise<string> {
        const event = google.truth.event(calendarId, eventId);
        const sighting = {
          ...{ calendarId, eventId, seenAtMs: clock.now() },
          etag: String(event?.['etag'] ?? ''),
        };
        const isAlive = event !== undefined && event['status'] !== 'cancelled';
        return store.sightings.sight(key(id), sighting, { isAlive });
      },
      /** An appointment on Tuesday at ten with Anna, of which the worker has not heard. */
      book(input: { startsAt?: string; resourceId?: string; serviceId?: string } = {}): string {
        const { annaId, serviceId } = platform;
        return dashboard.bookAs('lk', {
          ...{ serviceId: input.serviceId ?? serviceId, resourceId: input.resourceId ?? annaId },
          startsAt: input.startsAt ?? TUESDAY_10,
          ...{ customerName: 'Vera Orlova', customerPhone: '+74950001101', notify: false },
        });
      },
      /** The same, and its event. */
      async bookWithEvent(
        input: { startsAt?: string; resourceId?: string; serviceId?: string } = {},
      ): Promise<string> {
        const id = world.book(input);
        await world.hear(id);
        await world.settle(id);
        return id;
      },
      at: (id: string, calendarId = ANNA) => ({ calendarId, eventId: idIn(calendarId, id) }),
      event: (id: string, calendarId = ANNA) => google.truth.event(calendarId, idIn(calendarId, id)),
      appointment: (id: string) => platform.sandbox.truth.appointment(id),
      /** Live events of all calendars: calendar and start. */
      events: () =>
        [...ALL, ...more].flatMap((calendarId) =>
          google.truth.events(calendarId).map((event) => `${calendarId} ${startOf(event)}`),
        ),
      /** Ids of the live events of a calendar. */
      ids: (calendarId: string) => google.truth.events(calendarId).map((event) => String(event['id'])),
      startsAt: (id: string, calendarId = ANNA) => startOf(world.event(id, calendarId)),
      description: (id: string, calendarId = ANNA) =>
        String(world.event(id, calendarId)?.['description'] ?? ''),
      letters: async () =>
        (await store.ledger.deadLetters(20)).letters.flatMap(({ reasons }) =>
          reasons.map(({ code }) => code),
        ),
      isDirty: async (id: string) =>
        (await store.work.due(Number.MAX_SAFE_INTEGER, 100)).includes(`appointment/${id}`),
      /** What customers were mailed about, since it was last forgotten. */
      mails: () =>
        platform.sandbox.truth
          .customerMails()
          .slice(mailed)
          .map(({ reason }) => reason),
      forgetMails(): void {
        mailed = platform.sandbox.truth.customerMails().length;
      },
      /** Every appointment is cancelled and every event is gone: room for the next. */
      async clear(): Promise<void> {
        for (const each of platform.sandbox.truth.appointments()) {
          if (each['status'] !== 'cancelled') dashboard.cancel(String(each['id']), { notify: false });
        }
        for (const calendarId of ALL) google.staff.calendar.clear({ calendarId });
        await store.redis.flushall();
      },
      calls: () => google.stats().callsByMethod,
      forgetCalls: () => google.resetCounts(),
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

export type EditWorld = Awaited<ReturnType<EditStands['start']>>;

/** For handlers of appointments alone. */
export const NO_CLASSES: ClassReader = { read: async (claim) => claim };

/** As the program wires it. */
export function editedMirror(mirror: CalendarMirror, directory: Directory, clock: Clock): EditedMirror {
  return {
    name: mirror.name,
    staffEdits: mirror.staffEdits,
    resolved: () => resolveCalendars(mirror, directory).resolved,
    calendars: calendarIdsOf(mirror),
    takes: (snapshot) =>
      takesAppointment(mirror.where, snapshot, { nowMs: clock.now(), linked: false, directory }),
    keeps: (snapshot) =>
      takesAppointment(mirror.where, snapshot, { nowMs: clock.now(), linked: true, directory }),
    showsAll: async () => true,
  };
}

function key(id: string) {
  return { kind: 'appointment', id } as const;
}

/** In UTC; of an all-day event its date. */
export function startOf(event: Record<string, unknown> | undefined): string {
  const start = (event?.['start'] ?? {}) as { dateTime?: string; date?: string };
  return start.dateTime === undefined ? String(start.date) : new Date(start.dateTime).toISOString();
}
