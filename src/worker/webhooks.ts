import type { IncomingHttpHeaders } from 'node:http';
import { steadyClock } from '../engine/runtime.ts';
import type { FeedWatch } from '../platform/feed-watch.ts';
import { SecretWatch } from '../platform/secret-file.ts';
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
  const watches: WebhookWatches = {
    refused: new RefusedWatch({ problems, clock: steadyClock }),
    secrets: new SecretWatch({ webhook: config.platform.webhook, problems, log }),
  };
  const parts = webhookParts(core, { watch, ...watches });
  const onUnknown = (headers: IncomingHttpHeaders) => noteOtherPath(parts, headers);
  return { ...watches, plugin: core.tracing?.route(webhookRoute(parts)) ?? webhookRoute(parts), onUnknown };
}

function webhookParts(
  core: Core,
  { watch, refused, secrets }: WebhookWatches & { readonly watch: FeedWatch },
): WebhookRouteParts {
  const { config, store, intake, rush, backlog, clock, log, meter } = core;
  const { webhook } = config.platform;
  return {
    ...webhook,
    scheme: webhook.signature,
    header: webhook.header.toLowerCase(),
    secrets: secrets.read,
    // Another process's walk may have passed the top of the feed before this delivery.
    ringDoorbell: () => watch.ring({ insisting: true }),
    onTest: testedKeeper(store.memory),
    onVerdict: refused.saw,
    ...{ intake, rush, backlog, clock, log, meter },
  };
}
