// A real CalDAV server behind a door that counts what the worker asks. People go past the door.
import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { startRadicale } from '../../demo/caldav/radicale.ts';

export interface Asked {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  /** On the monotonic clock, when the answer had come. */
  readonly answeredAt: number;
}

export interface CountedServer {
  /** As the worker knows it; ends with a slash. */
  readonly home: string;
  readonly user: string;
  readonly password: string;
  /** Paths of the calendars below the server. */
  readonly calendars: readonly string[];
  /** What the worker asked since the last call, in the order of the answers. */
  take(): readonly Asked[];
  onAsked: (asked: Asked) => void;
  /** As a person's program does, without being counted. */
  send(
    method: string,
    path: string,
    init?: { body?: string; headers?: Record<string, string> },
  ): Promise<Response>;
  close(): Promise<void>;
}

export async function startCountedServer(count: number): Promise<CountedServer> {
  const server = await startRadicale();
  const [{ user, password, home }] = server.accounts;
  let asked: Asked[] = [];
  const door = createServer((incoming, outgoing) => {
    const { method = '', url = '/', headers } = incoming;
    const onward = requestOf(new URL(url, server.url), { method, headers }, async (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      await pipeline(answer, outgoing).catch(() => undefined);
      const row = { method, path: decodeURIComponent(url), answeredAt: performance.now() };
      asked.push(row);
      counted.onAsked(row);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => door.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/`;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const send: CountedServer['send'] = (method, path, { headers, ...init } = {}) =>
    fetch(new URL(path, server.url), { ...init, method, headers: { authorization, ...headers } });
  const path = new URL(home).pathname;
  const calendars = Array.from({ length: count }, (_, index) => `${path}person-${index + 1}/`);
  for (const each of calendars) await send('MKCALENDAR', each);
  const counted: CountedServer = {
    ...{ home: new URL(path, url).href, user, password, calendars, send },
    onAsked: () => {},
    take() {
      const taken = asked;
      asked = [];
      return taken;
    },
    async close() {
      door.closeAllConnections();
      await new Promise((done) => door.close(done));
      await server.stop();
    },
  };
  return counted;
}
