import * as z from 'zod';
import { complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs, WITH_VARIABLE } from './reading.ts';

/** `https:` anywhere; `http:` on this machine only, where a sandbox may replace the real service. */
export function webAddress(
  example: string,
  refine: (url: URL) => Reading<string>,
  /** `query`: the address may contain a query, which can be part of a secret. */
  { query = false } = {},
) {
  const fix = `write the whole address, for example ${example}`;
  const wrong = complaint('is not a web address', fix);
  const form = () =>
    z
      .string(complain(wrong, complaint('is missing or empty', fix)))
      .meta({ ...ofType('web address'), pattern: `^\\s*https?://|${WITH_VARIABLE}` });
  return readAs(form, (text): Reading<string> => {
    // The URL parser would silently encode a blank inside the address.
    const url = /\s/.test(text.trim()) ? null : parseUrl(text.trim());
    if (!url) return { complaint: wrong };
    const objection = objectTo(url, query);
    return objection === undefined ? refine(url) : { complaint: objection };
  });
}

/** The address without a final slash. */
export function withoutSlash(url: URL): string {
  return url.href.replace(/(?<!\/)\/+$/, '');
}

export function withSlash(url: URL): string {
  return `${withoutSlash(url)}/`;
}

export function isLoopback(url: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function objectTo(url: URL, mayAsk: boolean): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return complaint('is not a web address', 'write an address that begins with https://');
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    return complaint(
      'is plain http, which would expose the key to the network',
      'write https://; http:// is only for 127.0.0.1, ::1 and localhost',
    );
  }
  if (url.username !== '' || url.password !== '') {
    return complaint('contains a login or a password', 'remove everything before the @');
  }
  if ((url.search !== '' && !mayAsk) || url.hash !== '') {
    return complaint('contains a query or a fragment', 'end the address before the ? or #');
  }
  return undefined;
}
