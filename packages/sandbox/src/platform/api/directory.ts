/** Reference lists: active services, resources and branches of the key's projects. */
import type { Collection } from '../collection.ts';
import type { Core } from '../core.ts';
import type { Call, Operation } from '../operation.ts';
import { listBody, pageOf, readCursor } from '../paging.ts';
import { Problem } from '../problem.ts';

const KINDS = ['person', 'place', 'item'];

interface Reference {
  readonly id: string;
  readonly projectId: string;
  readonly active: boolean;
}

interface ListRules<T> {
  readonly render: (item: T) => unknown;
  /** Reads further filters. The returned function runs after the query check and builds the filter. */
  readonly filter?: (call: Call) => () => (item: T) => boolean;
}

export function directoryOperations(core: Core): Operation[] {
  const { world, renderer } = core;
  return [
    reading('/v1/services', world.services, { render: renderer.service }),
    reading('/v1/branches', world.branches, { render: renderer.branch }),
    reading('/v1/resources', world.resources, {
      render: (resource) => renderer.resource(resource, world.branches.get(resource.branchId)),
      filter: resourceFilter,
    }),
  ];

  function reading<T extends Reference>(
    path: string,
    collection: Collection<T>,
    rules: ListRules<T>,
  ): Operation {
    return {
      method: 'GET',
      path,
      scope: 'appointments:read',
      handle: (call) => ({ status: 200, json: list(call, collection, rules) }),
    };
  }

  function list<T extends Reference>(call: Call, collection: Collection<T>, rules: ListRules<T>): unknown {
    const { query, caller } = call;
    const cursor = readCursor(query);
    const projectId = query.uuid('project_id');
    const filter = rules.filter?.(call);
    query.check();
    if (projectId) caller.demandProject(projectId);
    const fits = filter?.();
    const { items, hasMore } = pageOf(collection, cursor, {
      sees: (id) => caller.sees(id),
      unknown: core.switches.unknownCursor,
      accepts: (item) =>
        item.active && (projectId === undefined || item.projectId === projectId) && (fits?.(item) ?? true),
    });
    return listBody(items.map(rules.render), hasMore);
  }

  function resourceFilter({ query, caller }: Call) {
    const branchId = query.uuid('branch_id');
    const kind = query.oneOf('kind', KINDS);
    const serviceId = query.uuid('service_id');
    return () => {
      const service = serviceId === undefined ? undefined : world.services.get(serviceId);
      if (serviceId !== undefined && !(service?.active && caller.sees(service.projectId))) {
        throw new Problem('service-not-found', 'No active service with this id.');
      }
      return (resource: { id: string; branchId: string; kind: string }): boolean =>
        (branchId === undefined || resource.branchId === branchId) &&
        (kind === undefined || resource.kind === kind) &&
        (service === undefined || service.resourceIds.includes(resource.id));
    };
  }
}
