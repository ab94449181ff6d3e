/** The service, branch and resource that a booking or slot search names, by the rules of POST /v1/appointments. */
import type { Caller } from '../keys.ts';
import { Problem } from '../problem.ts';
import type { BranchRecord, ResourceRecord, ServiceRecord } from '../records.ts';
import type { World } from '../world.ts';

export interface Choice {
  readonly service: ServiceRecord;
  readonly branch: BranchRecord;
  readonly resource: ResourceRecord | undefined;
}

export interface Named {
  readonly serviceId: string;
  readonly branchId?: string | null | undefined;
  readonly resourceId?: string | null | undefined;
}

/** Resolves the ids, or throws `service-not-found`, `branch-not-found`, `branch-id-required`, `resource-not-eligible`. */
export function choose(world: World, caller: Pick<Caller, 'sees'>, named: Named): Choice {
  const service = world.services.get(named.serviceId);
  if (!service?.active || !caller.sees(service.projectId)) {
    throw new Problem('service-not-found', 'No active service with this id.');
  }
  const branches = [...world.branches.all()].filter(
    (branch) => branch.active && branch.projectId === service.projectId,
  );
  if (branches.length === 0) throw new Problem('branch-not-found', 'The project has no active branches.');
  const branch = named.branchId ? branches.find(({ id }) => id === named.branchId) : undefined;
  if (named.branchId && !branch) throw new Problem('branch-not-found', 'No active branch with this id.');
  if (named.resourceId) {
    const resource = eligible(world, service, named.resourceId);
    const itsBranch = branch ?? branches.find(({ id }) => id === resource.branchId);
    if (!itsBranch || resource.branchId !== itsBranch.id) throw notEligible();
    return { service, branch: itsBranch, resource };
  }
  const only = branch ?? (branches.length === 1 ? branches[0] : undefined);
  if (!only) throw new Problem('branch-id-required', 'The project has several branches: pass branch_id.');
  return { service, branch: only, resource: undefined };
}

/** The resource, if it is active and provides the service. */
export function eligible(world: World, service: ServiceRecord, resourceId: string): ResourceRecord {
  const resource = world.resources.get(resourceId);
  if (!resource?.active || !service.resourceIds.includes(resourceId)) throw notEligible();
  return resource;
}

export function notEligible(): Problem {
  return new Problem(
    'resource-not-eligible',
    'The resource does not serve the service or is not in the branch.',
  );
}
