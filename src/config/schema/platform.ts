import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';
import { webAddress, withoutSlash } from '../kinds/web-address.ts';
import { resyncSection, toResync } from './resync.ts';
import { toWebhook, webhookSection } from './webhook.ts';

const feedSection = section({
  every: duration({ min: '1s', max: '1h' })
    .prefault('1m')
    .meta(
      explained('How often the event feed is walked for what the webhooks missed. At least 1s.', {
        example: '30s',
      }),
    ),
  // The feed holds 30 days; with an overlap near that, every walk would read all of it.
  overlap: duration({ min: '0s', max: '7d' })
    .prefault('10m')
    .meta(
      explained(
        'How far below the newest event already seen each walk reads again, for events that appeared late.',
        { example: '30m' },
      ),
    ),
});

export const platformSection = section({
  base_url: webAddress('https://api.example.com/v1', readBaseUrl).meta(
    explained(
      "Address of the platform's API with its version segment, such as https://api.example.com/v1. https only; http on loopback.",
      { example: 'https://api.example.com/v1' },
    ),
  ),
  api_key: text({
    pattern: /^[\x21-\x7e]+$/,
    wrong: complaint(
      'holds blanks or characters that no header can carry',
      'copy the key again, without anything around it',
    ),
    missing: complaint('is missing or empty', `write api_key: \${PLATFORM_API_KEY} and set that variable`),
  }).meta(
    explained(
      'Key of the platform. It needs the rights appointments:read, contacts:read and webhooks:manage for all projects that are mirrored. Mirrors of conversations or leads need conversations:read or leads:read. Where staff may book, move or cancel, it needs appointments:write. Where bookings may create customers, or edited: carry changes them, contacts:write.',
      { example: `\${PLATFORM_API_KEY}` },
    ),
  ),
  timeout: duration({ min: '10ms', max: '5m' })
    .prefault('10s')
    .meta(explained('How long one request to the platform may take.', { example: '20s' })),
  webhook: webhookSection
    .prefault({})
    .describe(
      'Deliveries from the platform to this worker: the fast way. What is lost on it comes by the feed.',
    ),
  resync: resyncSection
    .prefault({})
    .meta(
      explained(
        'Lists that are read again in full, behind all live work, for what no event tells: imported contacts, deletions whose event was lost.',
        { since: '0.2.0' },
      ),
    ),
  feed: feedSection.prefault({}).describe("The platform's event feed: the way back for every lost webhook."),
});

export function toPlatform(written: z.output<typeof platformSection>) {
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
