// A sandbox and the plainest client for it: fetch with a bearer token.
import { GoogleSandbox, type GoogleSandboxOptions } from '../../src/google/sandbox.ts';

export const worker = 'worker@slotbridge-sandbox.iam.gserviceaccount.com';
export const room = 'room1@group.calendar.google.com';
export const book = '1AbCsheet';

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
}

export interface Rig {
  sandbox: GoogleSandbox;
  clock: { now(): number; advance(ms: number): void };
  /** A call with the worker's token. */
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Calls with these headers, of which one may be another token. */
  callWith(headers: Readonly<Record<string, string>>): Rig['call'];
  events: string;
  sheet: string;
}

/** A shared calendar and a shared spreadsheet with the tab `Sheet1`. */
export async function startRig(options: GoogleSandboxOptions = {}): Promise<Rig> {
  let offset = 0;
  const clock = {
    now: () => Date.now() + offset,
    advance: (ms: number) => {
      offset += ms;
    },
  };
  const sandbox = await GoogleSandbox.start({ clock, ...options });
  sandbox.addCalendar(room, { shareWith: [worker], timeZone: 'Europe/Zurich' });
  sandbox.addSpreadsheet(book, {
    shareWith: [worker],
    tabs: [{ title: 'Sheet1' }, { title: 'My Tab', rows: 10, columns: 5 }],
  });
  return {
    sandbox,
    clock,
    events: `/calendar/v3/calendars/${encodeURIComponent(room)}/events`,
    sheet: `/v4/spreadsheets/${book}`,
    call: callWith({}),
    callWith,
  };

  function callWith(headers: Readonly<Record<string, string>>): Rig['call'] {
    return async (method, path, body) => {
      const token = sandbox.accessToken(worker);
      const answer = await fetch(sandbox.url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json');
      return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
    };
  }
}

/** A body of an event of one hour. */
export function eventBody(
  start = '2026-05-04T08:00:00Z',
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const end = new Date(Date.parse(start) + 3_600_000).toISOString();
  return { summary: 'Haircut', start: { dateTime: start }, end: { dateTime: end }, ...more };
}

/** The entry that Calendar's errors carry. */
export function reason(reply: Reply): { domain: string; reason: string; message: string; location?: string } {
  return reply.body.error.errors[0];
}
