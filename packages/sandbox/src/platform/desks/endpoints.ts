/** Webhook endpoints: their states and secrets (platform API, Webhook endpoint states). */
import type { SandboxClock } from '../../clock.ts';
import type { Courier } from '../delivery/courier.ts';
import type { EndpointRecord } from '../records.ts';
import type { World } from '../world.ts';
import { assignChanged } from './desk.ts';

const HOUR_MS = 3_600_000;

export interface EndpointFields {
  url: string;
  description: string | null;
  enabledEvents: string[];
  projectIds: string[] | null;
}

interface EndpointDeskParts {
  readonly clock: SandboxClock;
  readonly world: World;
  readonly courier: Courier;
}

export class EndpointDesk {
  readonly #parts: EndpointDeskParts;

  constructor(parts: EndpointDeskParts) {
    this.#parts = parts;
  }

  create(fields: EndpointFields): EndpointRecord {
    const { world } = this.#parts;
    return world.endpoints.add({
      ...world.stamp(''),
      ...fields,
      status: 'enabled',
      disabledReason: null,
      disabledAt: null,
      secret: world.newSecret(),
      oldSecret: null,
      failingSince: null,
    });
  }

  change(
    endpoint: EndpointRecord,
    fields: { [K in keyof EndpointFields]?: EndpointFields[K] | undefined },
  ): void {
    if (assignChanged<EndpointRecord>(endpoint, fields)) this.#parts.world.touch(endpoint);
  }

  /** Restarts events. Events missed while disabled are not re-sent. */
  enable(endpoint: EndpointRecord): void {
    if (endpoint.status === 'enabled') return;
    endpoint.status = 'enabled';
    endpoint.disabledReason = null;
    endpoint.disabledAt = null;
    endpoint.failingSince = null;
    this.#parts.world.touch(endpoint);
  }

  disable(endpoint: EndpointRecord, reason: 'manual' | 'failing'): void {
    if (endpoint.status === 'disabled') return;
    endpoint.status = 'disabled';
    endpoint.disabledReason = reason;
    endpoint.disabledAt = this.#parts.clock.now();
    this.#parts.world.touch(endpoint);
    this.#parts.courier.cancelFor(endpoint);
  }

  /** Stops sending and cancels pending retries. */
  remove(endpoint: EndpointRecord): void {
    endpoint.status = 'disabled';
    this.#parts.world.endpoints.remove(endpoint.id);
    this.#parts.courier.cancelFor(endpoint);
  }

  /** Sets a new secret. The old one also signs for the given hours; 0: it stops immediately. */
  rollSecret(endpoint: EndpointRecord, oldForHours: number): void {
    const { clock, world } = this.#parts;
    const until = clock.now() + oldForHours * HOUR_MS;
    endpoint.oldSecret = oldForHours > 0 ? { secret: endpoint.secret, until } : null;
    endpoint.secret = world.newSecret();
    world.touch(endpoint);
  }

  /** An endpoint that has lost all its projects is disabled with an empty list. */
  forgetProject(projectId: string): void {
    for (const endpoint of this.#parts.world.endpoints.all()) {
      if (!endpoint.projectIds?.includes(projectId)) continue;
      endpoint.projectIds = endpoint.projectIds.filter((id) => id !== projectId);
      this.#parts.world.touch(endpoint);
      if (endpoint.projectIds.length === 0) this.disable(endpoint, 'manual');
    }
  }
}
