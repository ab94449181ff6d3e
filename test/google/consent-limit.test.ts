import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Attempts, KnownAddresses, visitorAddresses } from '../../src/console/attempts.ts';
import { CONSENT_PATH, CONSENT_WORDS, consentRoute } from '../../src/google/consent.ts';
import { latinRuns } from '../stand/latin.ts';
import { SILENT_LOG } from '../stand/store.ts';

const PATH = `${CONSENT_PATH}?state=${'s'.repeat(43)}&code=c`;

let app: FastifyInstance;
let nowMs: number;
let looked: number;
beforeEach(async () => {
  [nowMs, looked] = [0, 0];
  const attempts = new Attempts({ clock: { now: () => nowMs }, known: new KnownAddresses() });
  const addressOf = visitorAddresses(['127.0.0.1']);
  app = fastify();
  await app.register(
    consentRoute({
      client: {
        clientId: 'c',
        clientSecret: 's',
        authUri: 'http://127.0.0.1:1',
        tokenUri: 'http://127.0.0.1:1',
      },
      ...{ redirectUri: 'http://127.0.0.1', clock: { now: () => nowMs }, log: SILENT_LOG, language: 'ru' },
      links: {
        async take() {
          looked += 1;
          return undefined;
        },
      },
      consents: { keep: async () => undefined },
      ownerOf: () => undefined,
      useOf: () => ({ calendars: true, spreadsheets: true }),
      onKept: async () => undefined,
      mayTry: (request) => attempts.mayTry(addressOf(request)),
    }),
  );
});
afterEach(() => app.close());

const call = async (address: string) => {
  const { statusCode } = await app.inject({ url: PATH, headers: { 'x-forwarded-for': address } });
  return statusCode;
};

test('P9: one network calls the consent page ten times a minute, costs no more looks at Redis, and keeps nobody else out', async () => {
  for (let times = 0; times < 50; times += 1) await call(`2001:db8:1:${times}::1`);
  expect(looked).toBe(10);
  expect(await call('2001:db8:1:ffff::1')).toBe(429);
  expect(await call('192.0.2.7')).toBe(410);
  nowMs += 60_000;
  expect(await call('2001:db8:1::1')).toBe(410);
  expect(looked).toBe(12);
});

test('what a person reads after the consent is in the language of the installation', async () => {
  for (let times = 0; times < 11; times += 1) await call('192.0.2.8');
  const told = await Promise.all(
    ['192.0.2.7', '192.0.2.8'].map((address) =>
      app.inject({ url: PATH, headers: { 'x-forwarded-for': address } }),
    ),
  );
  expect(told.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [410, expect.stringContaining('Эта ссылка уже использована или устарела.')],
    [429, expect.stringContaining('Слишком много запросов из вашей сети.')],
  ]);
  expect(Object.values(CONSENT_WORDS.ru).filter((text) => latinRuns(text).length > 0)).toEqual([]);
});
