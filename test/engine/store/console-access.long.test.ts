import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Act } from '../../../src/engine/role.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let nowMs: number;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  nowMs = Date.parse('2026-11-22T10:00:00Z');
  store = openTestStore(redis.url, { now: () => nowMs });
  await store.ready();
});
afterEach(() => store.close());

const ANNA = { role: 'ops', who: 'anna' } as const;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

test('a code signs in once, also when it is used twice at the same moment', async () => {
  const code = await store.consoleAccess.offer(ANNA, MINUTE_MS);
  const entered = await Promise.all([1, 2, 3].map(() => store.consoleAccess.enter(code, DAY_MS)));
  const [only, ...others] = entered.filter((each) => each !== undefined);
  expect(others).toEqual([]);
  expect(only?.session).toEqual({ ...ANNA, sinceMs: nowMs, untilMs: nowMs + DAY_MS });
  expect(await store.consoleAccess.session(only?.token ?? '')).toEqual(only?.session);
});

test('a code that is too old, and one that nobody made, signs nobody in', async () => {
  const code = await store.consoleAccess.offer(ANNA, MINUTE_MS);
  nowMs += MINUTE_MS;
  expect(await store.consoleAccess.enter(code, DAY_MS)).toBeUndefined();
  expect(await store.consoleAccess.enter('made-up', DAY_MS)).toBeUndefined();
});

test('neither code nor token can be read in Redis', async () => {
  const code = await store.consoleAccess.offer(ANNA, MINUTE_MS);
  const inRedis = async () => {
    const texts: string[] = [];
    for await (const { text } of store.search.all()) texts.push(text);
    return texts.join('\n');
  };
  expect(await inRedis()).toContain('anna');
  expect(await inRedis()).not.toContain(code);
  const entered = await store.consoleAccess.enter(code, DAY_MS);
  expect(await inRedis()).not.toContain(entered?.token);
});

test('a session ends at its time, when somebody leaves, and when it is revoked', async () => {
  const enter = async (who: string) => {
    const code = await store.consoleAccess.offer({ role: 'desk', who }, MINUTE_MS);
    return (await store.consoleAccess.enter(code, DAY_MS))?.token ?? '';
  };
  const [anna, boris, vera] = [await enter('anna'), await enter('boris'), await enter('vera')];
  await store.consoleAccess.leave(anna);
  expect(await store.consoleAccess.session(anna)).toBeUndefined();
  expect(await store.consoleAccess.revoke('boris')).toBe(1);
  expect(await store.consoleAccess.session(boris)).toBeUndefined();
  nowMs += DAY_MS - 1;
  expect(await store.consoleAccess.session(vera)).toMatchObject({ role: 'desk', who: 'vera' });
  nowMs += 1;
  expect(await store.consoleAccess.session(vera)).toBeUndefined();
});

test('a revoked person cannot use a link that is still open', async () => {
  const code = await store.consoleAccess.offer(ANNA, MINUTE_MS);
  expect(await store.consoleAccess.revoke()).toBe(1);
  expect(await store.consoleAccess.enter(code, DAY_MS)).toBeUndefined();
});

test('P9: a revoked person has no session, however the revocation and the sign-in meet', async () => {
  const other = openTestStore(redis.url, { now: () => nowMs, prefix: store.prefix });
  await other.ready();
  const survived: unknown[] = [];
  for (let round = 0; round < 20; round += 1) {
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => store.consoleAccess.offer(ANNA, MINUTE_MS)),
    );
    const signIn = async () => {
      for (const code of codes) await other.consoleAccess.enter(code, DAY_MS);
    };
    await Promise.all([signIn(), store.consoleAccess.revoke('anna')]);
    survived.push(...(await store.redis.hvals(store.keys.consoleSessions)));
  }
  other.close();
  expect(survived).toEqual([]);
});

test('there are never more than 100 open links: the one that ends first gives way', async () => {
  const first = await store.consoleAccess.offer(ANNA, MINUTE_MS);
  const second = await store.consoleAccess.offer(ANNA, 2 * MINUTE_MS);
  for (let more = 0; more < 99; more += 1) await store.consoleAccess.offer(ANNA, 5 * MINUTE_MS);
  expect(await store.redis.hlen(store.keys.consoleLinks)).toBe(100);
  expect(await store.consoleAccess.enter(first, DAY_MS)).toBeUndefined();
  expect(await store.consoleAccess.enter(second, DAY_MS)).toMatchObject({ session: ANNA });
});

const act = (id: string, more: Partial<Act> = {}): Act => ({
  ...{ id, atMs: nowMs, ...ANNA, what: 'letters-retried', why: 'calendar is shared again', about: {} },
  ...more,
});

test('an act that ended replaces what was noted when it began; the newest stands first', async () => {
  await store.acts.note(act('a', { chosen: 3 }));
  nowMs += 1;
  await store.acts.note(act('b', { chosen: 1 }));
  await store.acts.note(act('a', { atMs: nowMs - 1, chosen: 3, done: 2 }));
  const newest = await store.acts.newest(10);
  expect(newest.map(({ id, done }) => [id, done])).toEqual([
    ['b', undefined],
    ['a', 2],
  ]);
});

