import type { IncomingHttpHeaders } from 'node:http';
import type { SignedScheme } from '../../domain/signing-secret.ts';
import type { TestedDelivery } from '../../domain/tested-delivery.ts';
import { parseDelivery } from './delivery.ts';
import { verifySignature } from './signature.ts';

const SCHEMES: readonly SignedScheme[] = ['timestamped', 'body', 'standard'];

export interface TestedRules {
  readonly scheme: SignedScheme | 'doorbell';
  readonly header: string;
  readonly secrets: readonly string[];
  readonly toleranceMs: number;
}

/**
 * Which scheme verifies a test delivery. Undefined for all others. It is asked before the verdict, because a delivery that the
 * configured scheme refuses is the one that people want to know about.
 */
export function judgeTest(
  rules: TestedRules,
  delivery: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly nowMs: number },
): TestedDelivery | undefined {
  const parsed = parseDelivery(delivery.body.toString('utf8'));
  if (!('event' in parsed) || !parsed.event.test) return undefined;
  const verdicts = SCHEMES.map((scheme) => [
    scheme,
    rules.secrets.length === 0 ? 'no-secret' : verifySignature({ ...rules, scheme }, delivery),
  ]);
  return {
    eventId: parsed.event.id,
    atMs: delivery.nowMs,
    configured: rules.scheme,
    verdicts: Object.fromEntries(verdicts),
  };
}
