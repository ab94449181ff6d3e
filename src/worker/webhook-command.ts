import type { WebhookWiring } from '../cli/webhook.ts';
import { type Directory, NO_DIRECTORY } from '../engine/domain/directory.ts';
import { DeferredError } from '../engine/domain/errors.ts';
import type { PlatformReader } from '../engine/ports/platform.ts';
import { type Clock, SILENT, UNCOUNTED } from '../engine/ports/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { mirroredKinds, neededProjects } from '../mapping/needs.ts';
import { createPlatformClient } from '../platform/client.ts';
import { eventTypesFor } from '../platform/endpoint/endpoint-care.ts';
import {
  beginRegistration,
  beginRoll,
  unfinishedRegistration,
} from '../platform/endpoint/pending-request.ts';
import { WEBHOOK_PATH } from '../platform/webhook/route.ts';
import { assertSecretFileIsWritable, keepSecret } from '../platform/webhook/secret-file.ts';
import { readTested } from '../platform/webhook/tested-keeper.ts';

/** What `slotbridge webhook` needs: the platform alone, except that `lastTest` reads Redis. */
export function webhookCommandWiring(parts: { clock: Clock }): WebhookWiring {
  const client = ({ platform: { baseUrl, apiKey, timeoutMs } }: Config) =>
    createPlatformClient({ baseUrl, apiKey, timeoutMs, clock: parts.clock, log: SILENT, meter: UNCOUNTED });
  return {
    openEndpoints: (config) => client(config).endpoints,
    neededProjects: async (config) => neededProjects(config, await shownDirectory(client(config).reader)),
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

/** The platform's lists of names. Empty for a key that may not read them: a key for contacts does not need them. */
async function shownDirectory(reader: Pick<PlatformReader, 'directory'>): Promise<Directory> {
  try {
    return await reader.directory();
  } catch (error) {
    if (error instanceof DeferredError && error.code === 'platform-forbidden') return NO_DIRECTORY;
    throw error;
  }
}
