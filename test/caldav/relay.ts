import { createServer, type IncomingMessage, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';

/** What stands before the server may say, and undefined for what the server itself says. */
export interface Said {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server behind another one, which may answer in its place or change its answers. */
export interface Relay extends CalendarServer {
  /** May be set at any time. */
  instead: (request: IncomingMessage) => Said | undefined;
  change: (body: string) => string;
  status: (request: IncomingMessage, status: number) => number;
  /** Compresses for who takes it, and then calls the version weak, as nginx does: its bytes are no longer those of the server. */
  compresses: boolean;
  /** Calls each version weak, as proxies do. `for-good`: and lets none pass as a condition, as RFC 9110 has it for servers of weak versions. */
  weakens: 'no' | 'on-the-way' | 'for-good';
}

export async function behindRelay(server: CalendarServer): Promise<Relay> {
  const relay: Pick<Relay, 'instead' | 'change' | 'status' | 'compresses' | 'weakens'> = {
    ...{
      instead: () => undefined,
      change: (body) => body,
      status: (_, status) => status,
      compresses: false,
      weakens: 'no',
    },
  };
  const web = createServer(async (request, response) => {
    const sent = await buffer(request);
    const isRefused = relay.weakens === 'for-good' && request.headers['if-match'] !== undefined;
    const refused: Said | undefined = isRefused
      ? { status: 412, type: 'text/plain', body: 'changed' }
      : undefined;
    const said = relay.instead(request) ?? refused;
    if (said !== undefined) {
      const { status, type, body, headers: more = {} } = said;
      response.writeHead(status, { 'content-type': type, connection: 'close', ...more }).end(body);
      return;
    }
    const { method, url } = request;
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const onward = requestOf(new URL(url ?? '/', server.url), { method, headers }, async (answer) => {
      const body = weakened(relay.change((await buffer(answer)).toString('utf8')), relay);
      const { 'content-length': _, 'transfer-encoding': __, ...rest } = answer.headers;
      const isPacked = relay.compresses && /gzip/.test(String(request.headers['accept-encoding']));
      const packed = isPacked && {
        ...{ 'content-encoding': 'gzip', ...(rest.etag !== undefined && { etag: `W/${rest.etag}` }) },
      };
      response
        .writeHead(relay.status(request, answer.statusCode ?? 502), {
          ...rest,
          ...weak(rest.etag, relay),
          ...packed,
          connection: 'close',
        })
        .end(isPacked ? gzipSync(body) : body);
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

type Weakening = Pick<Relay, 'weakens'>;

function weak(etag: string | undefined, { weakens }: Weakening): { readonly etag?: string } {
  return weakens === 'no' || etag === undefined ? {} : { etag: `W/${etag}` };
}

function weakened(body: string, { weakens }: Weakening): string {
  return weakens === 'no' ? body : body.replace(/(<(?:\w+:)?getetag>)(?=["&])/g, '$1W/');
}
