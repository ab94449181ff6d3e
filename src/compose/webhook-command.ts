import type { WebhookWiring } from '../cli/webhook.ts';
import type { Config } from '../config/config.ts';
import { mirroredKinds, neededProjects } from '../config/needs.ts';
import type { Directory } from '../domain/directory.ts';
import { DeferredError } from '../domain/errors.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { PlatformReader } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../ports/runtime.ts';
import { WEBHOOK_PATH } from '../sources/webhook/route.ts';
import { assertSecretFileIsWritable, keepSecret } from '../sources/webhook/secret-file.ts';
import { readTested } from '../sources/webhook/tested-keeper.ts';
import { eventTypesFor } from '../upkeep/endpoint/endpoint-care.ts';
import { beginRegistration, beginRoll, unfinishedRegistration } from '../upkeep/endpoint/pending-request.ts';

const NOTHING_SHOWN: Directory = { resources: new Map(), branches: new Map(), services: new Map() };

/** What the lists of names show; nothing to a key that may not read them, as one for contacts need not. */
async function shown(reader: PlatformReader): Promise<Directory> {
  try {
    return await reader.directory();
  } catch (error) {
    if (error instanceof DeferredError && error.code === 'platform-forbidden') return NOTHING_SHOWN;
    throw error;
  }
}

/** What `slotbridge webhook` needs: the platform alone, no Redis. */
export function webhookCommandWiring(parts: { clock: Clock }): WebhookWiring {
  const client = ({ platform: { baseUrl, apiKey, timeoutMs } }: Config) =>
    createPlatformClient({ baseUrl, apiKey, timeoutMs, clock: parts.clock, log: SILENT, meter: UNCOUNTED });
  return {
    openEndpoints: (config) => client(config).endpoints,
    neededProjects: async (config) => neededProjects(config, await shown(client(config).reader)),
    urlOf: (publicUrl) => `${publicUrl}${WEBHOOK_PATH}`,
    eventTypes: (config) => eventTypesFor(mirroredKinds(config)),
    assertSecretFileIsWritable,
    keepSecret,
    beginRegistration: (file, endpoint) => beginRegistration(file, endpoint, parts.clock.now()),
    beginRoll: (file, about) => beginRoll(file, about, parts.clock.now()),
    lastTest: async (config) => {
      const { openStore } = await import('./stores.ts');
      const store = await openStore(config, parts.clock, { sharing: true });
      try {
        return await readTested(store.memory);
      } finally {
        await store.close();
      }
    },
    unfinishedRegistration: (file, url) => unfinishedRegistration(file, url, parts.clock.now()),
  };
}
