import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import { SIGNATURE_SCHEMES, type WebhookConfig } from '../config.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { flag } from '../kinds/flag.ts';
import { secretList } from '../kinds/secret-list.ts';
import { section } from '../kinds/section.ts';
import { size } from '../kinds/size.ts';
import { text } from '../kinds/text.ts';
import { isLoopback, webAddress, withoutSlash } from '../kinds/web-address.ts';

export const webhookSection = section({
  public_url: webAddress('https://bridge.example.com', readPublicUrl)
    .optional()
    .describe(
      'Where the platform reaches this worker, without the route /webhooks/platform. Needed by `webhook register`; without it changes come from the feed alone, unless an endpoint was made by hand.',
    ),
  secrets: secretList()
    .prefault([])
    .describe(
      'Secrets that may sign a delivery; several while one is being replaced. Empty ones are left out. With standard each is base64 of at least 24 bytes, else it has at least 16 characters. Keep them in variables.',
    ),
  secret_file: text()
    .optional()
    .describe(
      'File in which `webhook register` keeps the secret it is shown once, and from which `start` reads more secrets.',
    ),
  signature: choice(SIGNATURE_SCHEMES, 'signature scheme')
    .prefault('timestamped')
    .describe(
      'timestamped: t=…,v1=… over time and body. body: v1=… over the body. standard: Standard Webhooks. doorbell: trusts no body, each delivery only rings for a walk of the feed. While no secret is known every scheme acts as doorbell.',
    ),
  header: text({
    pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
    wrong: complaint('is no name of a header', 'write a name such as Service-Signature'),
  })
    .prefault('Service-Signature')
    .describe('Header that carries the signature.'),
  tolerance: duration({ min: '1s', max: '1d' })
    .prefault('5m')
    .describe('How old a signed delivery may be, where the scheme carries a time.'),
  // The platform cuts bodies at 256 KB: below that, real deliveries would be refused.
  max_body: size({ min: '256kb', max: '16mb' })
    .prefault('1mb')
    .describe('Largest body that is taken in. The platform sends at most 256kb.'),
  reenable: flag()
    .prefault(false)
    .describe(
      'Enable the endpoint again by itself when the platform has disabled it, and subscribe it again to events and projects that the mirrors need and it lacks. Otherwise that is reported.',
    ),
  check_every: duration({ min: '1s', max: '1d' })
    .prefault('5m')
    .describe('How often the endpoint is looked at: is it there, enabled, subscribed to enough.'),
});

export function toWebhook(written: z.output<typeof webhookSection>): WebhookConfig {
  return {
    ...(written.public_url === undefined ? {} : { publicUrl: written.public_url }),
    secrets: written.secrets,
    ...(written.secret_file === undefined ? {} : { secretFile: written.secret_file }),
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
  // Whoever pastes the whole address of the endpoint means the same worker.
  return { value: withoutSlash(url).replace(/\/webhooks\/platform$/, '') };
}
