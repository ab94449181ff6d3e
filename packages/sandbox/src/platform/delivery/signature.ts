/**
 * Headers that sign a delivery. The document shows only that `Service-Signature` has one `v1` per active secret.
 * It does not show the computation, so the scheme is a setting.
 */
import { createHmac } from 'node:crypto';
import type { SignatureScheme } from '../options.ts';

export interface SignedParts {
  readonly scheme: SignatureScheme;
  readonly eventId: string;
  readonly body: string;
  /** Newest first. Two while a rolled secret is still valid. */
  readonly secrets: readonly string[];
  /** The real time of this attempt. */
  readonly sentAtMs: number;
}

export function signatureHeaders(parts: SignedParts): Record<string, string> {
  const seconds = Math.floor(parts.sentAtMs / 1000);
  switch (parts.scheme) {
    case 'timestamped': {
      const signatures = parts.secrets.map((secret) => `v1=${hex(secret, `${seconds}.${parts.body}`)}`);
      return { 'Service-Signature': [`t=${seconds}`, ...signatures].join(',') };
    }
    case 'body':
      return {
        'Service-Signature': parts.secrets.map((secret) => `v1=${hex(secret, parts.body)}`).join(','),
      };
    case 'standard': {
      const content = `${parts.eventId}.${seconds}.${parts.body}`;
      return {
        'webhook-id': parts.eventId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': parts.secrets.map((secret) => `v1,${standard(secret, content)}`).join(' '),
      };
    }
  }
}

function hex(secret: string, content: string): string {
  return createHmac('sha256', secret).update(content).digest('hex');
}

/** Standard Webhooks: the key is the base64 text after `whsec_`. */
function standard(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
