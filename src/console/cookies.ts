import { createHash, timingSafeEqual } from 'node:crypto';
import type { Language } from '../mapping/config.ts';
import { LANGUAGES } from '../mapping/schema/worker.ts';
import type { Flow } from './provider.ts';
import { type Times, timesNamed } from './times.ts';

const SESSION = 'slotbridge_console';
const LANGUAGE = 'slotbridge_language';
const TIMES = 'slotbridge_times';
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
  readonly times: Times;
  /** A session of an earlier version over https: its cookie may have come from another host of the domain. */
  readonly isFormer: boolean;
}

/** Whether the console's address is https. */
export interface CookieOptions {
  readonly isSecure: boolean;
}

export function readCookies(header: string | undefined, options: CookieOptions): Cookies {
  const token = cookieIn(header, named(SESSION, options));
  const asked = cookieIn(header, named(LANGUAGE, options));
  return {
    token: isSessionSecret(token) ? token : undefined,
    language: LANGUAGES.find((language) => language === asked),
    times: timesNamed(cookieIn(header, named(TIMES, options))) ?? 'branch',
    isFormer: options.isSecure && cookieIn(header, SESSION) !== '',
  };
}

function cookieIn(header: string | undefined, name: string): string {
  const pairs = (header ?? '')
    .slice(0, COOKIE_CHARS_MAX)
    .split(';')
    .map((pair) => pair.trim().split('=', 2));
  return pairs.find(([key]) => key === name)?.[1] ?? '';
}

/** Over https no other host of the domain can set a cookie of this name (RFC 6265bis, 4.1.3.2). It needs `Secure` and the path `/`. */
function named(name: string, { isSecure }: CookieOptions): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The cookie has no expiry of its own: the server's clock decides, because a browser's may be wrong. */
export function sessionCookie(token: string, options: CookieOptions): string {
  return cookie(`${named(SESSION, options)}=${token}`, { ...STRICT, ...options });
}

export function noSessionCookie(options: CookieOptions): string {
  return cookie(`${named(SESSION, options)}=; Max-Age=0`, { ...STRICT, ...options });
}

/** Removes what an earlier version left over https. */
export function noFormerCookie(): string {
  return `${SESSION}=; Max-Age=0; Path=/console; HttpOnly; SameSite=Strict; Secure`;
}

export function languageCookie(language: Language, options: CookieOptions): string {
  return cookie(`${named(LANGUAGE, options)}=${language}; Max-Age=31536000`, { ...STRICT, ...options });
}

export function timesCookie(times: Times, options: CookieOptions): string {
  return cookie(`${named(TIMES, options)}=${times}; Max-Age=31536000`, { ...STRICT, ...options });
}

/**
 * Exists between leaving for the provider and returning. The return is a navigation that began at the provider; browsers send no `Strict`
 * cookie with it.
 */
export function flowCookie(flow: Flow, options: CookieOptions): string {
  const { state, nonce, verifier } = flow;
  const text = `${named(FLOW, options)}=${state}.${nonce}.${verifier}; Max-Age=600`;
  return cookie(text, { ...RETURNING, ...options });
}

export function noFlowCookie(options: CookieOptions): string {
  return cookie(`${named(FLOW, options)}=; Max-Age=0`, { ...RETURNING, ...options });
}

export function readFlow(header: string | undefined, options: CookieOptions): Flow | undefined {
  const [state = '', nonce = '', verifier = '', more] = cookieIn(header, named(FLOW, options)).split('.');
  const isWhole = [state, nonce, verifier].every(isSessionSecret) && more === undefined;
  return isWhole ? { state, nonce, verifier } : undefined;
}

/** `path`: over http. */
const STRICT = { path: '/console', sameSite: 'Strict' } as const;
const RETURNING = { path: '/console/sign-in', sameSite: 'Lax' } as const;

function cookie(
  text: string,
  { path, sameSite, isSecure }: (typeof STRICT | typeof RETURNING) & CookieOptions,
): string {
  return `${text}; Path=${isSecure ? '/' : path}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
}

/** Part of every form of a session. Without the cookie nobody can compute it, and the cookie cannot be computed from it. */
export function formToken(token: string): string {
  return createHash('sha256').update(`form ${token}`).digest('base64url');
}

export function isFormToken(seen: string | null, token: string): boolean {
  const [a, b] = [Buffer.from(seen ?? ''), Buffer.from(formToken(token))];
  return a.length === b.length && timingSafeEqual(a, b);
}
