import { createHash } from 'node:crypto';

/** What the platform accepts as a key (platform API, Idempotency): 1 to 64 letters, digits and `_ - : .`. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9_\-:.]{1,64}$/;

/**
 * The same key for the same parts, another for others: hashed, because an iCalUID has `@` in it and is longer than 64. 46 characters. Among
 * the parts, name the operation, the origin and the attempt's generation. A move A to B to A is three decisions, and a key remembers its
 * first answer.
 */
export function idempotencyKey(parts: readonly string[]): string {
  // As JSON, so that ['ab', 'c'] and ['a', 'bc'] differ.
  return `sb-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
