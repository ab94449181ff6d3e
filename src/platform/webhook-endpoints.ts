import * as z from 'zod';
import { isRecord } from '../engine/object.ts';
import type {
  CreateEndpoint,
  EndpointChange,
  PlatformEvent,
  TestResult,
  WebhookEndpoint,
} from '../engine/platform.ts';
import { described, identifier, text, wireObject } from './http-answer.ts';
import { ListedObjects, segment, type Transport } from './http-transport.ts';

/** An endpoint to which the platform pushes events (platform API, Webhook endpoint). */
interface WireEndpoint {
  readonly id: string;
  /** The platform returns a domain with non-Latin letters in `xn--` form. */
  readonly url: string;
  readonly enabled_events: readonly string[];
  /** Null means all projects of the company. */
  readonly project_ids: readonly string[] | null;
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  readonly updated_at: string | null;
}

/** Result of sending a test event (platform API, Webhook delivery). */
interface WireDelivery {
  readonly event_id: string;
  readonly status_code: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
}

/** Smallest deadline of a webhook test, because the platform waits up to 5 s for the tested server before it answers. */
const TEST_TIMEOUT_MS = 15_000;

const shape = {
  url: text,
  enabled_events: z.array(text),
  project_ids: z.array(identifier).nullable(),
  status: text,
} as const;
const endpoint = described<WireEndpoint>(wireObject('webhook_endpoint', shape));
const endpointWithSecret = described<WireEndpoint & { readonly secret: string }>(
  wireObject('webhook_endpoint', { ...shape, secret: text }),
);
const delivery = described<WireDelivery>(wireObject('webhook_delivery', {}));

/** The company's webhook endpoints, and the worker's own among them (platform API, Webhook endpoints). */
export class ApiWebhookEndpoints {
  readonly #transport: Transport;
  readonly #listed: ListedObjects<WireEndpoint>;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#listed = new ListedObjects(transport, { of: 'webhook_endpoints', one: endpoint });
  }

  async list(signal?: AbortSignal): Promise<readonly WebhookEndpoint[]> {
    const found: WebhookEndpoint[] = [];
    // Today at most 10 per company (platform API, Limits), but the list is paged anyway.
    for await (const page of this.#listed.pages({ rank: 'live', ...(signal ? { signal } : {}) })) {
      found.push(...page.data.map(known));
    }
    return found;
  }

  /** Only this answer and that of `rollSecret` carry the secret. Repeated with the same key it returns the same endpoint and secret. */
  async create(request: CreateEndpoint): Promise<WebhookEndpoint & { readonly secret: string }> {
    const { url, description, enabledEvents, projectIds, idempotencyKey } = request;
    const projects = projectIds === undefined ? {} : { project_ids: projectIds };
    const body = { url, description, enabled_events: enabledEvents, ...projects };
    const at = { operation: 'webhook_endpoints.create', method: 'POST', path: '/webhook_endpoints' } as const;
    const made = await this.#transport.request({ ...at, body, idempotencyKey, answer: endpointWithSecret });
    return { ...known(made), secret: made.secret };
  }

  async change(id: string, change: EndpointChange): Promise<WebhookEndpoint> {
    const changed = await this.#transport.request({
      operation: 'webhook_endpoints.change',
      method: 'PATCH',
      path: `/webhook_endpoints/${segment(id)}`,
      body: {
        ...(change.status === undefined ? {} : { status: change.status }),
        ...(change.enabledEvents === undefined ? {} : { enabled_events: change.enabledEvents }),
        ...(change.projectIds === undefined ? {} : { project_ids: change.projectIds }),
      },
      answer: endpoint,
    });
    return known(changed);
  }

  /**
   * The old secret keeps signing beside the new one for `overlapHours`. Repeated with the same key it returns the same secret: without a
   * key, a lost answer would lose it.
   */
  async rollSecret(
    id: string,
    request: { readonly overlapHours: 1 | 24; readonly idempotencyKey: string },
  ): Promise<{ readonly secret: string }> {
    const { overlapHours, idempotencyKey } = request;
    const rolled = await this.#transport.request({
      operation: 'webhook_endpoints.roll_secret',
      method: 'POST',
      path: `/webhook_endpoints/${segment(id)}/roll_secret`,
      body: { expires_in_hours: overlapHours },
      idempotencyKey,
      answer: endpointWithSecret,
    });
    return { secret: rolled.secret };
  }

  /** Sends one test event now, even to a disabled endpoint, and returns the result. One at a time and 10 a minute per company. */
  async test(id: string, type: string): Promise<TestResult> {
    const met = await this.#transport.request({
      operation: 'webhook_endpoints.test',
      method: 'POST',
      path: `/webhook_endpoints/${segment(id)}/test`,
      body: { type },
      answer: delivery,
      timeoutMs: TEST_TIMEOUT_MS,
      ownLimit: true,
    });
    const { event_id: eventId, status_code: statusCode, duration_ms: durationMs, error } = met;
    return { eventId, statusCode, durationMs, error };
  }
}

function known(wire: WireEndpoint): WebhookEndpoint {
  return {
    id: wire.id,
    url: wire.url,
    enabledEvents: wire.enabled_events,
    projectIds: wire.project_ids,
    status: wire.status,
    disabledReason: wire.disabled_reason ?? null,
    disabledAt: wire.disabled_at ?? null,
    updatedAt: wire.updated_at ?? null,
  };
}

/** An event as the platform sends it (platform API, Event). `platformEvent` interprets `data.object`; the schema does not check it. */
export interface WireEvent {
  readonly id: string;
  /** New types may be added: skip unknown ones. */
  readonly type: string;
  readonly created_at: string;
  readonly project_id?: string | null;
  readonly test?: boolean;
  readonly data?: unknown;
}

/** As lenient as the rest of the worker: any parsable date-time. The coverage depends on it. */
const moment = z.string().refine((iso) => !Number.isNaN(Date.parse(iso)));

/** The intake checks ids and depth, and quarantines an event that it cannot take: one bad event must not fail the whole page. */
const wireEvent = described<WireEvent>(
  z.looseObject({ object: z.literal('event'), id: text, type: text, created_at: moment }),
);

export function platformEvent(event: WireEvent): PlatformEvent {
  const object = isRecord(event.data) ? event.data['object'] : undefined;
  return {
    id: event.id,
    type: event.type,
    createdAt: event.created_at,
    projectId: typeof event.project_id === 'string' ? event.project_id : undefined,
    test: event.test === true,
    object: isRecord(object) ? object : undefined,
  };
}

/** Platform API, Event feed: the last 30 days, newest first, without a time filter. */
export const EVENTS = { of: 'events', one: wireEvent } as const;
