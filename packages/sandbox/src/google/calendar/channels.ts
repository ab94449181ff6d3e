// events.watch and channels.stop, with pings over real HTTP. Pings have no content and no guarantee: they can
// be lost, doubled or late. A channel ends silently at its expiration.
import { createHash } from 'node:crypto';
import { type JsonObject, numberOf, objectOf, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';
import type { Calendar } from './calendar.ts';
import type { CalendarOffice } from './office.ts';

const ttlDefaultSeconds = 604_800;
/** Not documented for Calendar. Callers who ask for more get about 30 days. */
const ttlMaxSeconds = 30 * 86_400;
const idCharsMax = 64;
const tokenCharsMax = 256;
/** Calendars that Google fills itself, such as those of holidays: they cannot push. */
const importedCalendars = '@group.v.calendar.google.com';
const pingTimeoutMs = 10_000;
/** Waits before the sandbox retries a receiver that answered 500, 502, 503 or 504. */
const retryWaitsMs = [250, 1000];

/** How pings are disturbed. Shares are 0..1; each delay is random between 0 and delayMsMax. */
export interface PingFate {
  loseShare: number;
  doubleShare: number;
  delayMsMax: number;
}

interface Channel {
  id: string;
  resourceId: string;
  resourceUri: string;
  address: string;
  token: string | undefined;
  expiresAtMs: number;
  calendarId: string;
  email: string;
  messages: number;
}

export class Channels {
  readonly #office: CalendarOffice;
  readonly #random: () => number;
  readonly #channels = new Map<string, Channel>();
  /** Ids stay taken after their channel has ended. */
  readonly #usedIds = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #closing = new AbortController();
  readonly fate: PingFate = { loseShare: 0, doubleShare: 0, delayMsMax: 0 };
  #pings = 0;

  constructor(office: CalendarOffice, random: () => number) {
    this.#office = office;
    this.#random = random;
    office.onChange((calendar) => this.#ringAll(calendar));
  }

  /** Number of pings sent, without lost ones. */
  pingsSent(): number {
    return this.#pings;
  }

  /** Channels that are open now. */
  open(): JsonObject[] {
    this.#dropExpired();
    return [...this.#channels.values()].map(({ id, calendarId, address, expiresAtMs, resourceId }) => ({
      id,
      calendarId,
      address,
      expiresAtMs,
      resourceId,
    }));
  }

  watch(call: Call): Answer {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    const { body } = call;
    const id = stringOf(body['id']) ?? '';
    const address = stringOf(body['address']) ?? '';
    const token = stringOf(body['token']);
    if (id === '') throw calendarRefusal(400, { reason: 'required', message: 'Missing channel id.' });
    if (id.length > idCharsMax || !/^[A-Za-z0-9\-_+/=]+$/.test(id)) throw invalidValue('Invalid channel id.');
    if (body['type'] !== 'web_hook' && body['type'] !== 'webhook')
      throw invalidValue('Unknown channel type.');
    if (token !== undefined && token.length > tokenCharsMax) throw invalidValue('Channel token too long.');
    if (calendar.id.endsWith(importedCalendars))
      throw calendarRefusal(400, {
        reason: 'pushNotSupportedForRequestedResource',
        message: 'Push notifications are not supported by this resource.',
      });
    this.#checkAddress(address);
    if (this.#usedIds.has(id))
      throw calendarRefusal(400, { reason: 'channelIdNotUnique', message: `Channel id ${id} not unique` });
    const channel: Channel = {
      id,
      address,
      token,
      resourceId: createHash('sha1')
        .update(`${calendar.id} ${call.principal.email}`)
        .digest('base64url')
        .slice(0, 27),
      resourceUri: `https://www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(calendar.id)}/events?alt=json`,
      expiresAtMs: this.#expiry(body),
      calendarId: calendar.id,
      email: call.principal.email,
      messages: 0,
    };
    this.#usedIds.add(id);
    this.#channels.set(id, channel);
    this.#ring(channel, 'sync');
    const shown: JsonObject = {
      kind: 'api#channel',
      id,
      resourceId: channel.resourceId,
      resourceUri: channel.resourceUri,
      expiration: String(channel.expiresAtMs),
    };
    if (token !== undefined) shown['token'] = token;
    return { body: shown };
  }

  stop(call: Call): Answer {
    const id = stringOf(call.body['id']) ?? '';
    const channel = this.#channels.get(id);
    const isTheirs =
      channel?.email === call.principal.email && channel.resourceId === call.body['resourceId'];
    if (!isTheirs)
      throw calendarRefusal(404, {
        reason: 'notFound',
        message: `Channel '${id}' not found for project 'slotbridge-sandbox'`,
      });
    this.#channels.delete(id);
    return { status: 204 };
  }

  /** Cancels every waiting and running ping. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#closing.abort();
  }

  #expiry(body: JsonObject): number {
    const now = this.#office.now();
    const asked = numberOf(body['expiration']);
    const ttl =
      numberOf(objectOf(body['params'])['ttl']) ??
      (asked === undefined ? ttlDefaultSeconds : (asked - now) / 1000);
    if (!(ttl > 0)) throw invalidValue('Invalid channel expiration.');
    return Math.floor((now + Math.min(ttl, ttlMaxSeconds) * 1000) / 1000) * 1000;
  }

  #checkAddress(address: string): void {
    const url = URL.parse(address);
    const isLoopback =
      url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
    if (url?.protocol === 'https:' || (isLoopback && !this.#office.switches.httpsOnly)) return;
    throw calendarRefusal(400, {
      reason: 'push.webhookUrlNotHttps',
      message: `WebHook callback must be HTTPS: ${address}`,
    });
  }

  #dropExpired(): void {
    for (const channel of this.#channels.values())
      if (channel.expiresAtMs <= this.#office.now()) this.#channels.delete(channel.id);
  }

  #ringAll(calendar: Calendar): void {
    if (this.#channels.size === 0) return;
    this.#dropExpired();
    for (const channel of this.#channels.values()) {
      if (channel.calendarId === calendar.id && calendar.roleOf(channel.email) !== undefined)
        this.#ring(channel, 'exists');
    }
  }

  #ring(channel: Channel, state: 'sync' | 'exists'): void {
    channel.messages += 1;
    const headers = headersOf(channel, state);
    if (state === 'exists' && this.#random() < this.fate.loseShare) return;
    const copies = state === 'exists' && this.#random() < this.fate.doubleShare ? 2 : 1;
    for (let i = 0; i < copies; i += 1)
      this.#after(
        this.#random() * this.fate.delayMsMax,
        () => void this.#deliver(channel.address, headers, 0),
      );
  }

  async #deliver(address: string, headers: Record<string, string>, attempt: number): Promise<void> {
    this.#pings += 1;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(pingTimeoutMs)]);
    const status = await fetch(address, { method: 'POST', headers, signal }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      // An unreachable receiver is retried like a failing one.
      () => 503,
    );
    const waitMs = retryWaitsMs[attempt];
    if ([500, 502, 503, 504].includes(status) && waitMs !== undefined && !this.#closing.signal.aborted) {
      this.#after(waitMs, () => void this.#deliver(address, headers, attempt + 1));
    }
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }
}

function headersOf(channel: Channel, state: string): Record<string, string> {
  const headers: Record<string, string> = {
    'User-Agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
    'X-Goog-Channel-ID': channel.id,
    'X-Goog-Channel-Expiration': new Date(channel.expiresAtMs).toUTCString(),
    'X-Goog-Resource-ID': channel.resourceId,
    'X-Goog-Resource-URI': channel.resourceUri,
    'X-Goog-Resource-State': state,
    'X-Goog-Message-Number': String(channel.messages),
  };
  if (channel.token !== undefined) headers['X-Goog-Channel-Token'] = channel.token;
  return headers;
}
