import type { Keep } from '../../src/engine/keep.ts';
import { keySpace } from '../../src/engine/key-space.ts';
import type { Lease } from '../../src/engine/leases.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import type { Log } from '../../src/engine/runtime.ts';
import { openStores } from '../../src/worker/stores.ts';

let spaces = 0;

/** The stores over a real Redis, each call in a key space of its own. */
export function openTestStore(
  url: string,
  options: {
    now?: () => number;
    prefix?: string;
    keep?: Keep;
    consentKeys?: readonly string[];
    log?: Log | undefined;
  } = {},
) {
  const redis = openRedis(url, 'commands');
  spaces += 1;
  const prefix = options.prefix ?? `test-${process.pid}-${spaces}`;
  const keys = keySpace(prefix);
  return {
    redis,
    prefix,
    ...openStores(redis, { keys, clock: { now: options.now ?? Date.now } }, options),
    /** Writes as the holder of that lease. */
    async under<T>(name: string, write: (lease: Lease) => Promise<T>): Promise<T> {
      const held = await this.leases.hold(name, write);
      if (held === undefined) throw new Error(`somebody else holds ${name}`);
      return held.result;
    },
    ready: () =>
      new Promise<void>((done) => (redis.status === 'ready' ? done() : redis.once('ready', () => done()))),
    close: () => redis.disconnect(),
  };
}

/** What is in Redis now is in it again, and nothing else, once the returned function is called. */
export async function backupOf(redis: TestStore['redis']): Promise<() => Promise<void>> {
  const keys = await redis.keys('*');
  const dumps = await Promise.all(keys.map(async (key) => ({ key, dump: await redis.dumpBuffer(key) })));
  return async () => {
    await redis.flushall();
    for (const { key, dump } of dumps) await redis.restore(key, 0, dump ?? '');
  };
}

export type TestStore = ReturnType<typeof openTestStore>;

export const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };
export const NO_METER = { add() {}, observe() {} };
