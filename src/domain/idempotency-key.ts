import { createHash } from 'node:crypto';

/** What the platform accepts as a key (platform API, Idempotency): 1 to 64 letters, digits and `_ - : .`. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9_\-:.]{1,64}$/;

/**
 * The same key for the same parts, another key for others. The parts are hashed, because an iCalUID contains `@` and is longer than 64.
 * The key has 46 characters. Name the operation, the origin and the attempt's generation among the parts. A move A to B to A is three
 * decisions, and a key remembers its first answer.
 */
export function idempotencyKey(parts: readonly string[]): string {
  // JSON, so that ['ab', 'c'] and ['a', 'bc'] differ.
  return `sb-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
