import type { IncomingHttpHeaders } from 'node:http';
import type { SignedScheme } from '../../domain/signing-secret.ts';
import type { TestedDelivery } from '../../domain/tested-delivery.ts';
import { parseDelivery } from './delivery.ts';
import { verifySignature } from './signature.ts';

const SCHEMES: readonly SignedScheme[] = ['timestamped', 'body', 'standard'];
/** Largest test delivery: test events are small, and a larger body is not worth three signatures. */
const TEST_BYTES_MAX = 64 * 1024;

export interface TestedRules {
  readonly scheme: SignedScheme | 'doorbell';
  readonly header: string;
  readonly secrets: readonly string[];
  readonly toleranceMs: number;
}

/**
 * Which schemes verify a test delivery, even when the configured one refuses it: that is what people want to know. Undefined for other
 * deliveries, and for those that no known secret signed. Only the platform may leave a result here, or have a body parsed.
 */
export function judgeTest(
  rules: TestedRules,
  delivery: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly nowMs: number },
): TestedDelivery | undefined {
  if (!looksLikeTest(delivery.body)) return undefined;
  const verdicts = SCHEMES.map(
    (scheme) => [scheme, verifySignature({ ...rules, scheme }, delivery)] as const,
  );
  if (!verdicts.some(([, verdict]) => verdict === 'valid' || verdict === 'too-old')) return undefined;
  const parsed = parseDelivery(delivery.body.toString('utf8'));
  if (!('event' in parsed) || !parsed.event.test) return undefined;
  return {
    eventId: parsed.event.id,
    atMs: delivery.nowMs,
    configured: rules.scheme,
    verdicts: Object.fromEntries(verdicts),
  };
}

/** Cheap pre-check: most deliveries are not tests. */
function looksLikeTest(body: Buffer): boolean {
  if (body.length > TEST_BYTES_MAX) return false;
  return body.includes('"test":true') || body.includes('"test": true');
}
