import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import type { PlatformConfig } from '../config.ts';
import { duration } from '../kinds/duration.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';
import { webAddress, withoutSlash } from '../kinds/web-address.ts';
import { resyncSection, toResync } from './resync.ts';
import { toWebhook, webhookSection } from './webhook.ts';

const feedSection = section({
  every: duration({ min: '1s', max: '1h' })
    .prefault('1m')
    .describe('How often the event feed is walked for what the webhooks missed. At least 1s.'),
  // The feed holds 30 days; an overlap near that would read all of it at every walk.
  overlap: duration({ min: '0s', max: '7d' })
    .prefault('10m')
    .describe(
      'How far below the newest event already seen each walk reads again, for events that appeared late.',
    ),
});

export const platformSection = section({
  base_url: webAddress('https://api.example.com/v1', readBaseUrl).describe(
    "Address of the platform's API with its version segment, such as https://api.example.com/v1. https only; http on loopback.",
  ),
  api_key: text({
    pattern: /^[\x21-\x7e]+$/,
    wrong: complaint(
      'holds blanks or characters that no header can carry',
      'copy the key again, without anything around it',
    ),
    missing: complaint('is missing or empty', `write api_key: \${PLATFORM_API_KEY} and set that variable`),
  }).describe('Key of the platform. Keep it in a variable.'),
  timeout: duration({ min: '10ms', max: '5m' })
    .prefault('10s')
    .describe('How long one request to the platform may take.'),
  webhook: webhookSection.prefault({}).describe('Deliveries from the platform to this worker.'),
  resync: resyncSection
    .prefault({})
    .describe('Lists that are read again in full, for what no event tells: imported contacts, deletions.'),
  feed: feedSection.prefault({}).describe("The platform's event feed: the way back for every lost webhook."),
});

export function toPlatform(written: z.output<typeof platformSection>): PlatformConfig {
  return {
    baseUrl: written.base_url,
    apiKey: written.api_key,
    timeoutMs: written.timeout,
    webhook: toWebhook(written.webhook),
    resync: toResync(written.resync),
    feed: { everyMs: written.feed.every, overlapMs: written.feed.overlap },
  };
}

/** The version is a path segment of the base address (platform API, 1. Basics and 11.1). */
function readBaseUrl(url: URL) {
  const value = withoutSlash(url);
  if (/\/v\d+$/.test(value)) return { value };
  return {
    complaint: complaint(
      'does not end in the version segment of the API',
      'end the address with the version, for example https://api.example.com/v1',
    ),
  };
}
