/** The platform sandbox with one small company, and a client whose clock is the sandbox's. */

import { SandboxClock } from '@slotbridge/sandbox/clock';
import { PlatformSandbox, type PlatformSandboxOptions } from '@slotbridge/sandbox/platform/sandbox';
import type { PlatformClient, PlatformClientOptions } from '../../src/platform/client.ts';
import { clientFor } from './stand.ts';

/** A Monday, noon in Moscow. */
export const NOW = '2026-03-02T09:00:00.000Z';

export class SandboxStands {
  readonly #open: PlatformSandbox[] = [];

  async start(options: PlatformSandboxOptions = {}) {
    const clock = new SandboxClock();
    clock.freeze(Date.parse(NOW));
    const sandbox = await PlatformSandbox.start({ clock, seed: 7, eventDelayMs: [0, 0], ...options });
    this.#open.push(sandbox);
    const { dashboard } = sandbox;
    const projectId = dashboard.createProject({ name: 'Clinic' });
    const branchId = dashboard.createBranch({ projectId, name: 'Centre', timezone: 'Europe/Moscow' });
    const annaId = dashboard.createResource({ branchId, name: 'Anna' });
    const borisId = dashboard.createResource({ branchId, name: 'Boris' });
    const serviceId = dashboard.createService({ projectId, name: 'Haircut', resourceIds: [annaId, borisId] });
    const client = (key = sandbox.createKey(), more: Partial<PlatformClientOptions> = {}): PlatformClient =>
      clientFor(sandbox.url, { apiKey: key, clock, ...more });
    return { sandbox, clock, dashboard, projectId, branchId, annaId, borisId, serviceId, client };
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((sandbox) => sandbox.close()));
  }
}

export type World = Awaited<ReturnType<SandboxStands['start']>>;
