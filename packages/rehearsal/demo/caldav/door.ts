// What the worker takes for the CalDAV server: it passes every request on, fails some on purpose, and tells what was written.
import { once } from 'node:events';
import { type IncomingMessage, request as requestOf } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { FaultPlan, installFaults } from '@slotbridge/sandbox/faults';
import Fastify from 'fastify';

export interface Door {
  /** Without a path; ends with a slash. */
  readonly url: string;
  readonly faults: FaultPlan;
  /** Requests so far. */
  readonly requests: number;
  close(): Promise<void>;
}

const STANDARD = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'];
const OF_DAV = ['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCALENDAR', 'MKCOL', 'MOVE', 'COPY'];
const WRITES = new Set(['PUT', 'DELETE', 'MOVE']);
/** They belong to one connection only. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/** `written`: called with the path after each write that the server accepted. */
export async function openDoor(
  server: { readonly url: string },
  parts: { readonly random: () => number; readonly written: (path: string) => void },
): Promise<Door> {
  const faults = new FaultPlan(parts.random);
  const web = Fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
  let requests = 0;
  installFaults(web, faults);
  web.removeAllContentTypeParsers();
  web.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  for (const method of OF_DAV) web.addHttpMethod(method, { hasBody: true });
  web.route({
    method: [...STANDARD, ...OF_DAV],
    url: '*',
    handler: async ({ method, url, headers, body }, reply) => {
      requests += 1;
      const answer = await passedOn(new URL(url, server.url), { method, headers, body });
      const status = answer.statusCode ?? 502;
      if (WRITES.has(method) && status < 300) parts.written(url);
      for (const [name, value] of Object.entries(answer.headers))
        if (!OWN_HEADERS.has(name)) reply.header(name, value);
      return reply.code(status).send(await buffer(answer));
    },
  });
  const address = await web.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `${address}/`,
    faults,
    get requests() {
      return requests;
    },
    close: () => web.close(),
  };
}

async function passedOn(
  url: URL,
  {
    method,
    headers,
    body,
  }: { readonly method: string; readonly headers: IncomingMessage['headers']; readonly body: unknown },
): Promise<IncomingMessage> {
  const onward = requestOf(url, { method, agent: false, headers: { ...headers, connection: 'close' } });
  onward.end(body);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  return answer;
}
