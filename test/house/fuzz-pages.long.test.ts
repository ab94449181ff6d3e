// Any address at the pages that browsers and calendar programs ask for. What is found becomes a fixed case beside the door.
import { connect } from 'node:net';
import fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFeedSecret, isSameSecret } from '../../src/calendar/stores.ts';
import { hashOfSecret, newSecret } from '../../src/engine/ids.ts';
import { consentRoute } from '../../src/google/consent.ts';
import { feedRoute } from '../../src/operate/http-server.ts';
import { useConsole } from '../console/stand.ts';
import { SILENT_LOG } from '../stand/store.ts';

const RUNS = 600;
const openConsole = useConsole();

const piece = fc.oneof(
  fc.constantFrom('*', ':a(', ':b(c+)'),
  fc.constantFrom('..', '.', '', '%2e%2e', '%2f', '%5c', '\\', '%00', '%', '%ff', '__proto__', 'constructor'),
  fc.constantFrom(
    'evil.example',
    '@evil.example',
    '//evil.example',
    'http:',
    'static',
    'api',
    'queues',
    'object',
  ),
  fc.constantFrom(
    'console',
    'letters',
    'search',
    'sign-in',
    'return',
    'acts.csv',
    'appointment',
    'live',
    'feeds',
  ),
  fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[^\x21-\x7e]/g, '')),
);
const path = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('/'));
const pair = fc.tuple(
  fc.constantFrom('language', 'q', 'key', 'about', 'state', 'code', 'error', 'limit'),
  piece,
);
const query = fc
  .array(fc.oneof(pair, fc.constant(['language', 'ru'] as [string, string])), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
}

/** As it stands: an HTTP client would tidy the address up. */
function ask(url: string, address: string, headers: readonly string[] = []): Promise<Answer> {
  const { port, host } = new URL(url);
  const lines = [`GET ${address} HTTP/1.1`, `host: ${host}`, 'connection: close', ...headers, '', ''];
  return new Promise((done, fail) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(lines.join('\r\n')));
    socket.on('data', (chunk) => {
      text += String(chunk);
      // A stream of changes has no end of its own.
      if (text.includes('text/event-stream')) socket.destroy();
    });
    socket.on('error', fail);
    socket.on('close', () => {
      const location = /^location: (.*)$/im.exec(text.split('\r\n\r\n')[0] ?? '')?.[1];
      done({ status: Number(text.slice(9, 12)), text, location });
    });
  });
}

test.each(['nobody', 'ops'] as const)(
  'P9: whatever address %s asks the console for is answered, leads nowhere else, and shows no error from within',
  async (who) => {
    const stand = await openConsole();
    const cookie =
      who === 'nobody' ? [] : [`cookie: slotbridge_console=${(await stand.signIn('ops')).token}`];
    await fc.assert(
      fc.asyncProperty(path, query, async (rest, asked) => {
        // The stand has no queues.
        fc.pre(!/^queues/.test(rest));
        const { status, text, location } = await ask(stand.url, `/console/${rest}?${asked}`, cookie);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
        expect(location ?? '/console').toMatch(/^\/console(?:[/?]|$)/);
        expect(text).not.toMatch(/node_modules|at \w+ \(|\/work\//);
      }),
      { numRuns: RUNS },
    );
  },
);

let app: FastifyInstance;
let url: string;
let looked: number;
const SECRET = newSecret();
beforeAll(async () => {
  looked = 0;
  const never = () => Promise.reject(new Error('nobody was to get so far'));
  app = Fastify();
  await app.register(
    feedRoute({
      ...{ path: '/feeds', feeds: ['anna'], isSecret: isFeedSecret, isSameSecret, nowMs: () => 0 },
      hashes: async () => {
        looked += 1;
        return new Map([['anna', hashOfSecret(SECRET)]]);
      },
      write: async () => 'BEGIN:VCALENDAR',
    }),
  );
  await app.register(
    consentRoute({
      client: {
        clientId: 'c',
        clientSecret: 's',
        authUri: 'http://127.0.0.1:1',
        tokenUri: 'http://127.0.0.1:1',
      },
      ...{ redirectUri: 'http://127.0.0.1', clock: { now: () => 0 }, log: SILENT_LOG },
      links: { take: async () => undefined },
      consents: { keep: never },
      ownerOf: () => undefined,
      useOf: () => ({ calendars: true, spreadsheets: true }),
      onKept: never,
      mayTry: () => true,
    }),
  );
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

test('P9: no address but its own opens a feed, and what cannot be a secret costs no look at Redis', async () => {
  const feed = fc.oneof(fc.constantFrom('anna', '__proto__', 'constructor', 'ANNA', 'anna%00', ''), piece);
  const secret = fc.oneof(
    piece,
    fc.constantFrom(
      `${SECRET.slice(0, -1)}`,
      `${SECRET}x`,
      SECRET.toLowerCase(),
      `${SECRET}%20`,
      hashOfSecret(SECRET),
    ),
    fc.stringMatching(/^[\w-]{43}$/),
  );
  await fc.assert(
    fc.asyncProperty(
      feed,
      secret,
      fc.constantFrom('.ics', '', '.ICS', '.ics.ics'),
      async (name, key, end) => {
        fc.pre(key !== SECRET);
        const { status, text } = await ask(url, `/feeds/${name}/${key}${end}`);
        expect([400, 404]).toContain(status);
        expect(text).not.toContain('VCALENDAR');
      },
    ),
    { numRuns: RUNS },
  );
  expect((await ask(url, `/feeds/anna/${SECRET}.ics`)).text).toContain('VCALENDAR');
  // The clock stands still: one look lasts.
  expect(looked).toBe(1);
});

test('P9: whatever comes back from a consent page is answered 4xx, or as somebody who did not agree, and is not repeated', async () => {
  const value = fc.oneof(
    piece,
    fc.stringMatching(/^[\w-]{43}$/),
    fc.constantFrom('access_denied', '<b>evil</b>'),
  );
  const fields = fc.array(fc.tuple(fc.constantFrom('state', 'code', 'error', 'scope', '__proto__'), value), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(fields, async (pairs) => {
      const asked = pairs.map(([name, text]) => `${name}=${text.replaceAll(/[#\s]/g, '')}`).join('&');
      const { status, text } = await ask(url, `/google/consent?${asked}`);
      const isRefused = asked.includes('error=access_denied') && status === 200;
      expect(isRefused || (status >= 400 && status < 500)).toBe(true);
      expect(text).not.toMatch(/evil/);
    }),
    { numRuns: RUNS },
  );
});
