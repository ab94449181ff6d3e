/**
 * One calendar and one spreadsheet, accessed with one token. Each test makes its own events, in the far future, and
 * writes cells only into a tab that it adds. So a test that needs nothing else runs against any server.
 */

import type { Answer, Api, CallOptions, Query } from './api.ts';
import { Broom } from './broom.ts';
import type { Place } from './server.ts';
import { Tab } from './tab.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ID_LETTERS = '0123456789abcdefghijklmnopqrstuv';
/** The day of the suite's events: too far ahead to be anyone's working day. */
const FIRST_DAY = '2035-06-04T00:00:00Z';

/** The place has no data for this test. Against a foreign server, the test is skipped. */
export class Lacking extends Error {
  override readonly name = 'Lacking';
}

// biome-ignore lint/suspicious/noExplicitAny: an object as the server sent it
export type Sent = any;

export class Desk {
  readonly api: Api;
  readonly #place: Place;
  readonly #broom: Broom;

  constructor(api: Api, place: Place, broom: Broom = new Broom()) {
    this.api = api;
    this.#place = place;
    this.#broom = broom;
  }

  get calendarId(): string {
    if (this.#place.calendarId === undefined) throw new Lacking('no calendar is named');
    return this.#place.calendarId;
  }

  get spreadsheetId(): string {
    if (this.#place.spreadsheetId === undefined) throw new Lacking('no spreadsheet is named');
    return this.#place.spreadsheetId;
  }

  /** `path` after `/calendars/{calendarId}`. */
  calendar(method: string, path = '', options?: CallOptions): Promise<Answer> {
    return this.api.calendar(method, `/calendars/${encodeURIComponent(this.calendarId)}${path}`, options);
  }

  /** `path` after `/calendars/{calendarId}/events`. */
  events(method: string, path = '', options?: CallOptions): Promise<Answer> {
    return this.calendar(method, `/events${path}`, options);
  }

  list(query: Query = {}): Promise<Answer> {
    return this.events('GET', '', { query });
  }

  get(event: { id: string }, query: Query = {}): Promise<Answer> {
    return this.events('GET', `/${event.id}`, { query });
  }

  insert(changes: Record<string, unknown> = {}, query: Query = {}): Promise<Answer> {
    return this.events('POST', '', { body: this.eventBody(changes), query });
  }

  patch(event: { id: string }, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.events('PATCH', `/${event.id}`, { ...options, body });
  }

  put(event: { id: string }, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.events('PUT', `/${event.id}`, { ...options, body });
  }

  delete(event: { id: string }, options?: CallOptions): Promise<Answer> {
    return this.events('DELETE', `/${event.id}`, options);
  }

  /** Creates an event and returns it. */
  async made(changes: Record<string, unknown> = {}, query: Query = {}): Promise<Sent> {
    const answer = await this.insert(changes, query);
    if (answer.status !== 200) throw new Error(`no event could be made: ${answer.text}`);
    return answer.body;
  }

  async deleted(changes: Record<string, unknown> = {}): Promise<Sent> {
    const event = await this.made(changes);
    await this.delete(event);
    return event;
  }

  /** The body of a one-hour event. A change to `undefined` removes the field. */
  eventBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
    const times = { start: { dateTime: this.at(9) }, end: { dateTime: this.at(10) } };
    return { summary: 'Conformance test', ...times, ...changes };
  }

  /** A moment on the suite's day, as RFC 3339 in UTC. */
  at(hour: number, days = 0): string {
    return new Date(Date.parse(FIRST_DAY) + days * DAY_MS + hour * HOUR_MS).toISOString();
  }

  /** A date, counted from the suite's day. */
  date(days = 0): string {
    return this.at(0, days).slice(0, 10);
  }

  freshId(length = 26): string {
    return Array.from({ length }, () => ID_LETTERS[Math.floor(Math.random() * 32)] ?? '0').join('');
  }

  /** Reads all pages of a list. Returns every item and the last page. */
  async all(query: Query = {}): Promise<{ items: Sent[]; last: Sent; pages: number }> {
    const items: Sent[] = [];
    for (let pageToken: string | undefined, pages = 1; ; pages += 1) {
      const { body } = await this.list(pageToken === undefined ? query : { ...query, pageToken });
      items.push(...body.items);
      pageToken = body.nextPageToken;
      if (pageToken === undefined) return { items, last: body, pages };
    }
  }

  /** A sync token for the current state. */
  async syncToken(query: Query = {}): Promise<string> {
    return (await this.all(query)).last.nextSyncToken;
  }

  /** `path` after the id of the spreadsheet. */
  sheets(method: string, path = '', options?: CallOptions): Promise<Answer> {
    return this.api.sheets(method, `/${this.spreadsheetId}${path}`, options);
  }

  batch(...requests: unknown[]): Promise<Answer> {
    return this.sheets('POST', ':batchUpdate', { body: { requests } });
  }

  /** Adds a blank tab for this test. */
  async tab(
    size: { rows?: number; columns?: number; values?: unknown[][]; title?: string } = {},
  ): Promise<Tab> {
    const title = size.title ?? `Test_${this.freshId(8)}`;
    const gridProperties = { rowCount: size.rows ?? 20, columnCount: size.columns ?? 8 };
    const { body, text } = await this.batch({ addSheet: { properties: { title, gridProperties } } });
    const sheetId: number | undefined = body.replies?.[0]?.addSheet?.properties?.sheetId;
    if (sheetId === undefined) throw new Error(`no tab could be added: ${text}`);
    this.#broom.noteTab(sheetId);
    const tab = new Tab(this, { title, sheetId });
    if (size.values !== undefined) await tab.write('A1', size.values);
    return tab;
  }
}
