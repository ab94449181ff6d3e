/**
 * Vitest's global setup: starts platform sandboxes over HTTP. Only this file knows about the sandbox; tests see
 * addresses. `POST /open` with the sandbox's options as JSON returns `{ url }`, and `POST /close` with `{ url }`
 * closes it. The end of the run closes the rest.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { PlatformSandbox, type PlatformSandboxOptions } from '../../src/platform/sandbox.ts';
import { foreignServer } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address that starts sandboxes; '' when the tests run against a foreign server. */
    landlord: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (foreignServer()) {
    project.provide('landlord', '');
    return async () => {};
  }
  const open = new Map<string, PlatformSandbox>();
  const server = createServer((request, response) => {
    serve(open, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('landlord', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([...open.values()].map((sandbox) => sandbox.close()));
  };
}

async function serve(
  open: Map<string, PlatformSandbox>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fields = (await json(request)) as Record<string, unknown>;
  if (request.url === '/open') {
    const sandbox = await PlatformSandbox.start(fields as PlatformSandboxOptions);
    open.set(sandbox.url, sandbox);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ url: sandbox.url }));
    return;
  }
  const url = String(fields['url']);
  const sandbox = open.get(url);
  open.delete(url);
  response.writeHead(204).end();
  await sandbox?.close();
}
