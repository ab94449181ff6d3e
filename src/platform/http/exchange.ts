import type { IncomingMessage } from 'node:http';
import { type Exchange, readBody } from './answer.ts';

/** Uses fetch, which keeps connections: for a process that makes many calls. */
export const fetchExchange: Exchange = async ({ url, ...init }) => {
  // Following a redirect would turn a POST into a GET, and take an answer from a host that is not configured.
  const { status, headers, body } = await fetch(url, { ...init, redirect: 'manual' });
  return { status, headers, text: body === null ? '' : await readBody(body) };
};

/** Uses Node's own client with one connection per request: for a command that makes few calls, because fetch is slow to load. */
export const plainExchange: Exchange = async ({ url, body, ...options }) => {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    request(url, { ...options, agent: false }, done)
      .on('error', fail)
      .end(body);
  });
  const headers = { get: (name: string) => oneValue(answer.headers[name]) };
  return { status: answer.statusCode ?? 0, headers, text: await readBody(answer) };
};

/** Node returns a repeated header as a list, fetch as one string. */
function oneValue(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
