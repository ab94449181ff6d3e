import type { WebhookWiring } from '../cli/webhook.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { Clock } from '../ports/clock.ts';
import { WEBHOOK_PATH } from '../sources/webhook/route.ts';
import { eventTypesFor } from '../upkeep/endpoint-care.ts';
import { beginRegistration, unfinishedRegistration } from './registration.ts';
import { beginRoll } from './rolling.ts';
import { assertSecretFileIsWritable, keepSecret } from './secrets.ts';
import { SILENT, UNCOUNTED } from './silence.ts';
import { readTested } from './tested-delivery.ts';

/** What `slotbridge webhook` needs: the platform alone, no Redis. */
export function webhookCommandWiring(parts: { clock: Clock }): WebhookWiring {
  return {
    openEndpoints: ({ platform: { baseUrl, apiKey, timeoutMs } }) =>
      createPlatformClient({ baseUrl, apiKey, timeoutMs, clock: parts.clock, log: SILENT, meter: UNCOUNTED })
        .endpoints,
    urlOf: (publicUrl) => `${publicUrl}${WEBHOOK_PATH}`,
    eventTypes: (config) => eventTypesFor([...new Set(config.mirrors.map((mirror) => mirror.from))]),
    assertSecretFileIsWritable,
    keepSecret,
    beginRegistration: (file, endpoint) => beginRegistration(file, endpoint, parts.clock.now()),
    beginRoll: (file, about) => beginRoll(file, about, parts.clock.now()),
    lastTest: async (config) => {
      const { openStore } = await import('./store.ts');
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
