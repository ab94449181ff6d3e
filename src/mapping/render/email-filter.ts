import { visible } from '../../engine/domain/plain-text.ts';

/** Longest part before the `@`, and after it (RFC 5321, 4.5.3.1). */
const LOCAL_CHARS_MAX = 64;
const DOMAIN_CHARS_MAX = 255;
/** Most `@` that are searched; people do not write texts with more. */
const SIGNS_MAX = 1_000;

/** An address may contain `/`, `|` and `=`, but far more often they separate a phone number from an address. */
const LOCAL = /[^\s<>,;:"()[\]@/|\\=]/u;
const DOMAIN = /[\p{L}\p{N}.-]/u;
const WHOLE_DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})$/iu;

/**
 * Returns the first address in a text, or an empty text. Looks a bounded number of characters to either side of each `@`, so the work stays
 * linear, whatever strangers send. Text longer than an address may be is not cut to fit; it is not an address.
 */
export function emailIn(typed: string): string {
  const text = visible(typed);
  let at = text.indexOf('@');
  for (let signs = 0; at >= 0 && signs < SIGNS_MAX; signs += 1) {
    const found = addressAt(text, at);
    if (found !== undefined) return found;
    at = text.indexOf('@', at + 1);
  }
  return '';
}

function addressAt(text: string, at: number): string | undefined {
  let from = at;
  while (from > 0 && at - from <= LOCAL_CHARS_MAX && LOCAL.test(text.charAt(from - 1))) from -= 1;
  let to = at + 1;
  while (to < text.length && to - at <= DOMAIN_CHARS_MAX + 1 && DOMAIN.test(text.charAt(to))) to += 1;
  // `vera@example.com@elsewhere` is ambiguous.
  if (text[from - 1] === '@' || text[to] === '@' || text[to] === '_') return undefined;
  // Quotes and stars around an address do not belong to it.
  const local = text.slice(from, at).replace(/^[^\p{L}\p{N}_]+/u, '');
  const domain = text.slice(at + 1, to).replace(/(?<![.-])[.-]+$/, '');
  if (local.length === 0 || at - from > LOCAL_CHARS_MAX || domain.length > DOMAIN_CHARS_MAX) return undefined;
  // A word that runs into the address does not belong to it, and where it ends is unknown.
  if ([local, ...domain.split('.')].some(isOfTwoAlphabets)) return undefined;
  return WHOLE_DOMAIN.test(domain) ? `${local}@${domain}` : undefined;
}

function isOfTwoAlphabets(part: string): boolean {
  return /\p{Script=Cyrillic}/u.test(part) && /\p{Script=Latin}/u.test(part);
}
