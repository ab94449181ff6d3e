import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  isProvedDead,
  ownIdentity,
  type ProcessIdentity,
  processStart,
} from '../../../src/engine/folder-lock.ts';
import { KeyedQueue, KeyedWorker } from '../../../src/engine/keyed-queue.ts';
import { Leases } from '../../../src/engine/leases.ts';
import { RedisProcesses, tokenOf } from '../../../src/engine/processes.ts';
import { openRedis } from '../../../src/engine/redis-client.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

/** Longer than any test waits: what runs before has been freed. */
const LONG_MS = 3_600_000;

let redis: TestRedis;
let store: TestStore;
let child: ChildProcess;
let own: ProcessIdentity;
let other: ProcessIdentity;
const releases: (() => unknown)[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  const identity = ownIdentity();
  if (identity === undefined) throw new Error('this system does not tell which process is which');
  own = identity;
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  other = { place: own.place, pid, startedAt: processStart(pid) };
});
afterEach(async () => {
  await kill();
  for (const release of releases.splice(0).reverse()) await release();
  store.close();
});

async function kill(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('a process is proved dead', () => {
  test('when it was killed', async () => {
    expect(isProvedDead(other, own)).toBe(false);
    await kill();
    expect(isProvedDead(other, own)).toBe(true);
  });

  test('when its number belongs to another one by now, as in a container that was started again', () => {
    expect(isProvedDead({ ...other, startedAt: String(Number(other.startedAt) - 1) }, own)).toBe(true);
  });

  test('but not while it is frozen', async () => {
    child.kill('SIGSTOP');
    await vi.waitFor(() => expect(processStart(child.pid ?? 0)).toBe(other.startedAt), {
      timeout: PATIENCE_MS,
    });
    expect(isProvedDead(other, own)).toBe(false);
    child.kill('SIGCONT');
  });

  const elsewhere: readonly [string, (words: string[]) => void][] = [
    ['on another boot or machine', (words) => words.splice(0, 1, 'c0ffee00-0000-4000-8000-000000000000')],
    ['in another container', (words) => words.splice(1, 1, 'pid:[1]')],
    ['where another clock counts', (words) => words.splice(2, 1, 'time:[1]')],
    ['under another host name', (words) => words.splice(3, 1, 'elsewhere')],
  ];
  test.each(elsewhere)('but not by anybody %s', async (_, change) => {
    await kill();
    const words = own.place.split(' ');
    expect(words).toHaveLength(4);
    change(words);
    expect(isProvedDead(other, { ...own, place: words.join(' ') })).toBe(false);
  });
});

/** What the child holds: as its process would, were it a worker. */
async function held(name: string) {
  const clock = { now: Date.now };
  const processes = new RedisProcesses({ ...store, clock, own: other });
  await processes.register();
  const leases = new Leases({ ...store, processId: processes.id });
  let end = () => {};
  const ended = new Promise<void>((done) => {
    end = done;
  });
  let proof = '';
  const tenure = leases.hold(
    name,
    async (lease) => {
      proof = lease.proof;
      await ended;
    },
    { ttlMs: LONG_MS },
  );
  releases.push(async () => {
    end();
    await tenure;
  });
  await vi.waitFor(() => expect(proof).not.toBe(''), { timeout: PATIENCE_MS });
  return { processes, proof };
}

async function successor(over: Partial<ProcessIdentity> = {}) {
  const processes = new RedisProcesses({ ...store, clock: { now: Date.now }, own: { ...own, ...over } });
  await processes.register();
  return processes;
}

const take = (name: string) => store.leases.hold(name, async () => 'taken');

describe('a lease of a process', () => {
  test('that was killed is free as soon as another looks, and the dead one proves nothing any more', async () => {
    const { proof } = await held('feed-walk');
    const successors = await successor();
    expect(await successors.takeOver([])).toEqual({ leases: 0, jobs: 0 });
    await kill();
    expect(await take('feed-walk')).toBeUndefined();
    expect(await successors.takeOver([])).toEqual({ leases: 1, jobs: 0 });
    expect(await take('feed-walk')).toEqual({ result: 'taken' });
    const walk = { startedAtMs: 1, top: [], topAtMs: undefined, position: 'e', metAnchor: false, pages: 1 };
    expect(await store.coverage.saveWalk('feed', walk, { name: 'feed-walk', proof })).toBe(false);
    // It is forgotten, and so is what it held.
    expect(await successors.takeOver([])).toEqual({ leases: 0, jobs: 0 });
    expect(await store.redis.keys(`*${store.keys.leasesOf('')}*`)).toEqual([]);
  });

  test('that is frozen stays', async () => {
    await held('feed-walk');
    child.kill('SIGSTOP');
    expect(await (await successor()).takeOver([])).toEqual({ leases: 0, jobs: 0 });
    expect(await take('feed-walk')).toBeUndefined();
    child.kill('SIGCONT');
  });

  test('that was killed stays for processes in another container or on another machine, which keeps it on the list', async () => {
    await held('feed-walk');
    await kill();
    const stranger = await successor({ place: own.place.replace(/pid:\[\d+\]/, 'pid:[1]') });
    expect(await stranger.takeOver([])).toEqual({ leases: 0, jobs: 0 });
    expect(await take('feed-walk')).toBeUndefined();
    expect(await (await successor()).takeOver([])).toEqual({ leases: 1, jobs: 0 });
  });

  test('that somebody else has taken since is left to them', async () => {
    await held('feed-walk');
    await kill();
    await store.redis.del(store.keys.lease('feed-walk'));
    await store.leases.hold('feed-walk', async () => {
      expect(await (await successor()).takeOver([])).toEqual({ leases: 0, jobs: 0 });
      expect(await take('feed-walk')).toBeUndefined();
    });
  });

  test('is on no list any more when it was given back', async () => {
    await take('feed-walk');
    expect(await store.redis.keys(`*${store.keys.leasesOf('')}*`)).toEqual([]);
  });
});

test('a system that does not tell enough takes nothing over, and nobody takes over from it', async () => {
  const unknown = new RedisProcesses({ ...store, clock: { now: Date.now }, own: undefined });
  await unknown.register();
  expect(await store.redis.exists(store.keys.processes)).toBe(0);
  await held('feed-walk');
  await kill();
  expect(await unknown.takeOver([])).toEqual({ leases: 0, jobs: 0 });
});

test('the workers that were there lately are told with their versions, the newest first', async () => {
  const [nowMs, parts] = [Date.now(), { redis: store.redis, keys: store.keys, own }];
  const at = (ms: number, version: string | undefined) =>
    new RedisProcesses({ ...parts, clock: { now: () => ms }, version });
  const mine = at(nowMs, '0.3.0');
  for (const process of [at(nowMs - 90_000, '0.1.0'), at(nowMs - 1_000, undefined), mine])
    await process.register();
  expect(await mine.seenSince(nowMs - 60_000)).toEqual([
    { pid: own.pid, version: '0.3.0', atMs: nowMs, isThis: true },
    { pid: own.pid, version: undefined, atMs: nowMs - 1_000, isThis: false },
  ]);
});

test('a worker that has ended is seen no more, also by a late report of its own; the next one in its process is', async () => {
  const parts = { ...store, clock: { now: Date.now }, own };
  const [ended, next] = [new RedisProcesses(parts), new RedisProcesses(parts)];
  await ended.register();
  await ended.end();
  await ended.register();
  await next.register();
  expect(await next.seenSince(0)).toMatchObject([{ pid: own.pid, isThis: true }]);
  // One that never began has nothing to end.
  await new RedisProcesses(parts).end();
  expect(await store.redis.zcard(store.keys.processes)).toBe(2);
});

test('what a worker held that ended without releasing it is freed once its process is dead', async () => {
  const { processes, proof } = await held('feed-walk');
  await processes.end();
  const successors = await successor();
  expect(await successors.takeOver([])).toEqual({ leases: 0, jobs: 0 });
  await kill();
  expect(await successors.takeOver([])).toEqual({ leases: 1, jobs: 0 });
  expect(proof).not.toBe('');
  expect(await successors.seenSince(0)).toHaveLength(1);
});

test('what nobody has refreshed for a day is forgotten', async () => {
  await held('feed-walk');
  const later = new RedisProcesses({ ...store, clock: { now: () => Date.now() + 90_000_000 }, own });
  await later.register();
  const members = await store.redis.zrange(store.keys.processes, '0', '-1');
  expect(members.map((member) => JSON.parse(member).id)).toEqual([later.id]);
});

test('the jobs of a process that was killed run at once elsewhere, and those of others stay where they are', async () => {
  const { processes } = await held('flush:office');
  const living = await successor();
  const client = openRedis(redis.url, 'queue');
  const shared = {
    ...{ name: 'objects', prefix: store.keys.queues, connection: client as ConnectionOptions },
    ...{ attempts: 3, log: SILENT_LOG, lockMs: LONG_MS },
  };
  const queue = new KeyedQueue(shared);
  releases.push(
    () => client.disconnect(),
    () => queue.close(),
  );
  const open = (id: string, handle: (key: string) => Promise<unknown>): KeyedWorker => {
    const worker = new KeyedWorker({
      ...{ ...shared, holder: tokenOf(id, ''), concurrency: 1 },
      handle: async (key) => {
        await handle(key);
        return { next: 'done' };
      },
    });
    worker.start();
    releases.push(() => worker.close(100));
    return worker;
  };
  const taken: string[] = [];
  const forEver = (who: string) => async (key: string) => {
    taken.push(`${who} ${key}`);
    await new Promise<never>(() => {});
  };
  open(processes.id, forEver('dead'));
  queue.add(['contact/1']);
  await vi.waitFor(() => expect(taken).toEqual(['dead contact/1']), { timeout: PATIENCE_MS });
  open(living.id, forEver('living'));
  queue.add(['contact/2']);
  await vi.waitFor(() => expect(taken).toHaveLength(2), { timeout: PATIENCE_MS });
  const free = open(living.id, async (key) => void taken.push(`free ${key}`));
  await kill();
  expect(await living.takeOver([queue.jobKeys])).toEqual({ leases: 1, jobs: 1 });
  await free.lookForStalled();
  await vi.waitFor(() => expect(taken).toContain('free contact/1'), { timeout: PATIENCE_MS });
  await sleep(200);
  expect(taken).toEqual(['dead contact/1', 'living contact/2', 'free contact/1']);
});
