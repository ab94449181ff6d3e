import * as z from 'zod';
import type { Transport } from '../http/transport.ts';
import { described, identifier, text } from '../http/wire.ts';
import type { Options } from './request.ts';

/** Free times (platform API, Availability). Only advice: a 409 to the booking decides. */
export interface Availability {
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

export interface Slot {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly resource_id: string;
}

export interface FindSlots {
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
