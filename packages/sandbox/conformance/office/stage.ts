/** A sandbox for one test, which controls its people, time, faults and quotas. */
import { onTestFinished } from 'vitest';
import { type Answer, Api } from './api.ts';
import { Desk, type Sent } from './desk.ts';
import type { Place } from './server.ts';

export const ACCOUNT = 'worker@slotbridge-sandbox.iam.gserviceaccount.com';
const CALENDAR = 'room1@group.calendar.google.com';
const SPREADSHEET = '1AbCsheet';
const PLENTY = 100_000;

export class Stage extends Desk {
  readonly url: string;
  readonly token: string;
  readonly #landlord: string;

  constructor(parts: { url: string; token: string; landlord: string; place: Place }) {
    super(new Api(parts.place, parts.token), parts.place);
    this.url = parts.url;
    this.token = parts.token;
    this.#landlord = parts.landlord;
  }

  /** Actions of people: `calendar/move`, `sheets/sortTab` and so on. */
  people(action: string, fields: Record<string, unknown>): Promise<Sent> {
    const where = action.startsWith('calendar/')
      ? { calendarId: this.calendarId }
      : { spreadsheetId: this.spreadsheetId };
    return this.control('POST', `staff/${action}`, { ...where, ...fields });
  }

  control(method: string, path: string, body?: unknown): Promise<Sent> {
    return ask(`${this.url}/_sandbox/${path}`, method, body);
  }

  /** The same calendar and spreadsheet, through another account or with other scopes. */
  async as(who: { email?: string; scopes?: string[]; isServiceAccount?: boolean }): Promise<Desk> {
    const { access_token } = await this.control('POST', 'tokens', who);
    return this.withToken(access_token);
  }

  /** Null: without a token. */
  withToken(token: string | null): Desk {
    const place = this.place();
    return new Desk(new Api(place, token), place);
  }

  /** Shares the calendar and the spreadsheet with an account; a null role revokes the access. */
  async share(email: string, role: string | null): Promise<void> {
    for (const id of [CALENDAR, SPREADSHEET])
      await this.control(role === null ? 'DELETE' : 'POST', 'access', { id, email, role });
  }

  /** Makes the next calls of this kind fail with this trouble or fault. */
  async spoil(rule: Record<string, unknown>): Promise<void> {
    await this.control('POST', 'faults', { times: 1, ...rule });
  }

  /** Moves the server's clock forward. */
  async advance(ms: number): Promise<void> {
    await ask(`${this.#landlord}/clock`, 'POST', { url: this.url, ms });
  }

  /** Posts a form to the token endpoint. */
  async tokenRequest(form: Record<string, string>): Promise<Answer> {
    const response = await fetch(`${this.url}/token`, { method: 'POST', body: new URLSearchParams(form) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }

  place(): Place {
    return placeAt(this.url, this.token);
  }
}

/** Starts a sandbox with a calendar and a spreadsheet; it closes when the test ends. `options`: the sandbox's. */
export async function openStage(landlord: string, options: Record<string, unknown> = {}): Promise<Stage> {
  const quotas = {
    calendarPerMinutePerUser: PLENTY,
    sheetsReadsPerMinutePerUser: PLENTY,
    sheetsWritesPerMinutePerUser: PLENTY,
  };
  const { url } = await ask(`${landlord}/open`, 'POST', { quotas, ...options });
  onTestFinished(async () => void (await ask(`${landlord}/close`, 'POST', { url })));
  const control = `${url}/_sandbox`;
  const shared = { shareWith: [ACCOUNT], timeZone: 'Europe/Zurich' };
  await ask(`${control}/calendars`, 'POST', { id: CALENDAR, ...shared });
  await ask(`${control}/spreadsheets`, 'POST', { id: SPREADSHEET, ...shared });
  const { access_token } = await ask(`${control}/tokens`, 'POST', { email: ACCOUNT });
  return new Stage({ url, token: access_token, landlord, place: placeAt(url, access_token) });
}

function placeAt(url: string, token: string): Place {
  return { calendarUrl: url, sheetsUrl: url, token, calendarId: CALENDAR, spreadsheetId: SPREADSHEET };
}

async function ask(url: string, method: string, body?: unknown): Promise<Sent> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
