import type { Page } from '../../engine/ports/platform.ts';
import type { Transport } from '../http/transport.ts';
import { described, identifier, pageOf, text, wireObject } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';

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

export interface ServiceFilters {
  readonly project_id?: string;
}

const servicePage = pageOf(
  described<WireService>(wireObject('service', { project_id: identifier, name: text })),
);

/** Active services (platform API, Appointments). */
export class ServicesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(request: ListRequest<ServiceFilters> = {}): Promise<Page<WireService>> {
    return this.#transport.request({
      ...request,
      operation: 'services.list',
      method: 'GET',
      path: '/services',
      query: listQuery(request),
      answer: servicePage,
    });
  }

  pages(request: ListRequest<ServiceFilters> = {}): AsyncGenerator<Page<WireService>, void, void> {
    return pagesOf((page: ListRequest<ServiceFilters>) => this.list(page), request);
  }
}
