// Takes https requests through a proxy: CONNECT, then TLS with the remote side itself. The proxy sees host and port, and no content.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { ProxyRefused, proxyOf } from './proxy.ts';

/** How long a proxy may take to connect. */
const CONNECTED_WITHIN_MS = 15_000;

/** One for each proxy, because an agent keeps its connections. */
const agents = new Map<string, Agent>();

/** Undefined for an address that is asked directly. */
export function proxyAgentFor(address: URL): Agent | undefined {
  const proxy = proxyOf(address);
  if (proxy === undefined) return undefined;
  const known = agents.get(proxy.href) ?? new ProxyAgent(proxy);
  agents.set(proxy.href, known);
  return known;
}

type OnCreated = (error: Error | null, socket?: Duplex) => void;

class ProxyAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super({ keepAlive: true });
    this.#proxy = proxy;
  }

  /** Node calls it for each new connection, and waits for the callback. */
  override createConnection(options: RequestOptions, onCreated: OnCreated): undefined {
    const asked = connectRequest(this.#proxy, authorityOf(options));
    asked.once('connect', (answer: IncomingMessage, socket) => {
      if (answer.statusCode === 200) {
        onCreated(null, connect({ ...(options as ConnectionOptions), socket }));
        return;
      }
      socket.destroy();
      onCreated(new ProxyRefused(`the proxy answered ${answer.statusCode} instead of connecting`));
    });
    asked.once('error', (error: NodeJS.ErrnoException) =>
      onCreated(new ProxyRefused(`the proxy cannot be reached (${error.code ?? error.name})`)),
    );
    asked.end();
  }
}

function connectRequest(proxy: URL, authority: string): ClientRequest {
  const isSecure = proxy.protocol === 'https:';
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  );
  return (isSecure ? httpsRequest : httpRequest)({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port === '' ? (isSecure ? 443 : 80) : proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(username !== '' && { 'proxy-authorization': `Basic ${login}` }) },
    agent: false,
    signal: AbortSignal.timeout(CONNECTED_WITHIN_MS),
  });
}

function authorityOf({ host, port }: RequestOptions): string {
  return `${host?.includes(':') === true ? `[${host}]` : host}:${port}`;
}
