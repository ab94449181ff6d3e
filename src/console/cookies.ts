import { createHash, timingSafeEqual } from 'node:crypto';
import type { Language } from '../config/config.ts';
import { LANGUAGES } from '../config/schema/worker.ts';
import type { Flow } from './provider.ts';

const SESSION = 'slotbridge_console';
const LANGUAGE = 'slotbridge_language';
const FLOW = 'slotbridge_sign_in';
/** The form of secrets that `ConsoleAccess` makes, and of those of a sign-in by a provider. Redis is asked about no other text. */
const SECRET = /^[\w-]{43}$/;
/** How much of the cookie header is read: Node accepts 16 kB of headers, and two short cookies fit within this. */
const COOKIE_CHARS_MAX = 4_096;

export function isSessionSecret(text: string): boolean {
  return SECRET.test(text);
}

export interface Cookies {
  readonly token: string | undefined;
  readonly language: Language | undefined;
}

export function readCookies(header: string | undefined): Cookies {
  const token = cookieIn(header, SESSION);
  const asked = cookieIn(header, LANGUAGE);
  return {
    token: isSessionSecret(token) ? token : undefined,
    language: LANGUAGES.find((language) => language === asked),
  };
}

function cookieIn(header: string | undefined, name: string): string {
  const pairs = (header ?? '')
    .slice(0, COOKIE_CHARS_MAX)
    .split(';')
    .map((pair) => pair.trim().split('=', 2));
  return pairs.find(([key]) => key === name)?.[1] ?? '';
}

/** The cookie has no expiry of its own: the server's clock decides, because a browser's may be wrong. */
export function sessionCookie(token: string, options: { readonly isSecure: boolean }): string {
  return `${SESSION}=${token}; ${attributes(options)}`;
}

export function noSessionCookie(options: { readonly isSecure: boolean }): string {
  return `${SESSION}=; Max-Age=0; ${attributes(options)}`;
}

export function languageCookie(language: Language, options: { readonly isSecure: boolean }): string {
  return `${LANGUAGE}=${language}; Max-Age=31536000; ${attributes(options)}`;
}

/**
 * Exists between leaving for the provider and returning. The return is a navigation that began at the provider; browsers send no `Strict`
 * cookie with it.
 */
export function flowCookie(flow: Flow, options: { readonly isSecure: boolean }): string {
  const { state, nonce, verifier } = flow;
  return `${FLOW}=${state}.${nonce}.${verifier}; Max-Age=600; ${flowAttributes(options)}`;
}

export function noFlowCookie(options: { readonly isSecure: boolean }): string {
  return `${FLOW}=; Max-Age=0; ${flowAttributes(options)}`;
}

export function readFlow(header: string | undefined): Flow | undefined {
  const [state = '', nonce = '', verifier = '', more] = cookieIn(header, FLOW).split('.');
  const isWhole = [state, nonce, verifier].every(isSessionSecret) && more === undefined;
  return isWhole ? { state, nonce, verifier } : undefined;
}

function flowAttributes({ isSecure }: { readonly isSecure: boolean }): string {
  return `Path=/console/sign-in; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

function attributes({ isSecure }: { readonly isSecure: boolean }): string {
  return `Path=/console; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** Part of every form of a session. Without the cookie nobody can compute it, and the cookie cannot be computed from it. */
export function formToken(token: string): string {
  return createHash('sha256').update(`form ${token}`).digest('base64url');
}

export function isFormToken(seen: string | null, token: string): boolean {
  const [a, b] = [Buffer.from(seen ?? ''), Buffer.from(formToken(token))];
  return a.length === b.length && timingSafeEqual(a, b);
}
