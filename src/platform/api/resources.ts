import type { Page } from '../../engine/ports/platform.ts';
import type { Transport } from '../http/transport.ts';
import { described, identifier, pageOf, text, wireObject } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';

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

const resourcePage = pageOf(
  described<WireResource>(
    wireObject('resource', { project_id: identifier, branch_id: identifier, name: text }),
  ),
);

/** Active resources (platform API, Appointments). */
export class ResourcesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(request: ListRequest<ResourceFilters> = {}): Promise<Page<WireResource>> {
    return this.#transport.request({
      ...request,
      operation: 'resources.list',
      method: 'GET',
      path: '/resources',
      query: listQuery(request),
      answer: resourcePage,
    });
  }

  pages(request: ListRequest<ResourceFilters> = {}): AsyncGenerator<Page<WireResource>, void, void> {
    return pagesOf((page: ListRequest<ResourceFilters>) => this.list(page), request);
  }
}
