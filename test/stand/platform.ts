import { PlatformSandbox, type PlatformSandboxOptions } from '@slotbridge/sandbox/platform/sandbox';
import { createPlatformClient } from '../../src/platform/client.ts';
import { NO_METER, SILENT_LOG } from './store.ts';

/** The platform's sandbox with one branch, one person, one service, and a client with a key for all of it. */
export async function startTestPlatform(options: PlatformSandboxOptions = {}) {
  const sandbox = await PlatformSandbox.start({
    eventDelayMs: [0, 0],
    rateLimitPerMinute: 100_000,
    ...options,
  });
  const { dashboard } = sandbox;
  const projectId = dashboard.createProject({ name: 'Clinic' });
  const branchId = dashboard.createBranch({ projectId, name: 'Central', timezone: 'Europe/Moscow' });
  const resourceId = dashboard.createResource({ branchId, name: 'Anna Petrova' });
  const serviceId = dashboard.createService({
    projectId,
    name: 'Haircut',
    durationMin: 30,
    resourceIds: [resourceId],
  });
  const key = sandbox.createKey();
  const client = (apiKey = key) =>
    createPlatformClient({
      baseUrl: sandbox.url,
      apiKey,
      timeoutMs: 5_000,
      clock: { now: Date.now },
      log: SILENT_LOG,
      meter: NO_METER,
    });
  let contacts = 0;
  return {
    sandbox,
    dashboard,
    projectId,
    branchId,
    resourceId,
    serviceId,
    key,
    client,
    /** Subscribes an endpoint, so that events enter the feed. */
    async subscribe(
      url: string,
      enabledEvents: readonly string[] = ['*'],
    ): Promise<{ id: string; secret: string }> {
      return client().endpoints.create({
        url,
        description: 'test',
        enabledEvents,
        idempotencyKey: `endpoint-${Math.random().toString(36).slice(2)}`,
      });
    },
    createContact(name?: string): string {
      contacts += 1;
      return dashboard.createContact({ projectId, name: name ?? `Contact ${contacts}` });
    },
    close: () => sandbox.close(),
  };
}

export type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>;
