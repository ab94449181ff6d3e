/**
 * Lead operations. The document does not show their paths: these are guesses, served only when the switch
 * allows it.
 */
import type { Core } from '../core.ts';
import type { Call, Operation } from '../operation.ts';
import { listBody, pageOf, readCursor } from '../paging.ts';
import { Problem } from '../problem.ts';
import { projectFor } from './contacts.ts';

export function leadOperations(core: Core): Operation[] {
  const { renderer, world } = core;
  const isServed = (): boolean => core.switches.unshownOperations === 'served';
  return [
    {
      method: 'GET',
      path: '/v1/leads',
      scope: 'leads:read',
      isServed,
      handle: (call) => ({ status: 200, json: list(core, call) }),
    },
    {
      method: 'POST',
      path: '/v1/leads',
      // The document does not show the scope of ordering either.
      scope: 'leads:read',
      idempotency: 'required',
      isServed,
      handle: (call) => ({ status: 201, json: order(core, call) }),
    },
    {
      method: 'GET',
      path: '/v1/leads/:lead',
      scope: 'leads:read',
      isServed,
      handle: ({ params, caller }) => {
        const lead = world.leads.get(params['lead']?.toLowerCase() ?? '');
        if (!lead || !caller.sees(lead.projectId)) throw new Problem('not-found', 'No such lead.');
        return { status: 200, json: renderer.lead(lead) };
      },
    },
  ];
}

function list({ world, renderer, switches }: Core, { query, caller }: Call): unknown {
  const cursor = readCursor(query);
  const projectId = query.uuid('project_id');
  query.check();
  if (projectId) caller.demandProject(projectId);
  const { items, hasMore } = pageOf(world.leads, cursor, {
    sees: (id) => caller.sees(id),
    unknown: switches.unknownCursor,
    accepts: (lead) => projectId === undefined || lead.projectId === projectId,
  });
  return listBody(items.map(renderer.lead), hasMore);
}

function order({ leads, renderer, world }: Core, { body, caller }: Call): unknown {
  const phone = body.requiredText('phone');
  const name = body.nullableText('name') ?? '';
  const projectId = body.uuid('project_id');
  body.check();
  const project = world.projects.get(projectFor(caller, projectId));
  if (!project?.callbackConfigured) {
    throw new Problem('callback-not-configured', 'The callback service is not set up in the project.');
  }
  return renderer.lead(leads.order({ projectId: project.id, phone, name, source: 'api' }));
}
