/** Outside bookings over real parts: Redis, both sandboxes with one clock, the calendar sync, the submitter, the mirror and staff edits. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { expect } from 'vitest';
import { syncCalendar } from '../../src/calendar/calendar-sync.ts';
import { watchOutsideEvents } from '../../src/calendar/outside-events.ts';
import { createSeriesInstances } from '../../src/calendar/series-instances.ts';
import { createEditCarrier } from '../../src/calendar/staff-edits.ts';
import { createCalendarTarget } from '../../src/calendar/target.ts';
import { NOTE_WORDS, refusalText } from '../../src/engine/booking-answer.ts';
import { createBookingTarget } from '../../src/engine/booking-turn.ts';
import { DirectoryKeeper } from '../../src/engine/directory-keeper.ts';
import { EditGuard } from '../../src/engine/edit-guard.ts';
import { bookingIdOf, calendarOrigin } from '../../src/engine/ids.ts';
import type { IntentStore } from '../../src/engine/intent.ts';
import type { LinkStore } from '../../src/engine/link-store.ts';
import type { Tally } from '../../src/engine/memory.ts';
import type { CalendarMirror, StaffEdits } from '../../src/engine/mirror.ts';
import { formatKey, parseKey, type Snapshot } from '../../src/engine/object.ts';
import { createAnswerWaker, entryOf, originLink } from '../../src/engine/origin.ts';
import type { BookingRecord, CalendarBookings } from '../../src/engine/outside-booking.ts';
import type { ContactLookup, PlatformReader, PlatformWriter } from '../../src/engine/platform.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { createBookingSubmitter } from '../../src/engine/submitter.ts';
import type { Disposition } from '../../src/engine/work.ts';
import type { WorkStore } from '../../src/engine/work-store.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { type CalendarApi, GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { createCalendarEvents, createEventAnswers } from '../../src/google/calendar-events.ts';
import { CalendarWatchApi } from '../../src/google/calendar-watch-api.ts';
import { isCalendarDenied } from '../../src/google/errors.ts';
import { createBookingTemplates } from '../../src/mapping/phone-filter.ts';
import { calendarsOf, resolveCalendars } from '../../src/mapping/route.ts';
import { createCustomerCards, createPlatformWriter } from '../../src/platform/client.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { SandboxStands } from '../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from './defaults.ts';
import { editedMirror, NO_CLASSES } from './edits.ts';
import { heldRowsOf } from './held-rows.ts';
import { OwnClock } from './own-clock.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { openTestStore } from './store.ts';

export const ANNA = 'anna@clinic.example';
export const BORIS = 'boris@clinic.example';
/** Calendar of a third colleague, where there is one. */
export const CLARA = 'clara@clinic.example';
/** Calendar of a room, where there is one. */
export const ROOM = 'room@clinic.example';
/** Tuesday in Moscow; the clock stands at Monday noon there. */
export const TUESDAY_10 = '2026-03-03T07:00:00.000Z';
export const TUESDAY_12 = '2026-03-03T09:00:00.000Z';
export const TUESDAY_14 = '2026-03-03T11:00:00.000Z';
export const STILL_MS = 30_000;
export const GRACE_MS = 120_000;
const HOUR_MS = 3_600_000;

/** What a handler stands on, so that a test can put something in between. */
export interface OutsideGround {
  readonly writer: PlatformWriter;
  readonly cards: ContactLookup;
  readonly intents: IntentStore;
  readonly reader: PlatformReader;
  readonly work: WorkStore;
  readonly links: LinkStore;
  readonly tally: Tally;
  readonly api: CalendarApi;
}

export class OutsideStands {
  readonly #platforms = new SandboxStands();
  readonly #closers: (() => Promise<void>)[] = [];
  #redis: Promise<TestRedis> | undefined;

