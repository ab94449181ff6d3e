/**
 * What version 0.2.0 has left: its Redis, and what stood on the platform and in Google at that moment. One worker of that version had worked
 * on its sandboxes for half a minute, while people booked, moved, deleted and cancelled. Every person in it is invented.
 */
import { readFileSync } from 'node:fs';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { Redis } from 'ioredis';

export const PREFIX = 'slotbridge';
export const BOOK_020 = 'office-book';
const ANNA = 'anna@clinic.example';
const BORIS = 'boris@clinic.example';
const CLARA = 'clara@clinic.example';
const ROOM = 'room1@group.calendar.google.com';
export const CALENDARS_020 = [ANNA, BORIS, CLARA, ROOM];

/** The YAML of that worker, from `mirrors` on. */
export const YAML_020 = `
mirrors:
  staff:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Anna Petrova: ${ANNA}, Boris Ivanov: ${BORIS}, Room 1: ${ROOM} } }
    event: { title: "{{ service_name }}, {{ customer_name }}", description: "{{ customer_phone }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
  colleagues:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Clara Lind: ${CLARA} } }
    event: { title: "{{ service_name }}, {{ customer_name }}", description: "{{ customer_phone }}" }
    staff_edits: { moved: ignore, deleted: ignore }
bookings:
  walk-ins:
    from: { calendar: [${ANNA}] }
    when: { title: "#book *" }
    service: "{{ title | service }}"
    customer: { name: "{{ description | split: ',' | first }}", phone: "{{ description | phone }}" }
    still_for: 1s
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
  front-desk:
    from: { spreadsheet: ${BOOK_020}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, cancel: Cancel, id: ID, status: Status, appointment: Appointment, booked_at: Time }
`;

type Json = Readonly<Record<string, unknown>>;

interface Entry {
  readonly type: 'string' | 'hash';
  readonly value: string | Json;
}

interface World {
  readonly atMs: number;
  /** What became of each appointment, to its id. */
  readonly appointments: Readonly<Record<string, string>>;
  /** The same of the events by which people booked. */
  readonly origins: Readonly<Record<string, string>>;
  readonly events: readonly (Json & { calendarId: string; id: string; etag: string; status: string })[];
  readonly rows: readonly (readonly (string | number | boolean)[])[];
  readonly feed: readonly (Json & { of: string })[];
  readonly branches: readonly Json[];
  readonly resources: readonly Json[];
  readonly services: readonly Json[];
  readonly webhook_endpoints: readonly Json[];
}

export const redis020 = read<Readonly<Record<string, Entry>>>('redis');
export const world020 = read<World>('world');
/** One text of each form in which the tests of 0.2.0 have stored a link, or the record of a booking. */
export const forms020 = read<{ readonly links: readonly Json[]; readonly records: readonly Json[] }>('links');

function read<T>(name: string): T {
  const path = new URL(`../engine/store/fixtures/${name}-0.2.0.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** The snapshots of all appointments, newest first, as the platform lists them. */
export function appointments020(): readonly Json[] {
  const known = Object.entries(redis020).filter(([name]) => name.startsWith('object:appointment/'));
  const all = known.map(([, { value }]) => (value as Json)['s'] as Json);
  return all.sort((a, b) => String(b['created_at']).localeCompare(String(a['created_at'])));
}

export async function loadRedis020(url: string): Promise<void> {
  const redis = new Redis(url);
  for (const [name, { value }] of Object.entries(redis020)) {
    const key = `{${PREFIX}}:${name}`;
    if (typeof value === 'string') await redis.set(key, value);
    else
      await redis.hset(key, Object.fromEntries(Object.entries(value).map(([f, each]) => [f, textOf(each)])));
  }
  redis.disconnect();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The calendars and the booking sheet as they stood. The sandbox makes etags of its clock: so they are the very same. */
export async function startGoogle020(clock: { now(): number }): Promise<GoogleSandbox> {
  let writtenAtMs: number | undefined;
  const quotas = {
    ...{ calendarPerMinutePerUser: 100_000, sheetsReadsPerMinutePerUser: 100_000 },
    sheetsWritesPerMinutePerUser: 100_000,
  };
  const google = await GoogleSandbox.start({
    clock: { now: () => writtenAtMs ?? clock.now() },
    ...{ seed: 7, quotas },
  });
  for (const id of CALENDARS_020) google.addCalendar(id, { shareWith: [defaultAccount] });
  const tabs = [{ title: 'Contacts' }, { title: 'Visits' }];
  google.addSpreadsheet(BOOK_020, { shareWith: [defaultAccount], tabs });
  const tab = { spreadsheetId: BOOK_020, tab: 'Intake' };
  google.staff.sheets.addTab({ ...tab, columns: world020.rows[0]?.length ?? 0 });
  for (const [at, values] of world020.rows.entries())
    google.staff.sheets.setRow({ ...tab, row: at + 1, values: [...values] });
  const { calendar } = google.staff;
  for (const { calendarId, id, etag, status, creator, ...event } of world020.events) {
    const at = { calendarId, eventId: id };
    const etagMs = Number(etag.replaceAll('"', '')) / 2_000;
    writtenAtMs = status === 'cancelled' ? etagMs - 1 : etagMs;
    const times = { start: { dateTime: EPOCH }, end: { dateTime: EPOCH } };
    calendar.add({
      calendarId,
      id,
      event: { ...times, ...event } as never,
      by: String(creator ?? calendarId),
    });
    writtenAtMs = etagMs;
    if (status === 'cancelled') calendar.remove(at);
  }
  writtenAtMs = undefined;
  return google;
}

const EPOCH = '2026-03-02T09:00:00Z';
