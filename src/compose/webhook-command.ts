import type { WebhookWiring } from '../cli/webhook.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { Clock } from '../ports/clock.ts';
import { WEBHOOK_PATH } from '../sources/webhook/route.ts';
import { eventTypesFor } from '../upkeep/endpoint-care.ts';
import { beginRegistration, unfinishedRegistration } from './registration.ts';
import { assertSecretFileIsWritable, keepSecret } from './secrets.ts';
import { SILENT, UNCOUNTED } from './silence.ts';

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
    unfinishedRegistration: (file, url) => unfinishedRegistration(file, url, parts.clock.now()),
  };
}
