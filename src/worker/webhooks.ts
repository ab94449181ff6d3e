import type { IncomingHttpHeaders } from 'node:http';
import { steadyClock } from '../engine/runtime.ts';
import type { FeedWatch } from '../platform/feed-watch.ts';
import { SecretWatch } from '../platform/secret-file.ts';
import { DeliveryLog } from '../platform/webhook-delivery.ts';
import {
  noteOtherPath,
  RefusedWatch,
  testedKeeper,
  type WebhookRouteParts,
  webhookRoute,
} from '../platform/webhook-route.ts';
import type { Core } from './core.ts';

/** What has to be right so that the platform's deliveries are taken. */
export interface WebhookWatches {
  readonly refused: RefusedWatch;
  readonly secrets: SecretWatch;
}

/** The watches, the webhook route, and what notices deliveries to other paths. */
export function openWebhooks(core: Core, watch: FeedWatch) {
  const { config, store, log } = core;
  const { problems } = store;
  const received = new DeliveryLog(core.clock);
  const secrets = new SecretWatch({ webhook: config.platform.webhook, problems, log });
  const judgedBy = { clock: steadyClock, wall: core.clock, secrets: secrets.read };
  const watches: WebhookWatches = {
    secrets,
    refused: new RefusedWatch({ problems, received, ...judgedBy }),
  };
  const parts = webhookParts(core, { watch, received, ...watches });
  const onUnknown = (headers: IncomingHttpHeaders) => noteOtherPath(parts, headers);
  const route = webhookRoute(parts);
  return { ...watches, received, plugin: core.tracing?.route(route) ?? route, onUnknown };
}

function webhookParts(
  core: Core,
  {
    watch,
    received,
    refused,
    secrets,
  }: WebhookWatches & { readonly watch: FeedWatch; readonly received: DeliveryLog },
): WebhookRouteParts {
  const { config, store, intake, backpressure, backlog, clock, log, meter } = core;
  const { webhook } = config.platform;
  return {
    ...webhook,
    scheme: webhook.signature,
    header: webhook.header.toLowerCase(),
    secrets: secrets.read,
    // Another process's walk may have passed the top of the feed before this delivery.
    wakeFeed: () => watch.wake({ insisting: true }),
    onTest: testedKeeper(store.memory),
    onVerdict: refused.saw,
    ...{ received, yamlSecrets: webhook.secrets.length },
    ...{ intake, backpressure, backlog, clock, log, meter },
  };
}
