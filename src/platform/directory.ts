import type { Directory, ServiceLengths } from '../domain/directory.ts';
import type { Page } from '../ports/platform.ts';
import type { BranchesApi } from './api/branches.ts';
import type { Options } from './api/request.ts';
import type { ResourcesApi } from './api/resources.ts';
import type { ServicesApi, WireService } from './api/services.ts';

const DAY_MINUTES = 1_440;

/** All resources, branches and services that the key can see, over all pages. The platform lists only active ones. */
export async function readDirectory(
  lists: { readonly resources: ResourcesApi; readonly branches: BranchesApi; readonly services: ServicesApi },
  options: Options = {},
): Promise<Directory> {
  // Rank `live`: nothing can be mapped without the names, so they do not wait behind a resync.
  const request = { ...options, rank: 'live' } as const;
  const [resources, branches, services] = await Promise.all([
    byId(lists.resources.pages(request), ({ id, name, branch_id, project_id, capacity }) => ({
      id,
      name,
      branchId: branch_id,
      projectId: project_id,
      ...(Number.isInteger(capacity) && { capacity }),
    })),
    byId(lists.branches.pages(request), ({ id, name, timezone, project_id }) => ({
      id,
      name,
      timezone,
      projectId: project_id,
    })),
    byId(lists.services.pages(request), (service) => ({
      id: service.id,
      name: service.name,
      projectId: service.project_id,
      bookingMode: service.booking_mode,
      ...(service.booking_mode === 'interval' && { lengths: lengthsOf(service) }),
      isOnline: service.online_bookable,
    })),
  ]);
  return { resources, branches, services };
}

/** A length that the platform does not limit is limited to one day. */
function lengthsOf(service: WireService): ServiceLengths {
  const minMin = Math.max(1, service.min_duration_min ?? 1);
  const maxMin = Math.max(minMin, service.max_duration_min ?? DAY_MINUTES);
  return { minMin, maxMin, stepMin: Math.max(1, service.duration_step_min ?? 1) };
}

async function byId<Wire, Known extends { readonly id: string }>(
  pages: AsyncIterable<Page<Wire>>,
  known: (item: Wire) => Known,
): Promise<ReadonlyMap<string, Known>> {
  const found = new Map<string, Known>();
  for await (const page of pages) {
    for (const entry of page.data.map(known)) found.set(entry.id, entry);
  }
  return found;
}
