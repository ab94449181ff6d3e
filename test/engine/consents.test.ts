import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { endLeftConsents } from '../../src/google/consent.ts';
import type { ConsentOwner } from '../../src/google/consent-store.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const DAY = 86_400_000;
const [ANNA, BORIS] = ['anna@clinic.example', 'boris@clinic.example'];
const KEYS = [randomBytes(32).toString('base64')];

let redis: TestRedis;
let store: TestStore;
/** Account to the address in the YAML. */
let yaml: Record<string, string>;
let revoked: string[];
let isAway: boolean;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url, { consentKeys: KEYS });
  await store.ready();
  [yaml, revoked, isAway] = [{ anna: ANNA, boris: BORIS }, [], false];
  for (const account of ['anna', 'boris']) await keep(account);
  return () => store.close();
});

const ownerOf = (account: string): ConsentOwner | undefined => {
  const address = yaml[account];
  return address === undefined ? undefined : { account, address };
};
const keep = (account: string, token = `token of ${account}`) =>
  store.consents.keep({ account, address: yaml[account] ?? '' }, { token, atMs: 0 });

/** One pass of the upkeep, so many days after the beginning. */
const pass = (days: number) =>
  endLeftConsents({
    ...{ consents: store.consents, ownerOf, keepMs: 90 * DAY, nowMs: days * DAY, log: SILENT_LOG },
    async revoke(token) {
      if (isAway) throw new Error('Google is away');
      revoked.push(token);
      return true;
    },
  });
const stored = async () => (await store.consents.all()).map(({ account }) => account).sort();

test('a consent whose account left the YAML is revoked and removed once its time is over, and no other', async () => {
  delete yaml['boris'];
  for (const days of [0, 30, 89]) expect(await pass(days)).toBe(0);
  expect([await stored(), revoked]).toEqual([['anna', 'boris'], []]);
  expect(await pass(90)).toBe(1);
  expect([await stored(), revoked]).toEqual([['anna'], ['token of boris']]);
  expect(await pass(400)).toBe(0);
});

test('a slip in the YAML costs no consent, and its time begins again', async () => {
  delete yaml['boris'];
  await pass(0);
  yaml['boris'] = BORIS;
  await pass(50);
  delete yaml['boris'];
  for (const days of [60, 95, 149]) expect(await pass(days)).toBe(0);
  expect(await pass(150)).toBe(1);
});

test('an account that belongs to somebody else now keeps the former person’s consent no longer', async () => {
  yaml['boris'] = 'carl@clinic.example';
  await pass(0);
  expect(await pass(90)).toBe(1);
  expect([await stored(), revoked]).toEqual([['anna'], ['token of boris']]);
});

test('a renamed account is not cut off: Google would end every consent of that person', async () => {
  delete yaml['boris'];
  yaml['colleague'] = BORIS;
  await keep('colleague');
  await pass(0);
  expect(await pass(90)).toBe(1);
  expect([await stored(), revoked]).toEqual([['anna', 'colleague'], []]);
});

test('nothing is removed while Google is away, nor what was given anew meanwhile', async () => {
  delete yaml['boris'];
  await pass(0);
  isAway = true;
  await expect(pass(90)).rejects.toThrow('away');
  expect(await stored()).toEqual(['anna', 'boris']);
  const [before] = (await store.consents.all()).filter(({ account }) => account === 'boris');
  yaml['boris'] = BORIS;
  await keep('boris', 'another token');
  if (before === undefined) throw new Error('nothing is stored');
  expect(await store.consents.remove(before)).toBe(false);
  expect(await store.consents.token({ account: 'boris', address: BORIS })).toEqual({
    token: 'another token',
  });
});

test('what an earlier version stored says whose it is once it was read, and ends without a word to Google before', async () => {
  const [hash = ''] = await store.redis.keys(`*${store.prefix}*:google-consents`);
  for (const account of ['anna', 'boris']) {
    const { who: _, ...row } = JSON.parse((await store.redis.hget(hash, account)) ?? '');
    await store.redis.hset(hash, account, JSON.stringify(row));
  }
  const known = async () => (await store.consents.all()).map(({ given }) => given?.address).sort();
  expect(await known()).toEqual([undefined, undefined]);
  expect(await store.consents.token({ account: 'anna', address: ANNA })).toEqual({ token: 'token of anna' });
  expect(await known()).toEqual([ANNA, undefined]);
  delete yaml['boris'];
  await pass(0);
  expect(await pass(90)).toBe(1);
  expect(revoked).toEqual([]);
});
