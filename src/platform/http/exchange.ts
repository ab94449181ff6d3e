import type { IncomingMessage } from 'node:http';
import { type Exchange, readBody } from './answer.ts';

/** By fetch, which keeps connections: for whoever asks much. */
export const fetchExchange: Exchange = async ({ url, ...init }) => {
  // A redirect would turn a POST into a GET and answer from a place that nobody configured.
  const { status, headers, body } = await fetch(url, { ...init, redirect: 'manual' });
  return { status, headers, text: body === null ? '' : await readBody(body) };
};

/** By Node's own client, a connection for each request: for a command that asks little, since fetch takes long to load. */
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

/** Node gives a repeated header as a list, fetch as one text. */
function oneValue(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
