/** The event feed (platform API, Event feed). */
import type { Core } from '../core.ts';
import { EVENT_TYPES, isEventType } from '../event-types.ts';
import type { FedEvent } from '../events/feed.ts';
import { subscribes } from '../events/press.ts';
import type { Caller } from '../keys.ts';
import type { Answer, Call, Operation } from '../operation.ts';
import { emptyPage, readCursor, takePage } from '../paging.ts';
import { Problem } from '../problem.ts';

export function eventOperations(core: Core): Operation[] {
  return [
    { method: 'GET', path: '/v1/events', scope: 'webhooks:manage', handle: (call) => list(core, call) },
    {
      method: 'GET',
      path: '/v1/events/:event',
      scope: 'webhooks:manage',
      handle: ({ params, caller }) => {
        const event = core.feed.get(params['event']?.toLowerCase() ?? '');
        if (!event || !isShown(core, event, caller)) throw new Problem('not-found', 'No such event.');
        return { status: 200, text: event.body };
      },
    },
  ];
}

function list(core: Core, { query, caller }: Call): Answer {
  const cursor = readCursor(query);
  const projectId = query.uuid('project_id');
  const type = query.text('type');
  query.check();
  if (projectId) caller.demandProject(projectId);
  refuseUnreadable(core, caller, type);
  const accepts = (event: FedEvent): boolean =>
    (type === undefined || event.type === type) &&
    (projectId === undefined || event.projectId === projectId) &&
    isShown(core, event, caller);
  const { items, hasMore } = isPlace(core, caller, cursor.after)
    ? takePage(core.feed.newestFirst(cursor.after), cursor.limit, accepts)
    : emptyPage<FedEvent>(core.switches.unknownCursor);
  // Joins the sent bytes without serialising again.
  const bodies = items.map((event) => event.body).join(',');
  return { status: 200, text: `{"object":"list","data":[${bodies}],"has_more":${hasMore}}` };
}

/** Whether a page can begin there. `after`: id of an event; undefined for the top. */
function isPlace({ feed }: Core, caller: Caller, after: string | undefined): boolean {
  if (after === undefined) return true;
  const known = feed.get(after);
  return known !== undefined && caller.sees(known.projectId);
}

function isShown(core: Core, event: FedEvent, caller: Caller): boolean {
  if (!caller.sees(event.projectId) || !caller.canRead(event.type)) return false;
  return core.feed.shows(event, core.clock.now(), (one) =>
    [...core.world.endpoints.all()].some(
      (endpoint) => endpoint.status === 'enabled' && subscribes(endpoint, one),
    ),
  );
}

/**
 * An explicit type of a group that the key cannot read gives 403. Without a type, such groups are left out, or give
 * 403, depending on a switch.
 */
function refuseUnreadable(core: Core, caller: Caller, type: string | undefined): void {
  const asked = type === undefined ? EVENT_TYPES : isEventType(type) ? [type] : [];
  if (type === undefined && core.switches.feedUnreadableGroups === 'left-out') return;
  const unreadable = asked.filter((one) => !caller.canRead(one));
  if (unreadable.length > 0) throw new Problem('forbidden', `The key cannot read: ${unreadable.join(', ')}.`);
}