  /**
   * `split`: the calendar of Boris has its own mirror. `apart`: it has its own entry of `bookings`. `clara`: a third colleague
   * has a calendar in this mirror. `room`: the service `Massage` takes a room as well, which has a calendar in this mirror.
   */
  async start(
    rules: Partial<CalendarBookings> = {},
    platformOptions: Parameters<SandboxStands['start']>[0] = {},
    about: {
      readonly where?: Partial<CalendarMirror['where']>;
      readonly split?: boolean;
      readonly apart?: boolean;
      readonly clara?: 'staff' | 'others';
      readonly room?: boolean;
      readonly edits?: Partial<StaffEdits>;
      readonly event?: Partial<CalendarMirror['event']>;
    } = {},
  ) {
    this.#redis ??= startTestRedis();
    const platform = await this.#platforms.start({ rateLimitPerMinute: 1_000_000, ...platformOptions });
    const { dashboard, annaId, borisId, branchId } = platform;
    const clock = new OwnClock(platform.clock);
    const claraId = about.clara && dashboard.createResource({ branchId, name: 'Clara' });
    if (claraId !== undefined)
      dashboard.changeService(platform.serviceId, { resourceIds: [annaId, borisId, claraId] });
    if (about.room === true) {
      const roomId = dashboard.createResource({ branchId, name: 'Room', kind: 'place' });
      dashboard.createService({
        ...{ projectId: platform.projectId, name: 'Massage' },
        ...{ resourceIds: [annaId, borisId], secondResourceIds: [roomId] },
      });
    }
    const client = platform.client();
    const directory = new DirectoryKeeper(client.reader, clock);
    await directory.refresh();
    const google = await GoogleSandbox.start({
      clock: platform.clock,
      quotas: { calendarPerMinutePerUser: 100_000 },
    });
    const calendarIds = [
      ANNA,
      BORIS,
      ...(claraId === undefined ? [] : [CLARA]),
      ...(about.room ? [ROOM] : []),
    ];
    for (const id of calendarIds) google.addCalendar(id, { shareWith: [defaultAccount] });
    const clara = (name: string) => (name === about.clara ? [{ resource: 'Clara', calendarId: CLARA }] : []);
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-outside-'));
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
      where: { sinceMs: 30 * 86_400_000, ...about.where },
      calendars: [
        { resource: 'Anna', calendarId: ANNA },
        ...(about.split === true ? [] : [{ resource: 'Boris', calendarId: BORIS }]),
        ...clara('staff'),
        ...(about.room === true ? [{ resource: 'Room', calendarId: ROOM }] : []),
      ],
      event: {
        title: '{{ service_name }}, {{ customer_name }}',
        description: '{{ customer_phone }}',
        location: undefined,
        colorIds: {},
        cancelled: 'remove',
        ...about.event,
      },
      staffEdits: {
        ...{ moved: 'revert', deleted: 'restore', conflict: 'platform' },
        ...{ graceMs: GRACE_MS, notifyCustomer: false },
        ...about.edits,
      },
    };
    const others: CalendarMirror = {
      ...mirror,
      name: 'others',
      calendars: [{ resource: 'Boris', calendarId: BORIS }, ...clara('others')],
    };
    const mirrors = about.split === true ? [mirror, others] : [mirror];
    const edited = { ...mirror.staffEdits, moved: 'reschedule', deleted: 'cancel', ...about.edits } as const;
    const calendarsMapped = mirrors.flatMap((each) =>
      each.calendars.map(({ calendarId }) => ({ calendarId, mirror: each.name })),
    );
    const isApart = ({ calendarId }: { readonly calendarId: string }) =>
      about.apart === true && calendarId === BORIS;
    const mapping: CalendarBookings = {
      kind: 'calendar',
      name: 'walk-ins',
      calendars: calendarsMapped.filter((each) => !isApart(each)),
      when: { title: '#book *' },
      service: 'Haircut',
      customer: {
        name: "{{ title | remove_first: '#book ' }}",
        phone: '{{ description | phone }}',
        create: true,
      },
      region: 'RU',
      notifyCustomer: false,
      language: 'en',
      stillForMs: STILL_MS,
      staffEdits: Object.fromEntries(mirrors.map(({ name }) => [name, edited])),
      ...rules,
    };
    const mappings: readonly CalendarBookings[] =
      about.apart === true
        ? [mapping, { ...mapping, name: 'evenings', calendars: calendarsMapped.filter(isApart) }]
        : [mapping];
    const log = new KeptLog();
    const meter = new KeptMeter();
    const shared = {
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: google.url,
      budget: new CountingBudget(),
      ...{ problems: new MemoryProblemBoard(), clock, timeoutMs: 5_000 },
    };
    const api = new GoogleCalendarApi(shared);
    const watchApi = new CalendarWatchApi(shared);
    const { work, links, tally, intents } = store;
    const ground: OutsideGround = {
      ...{ writer: createPlatformWriter(client), cards: createCustomerCards(client), intents },
      ...{ reader: client.reader, work, links, tally, api },
    };
    const resolvedOf = (each: CalendarMirror) => resolveCalendars(each, directory.current()).resolved;
    const resolved = mirrors.flatMap((each) => [...resolvedOf(each)]);
    const intake = {
      observe: (seen: Parameters<typeof store.intake.observe>[0]) => store.intake.observe(seen),
    };

