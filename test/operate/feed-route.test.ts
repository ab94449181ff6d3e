import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { feedLinksAt } from '../../src/calendar/feed-handler.ts';
import { isFeedSecret, isSameSecret } from '../../src/calendar/stores.ts';
import { hashOfSecret, newSecret } from '../../src/engine/ids.ts';
import { feedRoute, refuseTheRest } from '../../src/operate/http-server.ts';
import { double } from '../stand/double.ts';
import { SILENT_LOG } from '../stand/store.ts';

const BODY = `BEGIN:VCALENDAR\r\n${'X-LONG:é\r\n'.repeat(500)}END:VCALENDAR\r\n`;

let app: FastifyInstance;
let secret: string;
let hashes: Map<string, string>;
let body: string;
let isAway: boolean;
let nowMs: number;
let reads: string[];
let compared: number;
beforeEach(async () => {
  secret = newSecret();
  hashes = new Map([['anna', hashOfSecret(secret)]]);
  [body, isAway, nowMs, reads] = [BODY, false, 0, []];
  app = fastify();
  refuseTheRest(app, { log: SILENT_LOG });
  app.register(
    feedRoute({
      ...{
        path: '/feeds',
        feeds: ['anna', 'boris'],
        isSecret: isFeedSecret,
        isSameSecret: (given, hash) => {
          compared += 1;
          return isSameSecret(given, hash);
        },
        nowMs: () => nowMs,
      },
      async hashes() {
        reads.push('hashes');
        if (isAway) throw new Error('away');
        return hashes;
      },
      async write(feed) {
        reads.push(`file ${feed}`);
        return body;
      },
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

interface Answer {
  readonly statusCode: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: string;
}

/** As it comes over the line: nothing is unpacked. */
function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((done, failed) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const raw = Buffer.concat(parts);
        done({ statusCode: response.statusCode, headers: response.headers, raw, body: raw.toString() });
      });
    });
    asked.on('error', failed).end();
  });
}
const own = () => `/feeds/anna/${secret}.ics`;

test('the secret address gives the file, to be kept by nobody in between', async () => {
  const answer = await get(own());
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe(BODY);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/calendar; charset=utf-8',
    'cache-control': 'private, max-age=60',
    'referrer-policy': 'no-referrer',
  });
});

describe('what is known already is not sent again', () => {
  test.each([
    (etag: string) => etag,
    (etag: string) => etag.slice(2),
    (etag: string) => `"x", ${etag}`,
    () => '*',
  ])('by If-None-Match %#', async (header) => {
    const etag = String((await get(own())).headers['etag']);
    const again = await get(own(), { 'if-none-match': header(etag) });
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
  });

  test('but another file is', async () => {
    const etag = String((await get(own())).headers['etag']);
    body = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';
    nowMs += 6_000;
    expect((await get(own(), { 'if-none-match': etag })).statusCode).toBe(200);
  });
});

test('whoever takes gzip gets it, and nobody else', async () => {
  const packed = await get(own(), { 'accept-encoding': 'br, gzip;q=0.8' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.raw).toString()).toBe(BODY);
  for (const header of ['br', 'gzip;q=0', 'gzip; q=0.0', 'identity'])
    expect((await get(own(), { 'accept-encoding': header })).headers['content-encoding']).toBeUndefined();
});

describe('a stranger', () => {
  test.each([
    ['another secret', () => `/feeds/anna/${newSecret()}.ics`],
    ['a feed without an address', () => `/feeds/boris/${secret}.ics`],
    ['a feed that is none', () => `/feeds/ghost/${secret}.ics`],
    ['a name of every object', () => `/feeds/__proto__/${secret}.ics`],
    ['no secret', () => '/feeds/anna/.ics'],
    ['too long a secret', () => `/feeds/anna/${secret}A.ics`],
    ['another ending', () => `/feeds/anna/${secret}.csv`],
  ])('with %s is answered like nobody', async (_, url) => {
    const answer = await get(url());
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([404, { error: 'not-found' }]);
  });

  test('costs one look at Redis in five seconds, and none for what cannot be a secret', async () => {
    for (let times = 0; times < 50; times += 1) await get(`/feeds/anna/${newSecret()}.ics`);
    for (let times = 0; times < 50; times += 1) await get('/feeds/anna/x.ics');
    for (let times = 0; times < 50; times += 1) await get(`/feeds/ghost/${newSecret()}.ics`);
    expect(reads).toEqual(['hashes']);
  });

  test('cannot tell the name of a feed from another: all cost the same, and all fail with Redis', async () => {
    const names = ['anna', 'boris', 'ghost', '__proto__'];
    const worked: unknown[] = [];
    for (const name of names) {
      // Everything cached before is too old.
      nowMs += 6_000;
      [reads, compared, isAway] = [[], 0, false];
      await get(`/feeds/${name}/${newSecret()}.ics`);
      nowMs += 6_000;
      isAway = true;
      const { statusCode } = await get(`/feeds/${name}/${newSecret()}.ics`);
      worked.push([reads, compared, statusCode]);
    }
    expect(worked).toEqual(names.map(() => [['hashes', 'hashes'], 1, 503]));
  });
});

test('many readers share one file in five seconds', async () => {
  await Promise.all(Array.from({ length: 20 }, () => get(own())));
  expect(reads).toEqual(['hashes', 'file anna']);
});

test('an address that is revoked ends within five seconds; the next one is another', async () => {
  await get(own());
  hashes.delete('anna');
  nowMs += 5_000;
  expect((await get(own())).statusCode).toBe(404);
});

test('while Redis is away readers are told to come again, and then get their file', async () => {
  isAway = true;
  const answer = await get(own());
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '30']);
  isAway = false;
  expect((await get(own())).statusCode).toBe(200);
});

test('an address is made once and shown then; only a hash of its secret is kept', async () => {
  const kept = new Map<string, string>();
  const links = feedLinksAt(
    double({
      async add(feed, hash) {
        if (kept.has(feed)) return false;
        kept.set(feed, hash);
        return true;
      },
      revoke: async (feed) => kept.delete(feed),
      hashes: async () => kept,
    }),
    'https://bridge.example',
  );
  const address = await links.make('anna');
  const [, shown = ''] =
    /^https:\/\/bridge\.example\/feeds\/anna\/([\w-]{43})\.ics$/.exec(address ?? '') ?? [];
  expect(isSameSecret(shown, kept.get('anna'))).toBe(true);
  expect(kept.get('anna')).not.toContain(shown);
  expect(await links.make('anna')).toBeUndefined();
  expect(await links.revoke('anna')).toBe(true);
  expect(await links.make('anna')).not.toBe(address);
});
