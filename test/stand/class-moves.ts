/** Classes whose events staff drag, over real parts: Redis, both sandboxes with one clock, the calendar mirror, the submitter and staff edits. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import {
  classEdits,
  createClassReader,
  createClassTarget,
  mirrorOfClasses,
  showsClass,
  wake,
} from '../../src/calendar/class-target.ts';
import { createEditCarrier } from '../../src/calendar/staff-edits.ts';
import { createCalendarTarget } from '../../src/calendar/target.ts';
import { NOTE_WORDS, refusalText } from '../../src/engine/booking-answer.ts';
import type { CalendarEvents } from '../../src/engine/calendar-events.ts';
import { type ClassSlot, classIdOf, classSlotText } from '../../src/engine/class-slot.ts';
import { EditGuard } from '../../src/engine/edit-guard.ts';
import type { IntentStore } from '../../src/engine/intent.ts';
import type { LinkStore } from '../../src/engine/link-store.ts';
import type { Memory, Tally } from '../../src/engine/memory.ts';
import type { CalendarMirror } from '../../src/engine/mirror.ts';
import type { PlatformReader, PlatformWriter } from '../../src/engine/platform.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { createBookingSubmitter } from '../../src/engine/submitter.ts';
import type { Disposition } from '../../src/engine/work.ts';
import type { WorkStore } from '../../src/engine/work-store.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { type CalendarApi, GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { createCalendarEvents } from '../../src/google/calendar-events.ts';
import { isCalendarDenied } from '../../src/google/errors.ts';
import { resolveCalendars } from '../../src/mapping/route.ts';
import { createCustomerCards, createPlatformWriter } from '../../src/platform/client.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { SandboxStands } from '../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { editedMirror, startOf } from './edits.ts';
import { OwnClock } from './own-clock.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { openTestStore } from './store.ts';

export const COACH = 'coach@clinic.example';
const CAPACITY = 6;
const DAY_MS = 86_400_000;

/** What a handler stands on, so that a test can put something in between. */
export interface ClassGround {
  readonly events: CalendarEvents;
  readonly writer: PlatformWriter;
  readonly intents: IntentStore;
  readonly reader: PlatformReader;
  readonly work: WorkStore;
  readonly links: LinkStore;
  readonly tally: Tally;
  readonly memory: Memory;
  readonly api: CalendarApi;
}

export class ClassStands {
  readonly #platforms = new SandboxStands();
  readonly #closers: (() => Promise<void>)[] = [];
  #redis: Promise<TestRedis> | undefined;

