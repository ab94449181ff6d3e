import * as z from 'zod';
import type { FreeTime, SlotSearch } from '../engine/platform.ts';
import { described, identifier, text, wireObject } from './http-answer.ts';
import type { Transport } from './http-transport.ts';

/** A staff member, place or piece of equipment (platform API, Resource). */
export interface WireResource {
  readonly id: string;
  readonly project_id: string;
  readonly branch_id: string;
  readonly name: string;
  /** Number of seats. */
  readonly capacity: number;
}

/** Active resources (platform API, Appointments). */
export const RESOURCES = {
  of: 'resources',
  one: described<WireResource>(
    wireObject('resource', { project_id: identifier, branch_id: identifier, name: text }),
  ),
} as const;

/** An office (platform API, Branch). */
export interface WireBranch {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  /** IANA zone. */
  readonly timezone: string;
}

/** Active branches (platform API, Appointments). */
export const BRANCHES = {
  of: 'branches',
  one: described<WireBranch>(wireObject('branch', { project_id: identifier, name: text, timezone: text })),
} as const;

export interface WireService {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  /** `fixed` or `interval` (time rental). */
  readonly booking_mode: string;
  readonly min_duration_min: number | null;
  readonly max_duration_min: number | null;
  readonly duration_step_min: number | null;
  readonly online_bookable: boolean;
}

/** Active services (platform API, Appointments). */
export const SERVICES = {
  of: 'services',
  one: described<WireService>(wireObject('service', { project_id: identifier, name: text })),
} as const;

/** Free times (platform API, Availability). Only advice: a 409 to the booking decides. */
interface Availability {
  readonly project_id: string;
  /** `fixed` or `interval`. */
  readonly mode: string;
  readonly timezone: string;
  readonly slots: readonly {
    readonly starts_at: string;
    readonly ends_at: string;
    readonly resource_id: string;
  }[];
  /** For `interval` services; the document does not show the shape of an element. */
  readonly windows: readonly unknown[];
  /** True when `limit` cut the answer. There is no cursor: request a shorter time span instead. */
  readonly has_more: boolean;
}

const availability = described<Availability>(
  z.looseObject({
    object: z.literal('availability'),
    mode: text,
    slots: z.array(z.looseObject({ starts_at: text, ends_at: text, resource_id: identifier })),
    windows: z.array(z.unknown()),
    has_more: z.boolean(),
  }),
);

/** Platform API, Appointments, `GET /v1/slots`. */
export async function findSlots(transport: Transport, search: SlotSearch): Promise<FreeTime> {
  const found = await transport.request({
    operation: 'slots.find',
    method: 'GET',
    path: '/slots',
    query: {
      limit: String(SLOTS_MAX),
      service_id: search.serviceId,
      from: new Date(search.fromMs).toISOString(),
      to: new Date(search.toMs).toISOString(),
      ...(search.branchId === undefined ? {} : { branch_id: search.branchId }),
      ...(search.resourceId === undefined ? {} : { resource_id: search.resourceId }),
      ...(search.guests === undefined ? {} : { guests: String(search.guests) }),
    },
    answer: availability,
  });
  return {
    projectId: found.project_id,
    bookingMode: found.mode,
    zone: found.timezone,
    slots: found.slots.map(({ starts_at, ends_at, resource_id }) => ({
      startsAt: starts_at,
      endsAt: ends_at,
      resourceId: resource_id,
    })),
    windows: found.windows,
    hasMore: found.has_more,
  };
}

/** Slots or windows of one answer; the platform's maximum. */
const SLOTS_MAX = 200;
