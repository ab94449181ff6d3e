/** Webhook endpoint operations (platform API, Webhook endpoints). The test operation is in `endpoint-test.ts`. */
import type { Core } from '../core.ts';
import type { Caller } from '../keys.ts';
import type { Call, Operation } from '../operation.ts';
import { LIMITS } from '../options.ts';
import { listBody, pageOf, readCursor } from '../paging.ts';
import { Problem } from '../problem.ts';
import type { EndpointRecord } from '../records.ts';
import {
  demandRights,
  readDescription,
  readEnabledEvents,
  readProjectIds,
  readUrl,
} from './endpoint-fields.ts';
import { EndpointTest } from './endpoint-test.ts';

const ROLL_HOURS = [0, 1, 24];
const SCOPE = 'webhooks:manage';

export function endpointOperations(core: Core): Operation[] {
  const { renderer, endpoints, world } = core;
  const tests = new EndpointTest(core);
  const path = '/v1/webhook_endpoints';
  const one = `${path}/:endpoint`;
  return [
    { method: 'GET', path, scope: SCOPE, handle: (call) => ({ status: 200, json: list(core, call) }) },
    {
      method: 'POST',
      path,
      scope: SCOPE,
      idempotency: 'required',
      handle: (call) => ({ status: 201, json: withSecret(create(core, call)) }),
    },
    {
      method: 'GET',
      path: one,
      scope: SCOPE,
      handle: (call) => ({ status: 200, json: renderer.endpoint(find(call)) }),
    },
    {
      method: 'PATCH',
      path: one,
      scope: SCOPE,
      handle: (call) => {
        const endpoint = find(call);
        change(core, call, endpoint);
        return { status: 200, json: renderer.endpoint(endpoint) };
      },
    },
    {
      method: 'DELETE',
      path: one,
      scope: SCOPE,
      handle: (call) => {
        const endpoint = find(call);
        endpoints.remove(endpoint);
        return { status: 200, json: { object: 'webhook_endpoint', id: endpoint.id, deleted: true } };
      },
    },
    {
      method: 'POST',
      path: `${one}/roll_secret`,
      scope: SCOPE,
      idempotency: 'supported',
      handle: (call) => {
        const endpoint = find(call);
        endpoints.rollSecret(endpoint, readHours(call));
        return { status: 200, json: withSecret(endpoint) };
      },
    },
    {
      method: 'POST',
      path: `${one}/test`,
      scope: SCOPE,
      idempotency: 'supported',
      handle: async (call) => ({ status: 200, json: await tests.run(find(call), call) }),
    },
  ];

  function find({ params, caller }: Call): EndpointRecord {
    const endpoint = world.endpoints.get(params['endpoint']?.toLowerCase() ?? '');
    if (!endpoint || !isVisible(core, caller, endpoint))
      throw new Problem('not-found', 'No such webhook endpoint.');
    return endpoint;
  }

  /** Only the answers to create and roll_secret show the secret. */
  function withSecret(endpoint: EndpointRecord): Record<string, unknown> {
    return { ...renderer.endpoint(endpoint), secret: endpoint.secret };
  }
}

/** A key sees only endpoints whose projects are all in the key. */
function isVisible(core: Core, caller: Caller, endpoint: EndpointRecord): boolean {
  if (endpoint.projectIds === null) {
    return core.switches.companyWideEndpoint === 'every-key' || caller.coversAllProjects;
  }
  return endpoint.projectIds.every((id) => caller.sees(id));
}

function list(core: Core, { query, caller }: Call): unknown {
  const cursor = readCursor(query);
  query.check();
  const { items, hasMore } = pageOf(core.world.endpoints, cursor, {
    sees: () => true,
    accepts: (endpoint) => isVisible(core, caller, endpoint),
    unknown: core.switches.unknownCursor,
  });
  return listBody(items.map(core.renderer.endpoint), hasMore);
}

function create(core: Core, { body, caller }: Call): EndpointRecord {
  const fields = {
    url: readUrl(core, body) ?? '',
    description: readDescription(body) ?? null,
    enabledEvents: readEnabledEvents(core, body) ?? [],
    projectIds: readProjectIds(body) ?? null,
  };
  for (const name of ['url', 'enabled_events']) {
    if (!body.has(name) || body.isNull(name)) body.complaints.add(name, 'is required');
  }
  body.check();
  demandRights(caller, { events: fields.enabledEvents, projectIds: fields.projectIds });
  if (core.world.endpoints.size >= LIMITS.endpointsPerCompany) {
    throw new Problem(
      'webhook-endpoint-limit',
      `The company already has ${LIMITS.endpointsPerCompany} endpoints.`,
    );
  }
  return core.endpoints.create(fields);
}

function change(core: Core, { body, caller }: Call, endpoint: EndpointRecord): void {
  const fields = {
    url: readUrl(core, body),
    description: readDescription(body),
    enabledEvents: readEnabledEvents(core, body),
    projectIds: readProjectIds(body),
  };
  const status = body.oneOf('status', ['enabled', 'disabled']);
  body.refuseNull('url', 'enabled_events', 'status');
  body.check();
  // Checks the endpoint as it will be, even when `enabled_events` is not sent.
  const projectIds = fields.projectIds === undefined ? endpoint.projectIds : fields.projectIds;
  demandRights(caller, { events: fields.enabledEvents ?? endpoint.enabledEvents, projectIds });
  if (status === 'enabled' && projectIds?.length === 0) {
    throw new Problem('conflict', 'All projects of the endpoint were deleted: give it projects first.');
  }
  core.endpoints.change(endpoint, fields);
  if (status === 'enabled') core.endpoints.enable(endpoint);
  if (status === 'disabled') core.endpoints.disable(endpoint, 'manual');
}

function readHours({ body }: Call): number {
  const hours = body.integer('expires_in_hours');
  if (typeof hours !== 'number') body.complaints.add('expires_in_hours', 'is required');
  else if (!ROLL_HOURS.includes(hours))
    body.complaints.add('expires_in_hours', `must be one of ${ROLL_HOURS.join(', ')}`);
  body.check();
  return hours ?? 0;
}
