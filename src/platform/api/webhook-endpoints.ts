import * as z from 'zod';
import type { Page } from '../../engine/ports/platform.ts';
import { absentOn404 } from '../http/absence.ts';
import { segment, type Transport } from '../http/transport.ts';
import { described, identifier, pageOf, text, wireObject } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';
import type { Create, Keyed, Options } from './request.ts';

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

export interface DeletedEndpoint {
  readonly id: string;
  readonly deleted: true;
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
const endpointPage = pageOf(endpoint);
const deleted = described<DeletedEndpoint>(wireObject('webhook_endpoint', { deleted: z.literal(true) }));
const delivery = described<WebhookDelivery>(wireObject('webhook_delivery', {}));

/** Platform API, Webhook endpoints. */
export class WebhookEndpointsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(request: ListRequest<object> = {}): Promise<Page<WireEndpoint>> {
    return this.#transport.request({
      ...request,
      operation: 'webhook_endpoints.list',
      method: 'GET',
      path: '/webhook_endpoints',
      query: listQuery(request),
      answer: endpointPage,
    });
  }

  pages(request: ListRequest<object> = {}): AsyncGenerator<Page<WireEndpoint>, void, void> {
    return pagesOf((page: ListRequest<object>) => this.list(page), request);
  }

  /** Undefined on 404 `not-found`, also when the endpoint has projects that the key does not cover. */
  async get(id: string, options: Options = {}): Promise<WireEndpoint | undefined> {
    const path = `/webhook_endpoints/${segment(id)}`;
    return absentOn404(
      this.#transport.request({
        ...options,
        operation: 'webhook_endpoints.get',
        method: 'GET',
        path,
        answer: endpoint,
      }),
    );
  }

  create(request: Create<CreateWireEndpoint>): Promise<WireEndpoint & EndpointSecret> {
    return this.#transport.request({
      ...request,
      body: { ...request.body },
      operation: 'webhook_endpoints.create',
      method: 'POST',
      path: '/webhook_endpoints',
      answer: endpointWithSecret,
    });
  }

  async change(id: string, change: ChangeWireEndpoint, options: Options = {}): Promise<WireEndpoint> {
    return this.#transport.request({
      ...options,
      operation: 'webhook_endpoints.change',
      method: 'PATCH',
      path: `/webhook_endpoints/${segment(id)}`,
      body: { ...change },
      answer: endpoint,
    });
  }

  async delete(id: string, options: Options = {}): Promise<DeletedEndpoint> {
    return this.#transport.request({
      ...options,
      operation: 'webhook_endpoints.delete',
      method: 'DELETE',
      path: `/webhook_endpoints/${segment(id)}`,
      answer: deleted,
    });
  }

  /** The Idempotency-Key is required: without it, a lost answer would lose the secret. */
  async rollSecret(
    id: string,
    request: Create<{ readonly expires_in_hours: 0 | 1 | 24 }>,
  ): Promise<WireEndpoint & EndpointSecret> {
    return this.#transport.request({
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
    return this.#transport.request({
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
