import { createHash, timingSafeEqual } from 'node:crypto';
import { LANGUAGES, type Language } from '../config/config.ts';

const SESSION = 'slotbridge_console';
const LANGUAGE = 'slotbridge_language';
/** As `ConsoleAccess` makes them. Anything else is not worth asking Redis for. */
const SECRET = /^[\w-]{43}$/;
/** Node takes 16 kB of headers; two short cookies stand within this. */
const COOKIE_CHARS_MAX = 4_096;

export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

export interface Cookies {
  readonly token: string | undefined;
  readonly language: Language | undefined;
}

export function readCookies(header: string | undefined): Cookies {
  const pairs = (header ?? '')
    .slice(0, COOKIE_CHARS_MAX)
    .split(';')
    .map((pair) => pair.trim().split('=', 2));
  const of = (name: string) => pairs.find(([key]) => key === name)?.[1] ?? '';
  const token = of(SESSION);
  return {
    token: isSecret(token) ? token : undefined,
    language: LANGUAGES.find((language) => language === of(LANGUAGE)),
  };
}

/** It has no end of its own: the server's clock decides, and a browser may have a wrong one. */
export function sessionCookie(token: string, options: { readonly isSecure: boolean }): string {
  return `${SESSION}=${token}; ${attributes(options)}`;
}

export function noSessionCookie(options: { readonly isSecure: boolean }): string {
  return `${SESSION}=; Max-Age=0; ${attributes(options)}`;
}

export function languageCookie(language: Language, options: { readonly isSecure: boolean }): string {
  return `${LANGUAGE}=${language}; Max-Age=31536000; ${attributes(options)}`;
}

function attributes({ isSecure }: { readonly isSecure: boolean }): string {
  return `Path=/console; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** Stands in every form of a session. Whoever does not have the cookie cannot make it, and the cookie cannot be made from it. */
export function formToken(token: string): string {
  return createHash('sha256').update(`form ${token}`).digest('base64url');
}

export function isFormToken(seen: string | null, token: string): boolean {
  const [a, b] = [Buffer.from(seen ?? ''), Buffer.from(formToken(token))];
  return a.length === b.length && timingSafeEqual(a, b);
}
