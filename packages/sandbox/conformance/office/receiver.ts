/** The address of a watch channel. It keeps each request it receives, and closes when the test ends. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';

export interface Ping {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly pings: Ping[];
  /** Status of the answer to the nth ping, counted from 1. */
  answer: (count: number) => number;
  /** Waits until this many pings have arrived. */
  until(count: number): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const pings: Ping[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    pings.push({ method: request.method ?? '', headers: request.headers, body });
    response.writeHead(receiver.answer(pings.length)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/pings`,
    pings,
    answer: () => 204,
    until: (count) =>
      vi.waitFor(
        () => {
          if (pings.length < count) throw new Error(`${pings.length} of ${count} pings have come`);
        },
        { timeout: 30_000, interval: 10 },
      ),
  };
  return receiver;
}
