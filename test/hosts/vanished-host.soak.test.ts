// A host vanishes: Redis behind Sentinel and as a cluster. The limits are those of the runner; docs/reference/figures.md has the seconds.
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { areHostsAllowed, type Hosts, startHosts } from '../stand/hosts.ts';
import { asCluster, behindSentinels, holderOfKeys, masterBy, REDIS_HOSTS, SOON } from './redis-hosts.ts';

const WORKER = 3;
const ENGINES = 10;
const CLIENT = fileURLToPath(new URL('client.ts', import.meta.url));

const isAllowed = areHostsAllowed();
if (!isAllowed) console.log('skipped: this system lets this user make no network namespaces');

describe.skipIf(!isAllowed)('a host that vanishes', { timeout: 240_000 }, () => {
  let hosts: Hosts;
  beforeEach(() => {
    hosts = startHosts(4);
  });
  afterEach(() => hosts.stop());

  /** The lines that the worker's host prints. */
  function work(...args: (string | number)[]): string[] {
    const lines: string[] = [];
    const child = hosts.run(WORKER, process.execPath, ['--import', 'tsx', CLIENT, ...args]);
    child.stdout?.on('data', (text: Buffer) => lines.push(...String(text).trim().split('\n')));
    return lines;
  }

  /** Another host is the primary, and the worker writes to it. */
  async function writesAgain(lines: string[]): Promise<void> {
    await vi.waitFor(() => expect(masterBy(hosts, 1)).not.toBe(hosts.address(0)), SOON);
    const before = lines.length;
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(before + 3), SOON);
  }

  test('with the primary of Sentinel is left for the new one, also when it comes back', async () => {
    const url = await behindSentinels(hosts);
    const lines = work('write', url);
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(3), SOON);
    hosts.cut(0);
    await writesAgain(lines);
    hosts.join(0);
    await vi.waitFor(() => expect(hosts.ask(0, 6379, 'role')).toMatch(/^slave/), SOON);
    const before = lines.length;
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(before + 3), SOON);
  });

  test('only in part, because its Redis stands still, is left too', async () => {
    const url = await behindSentinels(hosts);
    const lines = work('write', url);
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(3), SOON);
    const pid = Number(/process_id:(\d+)/.exec(hosts.ask(0, 6379, 'info', 'server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    await writesAgain(lines);
  });

  test.each([{ gone: [1] }, { gone: [1, 2] }])('with sentinels $gone stops no command', async ({ gone }) => {
    const url = await behindSentinels(hosts);
    for (const n of gone) hosts.cut(n);
    const silentFirst = url.replace(
      /\/\/.*\//,
      `//${[1, 2, 0].map((n) => `${hosts.address(n)}:26379`).join(',')}/`,
    );
    const lines = work('connect', silentFirst);
    await vi.waitFor(() => expect(lines).toEqual(['connected']), SOON);
  });

  test('with the keys of a cluster stops none of ten queue engines, neither while it is gone nor afterwards', async () => {
    const lines = work('engines', await asCluster(hosts), ENGINES);
    const allWork = async () => {
      lines.length = 0;
      await vi.waitFor(() => expect(new Set(lines).size).toBe(ENGINES), SOON);
    };
    await allWork();
    const holder = holderOfKeys(hosts);
    hosts.cut(holder);
    const asked = REDIS_HOSTS.find((n) => n !== holder) ?? 0;
    await vi.waitFor(() => expect(hosts.ask(asked, 7000, 'cluster', 'nodes')).toMatch(/master,fail /), SOON);
    await allWork();
    hosts.join(holder);
    await allWork();
  });
});
