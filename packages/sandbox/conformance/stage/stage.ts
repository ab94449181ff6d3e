/** A company in a sandbox for one test, with known data. The test controls staff, time and faults. */
import { onTestFinished } from 'vitest';
import { type Answer, Api, type CallOptions } from './api.ts';
import { Company, NOBODYS_PHONE } from './company.ts';
import { Control, type KeyWish } from './control.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MOSCOW_HOURS = 3;
const EXAMPLE_HOOK_URL = 'https://customer.example/hooks';

export interface Furniture {
  readonly projectId: string;
  readonly branchId: string;
  readonly annaId: string;
  readonly borisId: string;
  /** Fixed, 60 minutes, 1500 roubles, by Anna and Boris, every day 9:00 to 21:00 Moscow time. */
  readonly haircutId: string;
}

export class Stage extends Company {
  readonly control: Control;
  readonly ownProjectId: string;
  readonly branchId: string;
  readonly annaId: string;
  readonly borisId: string;
  readonly haircutId: string;
  readonly #midnight: number;

  constructor(api: Api, control: Control, furniture: Furniture) {
    super(api, { hookUrl: EXAMPLE_HOOK_URL });
    this.control = control;
    this.ownProjectId = furniture.projectId;
    this.branchId = furniture.branchId;
    this.annaId = furniture.annaId;
    this.borisId = furniture.borisId;
    this.haircutId = furniture.haircutId;
    this.#midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  }

  /** Actions of staff, see `Control`. */
  // biome-ignore lint/suspicious/noExplicitAny: an id, a pair of ids or nothing, by action
  staff(action: string, fields: Record<string, unknown> = {}): Promise<any> {
    return this.control.staff(action, fields);
  }

  /** A client for the same server with a new key. */
  async apiWith(wish: KeyWish): Promise<Api> {
    return this.api.withKey(await this.control.createKey(wish));
  }

  /** An hour of Moscow time (UTC+3, no summer time), `days` after the UTC date of today, as RFC 3339. */
  at(hour: number, days = 1): string {
    return new Date(this.#midnight + days * DAY_MS + (hour - MOSCOW_HOURS) * HOUR_MS).toISOString();
  }

  override async booking(changes: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return {
      service_id: this.haircutId,
      resource_id: this.annaId,
      starts_at: this.at(10),
      customer_phone: NOBODYS_PHONE,
      ...changes,
    };
  }

  override async projectId(): Promise<string> {
    return this.ownProjectId;
  }

  /** By default, the free times of the haircut tomorrow. */
  slots(changes: Record<string, string> = {}, api: Api = this.api): Promise<Answer> {
    const query = { service_id: this.haircutId, from: this.at(0), to: this.at(24), ...changes };
    return api.get(`/slots?${new URLSearchParams(query)}`);
  }

  /**
   * Creates an endpoint for all events, so that events enter the feed. Without `url`, the sandbox holds its
   * deliveries.
   */
  async subscribe(url?: string, events: readonly string[] = ['*'], options?: CallOptions): Promise<Answer> {
    if (url === undefined) await this.control.setDelivery({ hold: true });
    return this.endpoint({ url: url ?? this.hookUrl, enabled_events: events }, options);
  }

  /** A receiver subscribed to everything, or to the given types. */
  async listen(events?: readonly string[]): Promise<Receiver & { endpoint: Record<string, string> }> {
    const receiver = await openReceiver();
    const { body } = await this.subscribe(receiver.url, events);
    return Object.assign(receiver, { endpoint: body });
  }

  /** Events of the feed, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: events as the server sent them
  async feed(query = ''): Promise<any[]> {
    return (await this.api.get(`/events?limit=100${query}`)).body.data;
  }

  async feedTypes(query?: string): Promise<string[]> {
    return (await this.feed(query)).map((event) => event.type);
  }

  /** How many emails customers have received. */
  async mails(): Promise<number> {
    return (await this.control.truth('customerMails')).length;
  }
}

/** Starts a sandbox and creates its data. It closes with the test, or with the run when `forFile` is set. */
export async function openStage(
  landlord: string,
  given: { options?: Record<string, unknown>; forFile?: boolean } = {},
): Promise<Stage> {
  // Events are formed immediately unless a test is about the delay.
  const options = { eventDelayMs: [0, 0], rateLimitPerMinute: 100_000, ...given.options };
  const { url } = JSON.parse(await post(`${landlord}/open`, options)) as { url: string };
  if (!given.forFile) onTestFinished(async () => void (await post(`${landlord}/close`, { url })));
  const control = new Control(url);
  const furniture = await furnish(control);
  return new Stage(new Api(url, await control.createKey()), control, furniture);
}

async function furnish(control: Control): Promise<Furniture> {
  const projectId = await control.staff('createProject', { name: 'Clinic' });
  const branchId = await control.staff('createBranch', {
    projectId,
    name: 'Centre',
    timezone: 'Europe/Moscow',
  });
  const annaId = await control.staff('createResource', { branchId, name: 'Anna' });
  const borisId = await control.staff('createResource', { branchId, name: 'Boris' });
  const haircutId = await control.staff('createService', {
    projectId,
    name: 'Haircut',
    durationMin: 60,
    priceAmount: 150_000,
    resourceIds: [annaId, borisId],
  });
  return { projectId, branchId, annaId, borisId, haircutId };
}

async function post(url: string, body: unknown): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the landlord answers ${response.status}: ${text}`);
  return text;
}