  async start() {
    this.#redis ??= startTestRedis();
    const platform = await this.#platforms.start({ rateLimitPerMinute: 1_000_000 });
    const { dashboard, projectId, branchId, sandbox } = platform;
    const clock = new OwnClock(platform.clock);
    const coachId = dashboard.createResource({ branchId, name: 'Coach', capacity: CAPACITY });
    const yogaId = dashboard.createService({
      ...{ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coachId] },
    });
    const client = platform.client();
    const known = await client.reader.directory();
    const directory = { current: () => known };
    const google = await GoogleSandbox.start({
      clock: platform.clock,
      quotas: { calendarPerMinutePerUser: 1_000_000 },
    });
    google.addCalendar(COACH, { shareWith: [defaultAccount] });
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-classes-'));
    const credentialsPath = join(folder, 'key.json');
    writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
    const store = openTestStore((await this.#redis).url, { now: () => clock.now() });
    await store.ready();
    this.#closers.push(async () => {
      store.close();
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const [log, meter, problems] = [new KeptLog(), new KeptMeter(), new MemoryProblemBoard()];
    const mirror: CalendarMirror = {
      ...{ kind: 'calendar', name: 'staff', from: 'appointment', where: { sinceMs: 30 * DAY_MS } },
      calendars: [{ resource: 'Coach', calendarId: COACH }],
      event: {
        ...{ title: 'Yoga', description: 'for all', location: undefined, colorIds: {}, cancelled: 'remove' },
      },
      staffEdits: {
        ...{ moved: 'revert', deleted: 'restore', conflict: 'platform', graceMs: 0, notifyCustomer: true },
      },
      classes: {
        ...{ services: ['Yoga'], places: [], title: 'Yoga {{ taken }}', description: undefined },
        moved: 'all',
      },
    };
    const resolved = () => resolveCalendars(mirror, known).resolved;
    const isNamed = (id: string) => id === COACH;
    const api = new GoogleCalendarApi({
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: google.url,
      budget: new CountingBudget(),
      ...{ problems, clock, timeoutMs: 5_000 },
    });
    const { work, links, tally, memory, intents } = store;
    const ground: ClassGround = {
      ...{ events: createCalendarEvents(api), writer: createPlatformWriter(client), intents },
      ...{ reader: client.reader, work, links, tally, memory, api },
    };
    const shared = { directory, clock, log, meter };
    const reconciled = async (own: ClassGround, key: string) => {
      const guard = new EditGuard({ ...own, clock });
      const classes = createClassReader({ reader: own.reader, directory, clock });
      const cards = createCustomerCards(client);
      const submitter = createBookingSubmitter({ ...shared, ...own, cards, leases: store.leases });
      const inner = createCalendarTarget({
        ...{ ...shared, mirror: mirrorOfClasses(mirror), api: own.api, links: own.links, resolved, isNamed },
        beforePutBack: (of, mark) => guard.assertNoLoop(of, mark),
      });
      const target = createClassTarget(inner, {
        ...{ ...shared, mirror, resolved, view: store.ledger, links: own.links, problems },
        ...{ dirtyMarks: store.dirtyMarks, queue: { add() {} } },
      });
      const claimed = await store.ledger.peek({ kind: 'class', id: key.split('/')[1] ?? '' });
      const editCarrier = createEditCarrier({
        ...{
          ...shared,
          ...own,
          guard,
          submitter,
          classes,
          history: store.history,
          isNamed,
          isCalendarDenied: isCalendarDenied,
        },
        erased: store.erasures,
        forgotten: async () => undefined,
        mirrors: world.isGone
          ? []
          : [
              {
                ...editedMirror(mirror, known, clock),
                staffEdits: classEdits(mirror),
                keeps: () => claimed === undefined || showsClass(mirror, claimed, directory),
              },
            ],
        words: NOTE_WORDS.en,
        refusalText: (refusal) => refusalText(refusal, { language: 'en', zone: 'UTC' }),
        machine: 'a machine',
      });
      const { history } = store;
      return reconcile(
        {
          ...shared,
          ...own,
          classes,
          handlers: world.isGone ? [] : [target],
          editCarrier,
          ...WORKER_DEFAULTS,
          history,
        },
        key,
      );
    };
    let day = 0;
    let mailed = 0;
    const world = {
      /** True while the YAML has no such mirror. */
      isGone: false as boolean,
      ...{ platform, dashboard, clock, google, store, ground, problems },
      /** Mornings and afternoons of a day of its own for each class, so that no two have to do with each other. */
      async class(size: number) {
        day += 1;
        const at = (hour: number) =>
          new Date(Date.parse('2026-03-02T00:00:00Z') + day * DAY_MS + hour * 3_600_000);
        const [from, to, later] = [at(7), at(11), at(14)].map((each) => each.toISOString()) as [
          string,
          string,
          string,
        ];
        const held = { eventId: '' };
        const one = {
          ...{ from, to, later, held },
          join: (startsAt = from) =>
            dashboard.bookAs('lk', {
              ...{ serviceId: yogaId, resourceId: coachId, startsAt, notify: false },
              ...{ customerName: 'Vera Orlova', customerPhone: '+74950001101' },
            }),
          slotAt: (startsAt: string): ClassSlot => ({
            ...{ serviceId: yogaId, resourceId: coachId, startMs: Date.parse(startsAt) },
          }),
          wake: (startsAt: string = from): Promise<void> =>
            wake({ intake: store.intake, clock }, classSlotText(one.slotAt(startsAt))),
          turn: async (own: ClassGround = ground, startsAt: string = from): Promise<Disposition> => {
            const next = await reconciled(own, `class/${classIdOf(one.slotAt(startsAt))}`);
            if (next.next === 'retry') clock.advance(next.afterMs ?? 0);
            return next;
          },
          /** Turns of every hour's class until nothing is left to do at this moment. */
          async settle(): Promise<void> {
            for (const startsAt of [from, to, later]) {
              for (let turns = 0; turns < 12; turns += 1) {
                const next = await one.turn(ground, startsAt);
                if (next.next === 'defer') clock.advance(next.afterMs);
                if (next.next === 'done') break;
                if (turns === 11) throw new Error(`the class of ${startsAt} does not settle`);
              }
            }
          },
          /** The list of the calendar shows the event as it is now. */
          async sight(startsAt: string = from, eventId: string = held.eventId): Promise<void> {
            const event = google.truth.event(COACH, eventId);
            await store.sightings.sight(
              { kind: 'class', id: classIdOf(one.slotAt(startsAt)) },
              { calendarId: COACH, eventId, seenAtMs: clock.now(), etag: String(event?.['etag'] ?? '') },
              { isAlive: event !== undefined && event['status'] !== 'cancelled' },
            );
          },
          id: () => classIdOf(one.slotAt(from)),
          eventAt: (startsAt: string, but = ''): string =>
            google.truth
              .events(COACH)
              .filter((each) => startOf(each) === startsAt)
              .map(({ id }) => String(id))
              .find((id) => id !== but) ?? '',
          event: (): Record<string, unknown> | undefined => google.truth.event(COACH, held.eventId),
          drag(startsAt: string, eventId: string = held.eventId): void {
            google.staff.calendar.move({ calendarId: COACH, eventId, start: startsAt });
          },
          /** Events of the day: title without its note, and start. */
          shown: () =>
            google.truth
              .events(COACH)
              .map((event) => `${String(event['summary']).split(' — ')[0]} ${startOf(event)}`)
              .filter((text) => text.includes(from.slice(0, 10)))
              .sort(),
          words: () => JSON.stringify(google.truth.events(COACH)),
          startOf: (id: string) => String(sandbox.truth.appointment(id)?.['starts_at']),
          ids: [] as string[],
          wasMoved: false,
          wasEnded: false,
          /** Nothing that people did to the event waits for a decision or a verdict. */
          async isSettled(): Promise<boolean> {
            const known = await store.ledger.peek({ kind: 'class', id: classIdOf(one.slotAt(from)) });
            const links = known?.links['staff']?.calendars ?? [];
            return links.every(({ edit }) => edit.is === 'settled');
          },
        };
        one.ids = Array.from({ length: size }, () => one.join()).sort();
        await one.wake();
        await one.settle();
        held.eventId = one.eventAt(from);
        mailed = sandbox.truth.customerMails().length;
        return one;
      },
      /** What customers were mailed about since the last class stood. */
      mails: () =>
        sandbox.truth
          .customerMails()
          .slice(mailed)
          .map(({ reason }) => reason),
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

export type ClassWorld = Awaited<ReturnType<ClassStands['start']>>;
export type MovedClass = Awaited<ReturnType<ClassWorld['class']>>;
