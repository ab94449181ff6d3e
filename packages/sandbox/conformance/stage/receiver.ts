/** A customer's server. It keeps what the platform sends, and closes when the test ends. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event's body, looked into freely by tests
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The status of the answer to the nth request; null: no answer. */
  answer: (count: number) => number | null;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const raw = await text(request);
    received.push({ headers: request.headers, raw, body: JSON.parse(raw) });
    const status = receiver.answer(received.length);
    if (status !== null) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = { url: `http://127.0.0.1:${port}/hooks`, received, answer: () => 204 };
  return receiver;
}

/** The well-defined part of `Service-Signature`: its `v1` signatures. */
export function signaturesOf(received: Received | undefined): string[] {
  const header = String(received?.headers['service-signature'] ?? '');
  return header.split(',').filter((part) => part.trim().startsWith('v1='));
}
