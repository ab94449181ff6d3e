// What a new user does with a running sandbox: book as a customer would, and read what is in Google.
import { randomUUID } from 'node:crypto';
import type { Addresses } from './addresses.ts';
import { localAt } from './zones/local.ts';

interface VisitorBooking {
  readonly addresses: Addresses;
  readonly apiKey: string;
  /** Name of the service to book; where there is none, the first one is booked. */
  readonly service: string;
  readonly timeZone: string;
}

const CUSTOMER = { customer_name: 'Vera Orlova', customer_phone: '+74950001101' };
const HOUR_MS = 3_600_000;
const TRIES_MAX = 20;
const ROWS_MAX = 20;

/** Books the first free hour, starting at this time tomorrow. Returns a line that describes the booking. */
export async function book(booking: VisitorBooking): Promise<string> {
  const { addresses, apiKey, service, timeZone } = booking;
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const services = await fetch(`${addresses.platform}/services`, { headers });
  const { data } = (await services.json()) as { data: readonly { id: string; name: string }[] };
  const booked = data.find(({ name }) => name === service) ?? data[0];
  const tomorrow = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS;
  for (let hour = 0; hour < TRIES_MAX; hour += 1) {
    const startsAt = new Date(tomorrow + hour * HOUR_MS);
    const answer = await fetch(`${addresses.platform}/appointments`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': randomUUID() },
      body: JSON.stringify({ service_id: booked?.id, starts_at: startsAt.toISOString(), ...CUSTOMER }),
    });
    const body = (await answer.json()) as { id?: string };
    // 409: this hour is already taken.
    if (answer.status === 409) continue;
    if (!answer.ok || body.id === undefined) throw new Error(`the sandbox answered ${answer.status}`);
    return `Booked ${booked?.name} for ${CUSTOMER.customer_name}, ${moment(startsAt, timeZone)}: appointment ${body.id}`;
  }
  throw new Error(`the next ${TRIES_MAX} hours are taken: start the sandbox anew`);
}

interface Event {
  readonly summary?: string;
  readonly start: { readonly dateTime?: string };
  readonly end: { readonly dateTime?: string };
}

/** Every calendar with its events, and every tab with its rows, as they are in the sandbox's Google. */
export async function look({ google }: Addresses): Promise<string> {
  const read = async (path: string) => (await fetch(`${google}/_sandbox/truth/${path}`)).json();
  const lines: string[] = [];
  const calendars = (await read('calendars')) as string[];
  // Skip the calendar of the worker's own account, which no mirror uses.
  for (const id of calendars.filter((each) => !each.endsWith('.iam.gserviceaccount.com'))) {
    const events = (await read(`calendars/${encodeURIComponent(id)}/events`)) as Event[];
    lines.push(`calendar ${id}`, ...listed(events.map(eventLine).sort()));
  }
  for (const id of (await read('spreadsheets')) as string[]) {
    for (const tab of (await read(`spreadsheets/${encodeURIComponent(id)}/tabs`)) as string[]) {
      const path = `spreadsheets/${encodeURIComponent(id)}/values?tab=${encodeURIComponent(tab)}`;
      const [headers, ...rows] = (await read(path)) as unknown[][];
      if (headers === undefined) continue;
      lines.push(`tab ${tab} of ${id}`, `  ${headers.join(' | ')}`);
      lines.push(...listed(rows.map((row) => row.join(' | '))));
    }
  }
  return lines.join('\n');
}

function listed(rows: readonly string[]): string[] {
  if (rows.length === 0) return ['  (empty)'];
  const more = rows.length > ROWS_MAX ? [`  … and ${rows.length - ROWS_MAX} more`] : [];
  return [...rows.slice(0, ROWS_MAX).map((row) => `  ${row}`), ...more];
}

/** The sandbox's times are in the calendar's zone. */
function eventLine({ summary = '', start, end }: Event): string {
  const at = (time: string | undefined) => (time ?? '').slice(0, 16).replace('T', ' ');
  return `${at(start.dateTime)} to ${at(end.dateTime).slice(11)}  ${summary}`;
}

function moment(at: Date, timeZone: string): string {
  return `${localAt(at.getTime(), timeZone).toFormat('yyyy-MM-dd HH:mm')} (${timeZone})`;
}
