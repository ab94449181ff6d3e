import type { z } from 'zod';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { complaint } from '../complaint.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { flag } from '../kinds/flag.ts';
import { secretList } from '../kinds/secret-list.ts';
import { section } from '../kinds/section.ts';
import { size } from '../kinds/size.ts';
import { text } from '../kinds/text.ts';
import { isLoopback, webAddress, withoutSlash } from '../kinds/web-address.ts';

export const SIGNATURE_SCHEMES = ['timestamped', 'body', 'standard', 'doorbell'] as const;

export const webhookSection = section({
  public_url: webAddress('https://bridge.example.com', readPublicUrl)
    .optional()
    .meta(
      explained(
        'Address at which the platform reaches this worker: https, port 443 or 1024 to 65535, without the path /webhooks/platform. `webhook register` needs it. If the platform has no endpoint, its event feed stays empty, and only platform.resync finds changes.',
        { example: 'https://bridge.example.com' },
      ),
    ),
  secrets: secretList()
    .prefault([])
    .meta(
      explained(
        'Secrets that may sign a delivery: several during a rotation. Empty entries are ignored. With standard each is base64 of at least 24 bytes, otherwise at least 16 characters. Keep them in variables.',
        { example: [`\${PLATFORM_WEBHOOK_SECRET:-}`] },
      ),
    ),
  secret_file: text()
    .optional()
    .meta(
      explained(
        'File in which `webhook register` stores the secret, which the platform shows only once. `start` reads further secrets from it.',
        { example: './data/webhook-secret' },
      ),
    ),
  signature: choice(SIGNATURE_SCHEMES, 'signature scheme')
    .prefault('timestamped')
    .meta(
      explained(
        'How deliveries are signed. timestamped: t=…,v1=… over time and body. body: v1=… over the body. standard: Standard Webhooks. doorbell: not verified; each delivery only starts a feed walk. Without a secret, every scheme acts as doorbell.',
        { example: 'standard' },
      ),
    ),
  header: text({
    pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
    wrong: complaint('is not a header name', 'write a name such as Service-Signature'),
  })
    .prefault('Service-Signature')
    .meta(
      explained('Header that carries the signature, for timestamped and body.', { example: 'X-Signature' }),
    ),
  tolerance: duration({ min: '1s', max: '1d' })
    .prefault('5m')
    .meta(
      explained(
        "Largest difference between the signed time and the worker's clock, for timestamped and standard. Deliveries beyond it get 401. Raise it only if the clocks differ.",
        { example: '10m' },
      ),
    ),
  // The platform cuts bodies at 256 KB; a lower limit would refuse real deliveries.
  max_body: size({ min: '256kb', max: '16mb' })
    .prefault('1mb')
    .meta(
      explained('Largest body that the worker accepts. The platform sends at most 256kb.', {
        example: '512kb',
      }),
    ),
  reenable: flag()
    .prefault(false)
    .meta(
      explained(
        'Whether the worker enables an endpoint that the platform has disabled, as it does after 72 hours of failures. It also subscribes the endpoint to missing events and projects that the mirrors need. If false, `status` reports both.',
        { example: true },
      ),
    ),
  check_every: duration({ min: '1s', max: '1d' })
    .prefault('5m')
    .meta(
      explained(
        'How often the worker checks that the endpoint exists, is enabled, and is subscribed to enough.',
        {
          example: '1m',
        },
      ),
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
