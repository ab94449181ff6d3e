import { validate } from 'node-cron';
import * as z from 'zod';
import { type PlatformKind, withoutUndefined } from '../../engine/object.ts';
import { explained, ofType, type Reading, readAs, readWith, WITH_VARIABLE } from '../kinds/reading.ts';
import { oneOrMany, secretList, section } from '../kinds/section.ts';
import { choice, choiceAsWritten, duration, flag, readChoice, text, timeZone } from '../kinds/text.ts';
import { isLoopback, webAddress, withoutSlash } from '../kinds/web-address.ts';
import { AS_WRITTEN, complain, complaint } from '../problem.ts';

const UNIT_BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1_024, mb: 1_048_576 };

/** `256kb`, `1mb`, read as bytes (1kb is 1024). The bounds use the same form and are inclusive. */
function size(bounds: { readonly min: string; readonly max: string }) {
  const min = sizeBytes(bounds.min) ?? 0;
  const max = sizeBytes(bounds.max) ?? Number.MAX_SAFE_INTEGER;
  const form = () =>
    z.string(complain(NOT_SIZE)).meta({
      ...ofType(`size, ${bounds.min} to ${bounds.max}`),
      pattern: `^\\s*\\d+\\s*([kKmM]?[bB])\\s*$|${WITH_VARIABLE}`,
    });
  return readAs(form, (text): Reading<number> => {
    const value = sizeBytes(text);
    if (value === undefined) return { complaint: NOT_SIZE };
    if (value >= min && value <= max) return { value };
    return {
      complaint: complaint(
        `${AS_WRITTEN} is too ${value < min ? 'small' : 'large'}`,
        `write a size from ${bounds.min} to ${bounds.max}`,
      ),
    };
  });
}

const NOT_SIZE = complaint(`${AS_WRITTEN} is not a size`, 'write a whole number and its unit: 256kb or 1mb');

function sizeBytes(text: string): number | undefined {
  const [, count, unit] = /^\s*(\d{1,12})\s*([km]?b)\s*$/i.exec(text) ?? [];
  const unitBytes = UNIT_BYTES[(unit ?? '').toLowerCase()];
  return unitBytes === undefined ? undefined : Number(count) * unitBytes;
}

export const SIGNATURE_SCHEMES = ['timestamped', 'body', 'standard', 'doorbell'] as const;

export const webhookSection = section({
  public_url: explained(
    webAddress('https://bridge.example.com', readPublicUrl).optional(),
    'Address at which the platform reaches this worker: https, port 443 or 1024 to 65535, without the path /webhooks/platform. `webhook register` needs it. If the platform has no endpoint, its event feed stays empty, and only platform.resync finds changes.',
    { example: 'https://bridge.example.com' },
  ),
  secrets: explained(
    secretList().prefault([]),
    'Secrets that may sign a delivery: several during a rotation. Empty entries are ignored. With standard each is base64 of at least 24 bytes, otherwise at least 16 characters. Keep them in variables.',
    { example: [`\${PLATFORM_WEBHOOK_SECRET:-}`] },
  ),
  secret_file: explained(
    text().optional(),
    'File in which `webhook register` stores the secret, which the platform shows only once. `start` reads further secrets from it.',
    { example: './data/webhook-secret' },
  ),
  signature: explained(
    choice(SIGNATURE_SCHEMES, 'signature scheme').prefault('timestamped'),
    'How deliveries are signed. timestamped: t=…,v1=… over time and body. body: v1=… over the body. standard: Standard Webhooks. doorbell: not verified; each delivery only starts a feed walk. Without a secret, every scheme acts as doorbell.',
    { example: 'standard' },
  ),
  header: explained(
    text({
      pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
      wrong: complaint('is not a header name', 'write a name such as Service-Signature'),
    }).prefault('Service-Signature'),
    'Header that carries the signature, for timestamped and body.',
    { example: 'X-Signature' },
  ),
  tolerance: explained(
    duration({ min: '1s', max: '1d' }).prefault('5m'),
    "Largest difference between the signed time and the worker's clock, for timestamped and standard. Deliveries beyond it get 401. Raise it only if the clocks differ.",
    { example: '10m' },
  ),
  // The platform cuts bodies at 256 KB; a lower limit would refuse real deliveries.
  max_body: explained(
    size({ min: '256kb', max: '16mb' }).prefault('1mb'),
    'Largest body that the worker accepts. The platform sends at most 256kb.',
    { example: '512kb' },
  ),
  reenable: explained(
    flag().prefault(false),
    'Whether the worker enables an endpoint that the platform has disabled, as it does after 72 hours of failures. It also subscribes the endpoint to missing events and projects that the mirrors need. If false, `status` reports both.',
    { example: true },
  ),
  check_every: explained(
    duration({ min: '1s', max: '1d' }).prefault('5m'),
    'How often the worker checks that the endpoint exists, is enabled, and is subscribed to enough.',
    { example: '1m' },
  ),
});

