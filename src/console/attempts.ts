// Codes have 256 bits and cannot be guessed. The limits keep an attacker from querying Redis or the provider at full speed.

import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { hashOfSecret } from '../engine/ids.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import type { ConsoleAccess } from '../operate/console-access.ts';

/** Most attempts to sign in within one minute from one address. */
const ATTEMPTS_MAX = 10;
const WINDOW_MS = 60_000;
/** Most addresses that are counted at a time; with one more the count begins again. */
const ADDRESSES_MAX = 10_000;
/** Most addresses that this worker remembers beside those of all; the oldest go first. */
const KNOWN_MAX = 1_000;
/** How often the addresses of all workers are read at most, so that attempts cost Redis nothing. */
const READ_EVERY_MS = 10_000;

/** Addresses from which somebody has signed in, on any worker and before a restart. */
export class KnownAddresses {
  readonly #own = new Set<string>();
  readonly #kept: Pick<ConsoleAccess, 'know' | 'known'> | undefined;
  #all: ReadonlySet<string> = new Set();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /** `kept`: shares them. Without it, they are of this worker alone. */
  constructor(kept?: Pick<ConsoleAccess, 'know' | 'known'>) {
    this.#kept = kept;
  }

  /** A mark that Redis does not take keeps nobody from signing in. */
  async add(address: string): Promise<void> {
    const own = hashOfSecret(address);
    this.#own.delete(own);
    this.#own.add(own);
    const [oldest] = this.#own;
    if (this.#own.size > KNOWN_MAX && oldest !== undefined) this.#own.delete(oldest);
    await this.#kept?.know(address).catch(() => undefined);
  }

  has(address: string): boolean {
    const hash = hashOfSecret(address);
    return this.#own.has(hash) || this.#all.has(hash);
  }

  /** Before an attempt is counted. While Redis does not answer, those of the last reading are known. */
  async read(): Promise<void> {
    const nowMs = steadyClock.now();
    if (this.#kept !== undefined && nowMs - this.#readAtMs >= READ_EVERY_MS) {
      this.#readAtMs = nowMs;
      this.#reading = this.#kept.known().then(
        (all) => {
          this.#all = all;
        },
        () => undefined,
      );
    }
    await this.#reading;
  }
}

export class Attempts {
  readonly #clock: Clock;
  readonly #known: KnownAddresses;
  readonly #togetherMax: number;
  #windowMs = Number.NEGATIVE_INFINITY;
  #together = { known: 0, strangers: 0 };
  readonly #of = new Map<string, number>();

  /**
   * `clock`: one that is never set. `togetherMax`: most attempts of all strangers in a minute, and as many again of known addresses, so that
   * strangers keep nobody out. Needed where an attempt costs a call to the outside.
   */
  constructor(parts: {
    readonly clock: Clock;
    readonly known: KnownAddresses;
    readonly togetherMax?: number;
  }) {
    this.#clock = parts.clock;
    this.#known = parts.known;
    this.#togetherMax = parts.togetherMax ?? Number.POSITIVE_INFINITY;
  }

  /** Counts one attempt; false when it exceeds a limit. */
  mayTry(address: string): boolean {
    const nowMs = this.#clock.now();
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#together = { known: 0, strangers: 0 };
      this.#of.clear();
    }
    const share = this.#known.has(address) ? 'known' : 'strangers';
    if (this.#together[share] >= this.#togetherMax) return false;
    const own = (this.#of.get(address) ?? 0) + 1;
    if (own > ATTEMPTS_MAX) return false;
    if (this.#of.size >= ADDRESSES_MAX) this.#of.clear();
    this.#together[share] += 1;
    this.#of.set(address, own);
    return true;
  }
}

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
