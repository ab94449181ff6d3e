import type { Page } from '../../engine/ports/platform.ts';
import type { Transport } from '../http/transport.ts';
import { described, identifier, pageOf, text, wireObject } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';

/** An office (platform API, Branch). */
export interface WireBranch {
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

export interface BranchFilters {
  readonly project_id?: string;
}

const branchPage = pageOf(
  described<WireBranch>(wireObject('branch', { project_id: identifier, name: text, timezone: text })),
);

/** Active branches (platform API, Appointments). */
export class BranchesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(request: ListRequest<BranchFilters> = {}): Promise<Page<WireBranch>> {
    return this.#transport.request({
      ...request,
      operation: 'branches.list',
      method: 'GET',
      path: '/branches',
      query: listQuery(request),
      answer: branchPage,
    });
  }

  pages(request: ListRequest<BranchFilters> = {}): AsyncGenerator<Page<WireBranch>, void, void> {
    return pagesOf((page: ListRequest<BranchFilters>) => this.list(page), request);
  }
}
