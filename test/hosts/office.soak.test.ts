// Whole workers on several hosts, while hosts are lost, cut off and parted. Prints what was measured, for docs/reference/figures.md.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { areHostsAllowed, type Hosts, startHosts } from '../stand/hosts.ts';
import { ProcessClock } from '../stand/process-clock.ts';
import { type Office, openOffice, WORKERS } from './office.ts';
import { asCluster, behindSentinels, holderOfKeys, masterBy, SOON } from './redis-hosts.ts';

/** As docs/operations.md advises. */
const SAFE = ['--min-replicas-to-write', 1, '--min-replicas-max-lag', 10];
const HOSTS = 6;

const isAllowed = areHostsAllowed();
if (!isAllowed) console.log('skipped: this system lets this user make no network namespaces');

describe.skipIf(!isAllowed)('an office over several hosts', { timeout: 900_000 }, () => {
  let office: Office;
  afterEach(() => office.close());

  async function open(redis: (hosts: Hosts) => Promise<string>): Promise<Hosts> {
    const hosts = startHosts(HOSTS);
    office = await openOffice(await redis(hosts), hosts);
    return hosts;
  }

  async function untilBothWork(): Promise<void> {
    for (const worker of WORKERS)
      await vi.waitFor(async () => expect((await office.status(worker))?.idle).toBe(true), {
        ...SOON,
        timeout: 120_000,
      });
  }

  /** Ten seconds of work before, what happens, twenty afterwards. `primary`: when there was a new one. */
  async function measure(name: string, scene: () => Promise<{ lostMs: number; primaryMs?: number }>) {
    let marks: { lostMs: number; primaryMs?: number } = { lostMs: Number.NaN };
    await office.busyUntil(
      sleep(10_000).then(async () => {
        marks = await scene();
        await sleep(20_000);
      }),
    );
    const wrong = await office.judged();
    const { lostMs, primaryMs } = marks;
    const s = (ms: number) => Math.round(ms / 100) / 10;
    const gaps = office.written.slice(1).map((at, n) => at - (office.written[n] ?? at));
    const first = office.written.find((at) => at > (primaryMs ?? lostMs));
    const figures = {
      ...{ name, events: office.written.length, pauseS: s(Math.max(0, ...gaps)) },
      ...(primaryMs !== undefined && {
        primaryS: s(primaryMs - lostMs),
        firstWriteAfterPrimaryS: s((first ?? Number.NaN) - primaryMs),
      }),
      ...{ lies: office.lies, wrong },
    };
    console.log(JSON.stringify(figures));
    expect(wrong).toEqual([]);
    expect(office.lies).toEqual([]);
    return figures;
  }

  /** When another host than the first is the primary. */
  async function untilElsewhere(hosts: Hosts): Promise<number> {
    const first = hosts.address(0);
    while ([undefined, '', first].includes(masterBy(hosts, 1))) await sleep(250);
    return Date.now();
  }

  test.each([30, 120])('one worker is cut off for %i s', async (seconds) => {
    const hosts = await open((each) => behindSentinels(each, { flags: SAFE }));
    for (const worker of WORKERS) office.start(worker);
    await untilBothWork();
    await measure(`one worker cut off for ${seconds} s`, async () => {
      const lostMs = Date.now();
      hosts.cut(WORKERS[0]);
      await sleep(seconds * 1_000);
      hosts.join(WORKERS[0]);
      return { lostMs };
    });
  });

  test.each([true, false])('the host of the primary is lost, and comes back: %s', async (comesBack) => {
    const hosts = await open((each) => behindSentinels(each, { flags: SAFE }));
    for (const worker of WORKERS) office.start(worker);
    await untilBothWork();
    await measure(`host of the primary lost${comesBack ? ' for 40 s' : ' for good'}`, async () => {
      const lostMs = Date.now();
      hosts.cut(0);
      const primaryMs = await untilElsewhere(hosts);
      await sleep(30_000);
      if (comesBack) hosts.join(0);
      return { lostMs, primaryMs };
    });
  });

  test.each([{ redis: [0, 1, 2] }, { redis: [0, 1] }])(
    'a split with Redis on hosts $redis',
    async ({ redis }) => {
      const hosts = await open((each) => behindSentinels(each, { on: redis, flags: SAFE }));
      for (const worker of WORKERS) office.start(worker);
      await untilBothWork();
      const part = (isParted: boolean) => {
        for (const here of [0, WORKERS[0]])
          for (const there of [1, 2, WORKERS[1]]) hosts.part(here, there, isParted);
      };
      await measure(`split with ${redis.length} Redis`, async () => {
        const lostMs = Date.now();
        part(true);
        const primaryMs = await untilElsewhere(hosts);
        await sleep(40_000);
        part(false);
        // With two Redis, nobody may write before both are together again.
        return redis.length > 2 ? { lostMs, primaryMs } : { lostMs };
      });
    },
  );

  test('the host of the keys of a cluster is lost for 60 s', async () => {
    const hosts = await open(asCluster);
    for (const worker of WORKERS) office.start(worker);
    await untilBothWork();
    const holder = holderOfKeys(hosts);
    const asked = [0, 1, 2].find((n) => n !== holder) ?? 0;
    await measure('cluster, host of the keys lost for 60 s', async () => {
      const lostMs = Date.now();
      hosts.cut(holder);
      while (!/master,fail /.test(hosts.ask(asked, 7000, 'cluster', 'nodes'))) await sleep(250);
      while (!/cluster_state:ok/.test(hosts.ask(asked, 7000, 'cluster', 'info'))) await sleep(250);
      const primaryMs = Date.now();
      await sleep(60_000 - (primaryMs - lostMs));
      hosts.join(holder);
      return { lostMs, primaryMs };
    });
  });

  test.each([[[1]], [[1, 2]]])('a worker starts while the sentinels %s are gone', async (gone) => {
    const hosts = await open((each) => behindSentinels(each));
    office.start(WORKERS[0]);
    await vi.waitFor(async () => expect((await office.status(WORKERS[0]))?.idle).toBe(true), SOON);
    await measure(`${gone.length} sentinels gone`, async () => {
      const lostMs = Date.now();
      for (const n of gone) hosts.cut(n);
      office.start(WORKERS[1]);
      await vi.waitFor(async () => expect(await office.status(WORKERS[1])).toBeDefined(), SOON);
      return { lostMs };
    });
  });

  test('the clocks of two workers are 90 s apart', async () => {
    const hosts = await open((each) => behindSentinels(each, { flags: SAFE }));
    const clock = new ProcessClock(join(hosts.dir, 'clock'));
    clock.put(90_000);
    office.start(WORKERS[0]);
    office.start(WORKERS[1], clock.env, clock.args);
    await untilBothWork();
    await measure('clocks 90 s apart for 90 s', async () => {
      await sleep(90_000);
      return { lostMs: Date.now() };
    });
  });
});
