import * as z from 'zod';
import type { PlatformEvent } from '../engine/platform.ts';
import { described, identifier, text, wireObject } from './http-answer.ts';
import {
  type Create,
  type Keyed,
  ListedObjects,
  type Options,
  ReadableObjects,
  segment,
  type Transport,
} from './http-transport.ts';

/** An endpoint to which the platform pushes events (platform API, Webhook endpoint). */
export interface WireEndpoint {
  readonly id: string;
  /** The platform returns a domain with non-Latin letters in `xn--` form. */
  readonly url: string;
  readonly description: string | null;
  readonly enabled_events: readonly string[];
  /** Null means all projects of the company. */
  readonly project_ids: readonly string[] | null;
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface EndpointSecret {
  /** Returned only once. Never log it. */
  readonly secret: string;
}

export interface CreateWireEndpoint {
  readonly url: string;
  readonly enabled_events: readonly string[];
  readonly description?: string | null;
  readonly project_ids?: readonly string[] | null;
}

/** Only the given fields change. */
export interface ChangeWireEndpoint {
  readonly url?: string;
  readonly enabled_events?: readonly string[];
  readonly description?: string | null;
  readonly project_ids?: readonly string[] | null;
  readonly status?: 'enabled' | 'disabled';
}

/** Result of sending a test event (platform API, Webhook delivery). */
export interface WebhookDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly status_code: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly created_at: string;
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
const endpointWithSecret = described<WireEndpoint & EndpointSecret>(
  wireObject('webhook_endpoint', { ...shape, secret: text }),
);
const delivery = described<WebhookDelivery>(wireObject('webhook_delivery', {}));

/** Platform API, Webhook endpoints. */
export class WebhookEndpointsApi extends ListedObjects<WireEndpoint, object> {
  constructor(transport: Transport) {
    super(transport, { of: 'webhook_endpoints', one: endpoint });
  }

  create(request: Create<CreateWireEndpoint>): Promise<WireEndpoint & EndpointSecret> {
    return this.transport.request({
      ...request,
      body: { ...request.body },
      operation: 'webhook_endpoints.create',
      method: 'POST',
      path: '/webhook_endpoints',
      answer: endpointWithSecret,
    });
  }

  async change(id: string, change: ChangeWireEndpoint, options: Options = {}): Promise<WireEndpoint> {
    return this.transport.request({
      ...options,
      operation: 'webhook_endpoints.change',
      method: 'PATCH',
      path: `/webhook_endpoints/${segment(id)}`,
      body: { ...change },
      answer: endpoint,
    });
  }

  /** The Idempotency-Key is required: without it, a lost answer would lose the secret. */
  async rollSecret(
    id: string,
    request: Create<{ readonly expires_in_hours: 0 | 1 | 24 }>,
  ): Promise<WireEndpoint & EndpointSecret> {
    return this.transport.request({
      ...request,
      body: { ...request.body },
      operation: 'webhook_endpoints.roll_secret',
      method: 'POST',
      path: `/webhook_endpoints/${segment(id)}/roll_secret`,
      answer: endpointWithSecret,
    });
  }

  /** Sends one test event immediately, also to a disabled endpoint. The platform allows one test at a time and 10 a minute per company. */
  async test(id: string, type: string, options: Keyed = {}): Promise<WebhookDelivery> {
    return this.transport.request({
      ...options,
      operation: 'webhook_endpoints.test',
      method: 'POST',
      path: `/webhook_endpoints/${segment(id)}/test`,
      body: { type },
      answer: delivery,
      timeoutMs: TEST_TIMEOUT_MS,
      ownLimit: true,
    });
  }
}

/** An event as the platform sends it (platform API, Event). `platformEvent` interprets `data.object`; the schema does not check it. */
interface WireEvent {
  readonly id: string;
  /** New types may be added: skip unknown ones. */
  readonly type: string;
  readonly created_at: string;
  readonly project_id?: string | null;
  readonly test?: boolean;
  readonly data?: unknown;
}

interface EventFilters {
  readonly project_id?: string;
  /** Exact match. */
  readonly type?: string;
}

/** As lenient as the rest of the worker: any parsable date-time. The coverage depends on it. */
const moment = z.string().refine((iso) => !Number.isNaN(Date.parse(iso)));

/** The intake checks ids and depth, and quarantines an event that it cannot take: one bad event must not fail the whole page. */
const wireEvent = described<WireEvent>(
  z.looseObject({ object: z.literal('event'), id: text, type: text, created_at: moment }),
);

/** Converts a wire event to the worker's type. */
export function platformEvent(event: WireEvent): PlatformEvent {
  return {
    id: event.id,
    type: event.type,
    createdAt: event.created_at,
    projectId: typeof event.project_id === 'string' ? event.project_id : undefined,
    test: event.test === true,
    object: record(record(event.data)?.['object']),
  };
}

/** Platform API, Event feed: the last 30 days, newest first, without a time filter. */
export class EventsApi extends ReadableObjects<WireEvent, EventFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'events', one: wireEvent });
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