export function toWebhook(written: z.output<typeof webhookSection>) {
  return {
    ...withoutUndefined({ publicUrl: written.public_url, secretFile: written.secret_file }),
    secrets: written.secrets,
    signature: written.signature,
    header: written.header,
    toleranceMs: written.tolerance,
    maxBodyBytes: written.max_body,
    reenable: written.reenable,
    checkEveryMs: written.check_every,
  };
}

/** The platform delivers to port 443 or 1024 to 65535 only (platform API, POST /v1/webhook_endpoints). */
function readPublicUrl(url: URL) {
  const port = Number(url.port || '443');
  if (!isLoopback(url) && port !== 443 && port < 1_024) {
    return {
      complaint: complaint('uses a port that the platform does not deliver to', 'use 443, or 1024 to 65535'),
    };
  }
  // People may paste the whole address of the endpoint; it means the same worker.
  return { value: withoutSlash(url).replace(/\/webhooks\/platform$/, '') };
}

/** Named as in `from` of a mirror. No list of the platform contains leads (platform API, Leads). */
const LISTS = ['appointments', 'contacts', 'conversations', 'messages'] as const;
type List = (typeof LISTS)[number];

const resyncSection = section({
  schedule: explained(
    readWith(text().meta(ofType('cron expression, off')), readSchedule).prefault('0 4 * * *'),
    'When the worker reads the lists: a cron expression (minute hour day month weekday), or off. Default: every night at 4:00. A time that a pause covered, or that the clock skips in spring, is made up for; one that comes twice counts once.',
    { example: '30 3 * * 1-5' },
  ),
  timezone: explained(
    timeZone().optional(),
    'IANA time zone of the schedule. Default: that of most branches whose objects are mirrored.',
    { example: 'Europe/Berlin', since: '0.3.0' },
  ),
  what: explained(
    oneOrMany(choiceAsWritten(LISTS, 'list'), (seen) => readChoice(seen, LISTS, 'list')).prefault([
      'appointments',
      'contacts',
      'conversations',
    ]),
    'Lists to read: appointments, contacts, conversations, messages. Lists that no mirror needs are skipped.',
    { example: ['appointments', 'messages'] },
  ),
});

function toResync(written: z.output<typeof resyncSection>) {
  const kinds = [...new Set(written.what)].map((list) => KIND_OF[list]);
  return {
    ...withoutUndefined({
      schedule: written.schedule === 'off' ? undefined : written.schedule,
      timezone: written.timezone,
    }),
    kinds,
  };
}

const KIND_OF: Readonly<Record<List, Exclude<PlatformKind, 'lead'>>> = {
  appointments: 'appointment',
  contacts: 'contact',
  conversations: 'conversation',
  messages: 'message',
};

function readSchedule(seen: string) {
  const value = seen.trim();
  if (value === 'off' || (value.split(/\s+/).length === 5 && validate(value))) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is not a cron expression`,
      'write minute, hour, day, month and weekday, such as "0 4 * * *", or off',
    ),
  };
}

const feedSection = section({
  every: explained(
    duration({ min: '1s', max: '1h' }).prefault('1m'),
    'How often the worker reads the event feed for events that the webhooks missed. A shorter time finds them sooner and costs more requests.',
    { example: '30s' },
  ),
  // The feed holds 30 days; with an overlap near that, every walk would read all of it.
  overlap: explained(
    duration({ min: '0s', max: '7d' }).prefault('10m'),
    'How far each walk reads past the newest event already seen, to find events that appeared late. 0s: no overlap.',
    { example: '30m' },
  ),
});

export const platformSection = section({
  base_url: explained(
    webAddress('https://api.example.com/v1', readBaseUrl),
    "Address of the platform's API with its version segment, such as https://api.example.com/v1. Must be https, except on loopback.",
    { example: 'https://api.example.com/v1' },
  ),
  api_key: explained(
    text({
      pattern: /^[\x21-\x7e]+$/,
      wrong: complaint(
        'contains spaces or characters that a header cannot carry',
        'copy the key again, without spaces around it',
      ),
      missing: complaint('is missing or empty', `write api_key: \${PLATFORM_API_KEY} and set that variable`),
    }),
    'API key of the platform. It needs the rights appointments:read, contacts:read and webhooks:manage for all mirrored projects. Mirrors of conversations or messages also need conversations:read, mirrors of leads leads:read. If staff may book, move or cancel, it needs appointments:write. If bookings may create customers, or edited: carry changes contacts, it needs contacts:write.',
    { example: `\${PLATFORM_API_KEY}` },
  ),
  timeout: explained(
    duration({ min: '10ms', max: '5m' }).prefault('10s'),
    'Time limit for one request to the platform. A slower request fails and is retried.',
    { example: '20s' },
  ),
  webhook: webhookSection
    .prefault({})
    .describe('Deliveries from the platform to this worker. The feed brings the events of lost deliveries.'),
  resync: explained(
    resyncSection.prefault({}),
    "Regular full reads of the platform's lists, after all live work. They find what no event reports: imported contacts, and deletions whose event was lost.",
    { since: '0.2.0' },
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
