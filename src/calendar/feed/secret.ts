import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
/** Length of a secret: 32 bytes in base64url. */
const SECRET_CHARS = 43;

export const FEED_PATH = '/feeds';

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function isFeedSecret(text: string): boolean {
  return text.length === SECRET_CHARS && /^[\w-]+$/.test(text);
}

/** The secret has 256 random bits, so one round of SHA-256 hides it from anyone who reads Redis. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** As long as a hash, and no secret has it. */
const NO_HASH = '-'.repeat(64);

/** Takes the same time wherever the two differ, and even without a stored hash. */
export function isSameSecret(secret: string, hash: string | undefined): boolean {
  const kept = hash?.length === NO_HASH.length ? hash : NO_HASH;
  return timingSafeEqual(Buffer.from(hashOfSecret(secret)), Buffer.from(kept));
}
