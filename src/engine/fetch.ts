import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { proxyOf } from './proxy.ts';

/** Statuses for which `Response` takes no body. */
const EMPTY = [204, 205, 304];

/** `fetch` without redirects, through the proxy if the environment names one: Node's own knows no proxy before version 24. */
export async function fetchOutside(address: string, init: RequestInit): Promise<Response> {
  if (proxyOf(new URL(address)) === undefined) return fetch(address, { ...init, redirect: 'manual' });
  const [{ request }, { proxyAgentFor }] = await Promise.all([
    import('node:https'),
    import('./proxy-agent.ts'),
  ]);
  const asked = new Request(address, init);
  const { method, signal } = asked;
  const body = Buffer.from(await asked.arrayBuffer());
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    const agent = proxyAgentFor(new URL(address));
    const headers = Object.fromEntries(asked.headers);
    request(address, { method, headers, agent, signal }, done).on('error', fail).end(body);
  });
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  if (!EMPTY.includes(status))
    return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}
