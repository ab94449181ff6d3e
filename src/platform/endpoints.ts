import type {
  CreateEndpoint,
  EndpointChange,
  TestResult,
  WebhookEndpoint,
  WebhookEndpoints,
} from '../engine/ports/platform.ts';
import type { WebhookEndpointsApi, WireEndpoint } from './api/webhook-endpoints.ts';

/** Implements the port of the company's webhook endpoints over the API. */
export class ApiWebhookEndpoints implements WebhookEndpoints {
  readonly #api: WebhookEndpointsApi;

  constructor(api: WebhookEndpointsApi) {
    this.#api = api;
  }

  async list(signal?: AbortSignal): Promise<readonly WebhookEndpoint[]> {
    const found: WebhookEndpoint[] = [];
    // Today at most 10 per company (platform API, Limits), but the list is paged anyway.
    for await (const page of this.#api.pages({ rank: 'live', ...(signal ? { signal } : {}) })) {
      found.push(...page.data.map(known));
    }
    return found;
  }

  async create(request: CreateEndpoint): Promise<WebhookEndpoint & { readonly secret: string }> {
    const { url, description, enabledEvents, projectIds, idempotencyKey } = request;
    const projects = projectIds === undefined ? {} : { project_ids: projectIds };
    const body = { url, description, enabled_events: enabledEvents, ...projects };
    const made = await this.#api.create({ body, idempotencyKey });
    return { ...known(made), secret: made.secret };
  }

  async change(id: string, change: EndpointChange): Promise<WebhookEndpoint> {
    const changed = await this.#api.change(id, {
      ...(change.status === undefined ? {} : { status: change.status }),
      ...(change.enabledEvents === undefined ? {} : { enabled_events: change.enabledEvents }),
      ...(change.projectIds === undefined ? {} : { project_ids: change.projectIds }),
    });
    return known(changed);
  }

  async rollSecret(
    id: string,
    request: { readonly overlapHours: 1 | 24; readonly idempotencyKey: string },
  ): Promise<{ readonly secret: string }> {
    const { overlapHours, idempotencyKey } = request;
    const { secret } = await this.#api.rollSecret(id, {
      body: { expires_in_hours: overlapHours },
      idempotencyKey,
    });
    return { secret };
  }

  async test(id: string, type: string): Promise<TestResult> {
    const met = await this.#api.test(id, type);
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
