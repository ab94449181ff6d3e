/** Free time (platform API, GET /v1/slots). */
import { choose } from '../booking/choice.ts';
import { mainResources } from '../booking/placement.ts';
import { findSlots, findWindows, type Slot } from '../booking/slots.ts';
import type { Core } from '../core.ts';
import { utc } from '../instant.ts';
import type { Call, Operation } from '../operation.ts';
import { LIMITS } from '../options.ts';

export function slotOperations(core: Core): Operation[] {
  return [
    {
      method: 'GET',
      path: '/v1/slots',
      scope: 'appointments:read',
      handle: (call) => ({ status: 200, json: availability(core, call) }),
    },
  ];
}

function availability({ world, clock, switches }: Core, { query, caller }: Call): unknown {
  const asked = readSearch(query);
  const { service, branch, resource } = choose(world, caller, asked);
  const search = {
    service,
    branch,
    resources: resource ? [resource] : mainResources(world, service, branch),
    // Past time is never returned.
    span: { from: Math.max(asked.from, clock.now()), to: asked.to },
    guests: asked.guests,
    limit: asked.limit,
    until: switches.slotsUntil,
  };
  const isInterval = service.bookingMode === 'interval';
  const found = isInterval ? findWindows(world, search) : findSlots(world, search);
  const shown = found.slice(0, asked.limit).map(render);
  return {
    object: 'availability',
    service_id: service.id,
    project_id: service.projectId,
    branch_id: branch.id,
    mode: service.bookingMode,
    timezone: branch.timezone,
    duration_min: service.durationMin,
    min_duration_min: service.minDurationMin,
    max_duration_min: service.maxDurationMin,
    duration_step_min: service.durationStepMin,
    slots: isInterval ? [] : shown,
    // The document does not show the shape of a window; the sandbox uses the shape of a slot.
    windows: isInterval ? shown : [],
    has_more: found.length > asked.limit,
  };
}

function readSearch(query: Call['query']) {
  const serviceId = query.requiredUuid('service_id');
  const from = query.requiredInstant('from');
  const to = query.requiredInstant('to');
  const branchId = query.uuid('branch_id');
  const resourceId = query.uuid('resource_id');
  const guests = query.integer('guests', { min: 1, max: 100_000 }) ?? 1;
  const limit = query.limit({ default: LIMITS.slotsDefault, max: LIMITS.slotsMax });
  if (!query.complaints.has('from') && !query.complaints.has('to')) {
    if (to <= from) query.complaints.add('to', 'must be later than from');
    else if (to - from > LIMITS.slotWindowMs)
      query.complaints.add('to', 'must be at most 31 days after from');
  }
  query.check();
  return { serviceId, from, to, branchId, resourceId, guests, limit };
}

function render(slot: Slot) {
  return { starts_at: utc(slot.from), ends_at: utc(slot.to), resource_id: slot.resourceId };
}
