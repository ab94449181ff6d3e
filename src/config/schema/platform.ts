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
      explained(
        'How often the worker reads the event feed for events that the webhooks missed. A shorter time finds them sooner and costs more requests.',
        {
          example: '30s',
        },
      ),
    ),
  // The feed holds 30 days; with an overlap near that, every walk would read all of it.
  overlap: duration({ min: '0s', max: '7d' })
    .prefault('10m')
    .meta(
      explained(
        'How far each walk reads past the newest event already seen, to find events that appeared late. 0s: no overlap.',
        { example: '30m' },
      ),
    ),
});

export const platformSection = section({
  base_url: webAddress('https://api.example.com/v1', readBaseUrl).meta(
    explained(
      "Address of the platform's API with its version segment, such as https://api.example.com/v1. Must be https, except on loopback.",
      { example: 'https://api.example.com/v1' },
    ),
  ),
  api_key: text({
    pattern: /^[\x21-\x7e]+$/,
    wrong: complaint(
      'contains spaces or characters that a header cannot carry',
      'copy the key again, without spaces around it',
    ),
    missing: complaint('is missing or empty', `write api_key: \${PLATFORM_API_KEY} and set that variable`),
  }).meta(
    explained(
      'API key of the platform. It needs the rights appointments:read, contacts:read and webhooks:manage for all mirrored projects. Mirrors of conversations or messages also need conversations:read, mirrors of leads leads:read. If staff may book, move or cancel, it needs appointments:write. If bookings may create customers, or edited: carry changes contacts, it needs contacts:write.',
      { example: `\${PLATFORM_API_KEY}` },
    ),
  ),
  timeout: duration({ min: '10ms', max: '5m' })
    .prefault('10s')
    .meta(
      explained('Time limit for one request to the platform. A slower request fails and is retried.', {
        example: '20s',
      }),
    ),
  webhook: webhookSection
    .prefault({})
    .describe('Deliveries from the platform to this worker. The feed brings the events of lost deliveries.'),
  resync: resyncSection
    .prefault({})
    .meta(
      explained(
        "Regular full reads of the platform's lists, after all live work. They find what no event reports: imported contacts, and deletions whose event was lost.",
        { since: '0.2.0' },
      ),
    ),
  feed: feedSection
    .prefault({})
    .describe("The platform's event feed, from which the worker reads the events of lost webhooks."),
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