    const handler = (own: OutsideGround) => {
      const common = { directory, clock, log, meter };
      const events = createCalendarEvents(own.api);
      const guard = new EditGuard({ tally: own.tally, memory: store.memory, events, clock });
      const submitter = createBookingSubmitter({ ...common, ...own, leases: store.leases });
      const bookings = mappings.map((each) =>
        createBookingTarget({
          ...{ ...common, submitter, guard, events, intake, reader: own.reader, links: own.links },
          ...{ mapping: each, entries: mappings },
          instances: createSeriesInstances({
            ...{ api: own.api, mappings, intake, view: store.ledger, clock },
            sight: {
              ...{ sightings: store.sightings, cursors: store.calendars, intake, clock, meter },
              queue: { add: () => undefined },
            },
          }),
          holds: heldRowsOf(store, clock),
          view: store.ledger,
          history: store.history,
          resourceAt: (calendarId) => resolved.find(([, id]) => id === calendarId)?.[0],
          templates: createBookingTemplates({
            region: mapping.region,
            serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
          }),
          place: createEventAnswers(own.api, { refusedColorId: mapping.refusedColorId }),
        }),
      );
      const calendars = mirrors.map((each) =>
        createCalendarTarget({
          ...{ ...common, mirror: each, api: own.api, links: own.links },
          resolved: () => resolvedOf(each),
          isShownElsewhere: (snapshot) =>
            mirrors.some((other) => other !== each && calendarsOf(snapshot, resolvedOf(other)).length > 0),
          isNamed: () => true,
          beforePutBack: (key, mark) => guard.assertNoLoop(key, mark),
          origins: {
            bookedBy: (snapshot, calendarId, isShown) =>
              originLink({ view: store.ledger, events }, snapshot, { calendarId, isShown }),
            editsFor: (snapshot) => entryOf(mappings, snapshot)?.staffEdits[each.name],
          },
        }),
      );
      return {
        work: own.work,
        reader: own.reader,
        handlers: [
          ...bookings,
          ...calendars,
          createAnswerWaker({
            ...{ dirtyMarks: store.dirtyMarks, queue: { add: () => undefined } },
            withInvitations: mapping.when.organizers !== undefined,
          }),
        ],
        ...WORKER_DEFAULTS,
        editCarrier: {
          carry(claim: Parameters<ReturnType<typeof createEditCarrier>['carry']>[0]) {
            const edits = claim.snapshot && entryOf(mappings, claim.snapshot)?.staffEdits;
            return createEditCarrier({
              ...{ ...common, guard, ...own, submitter, events, history: store.history },
              ...{ classes: NO_CLASSES, memory: store.memory, erased: store.erasures },
              forgotten: async () => undefined,
              isNamed: () => true,
              isCalendarDenied: isCalendarDenied,
              mirrors: mirrors.map((each) => ({
                ...editedMirror(each, directory.current(), clock),
                staffEdits: edits?.[each.name] ?? each.staffEdits,
              })),
              machine: 'a machine',
              words: NOTE_WORDS.en,
              refusalText: (refusal) => refusalText(refusal, { language: 'en', zone: 'UTC' }),
            }).carry(claim);
          },
        },
        history: store.history,
        ...common,
      };
    };
    /** A calendar of the same state tells nothing new at the same moment, and reading it would be most of the work. */
    const stateOf = (calendarId: string) =>
      JSON.stringify([clock.now(), google.truth.events(calendarId), google.truth.deletedIds(calendarId)]);
    const keyAt = (eventId: string, calendarId = ANNA) =>
      formatKey({ kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) });
    const world = {
      ...{
        platform,
        dashboard,
        clock,
        google,
        staff: google.staff.calendar,
        store,
        ground,
        mapping,
        log,
        meter,
      },
      keyAt,
      claraId,
      /** Somebody drops an event into a calendar: Tuesday at ten, an hour, for somebody with a phone. Its id. */
      drop(event: Record<string, unknown> = {}, calendarId = ANNA): string {
        const startsAt = String(event['startsAt'] ?? TUESDAY_10);
        const { startsAt: _, ...fields } = event;
        const added = google.staff.calendar.add({
          calendarId,
          event: {
            summary: '#book Vera Orlova',
            description: '+7 495 000-11-01',
            start: { dateTime: startsAt },
            end: { dateTime: new Date(Date.parse(startsAt) + HOUR_MS).toISOString() },
            ...(fields as Record<string, string>),
          },
        });
        return String(added['id']);
      },
      /** The calendar watch reads what has changed. */
      async sync(...calendars: string[]): Promise<void> {
        for (const calendarId of calendars.length === 0 ? calendarIds : calendars) {
          await store.leases.hold(`calendar:${calendarId}`, (lease) =>
            syncCalendar(
              {
                ...{ api: watchApi, cursors: store.calendars, sightings: store.sightings },
                ...{ intake, queue: { add: () => undefined }, clock, log, meter },
                listeners: [
                  watchOutsideEvents({
                    ...{ mappings, intake, view: store.ledger, clock },
                    ...{ cursors: store.calendars, memory: store.memory },
                  }),
                ],
              },
              calendarId,
              { lease },
            ),
          );
        }
      },
      /** One attempt at a key. Time passes until the next one, if it counts. */
      turn: async (key: string, own: OutsideGround = ground): Promise<Disposition> => {
        const next = await reconcile(handler(own), key);
        if (next.next === 'retry') clock.advance(next.afterMs ?? 0);
        return next;
      },
      /** The events of the platform, in their order: what its webhooks would bring. */
      async hear(): Promise<void> {
        for (const snapshot of platform.sandbox.truth.appointments()) await world.hearOf(snapshot);
      },
      async hearOf(told: Record<string, unknown>): Promise<void> {
        const snapshot = told as Snapshot;
        const key = { kind: 'appointment', id: snapshot.id } as const;
        const seen = { as: 'snapshot', snapshot } as const;
        await intake.observe({ key, source: 'webhook', occurredAtMs: clock.now(), seen });
      },
      /** Everything that is due by now is handled, and what follows from it, until nothing is left to do at this moment. */
      async settle(): Promise<void> {
        const read = new Map<string, string>();
        for (let rounds = 0; rounds < 12; rounds += 1) {
          const unread = calendarIds.filter((id) => read.get(id) !== stateOf(id));
          for (const id of unread) read.set(id, stateOf(id));
          if (unread.length > 0) await world.sync(...unread);
          const due = (await store.work.due(clock.now(), 100)).filter((key) => parseKey(key) !== undefined);
          if (due.length === 0) return;
          for (const key of due) {
            const next = await world.turn(key);
            if (next.next === 'defer' && next.afterMs <= 1_000) clock.advance(1_000);
          }
        }
        throw new Error('does not settle');
      },
      /** Seen, left alone for long enough, and booked or refused. */
      async book(): Promise<void> {
        await world.settle();
        clock.advance(STILL_MS + 1_000);
        await world.settle();
      },
      learn: async () => {
        await directory.refresh();
      },
      /** An edit of the YAML, after which every outside booking has a turn. */
      async rewrite(changed: Partial<CalendarBookings>): Promise<void> {
        Object.assign(mapping, changed);
        const turn = { read: false };
        await store.known.each('booking', async (claims) => {
          await store.dirtyMarks.markDirty(
            claims.map(({ key }) => key),
            turn,
          );
        });
      },
      record: async (eventId: string, calendarId = ANNA): Promise<BookingRecord | undefined> => {
        const key = parseKey(keyAt(eventId, calendarId));
        const known = key && (await store.ledger.peek(key));
        return known?.links[mapping.name]?.booking;
      },
      history: async (eventId: string) =>
        (await store.history.of(keyAt(eventId))).flatMap((entry) =>
          entry.what === 'acted' ? [[entry.code, entry.ids?.['reason']].filter(Boolean).join(' ')] : [],
        ),
      /** Why its last attempt was put off or failed. */
      waiting: async (eventId: string): Promise<string | undefined> => {
        const last = (await store.history.of(keyAt(eventId))).at(-1);
        return last?.what === 'failed' ? last.reasons[0]?.code : undefined;
      },
      appointments: () => platform.sandbox.truth.appointments(),
      contacts: () => platform.sandbox.truth.contacts(),
      /** Live ones: start and resource. */
      booked: () =>
        platform.sandbox.truth
          .appointments()
          .filter(({ status }) => status !== 'cancelled')
          .map(
            ({ starts_at, resource_id }) =>
              `${String(starts_at)} ${directory.current().resources.get(String(resource_id))?.name}`,
          ),
      event: (eventId: string, calendarId = ANNA) => google.truth.event(calendarId, eventId),
      /** Live events of all calendars: calendar and start. */
      events: () =>
        calendarIds.flatMap((calendarId) =>
          google.truth.events(calendarId).map((event) => `${calendarId} ${startOf(event)}`),
        ),
      description: (eventId: string, calendarId = ANNA) =>
        String(google.truth.event(calendarId, eventId)?.['description'] ?? ''),
      letters: async () =>
        (await store.ledger.deadLetters(20)).letters.flatMap(({ reasons }) =>
          reasons.map(({ code }) => code),
        ),
      loseRedis: () => store.redis.flushall(),
      calls: () => google.stats().callsByMethod,
      async clear(): Promise<void> {
        for (const each of platform.sandbox.truth.appointments()) {
          if (each['status'] !== 'cancelled') dashboard.cancel(String(each['id']), { notify: false });
        }
        for (const calendarId of calendarIds) google.staff.calendar.clear({ calendarId });
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

export type OutsideWorld = Awaited<ReturnType<OutsideStands['start']>>;

/** In UTC; of an all-day event its date. */
export function startOf(event: Record<string, unknown> | undefined): string {
  const start = (event?.['start'] ?? {}) as { dateTime?: string; date?: string };
  return start.dateTime === undefined ? String(start.date) : new Date(start.dateTime).toISOString();
}

/** Somebody's event, which the watch has read and nobody has touched since: in the next turn it is booked. Its id. */
export async function seen(world: OutsideWorld, event: Record<string, unknown> = {}): Promise<string> {
  const id = world.drop(event);
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  return id;
}

export function isBookedOnce(world: OutsideWorld, id: string): void {
  expect(world.booked()).toEqual([`${TUESDAY_10} Anna`]);
  expect(world.events()).toEqual([`${ANNA} ${TUESDAY_10}`]);
  expect(world.event(id)).toMatchObject({ summary: 'Haircut, Vera Orlova', description: '+74950001101' });
}

/** The worker dies where it would make the event the mirror of its appointment. */
export function dyingAtAdoption({ ground }: OutsideWorld): OutsideWorld['ground'] {
  const adopt = async () => {
    throw new Error('the worker dies');
  };
  const links = new Proxy(ground.links, {
    get: (target, name) =>
      name === 'adopt' ? adopt : (Reflect.get(target, name) as () => unknown).bind(target),
  });
  return { ...ground, links };
}
