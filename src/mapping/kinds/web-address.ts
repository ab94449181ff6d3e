import * as z from 'zod';
import { complain, complaint } from '../problem.ts';
import { ofType, type Reading, readAs, WITH_VARIABLE } from './reading.ts';

/**
 * `redis://[user:password@]host[:port][/db]`, `rediss://…`, `redis+sentinel://[…@]host:port,host:port/master[?db=0]`,
 * `redis+cluster://[…@]host:port,host:port`, `unix:///path/of/the.sock`. Only the form is checked.
 */
export function redisAddress() {
  const form = () =>
    z.string(complain(WRONG)).meta({
      ...ofType('address of a Redis'),
      pattern: `^\\s*(rediss?|redis\\+sentinel|redis\\+cluster|unix)://|${WITH_VARIABLE}`,
    });
  return readAs(form, readRedisAddress);
}

/** The same address without user and password. */
export function maskRedisAddress(address: string): string {
  return address.replace(/^([a-z+]+:\/\/)(.*)@/s, '$1');
}

function readRedisAddress(text: string): Reading<string> {
  const value = text.trim();
  if (/^unix:\/\/\/[^?#\s]+$/.test(value)) return { value };
  const match =
    /^(redis|rediss|redis\+sentinel|redis\+cluster):\/\/(?:[^@/?#\s]*@)?([^@/?#\s]+)(\/[^?#\s]*)?(\?[^#\s]*)?$/.exec(
      value,
    );
  if (!match) return { complaint: WRONG };
  const [, scheme = '', hosts = '', path = '', query = ''] = match;
  if (!hosts.split(',').every(isHost)) return { complaint: WRONG_HOST };
  const name = path.slice(1);
  switch (scheme) {
    case 'redis+sentinel':
      if (!/^[\w.-]+$/.test(name)) return { complaint: NO_MASTER };
      return /^(\?db=\d{1,3})?$/.test(query) ? { value } : { complaint: WRONG_QUERY };
    case 'redis+cluster':
      // Redis Cluster has database 0 only.
      return name === '' && query === '' ? { value } : { complaint: CLUSTER_DATABASE };
    default:
      if (hosts.includes(',')) return { complaint: SEVERAL_HOSTS };
      if (query !== '') return { complaint: WRONG_QUERY };
      return /^\d{0,3}$/.test(name) ? { value } : { complaint: WRONG_DATABASE };
  }
}

function isHost(host: string): boolean {
  const [, port] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(host) ?? [
    undefined,
    'none',
  ];
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}

const FORMS =
  'write redis://host:6379/0, rediss://host:6379, redis+sentinel://host:26379,host:26379/master?db=0, redis+cluster://host:6379,host:6379 or unix:///path/redis.sock';
const WRONG = complaint(
  'is not the address of a Redis',
  `${FORMS}; percent-encode special characters of a password`,
);
const WRONG_HOST = complaint('has no valid host, or a port outside 1 to 65535', FORMS);
const NO_MASTER = complaint(
  'names no master',
  'write the name that the sentinels watch: redis+sentinel://host:26379/master',
);
const WRONG_QUERY = complaint(
  'has a query that is not supported',
  'only redis+sentinel:// takes one, and only ?db=0',
);
const CLUSTER_DATABASE = complaint(
  'names a database; a cluster has only one',
  'end the address after the hosts',
);
const SEVERAL_HOSTS = complaint(
  'names several hosts',
  'write redis+sentinel:// or redis+cluster:// for several',
);
const WRONG_DATABASE = complaint('names a database that is not a number', 'write redis://host:6379/0');

/** `https:` anywhere; `http:` on this machine only, where a sandbox may replace the real service. */
export function webAddress(
  example: string,
  refine: (url: URL) => Reading<string>,
  /** `query`: the address may contain a query, which can be part of a secret. */
  { query = false } = {},
) {
  const fix = `write the whole address, for example ${example}`;
  const wrong = complaint('is not a web address', fix);
  const form = () =>
    z
      .string(complain(wrong, complaint('is missing or empty', fix)))
      .meta({ ...ofType('web address'), pattern: `^\\s*https?://|${WITH_VARIABLE}` });
  return readAs(form, (text): Reading<string> => {
    const reading = readWebAddress(text, example, { query });
    return 'value' in reading ? refine(reading.value) : reading;
  });
}

export function readWebAddress(text: string, example: string, { query = false } = {}): Reading<URL> {
  // The URL parser would silently encode a blank inside the address.
  const url = /\s/.test(text.trim()) ? null : parseUrl(text.trim());
  if (!url)
    return {
      complaint: complaint('is not a web address', `write the whole address, for example ${example}`),
    };
  const objection = objectTo(url, query);
  return objection === undefined ? { value: url } : { complaint: objection };
}

/** The address without a final slash. */
export function withoutSlash(url: URL): string {
  return url.href.replace(/(?<!\/)\/+$/, '');
}

export function withSlash(url: URL): string {
  return `${withoutSlash(url)}/`;
}

export function isLoopback(url: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function objectTo(url: URL, mayAsk: boolean): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return complaint('is not a web address', 'write an address that begins with https://');
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    return complaint(
      'is plain http, which would expose the key to the network',
      'write https://; http:// is only for 127.0.0.1, ::1 and localhost',
    );
  }
  if (url.username !== '' || url.password !== '') {
    return complaint('contains a login or a password', 'remove everything before the @');
  }
  if ((url.search !== '' && !mayAsk) || url.hash !== '') {
    return complaint('contains a query or a fragment', 'end the address before the ? or #');
  }
  return undefined;
}
