/**
 * Vitest's global setup: starts Google sandboxes over HTTP, one per test. Only this file knows about the sandbox; tests
 * see addresses. `POST /open` with the sandbox's options as JSON returns `{ url }`. `POST /clock` with `{ url, ms }`
 * advances its clock. `POST /close` with `{ url }` closes it. The end of the run closes the rest.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { GoogleSandbox, type GoogleSandboxOptions } from '../../src/google/sandbox.ts';
import { foreignServer } from './server.ts';

interface Let {
  readonly sandbox: GoogleSandbox;
  offsetMs: number;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (foreignServer()) {
    project.provide('landlord', '');
    return async () => {};
  }
  const open = new Map<string, Let>();
  const server = createServer((request, response) => {
    serve(open, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('landlord', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([...open.values()].map(({ sandbox }) => sandbox.close()));
  };
}

async function serve(
  open: Map<string, Let>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fields = (await json(request)) as Record<string, unknown>;
  const url = request.url === '/open' ? await letOut(open, fields) : String(fields['url']);
  const held = open.get(url);
  if (request.url === '/clock' && held !== undefined) held.offsetMs += Number(fields['ms']);
  if (request.url === '/close') {
    open.delete(url);
    await held?.sandbox.close();
  }
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ url }));
}

async function letOut(open: Map<string, Let>, options: GoogleSandboxOptions): Promise<string> {
  const time = { offsetMs: 0 };
  const clock = { now: () => Date.now() + time.offsetMs };
  const sandbox = await GoogleSandbox.start({ ...options, clock });
  open.set(sandbox.url, Object.assign(time, { sandbox }));
  return sandbox.url;
}