test('an act by a command whose worker dies before the line is written is logged by the next one', async () => {
  for (const id of ['a', 'b', 'c']) await store.acts.note(act(id));
  const lines: string[] = [];
  const worker = (onLine: () => void) =>
    openTestStore(redis.url, {
      ...{ prefix: store.prefix, now: () => nowMs },
      log: {
        ...SILENT_LOG,
        info(fields) {
          onLine();
          lines.push((fields as { readonly act: string }).act);
        },
      },
    });
  const killed = worker(() => {
    if (lines.length === 1) killed.close();
  });
  await killed.ready();
  await expect(killed.acts.logCommands()).rejects.toThrow();
  const next = worker(() => undefined);
  await next.acts.logCommands();
  await next.acts.logCommands();
  next.close();
  // Twice rather than never: both lines have the id of the act.
  expect(lines).toEqual(['a', 'b', 'b', 'c']);
  expect(await store.redis.exists(store.keys.unloggedActs)).toBe(0);
});

test('whoever floods the audit log removes own entries of the same kind, and a marker counts them', async () => {
  await store.acts.note(act('first'));
  await store.acts.note(act('link', { what: 'link-made' }));
  const flood = { who: 'mallory', what: 'resync' };
  for (let from = 0; from < 4_500; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.acts.note(act(`m${from + at}`, flood))));
  await store.acts.note(act('mine', { who: 'mallory', what: 'letters-discarded' }));
  const kept = await store.acts.newest(4_000);
  const ids = new Set(kept.map(({ id }) => id));
  expect(['first', 'link', 'mine', 'm4499'].filter((id) => !ids.has(id))).toEqual([]);
  const markers = kept.filter(({ what }) => what === 'entries-dropped');
  expect(markers).toHaveLength(1);
  expect(markers[0]).toMatchObject({ who: 'mallory', role: 'ops', about: { act: 'resync' } });
  const left = kept.filter(({ what }) => what === 'resync').length;
  expect(Number(markers[0]?.about['entries'])).toBe(4_500 - left);
  expect(await store.redis.llen(store.keys.consoleActs)).toBeLessThanOrEqual(4_000);
});

test('a log of many people who did little each stays within its bound, and one marker counts what went', async () => {
  // One person's flood first, so that its marker is among what goes.
  for (let from = 0; from < 4_100; from += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => store.acts.note(act(`m${from + at}`, { who: 'mallory' }))),
    );
  for (let from = 0; from < 4_700; from += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => store.acts.note(act(`p${from + at}`, { who: `p${from + at}` }))),
    );
  expect(await store.redis.llen(store.keys.consoleActs)).toBeLessThanOrEqual(4_000);
  const kept = await store.acts.newest(4_000);
  expect(kept.map(({ id }) => id)).toContain('p4699');
  const markers = kept.filter(({ what }) => what === 'entries-dropped');
  const dropped = markers.reduce((sum, { about }) => sum + Number(about['entries']), 0);
  expect(dropped).toBe(4_100 + 4_700 - (kept.length - markers.length));
  expect(markers.map(({ who }) => who)).toEqual(['*']);
});

test('acts are kept for 400 days and 4,000 entries', async () => {
  await store.acts.note(act('old'));
  nowMs += 401 * DAY_MS;
  await store.acts.note(act('new'));
  expect((await store.acts.newest(10)).map(({ id }) => id)).toEqual(['new']);
  expect(await store.redis.llen(store.keys.consoleActs)).toBe(1);
  // In batches: each act waits for those before it, and no call to Redis may wait for long.
  for (let from = 0; from < 4_100; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.acts.note(act(`n${from + at}`))));
  const entries = await store.redis.llen(store.keys.consoleActs);
  expect(entries).toBeLessThanOrEqual(4_000);
  expect(entries).toBeGreaterThan(3_700);
});

test('P9: a session that a clock began which was ahead ends when the clock is set right', async () => {
  nowMs += 3 * 365 * DAY_MS;
  const code = await store.consoleAccess.offer(ANNA, MINUTE_MS);
  const entered = await store.consoleAccess.enter(code, DAY_MS);
  expect(await store.consoleAccess.session(entered?.token ?? '')).toBeDefined();
  nowMs -= 3 * 365 * DAY_MS;
  expect(await store.consoleAccess.session(entered?.token ?? '')).toBeUndefined();
});

test('P9: one person has twenty sessions at most, and takes none from others', async () => {
  const enter = async (who: string) => {
    nowMs += 1;
    const code = await store.consoleAccess.offer({ role: 'viewer', who }, MINUTE_MS);
    return (await store.consoleAccess.enter(code, DAY_MS))?.token ?? '';
  };
  const anna = await enter('anna');
  const own: string[] = [];
  for (let nth = 0; nth < 520; nth += 1) own.push(await enter('vera'));
  const open = await Promise.all(own.map((token) => store.consoleAccess.session(token)));
  expect(open.flatMap((session, nth) => (session === undefined ? [] : [nth]))).toEqual(
    Array.from({ length: 20 }, (_, nth) => 500 + nth),
  );
  expect(await store.consoleAccess.session(anna)).toMatchObject({ role: 'viewer', who: 'anna' });
});
