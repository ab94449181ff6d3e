import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox, type GoogleSandboxOptions } from '@slotbridge/sandbox/google/sandbox';
import { createCalendarTarget } from '../../src/calendar/target.ts';
import type { Action } from '../../src/engine/handler.ts';
import type { ActedEntry } from '../../src/engine/history.ts';
import type { CalendarMirror, Directory } from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { EventOrigins } from '../../src/engine/origin.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { GoogleCalendarApi } from '../../src/google/calendar-api.ts';
import { resolveCalendars } from '../../src/mapping/route.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { MemoryLinkStore } from '../doubles/link-store.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { double } from '../stand/double.ts';

export const ANNA = 'anna@clinic.example';
export const BORIS = 'boris@clinic.example';
export const ROOM = 'room1@group.calendar.google.com';
export const APPOINTMENT_ID = '0d3b2f6a-91c4-4f0e-8a55-6f1f7f6f2b10';
/** The derived id of APPOINTMENT_ID's event. */
export const EVENT = 'sb0d3b2f6a91c44f0e8a556f1f7f6f2b10';
export const NOW_MS = Date.parse('2026-11-02T08:00:00Z');

export const directory: Directory = {
  resources: new Map(
    [
      { id: 'r-anna', name: 'Anna Petrova' },
      { id: 'r-boris', name: 'Boris' },
      { id: 'r-room', name: 'Room 1' },
    ].map((resource) => [resource.id, { ...resource, branchId: 'b-1', projectId: 'p-1' }]),
  ),
  branches: new Map([
    ['b-1', { id: 'b-1', projectId: 'p-1', name: 'Centre', timezone: 'Europe/Berlin' }],
    ['b-2', { id: 'b-2', projectId: 'p-1', name: 'South', timezone: 'Europe/Berlin' }],
  ]),
  services: new Map(),
};

export const mirror: CalendarMirror = {
  kind: 'calendar',
  name: 'staff-calendars',
  from: 'appointment',
  where: { statuses: ['pending', 'confirmed', 'arrived', 'completed', 'no_show'], sinceMs: 7 * 86_400_000 },
  calendars: [
    { resource: 'Anna Petrova', calendarId: ANNA },
    { resource: 'Boris', calendarId: BORIS },
    { resource: 'Room 1', calendarId: ROOM },
  ],
  event: {
    title: '{{ service_name }}, {{ customer_name }}',
    description: '{{ customer_phone }}\n{{ comment }}',
    location: undefined,
    colorIds: { no_show: '11' },
    cancelled: 'remove',
  },
  staffEdits: {
    moved: 'revert',
    deleted: 'restore',
    conflict: 'platform',
    graceMs: 120_000,
    notifyCustomer: false,
  },
};

/** An appointment as the platform's GET shows it. */
export function appointment(change: Record<string, unknown> = {}): Snapshot {
  return {
    object: 'appointment',
    id: APPOINTMENT_ID,
    project_id: 'p-1',
    branch_id: 'b-1',
    service_id: 's-1',
    service_name: 'Haircut',
    resource_id: 'r-anna',
    resource_ids: ['r-anna'],
    status: 'confirmed',
    starts_at: '2026-11-03T09:00:00Z',
    ends_at: '2026-11-03T10:00:00Z',
    timezone: 'Europe/Berlin',
    customer_name: 'Nina Weber',
    customer_phone: '+4915112345678',
    comment: null,
    ...change,
  };
}

/** The Google sandbox, three calendars shared with the worker, and a mirror that writes to them. */
export async function openStand(
  options: GoogleSandboxOptions & { mirror?: CalendarMirror; timeoutMs?: number } = {},
) {
  const google = await GoogleSandbox.start(options);
  for (const id of [ANNA, BORIS, ROOM])
    google.addCalendar(id, { shareWith: [defaultAccount], timeZone: 'Asia/Tokyo' });
  const folder = mkdtempSync(join(tmpdir(), 'slotbridge-calendar-'));
  const credentialsPath = join(folder, 'key.json');
  writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey()));
  const timeoutMs = options.timeoutMs ?? 5_000;
  const credential = createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs });
  const clock = new HandClock(NOW_MS);
  const problems = new MemoryProblemBoard();
  const budget = new CountingBudget();
  const log = new KeptLog();
  const meter = new KeptMeter();
  const links = new MemoryLinkStore();
  const acts: ActedEntry[] = [];
  const api = new GoogleCalendarApi({ credential, rootUrl: google.url, budget, problems, clock, timeoutMs });
  const targetOf = (about: CalendarMirror, origins?: EventOrigins) =>
    createCalendarTarget({
      mirror: about,
      api,
      links: double(links),
      directory: { current: () => directory },
      resolved: () => resolveCalendars(about, directory).resolved,
      isNamed: (calendarId) => about.calendars.some((each) => each.calendarId === calendarId),
      beforePutBack: async () => undefined,
      history: { note: (_, entry) => void (entry.what === 'acted' && acts.push(entry)) },
      ...(origins && { origins }),
      clock,
      log,
      meter,
    });
  const target = targetOf(options.mirror ?? mirror);
  return {
    google,
    staff: google.staff.calendar,
    api,
    links,
    acts,
    problems,
    budget,
    clock,
    log,
    meter,
    credential,
    credentialsPath,
    target,
    targetOf,
    claim: (snapshot: Snapshot) => links.claim({ key: { kind: 'appointment', id: snapshot.id }, snapshot }),
    /** The handler runs once for this state of the appointment. */
    mirror(snapshot: Snapshot, through = target): Promise<Action> {
      return through.reconcile(links.claim({ key: { kind: 'appointment', id: snapshot.id }, snapshot }));
    },
    /** Titles of the live events of a calendar. */
    titles: (calendarId: string) => google.truth.events(calendarId).map((event) => event['summary']),
    calls: () => google.stats().callsByMethod,
    async close(): Promise<void> {
      await google.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;

/** The instant at which an event begins, as Google shows it. NaN for an all-day one. */
export function startMsOf(event: Record<string, unknown> | undefined): number {
  const start = event?.['start'];
  return typeof start === 'object' && start !== null && 'dateTime' in start
    ? Date.parse(String(start.dateTime))
    : Number.NaN;
}
