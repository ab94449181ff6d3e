import * as z from 'zod';
import { described, identifier, text, wireObject } from './http-answer.ts';
import { ListedObjects, type Options, type Transport } from './http-transport.ts';

/** A staff member, place or piece of equipment (platform API, Resource). */
export interface WireResource {
  readonly id: string;
  readonly project_id: string;
  readonly branch_id: string;
  readonly name: string;
  /** `person`, `place`, `item`. */
  readonly kind: string;
  readonly position_title: string | null;
  /** Number of seats. */
  readonly capacity: number;
  readonly timezone: string;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface ResourceFilters {
  readonly project_id?: string;
  readonly branch_id?: string;
  readonly kind?: string;
  /** Only resources that can provide this service. */
  readonly service_id?: string;
}

const resource = described<WireResource>(
  wireObject('resource', { project_id: identifier, branch_id: identifier, name: text }),
);

/** Active resources (platform API, Appointments). */
export class ResourcesApi extends ListedObjects<WireResource, ResourceFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'resources', one: resource });
  }
}

/** An office (platform API, Branch). */
interface WireBranch {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  /** IANA zone. */
  readonly timezone: string;
  readonly address: string | null;
  readonly phone: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

interface BranchFilters {
  readonly project_id?: string;
}

const branch = described<WireBranch>(
  wireObject('branch', { project_id: identifier, name: text, timezone: text }),
);

/** Active branches (platform API, Appointments). */
export class BranchesApi extends ListedObjects<WireBranch, BranchFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'branches', one: branch });
  }
}

/** A bookable service (platform API, Service). */
export interface WireService {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly description: string | null;
  /** `fixed` or `interval` (time rental). */
  readonly booking_mode: string;
  readonly duration_min: number | null;
  readonly min_duration_min: number | null;
  readonly max_duration_min: number | null;
  readonly duration_step_min: number | null;
  /** Only for `interval` services. */
  readonly max_guests: number | null;
  /** Minor units, such as cents. */
  readonly price_amount: number | null;
  readonly price_currency: string | null;
  /** The document does not show the values. */
  readonly price_unit: string;
  readonly online_bookable: boolean;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

interface ServiceFilters {
  readonly project_id?: string;
}

const service = described<WireService>(wireObject('service', { project_id: identifier, name: text }));

/** Active services (platform API, Appointments). */
export class ServicesApi extends ListedObjects<WireService, ServiceFilters> {
  constructor(transport: Transport) {
    super(transport, { of: 'services', one: service });
  }
}

/** Free times (platform API, Availability). Only advice: a 409 to the booking decides. */
interface Availability {
  readonly service_id: string;
  readonly project_id: string;
  readonly branch_id: string;
  /** `fixed` or `interval`. */
  readonly mode: string;
  readonly timezone: string;
  readonly duration_min: number | null;
  readonly min_duration_min: number | null;
  readonly max_duration_min: number | null;
  readonly duration_step_min: number | null;
  readonly slots: readonly Slot[];
  /** For `interval` services; the document does not show the shape of an element. */
  readonly windows: readonly unknown[];
  /** True when `limit` cut the answer. There is no cursor: request a shorter time span instead. */
  readonly has_more: boolean;
}

interface Slot {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly resource_id: string;
}

interface FindSlots {
  readonly service_id: string;
  /** Date-time with zone. */
  readonly from: string;
  /** Later than `from`, by at most 31 days. */
  readonly to: string;
  /** Required when the project has several branches and no resource is given. */
  readonly branch_id?: string;
  readonly resource_id?: string;
  readonly guests?: number;
  /** Number of slots or windows, 1 to 200; default 200. */
  readonly limit?: number;
}

const SLOTS_MAX = 200;

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
export class SlotsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  find(wanted: FindSlots, options: Options = {}): Promise<Availability> {
    const query: Record<string, string> = {};
    for (const [name, value] of Object.entries({ limit: SLOTS_MAX, ...wanted })) {
      if (value !== undefined) query[name] = String(value);
    }
    return this.#transport.request({
      ...options,
      operation: 'slots.find',
      method: 'GET',
      path: '/slots',
      query,
      answer: availability,
    });
  }
}
