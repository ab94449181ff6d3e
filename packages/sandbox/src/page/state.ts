// The state that the page shows: one week of all calendars, one tab of a spreadsheet, and the platform's appointments of
// that week. Everything is bounded, because the page polls every second.
import { createHash } from 'node:crypto';
import type { DateTime } from 'luxon';
import { type JsonObject, objectOf, stringOf } from '../google/json.ts';
import type { GoogleSandbox } from '../google/sandbox.ts';
import type { PlatformSandbox } from '../platform/sandbox.ts';
import { localAt, onClockOf, readLocal } from '../zones/local.ts';
import type { Armed } from './troubles.ts';

export interface Shown {
  readonly google: GoogleSandbox;
  readonly platform: PlatformSandbox;
  readonly armed: Armed;
}

/** The user's choice. A week or tab that does not exist is replaced by one that does. */
export interface Choice {
  readonly week?: string | undefined;
  readonly book?: string | undefined;
  readonly tab?: string | undefined;
}

/** More events of one calendar in a week would be indistinguishable on screen. */
const EVENTS_MAX = 400;
const APPOINTMENTS_MAX = 100;
const ROWS_MAX = 1_000;
const COLUMNS_MAX = 40;
/** Longer texts are cut; users read them in full at their source. */
const TEXT_CHARS_MAX = 500;
const DEFAULT_ZONE = 'Europe/Moscow';

export function stateOf(shown: Shown, choice: Choice) {
  const zone = String(shown.platform.truth.branches()[0]?.['timezone'] ?? DEFAULT_ZONE);
  const now = localAt(shown.platform.clock.now(), zone);
  const monday = mondayOf(choice.week, zone) ?? now.startOf('week');
  return {
    zone,
    consoleUrl: consoleOf(shown.platform),
    today: now.toISODate() ?? '',
    minute: now.hour * 60 + now.minute,
    week: monday.toISODate() ?? '',
    calendars: shown.google.truth.calendarIds().map((id) => calendarOf(shown.google, id, monday)),
    books: shown.google.truth.spreadsheetIds().map((id) => ({ id, tabs: tabsOf(shown.google, id) })),
    sheet: sheetOf(shown.google, choice),
    platform: platformOf(shown, monday),
  };
}

export type State = ReturnType<typeof stateOf>;

function mondayOf(text: string | undefined, zone: string): DateTime | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = readLocal(text, zone);
  return day.isValid ? day.startOf('week') : undefined;
}

function calendarOf(google: GoogleSandbox, id: string, monday: DateTime) {
  const { name, zone } = google.truth.calendar(id);
  // Each calendar is read in its own zone.
  const from = onClockOf(zone, monday);
  const span = { fromMs: from.toMillis(), toMs: from.plus({ weeks: 1 }).toMillis() };
  const events = google.truth.eventsBetween(id, span);
  return {
    ...{ id, name, zone },
    events: events.slice(0, EVENTS_MAX).map(eventOf),
    left: Math.max(0, events.length - EVENTS_MAX),
  };
}

function eventOf(event: JsonObject) {
  const start = objectOf(event['start']);
  const end = objectOf(event['end']);
  return {
    id: String(event['id']),
    title: bounded(event['summary']),
    description: bounded(event['description']),
    isAllDay: start['date'] !== undefined,
    start: localTime(start),
    end: localTime(end),
    // This page can change an instance only with its whole series.
    isInSeries: event['recurringEventId'] !== undefined,
    etag: String(event['etag']),
  };
}

/** `2026-11-24T10:00`, or only the date. */
function localTime(side: JsonObject): string {
  return stringOf(side['date']) ?? String(side['dateTime']).slice(0, 16);
}

function tabsOf(google: GoogleSandbox, book: string) {
  return google.truth.tabs(book).map((title) => {
    const values = google.truth.values(book, title);
    return { title, rows: values.length, mark: markOf(values) };
  });
}

function sheetOf(google: GoogleSandbox, choice: Choice) {
  const books = google.truth.spreadsheetIds();
  const book = books.find((id) => id === choice.book) ?? books[0];
  if (book === undefined) return null;
  const tabs = google.truth.tabs(book);
  const tab = tabs.find((title) => title === choice.tab) ?? tabs[0];
  if (tab === undefined) return null;
  const values = google.truth.formatted(book, tab);
  const rows = values.slice(0, ROWS_MAX).map((row) => row.slice(0, COLUMNS_MAX).map(bounded));
  return { book, tab, rows, left: Math.max(0, values.length - ROWS_MAX) };
}

function platformOf({ google, platform, armed }: Shown, monday: DateTime) {
  const { truth } = platform;
  const names = new Map(truth.resources().map((one) => [one['id'], bounded(one['name'])]));
  const [fromMs, toMs] = [monday.toMillis(), monday.plus({ weeks: 1 }).toMillis()];
  const ofWeek = truth
    .appointments()
    .map((one) => ({ one, atMs: Date.parse(String(one['starts_at'])) }))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .sort((a, b) => a.atMs - b.atMs);
  const stats = platform.stats();
  return {
    services: truth.services().map((one) => ({ id: String(one['id']), name: bounded(one['name']) })),
    resources: [...names].map(([id, name]) => ({ id: String(id), name })),
    appointments: ofWeek.slice(0, APPOINTMENTS_MAX).map(({ one, atMs }) => ({
      id: String(one['id']),
      service: bounded(one['service_name']),
      customer: bounded(one['customer_name']),
      resource: names.get(one['resource_id'] as string) ?? '',
      status: String(one['status']),
      start: localAt(atMs, String(one['timezone'])).toFormat("yyyy-MM-dd'T'HH:mm"),
      isOpen: one['status'] === 'confirmed' || one['status'] === 'pending',
    })),
    left: Math.max(0, ofWeek.length - APPOINTMENTS_MAX),
    counts: {
      changes: stats.changes,
      webhooks: stats.webhooksSent,
      lost: stats.webhooksLost,
      calls: stats.requests,
      googleCalls: google.stats().calls,
    },
    armed: { ...armed.counts(), lose: platform.webhooksToLose, lasting: armed.lasting(), held: armed.held() },
  };
}

/** The console of the worker that has a webhook endpoint here. It answers there if `console.enabled`. */
function consoleOf({ truth }: PlatformSandbox): string | null {
  const url = String(truth.endpoints()[0]?.['url'] ?? '');
  return /^https?:/.test(url) && URL.canParse(url) ? new URL('/console', url).href : null;
}

export function bounded(text: unknown): string {
  return text === undefined || text === null ? '' : String(text).slice(0, TEXT_CHARS_MAX);
}

export function markOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}
