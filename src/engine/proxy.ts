// Which requests leave through a proxy: the environment says so, in the variables that most programs read.
import { TerminalError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy cannot reach the worker's own loopback. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The proxy for requests to this address; undefined if they leave directly, as all plain http does. Throws `TerminalError` `proxy-unusable`
 * when HTTPS_PROXY is no address, whatever the request: the start then fails, and no object for it later.
 */
export function proxyOf({ protocol, hostname, port }: URL, env: Environment = process.env): URL | undefined {
  const written = settingOf(env, 'HTTPS_PROXY') ?? settingOf(env, 'HTTP_PROXY');
  if (written === undefined) return undefined;
  const proxy = parsed(written);
  if (protocol !== 'https:' || LOOPBACK.includes(hostname)) return undefined;
  const direct = (settingOf(env, 'NO_PROXY') ?? '').split(/[\s,]+/);
  const isDirect = direct.some((rule) => covers(rule.toLowerCase(), hostname, port === '' ? '443' : port));
  return isDirect ? undefined : proxy;
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
