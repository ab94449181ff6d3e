import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Most proxies in a row that are believed, the nearest first. */
const PROXIES_MAX = 5;
/** How much of the header is read, from its end: anybody may have written what comes before. */
const HEADER_CHARS_MAX = 1_024;

/**
 * Where a request comes from. Only trusted proxies are believed: each appends the address of its client to `X-Forwarded-For`. The list is
 * read from its end, up to the first address that is no trusted proxy. What a client writes itself is before that.
 */
export function visitorAddresses(
  trustedProxies: readonly string[],
): (request: Pick<FastifyRequest, 'raw'>) => string {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) addTo(trusted, proxy);
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return ({ raw }) => {
    let address = plain(raw.socket.remoteAddress ?? '');
    const header = raw.headers['x-forwarded-for'];
    const told = typeof header === 'string' ? header.slice(-HEADER_CHARS_MAX).split(',') : [];
    for (const each of told.slice(-PROXIES_MAX).reverse()) {
      if (isIP(address) === 0 || !isTrusted(address)) break;
      const before = plain(each.trim());
      // Not an address: the client of the proxy is unknown, so the proxy itself counts.
      if (isIP(before) === 0) break;
      address = before;
    }
    return counted(address);
  };
}

function addTo(list: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/');
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(bits), type);
}

/** The form that the list of proxies uses, whether or not the socket speaks IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** One customer of a provider may have a whole /48, with 2^80 addresses, so only that counts. */
function counted(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head.split(':').filter((group) => group !== '');
  const missing =
    tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length;
  const whole = [...groups, ...Array<string>(missing).fill('0'), ...(tail ?? '').split(':')];
  return whole
    .slice(0, 3)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':');
}
