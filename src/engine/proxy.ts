// Which requests leave through a proxy: the environment says so, in the variables that most programs read.

import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type Agent as PlainAgent,
} from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { type Duplex, Readable } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { createUnzip, type Unzip } from 'node:zlib';
import { TerminalError } from './errors.ts';
import { PlainHeaders } from './plain-headers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy cannot reach the worker's own loopback. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The proxy for requests to this address; undefined if they leave directly, as all plain http does. Throws `TerminalError` `proxy-unusable`
 * when HTTPS_PROXY is no address, whatever the request: the start then fails, and no object for it later.
 */
export function proxyOf({ protocol, hostname, port }: URL, env: Environment = process.env): URL | undefined {
  const written = proxySetting(env);
  if (written === undefined) return undefined;
  const proxy = parsed(written);
  if (protocol !== 'https:' || LOOPBACK.includes(hostname)) return undefined;
  const direct = (settingOf(env, 'NO_PROXY') ?? '').split(/[\s,]+/);
  const isDirect = direct.some((rule) => covers(rule.toLowerCase(), hostname, port === '' ? '443' : port));
  return isDirect ? undefined : proxy;
}

/** Whether any request may leave through a proxy. The environment of a process does not change. */
export function isProxySet(): boolean {
  return proxySetting(process.env) !== undefined;
}

function proxySetting(env: Environment): string | undefined {
  return settingOf(env, 'HTTPS_PROXY') ?? settingOf(env, 'HTTP_PROXY');
}

function parsed(written: string): URL {
  const address = written.includes('://') ? written : `http://${written}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy !== undefined && ['http:', 'https:'].includes(proxy.protocol) && isReadable(proxy)) return proxy;
  // Without the value: it may hold a password.
  throw new TerminalError('proxy-unusable', 'HTTPS_PROXY is not the address of an HTTP proxy', {
    advice:
      'Set it to http://host:port, with user:password@ before the host if the proxy asks for them, and a % in them written as %25. SOCKS is not supported.',
  });
}

/** False for a login with a `%` that is no escape. */
function isReadable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The proxy did not connect. What it answers is not the remote side's word: taken for one, its 404 would say that an event is gone.
 */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  readonly code = 'EPROXY';
}

/** In lower case first, as curl reads them. */
function settingOf(env: Environment, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]].find((value) => value !== undefined && value !== '');
}

/** `example.com`, `.example.com` and `*.example.com` mean the host and all below it; a port after it restricts the rule to that port. */
function covers(rule: string, hostname: string, port: string): boolean {
  if (rule === '*') return true;
  const [, name = '', only] = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(rule) ?? [];
  if (name === '' || (only !== undefined && only !== port)) return false;
  return hostname === name || hostname.endsWith(`.${name}`);
}

// Takes https requests through a proxy: CONNECT, then TLS with the remote side itself. The proxy sees host and port, and no content.

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

/**
 * One request over Node's own client, which keeps connections and follows no redirect: half the processor time of `fetch`. Rejects with
 * `AnswerTooLarge`, or when the connection fails or the body breaks off.
 */
export async function exchange(
  url: URL,
  { body, signal, bytesMax, into, ...options }: Sent,
): Promise<{ readonly status: number; readonly headers: PlainHeaders }> {
  signal?.throwIfAborted();
  let stop = () => {};
  const answered = new Promise<{ status: number; headers: PlainHeaders }>((done, fail) => {
    const asked = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, options);
    let unzip: Unzip | undefined;
    const giveUp = (error: unknown) => {
      fail(error);
      asked.destroy();
      unzip?.destroy();
    };
    stop = () => giveUp(signal?.reason);
    signal?.addEventListener('abort', stop);
    asked.on('error', fail);
    asked.on('response', (answer) => {
      const { statusCode: status = 0, rawHeaders } = answer;
      const headers = headersOf(rawHeaders);
      // Callers ask for gzip at most.
      const isPacked = (headers.get('content-encoding') ?? 'identity') !== 'identity';
      let size = 0;
      const take = (part: Buffer) => {
        size += part.length;
        if (size > bytesMax) giveUp(new AnswerTooLarge(bytesMax));
        else into.push(part);
      };
      answer.on('error', giveUp);
      answer.on('data', (part: Buffer) => {
        if (!isPacked) return take(part);
        unzip ??= createUnzip()
          .on('data', take)
          .on('end', () => done({ status, headers }))
          .on('error', giveUp);
        if (unzip.write(part)) return;
        answer.pause();
        unzip.once('drain', () => answer.resume());
      });
      answer.on('end', () => (unzip === undefined ? done({ status, headers }) : unzip.end()));
    });
    asked.end(body);
  });
  return answered.finally(() => signal?.removeEventListener('abort', stop));
}

interface Sent {
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: PlainAgent | undefined;
  readonly body: string | undefined;
  readonly signal: AbortSignal | null | undefined;
  /** A longer answer is refused. It counts unpacked. */
  readonly bytesMax: number;
  /** Gets the answer, unpacked, as it comes. `push` must not throw. */
  readonly into: { push(part: Buffer): unknown };
}

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly code = 'max-size';

  constructor(bytesMax: number) {
    super(`more than ${bytesMax} bytes`);
  }
}

function headersOf(raw: readonly string[]): PlainHeaders {
  const headers = new PlainHeaders();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}

/** Statuses for which `Response` takes no body. */
const EMPTY = [204, 205, 304];

/** `fetch` without redirects, through the proxy if the environment names one: Node's own knows no proxy before version 24. */
export async function fetchOutside(address: string, init: RequestInit): Promise<Response> {
  if (proxyOf(new URL(address)) === undefined) return fetch(address, { ...init, redirect: 'manual' });
  const asked = new Request(address, init);
  const { method, signal } = asked;
  const body = Buffer.from(await asked.arrayBuffer());
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    const agent = proxyAgentFor(new URL(address));
    const headers = Object.fromEntries(asked.headers);
    httpsRequest(address, { method, headers, agent, signal }, done).on('error', fail).end(body);
  });
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = [...headersOf(rawHeaders)];
  if (!EMPTY.includes(status))
    return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}
/** Seconds, or an HTTP date (RFC 9110): a gateway may send either. Never negative. */
export function retryAfterMs(
  headers: { get(name: string): string | null },
  nowMs: number,
): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = headerNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  // Relative to the sender's `Date` if present, so that a difference between the clocks does not matter.
  const sentAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(sentAt) ? nowMs : sentAt));
}

export function headerNumber(value: string | null): number | undefined {
  return value !== null && /^\s*\d{1,9}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
