import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { missingRights, NEEDED_COMMANDS, WriteProbe } from '../../../src/engine/redis-fitness.ts';
import { Readiness } from '../../../src/operate/http-server.ts';
import { read, trackedFiles } from '../../house/tree.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';
import { startWorld } from '../../stand/world.ts';

let redis: TestRedis;
let store: TestStore;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(async () => {
  await allow('reset', 'on', 'nopass', '~*', '&*', '+@all');
  store.close();
});

/** Changes what the user of this Redis may do, also on open connections. */
const allow = (...rules: string[]) => store.redis.call('ACL', 'SETUSER', 'default', ...rules);

const probe = () => new WriteProbe({ redis: store.redis, keys: store.keys, clock: { now: () => 0 } });

test.each([
  ['eval and its digest', ['-eval', '-evalsha'], 'no permissions to run the'],
  ['what scripts run', ['-set'], "can't run this command"],
  ['its keys', ['resetkeys', '~somebody-else:*'], 'no permissions to access one of the keys'],
])(
  'a user without %s is a problem that says what Redis answered, and the worker is not ready',
  async (_, rules, said) => {
    const asked = probe();
    const readiness = new Readiness(asked);
    readiness.namesResolved();
    expect(await readiness.read()).toEqual({ ready: true, reasons: [] });
    await allow(...rules);
    const problem = await asked.problem();
    expect(problem).toMatchObject({ target: 'redis', code: 'redis-rights-missing' });
    expect(problem?.message).toContain(said);
    expect(problem?.advice).toContain('slotbridge check --live');
    expect((await readiness.read()).ready).toBe(false);
  },
);

test('a command that Redis refuses fails with its answer, and with advice that fits', async () => {
  await allow('-hmget');
  const failed = await store.memory.get('anything').catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 'store-unavailable',
    message: expect.stringContaining("no permissions to run the 'hmget' command"),
    advice: expect.stringContaining('slotbridge check --live'),
  });
});

test('the arguments of a command are in no message', async () => {
  const failed = await store.redis.call('NOSUCH', '+49 30 901820').catch((error: unknown) => error);
  const { redisRefusalOf } = await import('../../../src/engine/redis-client.ts');
  expect(redisRefusalOf(failed)).toMatchObject({ answer: "ERR unknown command 'NOSUCH'", isForbidden: true });
});

test.each(NEEDED_COMMANDS)(
  'a user that may not run %s is told so, and Redis is left as it was',
  async (name) => {
    // Those of earlier tests expire meanwhile.
    const ownKeys = async () => (await store.redis.keys(`{${store.prefix}}*`)).sort();
    const before = await ownKeys();
    await allow(`-${name.toLowerCase()}`);
    expect((await missingRights(store.redis, store.keys.writable)).missing).toContain(name);
    await allow('+@all');
    // A user that may not delete leaves a key that expires by itself.
    if (name !== 'DEL' && name !== 'UNLINK') expect(await ownKeys()).toEqual(before);
  },
);

test('every command that the source runs is asked for', () => {
  const source = trackedFiles()
    .filter((path) => /^src\/.*\.ts$/.test(path))
    .map(read)
    .join('\n');
  const named = [...source.matchAll(/redis\.call\('([A-Z]+)'|redis\.([a-z]+)\(/g)];
  const commands = new Set(named.map(([, inLua, called = '']) => inLua ?? called.toUpperCase()));
  for (const other of ['CALL', 'DISCONNECT', 'ONCE', 'ON', 'OFF', 'NODES']) commands.delete(other);
  expect(commands.size).toBeGreaterThan(40);
  expect([...commands].filter((name) => !NEEDED_COMMANDS.includes(name))).toEqual([]);
});

test('a user with all rights lacks none, one with rights to other keys lacks all that take keys', async () => {
  const { writable } = store.keys;
  expect(await missingRights(store.redis, writable)).toEqual({ missing: [], answer: undefined });
  await allow('resetkeys', '~somebody-else:*');
  const { missing } = await missingRights(store.redis, writable);
  expect(missing).toContain('HGET');
  expect(missing).not.toContain('INFO');
});

test('P1: with just the rights that the check asks for, a worker mirrors, and Redis has refused nothing', async () => {
  const own = await startTestRedis();
  const world = await startWorld({ redis: own });
  const { Redis } = await import('ioredis');
  const admin = new Redis(own.url.replace('unix://', ''));
  try {
    const rights = NEEDED_COMMANDS.map((name) => `+${name.toLowerCase()}`);
    // The test itself looks at clients and empties Redis.
    const ofTests = ['+client', '+acl', '+flushall', '+config', '+keys'];
    await admin.call('ACL', 'SETUSER', 'default', '-@all', ...rights, ...ofTests);
    await admin.call('ACL', 'LOG', 'RESET');
    const port = await world.door();
    await world.subscribe(port);
    const { url } = await world.startWorker(port);
    for (let hours = 24; hours < 27; hours += 1) world.book({ hours });
    const { problems } = await world.untilIdle(url);
    expect(problems).toEqual([]);
    const refused = (await admin.call('ACL', 'LOG')) as string[][];
    // Rewriting its file is a courtesy of Redis, which a worker does without.
    expect(
      refused.map((entry) => entry[entry.indexOf('object') + 1]).filter((name) => name !== 'bgrewriteaof'),
    ).toEqual([]);
  } finally {
    await admin.call('ACL', 'SETUSER', 'default', '+@all');
    admin.disconnect();
    await world.close();
  }
});
