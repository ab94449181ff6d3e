import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox, type GoogleSandboxOptions } from '@slotbridge/sandbox/google/sandbox';
import { type SyncEnd, type SyncParts, syncCalendar } from '../../../src/calendar/calendar-sync.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { toLink } from '../../../src/engine/link.ts';
import type { Sighting } from '../../../src/engine/outside-booking.ts';
import { createGoogleAuth } from '../../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../../src/google/calendar-api.ts';
import { CalendarWatchApi } from '../../../src/google/calendar-watch-api.ts';
import { CountingBudget } from '../../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../../doubles/listener.ts';
import { openTestStore } from '../../stand/store.ts';

export const ANNA = 'anna@clinic.example';
export const BORIS = 'boris@clinic.example';
const START = { dateTime: '2026-12-03T09:00:00Z', timeZone: 'Europe/Berlin' };
const END = { dateTime: '2026-12-03T10:00:00Z', timeZone: 'Europe/Berlin' };

/** Google's sandbox, the stores over a real Redis, and what the calendar watch is made of. */
export async function openStand(redisUrl: string, options: GoogleSandboxOptions = {}) {
  const google = await GoogleSandbox.start(options);
  for (const id of [ANNA, BORIS]) google.addCalendar(id, { shareWith: [defaultAccount] });
  const folder = mkdtempSync(join(tmpdir(), 'slotbridge-watch-'));
  const credentialsPath = join(folder, 'key.json');
  writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
  const store = openTestStore(redisUrl);
  await store.ready();
  const clock = { now: Date.now };
  const timeoutMs = 5_000;
  const budget = new CountingBudget();
  const log = new KeptLog();
  const meter = new KeptMeter();
  const credential = createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs });
  const { problems } = store;
  const shared = { credential, rootUrl: google.url, budget, problems, clock, timeoutMs };
  const api = new GoogleCalendarApi(shared);
  const watchApi = new CalendarWatchApi(shared);
  const queued: string[] = [];
  const shown: { calendarId: string; id: string }[] = [];
  const parts: SyncParts = {
    api: watchApi,
    cursors: store.calendars,
    sightings: store.sightings,
    intake: { observe: (observation) => store.intake.observe(observation) },
    queue: { add: (keys) => void queued.push(...keys) },
    listeners: [
      async (calendarId, events) => void shown.push(...events.map((event) => ({ calendarId, id: event.id }))),
    ],
    ...{ clock, log, meter },
  };

  return {
    ...{ google, store, api, watchApi, parts, queued, shown, log, meter, budget, problems, clock },
    staff: google.staff.calendar,
    calls: () => google.stats().callsByMethod,
    /** An appointment whose event the worker has written and remembers, settled. */
    async mirrored(calendarId = ANNA): Promise<{ id: string; key: string; eventId: string }> {
      const id = randomUUID();
      const key = { kind: 'appointment', id } as const;
      const eventId = eventIdOf(id);
      const seen = { as: 'snapshot', snapshot: { id, updated_at: '2026-11-01T00:00:00Z' } } as const;
      await store.intake.observe({ key, source: 'webhook', occurredAtMs: 1, seen });
      const event = await api.insert(calendarId, eventId, {
        summary: 'Haircut',
        start: START,
        end: END,
        status: 'confirmed',
        extendedProperties: { private: { slotbridge: '1', slotbridge_appointment: id } },
      });
      if (event === 'taken') throw new Error('the id was taken');
      const claim = await store.work.claim(key);
      if (claim === undefined) throw new Error('nothing to claim');
      const link = toLink({ calendarId, eventId, etag: event.etag, hash: 'h', coloured: false });
      await store.links.write(claim, 'staff', { calendars: [link] });
      await store.work.settle(claim);
      return { id, key: `appointment/${id}`, eventId };
    },
    /** Somebody's own event. */
    foreign: (calendarId = ANNA) =>
      google.staff.calendar.add({ calendarId, event: { summary: 'Lunch', start: START, end: END } }),
    async sync(
      calendarId = ANNA,
      { isPoll = false, ...over }: Partial<SyncParts> & { isPoll?: boolean } = {},
    ): Promise<SyncEnd> {
      const held = await store.leases.hold(`calendar:${calendarId}`, (lease) =>
        syncCalendar({ ...parts, ...over }, calendarId, { lease, isPoll }),
      );
      if (held === undefined) throw new Error('somebody else syncs');
      return held.result;
    },
    async sightings(id: string): Promise<readonly Sighting[]> {
      return (await store.work.claim({ kind: 'appointment', id }))?.sightings ?? [];
    },
    due: () => store.work.due(Date.now() + 1_000, 100),
    async close(): Promise<void> {
      store.close();
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type WatchStand = Awaited<ReturnType<typeof openStand>>;
