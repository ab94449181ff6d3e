import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type SignedScheme, signingKey } from '../../engine/domain/signing-secret.ts';

export interface SignatureRules {
  readonly scheme: SignedScheme;
  /** Header of the schemes `timestamped` and `body`; lower case. */
  readonly header: string;
  /** Any of them may have signed: after a roll, the platform signs with the old secret beside the new one for a while. */
  readonly secrets: readonly string[];
  /** Largest distance of the signed time from now, where the scheme carries one. */
  readonly toleranceMs: number;
}

export type SignatureVerdict = 'valid' | 'missing' | 'malformed' | 'wrong' | 'too-old';

/** Checks the raw body, before any of it is parsed. Constant time in the secret and the signature. */
export function verifySignature(
  rules: SignatureRules,
  delivery: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly nowMs: number },
): SignatureVerdict {
  switch (rules.scheme) {
    case 'timestamped':
      return verifyTimestamped(rules, delivery);
    case 'body':
      return verifyBody(rules, delivery);
    case 'standard':
      return verifyStandard(rules, delivery);
  }
}

/** The header of the platform's document (platform API, Events). A YAML that names another one must not hide that deliveries are signed. */
const USUAL_HEADER = 'service-signature';
const STANDARD_SIGNATURE = /(?:^| )v1,[A-Za-z0-9+/]{43}=/;

/** One part of the header that `hexSignatures` accepts. */
const HEX_SIGNATURE = /(?:^|,)\s*v1\s*=\s*[0-9a-f]{64}\s*(?:,|$)/i;

/** True when some scheme finds a signature of its form: no platform sends a delivery without one, whatever is configured. */
export function isSigned(headers: IncomingHttpHeaders, header: string): boolean {
  const standard = one(headers['webhook-signature']);
  if (standard !== undefined && STANDARD_SIGNATURE.test(standard)) return true;
  return [header, USUAL_HEADER].some((name) => HEX_SIGNATURE.test(one(headers[name]) ?? ''));
}

type Delivery = Parameters<typeof verifySignature>[1];

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]` over `t.body`. */
function verifyTimestamped(rules: SignatureRules, delivery: Delivery): SignatureVerdict {
  const parts = headerParts(delivery.headers, rules.header);
  if (parts === undefined) return 'missing';
  const timestamp = parts.find(([name]) => name === 't')?.[1];
  const signatures = hexSignatures(parts);
  if (timestamp === undefined || !/^\d{1,15}$/.test(timestamp) || signatures.length === 0) return 'malformed';
  const isSigned = anyMatches(rules, signatures, [`${timestamp}.`, delivery.body]);
  if (!isSigned) return 'wrong';
  return isRecent(timestamp, rules, delivery) ? 'valid' : 'too-old';
}

/** `v1=<hex>[,v1=<hex>]` over the body. */
function verifyBody(rules: SignatureRules, delivery: Delivery): SignatureVerdict {
  const parts = headerParts(delivery.headers, rules.header);
  if (parts === undefined) return 'missing';
  const signatures = hexSignatures(parts);
  if (signatures.length === 0) return 'malformed';
  return anyMatches(rules, signatures, ['', delivery.body]) ? 'valid' : 'wrong';
}

/** Standard Webhooks 1.0: `webhook-signature: v1,<base64> v1,<base64>` over `id.timestamp.body`, secret `whsec_<base64>`. */
function verifyStandard(rules: SignatureRules, delivery: Delivery): SignatureVerdict {
  const id = undoubled(delivery.headers['webhook-id']);
  const timestamp = undoubled(delivery.headers['webhook-timestamp']);
  const header = one(delivery.headers['webhook-signature']);
  if (id === undefined || timestamp === undefined || header === undefined) return 'missing';
  const signatures = header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'));
  if (!/^\d{1,15}$/.test(timestamp) || signatures.length === 0) return 'malformed';
  if (!anyMatches(rules, signatures, [`${id}.${timestamp}.`, delivery.body])) return 'wrong';
  return isRecent(timestamp, rules, delivery) ? 'valid' : 'too-old';
}

function anyMatches(
  { scheme, secrets }: SignatureRules,
  signatures: readonly Buffer[],
  [prefix, body]: readonly [string, Buffer],
): boolean {
  let matches = false;
  for (const secret of secrets) {
    const key = signingKey(scheme, secret);
    // Such a secret is refused when the configuration is loaded, but a file that is replaced later may still contain one.
    if (key === undefined) continue;
    const expected = createHmac('sha256', key).update(prefix).update(body).digest();
    // No early end: the duration must not reveal which secret or signature nearly matched.
    for (const signature of signatures) {
      const isEqual = signature.length === expected.length && timingSafeEqual(signature, expected);
      matches = matches || isEqual;
    }
  }
  return matches;
}

function headerParts(headers: IncomingHttpHeaders, name: string): [string, string][] | undefined {
  const value = one(headers[name]);
  if (value === undefined || value.trim() === '') return undefined;
  return value.split(',').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
}

function hexSignatures(parts: readonly [string, string][]): Buffer[] {
  return parts
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/i.test(value))
    .map(([, value]) => Buffer.from(value, 'hex'));
}

function isRecent(seconds: string, rules: SignatureRules, delivery: Delivery): boolean {
  return Math.abs(delivery.nowMs - Number(seconds) * 1000) <= rules.toleranceMs;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** A header that an intermediary has added a second time stands in one value, with a comma. */
function undoubled(value: string | string[] | undefined): string | undefined {
  const whole = one(value);
  const parts = new Set(whole?.split(',').map((part) => part.trim()));
  return parts.size === 1 ? [...parts][0] : whole;
}
