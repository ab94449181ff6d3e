/**
 * A company on the server under test, accessed with one key that has every scope. It is discovered through the API, so a test that
 * needs nothing else runs against any server.
 */
import type { Answer, Api, CallOptions } from './api.ts';

const DAY_MS = 86_400_000;
/** Telephone authorities reserve this range for fiction, so no real phone rings. */
export const NOBODYS_PHONE = '+447700900123';
export const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';
const SLOT_SEARCH_DAYS = 14;

/** The company has no data for this test. Against a foreign server, the test is skipped. */
export class Lacking extends Error {
  override readonly name = 'Lacking';
}

export interface BookableTime {
  readonly service_id: string;
  readonly branch_id: string;
  readonly resource_id: string;
  readonly starts_at: string;
}

export class Company {
  readonly api: Api;
  readonly hookUrl: string;

  constructor(api: Api, options: { hookUrl: string }) {
    this.api = api;
    this.hookUrl = options.hookUrl;
  }

  /** Objects of a list. Throws Lacking when there are fewer than `count`. */
  // biome-ignore lint/suspicious/noExplicitAny: objects as the server sent them
  async some(path: string, count = 1): Promise<any[]> {
    const { status, body } = await this.api.get(path);
    if (status !== 200) throw new Lacking(`${path} answers ${status}`);
    if (body.data.length < count) throw new Lacking(`${path} has ${body.data.length} of ${count} objects`);
    return body.data;
  }

  /** The newest matching object of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: an object as the server sent it
  async one(path: string, fits: (object: any) => boolean = () => true): Promise<any> {
    const found = (await this.some(path)).find(fits);
    if (found === undefined) throw new Lacking(`${path} has no object of the kind that is looked for`);
    return found;
  }

  async projectId(): Promise<string> {
    return (await this.one('/branches')).project_id;
  }

  /** Creates a contact. Passes `project_id`, which a key with several projects requires. */
  async contact(changes: Record<string, unknown> = {}, options?: CallOptions): Promise<Answer> {
    const body = { project_id: await this.projectId(), name: 'Conformance test', ...changes };
    return this.api.post('/contacts', body, options);
  }

  /**
   * A free slot of a fixed service, at least a day ahead. Each call searches again, so it never offers a slot that has been taken.
   */
  async freeTime(): Promise<BookableTime> {
    const from = new Date(Date.now() + DAY_MS).toISOString();
    const to = new Date(Date.now() + SLOT_SEARCH_DAYS * DAY_MS).toISOString();
    const branches = await this.some('/branches?limit=100');
    for (const service of await this.some('/services?limit=100')) {
      if (service.booking_mode !== 'fixed') continue;
      for (const branch of branches.filter((one) => one.project_id === service.project_id)) {
        const named = { service_id: service.id, branch_id: branch.id };
        const { body } = await this.api.get(
          `/slots?${new URLSearchParams({ ...named, from, to, limit: '1' })}`,
        );
        const slot = body.slots?.[0];
        if (slot) return { ...named, resource_id: slot.resource_id, starts_at: slot.starts_at };
      }
    }
    throw new Lacking('no fixed service has free time in the coming two weeks');
  }

  /** The body of a valid booking that mails no customer. */
  async booking(changes: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const customer = { customer_phone: NOBODYS_PHONE, notify_customer: false };
    return { ...(await this.freeTime()), ...customer, ...changes };
  }

  async book(changes: Record<string, unknown> = {}, options?: CallOptions): Promise<Answer> {
    return this.api.post('/appointments', await this.booking(changes), options);
  }

  endpoint(changes: Record<string, unknown> = {}, options?: CallOptions): Promise<Answer> {
    const body = { url: this.hookUrl, enabled_events: ['contact.deleted'], ...changes };
    return this.api.post('/webhook_endpoints', body, options);
  }
}

/** Undoes what tests have created on a foreign server, as far as the API allows: only endpoints can be deleted. */
export class Broom {
  readonly #made: { kind: string; id: string }[] = [];

  note(answer: Answer): void {
    const { object, id } = (answer.body ?? {}) as { object?: string; id?: string };
    if (answer.status === 201 && object !== undefined && id !== undefined)
      this.#made.push({ kind: object, id });
  }

  async sweep(api: Api): Promise<void> {
    for (const { kind, id } of this.#made.splice(0).reverse()) {
      if (kind === 'appointment') await api.post(`/appointments/${id}/cancel`, { notify_customer: false });
      if (kind === 'contact') await api.patch(`/contacts/${id}`, { status: 'archived' });
      if (kind === 'webhook_endpoint') await api.delete(`/webhook_endpoints/${id}`);
    }
  }
}
