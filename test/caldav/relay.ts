import { createServer, type IncomingMessage, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { CalendarServer } from './servers/server.ts';

/** What stands before the server may say, and undefined for what the server itself says. */
export interface Said {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** A server behind another one, which may answer in its place or change its answers. */
export interface Relay extends CalendarServer {
  /** May be set at any time. */
  instead: (request: IncomingMessage) => Said | undefined;
  change: (body: string) => string;
}

export async function behindRelay(server: CalendarServer): Promise<Relay> {
  const relay: Pick<Relay, 'instead' | 'change'> = { instead: () => undefined, change: (body) => body };
  const web = createServer(async (request, response) => {
    const sent = await buffer(request);
    const said = relay.instead(request);
    if (said !== undefined) {
      response.writeHead(said.status, { 'content-type': said.type, connection: 'close' }).end(said.body);
      return;
    }
    const { method, url } = request;
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const onward = requestOf(new URL(url ?? '/', server.url), { method, headers }, async (answer) => {
      const body = relay.change((await buffer(answer)).toString('utf8'));
      const { 'content-length': _, 'transfer-encoding': __, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { ...rest, connection: 'close' }).end(body);
    });
    onward.on('error', () => response.destroy());
    onward.end(sent);
  });
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
  const [first, ...others] = server.accounts;
  const moved = (account: typeof first) => ({ ...account, home: account.home.replace(server.url, url) });
  return Object.assign(relay, {
    ...{ name: server.name, url },
    accounts: [moved(first), ...others.map(moved)] as const,
    async stop() {
      web.closeAllConnections();
      await new Promise((done) => web.close(done));
      await server.stop();
    },
  });
}
