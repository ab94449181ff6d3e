// Redis over several hosts: behind three sentinels, or as a cluster.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Hosts } from '../stand/hosts.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

export const REDIS_HOSTS = [0, 1, 2];
export const SOON = { timeout: PATIENCE_MS, interval: 500 };
const NO_DISK = ['--save', '', '--protected-mode', 'no'];
const CLUSTER_PORTS = [7000, 7001];

/** The first host is the primary; `on`: hosts that have a Redis at all. Resolves with the address for the worker. */
export async function behindSentinels(
  hosts: Hosts,
  { on = REDIS_HOSTS, flags = [] }: { on?: readonly number[]; flags?: readonly (string | number)[] } = {},
): Promise<string> {
  const [primary = 0, ...others] = on;
  const to = ['--replicaof', hosts.address(primary), 6379];
  for (const n of on) {
    const at = ['--port', 6379, '--bind', hosts.address(n), '--dir', hosts.dir, ...NO_DISK, ...flags];
    hosts.redis(n, ...at, ...(n === primary ? [] : to));
  }
  await vi.waitFor(
    () =>
      expect(hosts.ask(primary, 6379, 'info', 'replication')).toContain(`connected_slaves:${others.length}`),
    SOON,
  );
  for (const n of REDIS_HOSTS) {
    const file = join(hosts.dir, `sentinel-${n}.conf`);
    const lines = [
      ...['port 26379', `bind ${hosts.address(n)}`, 'protected-mode no', `dir ${hosts.dir}`],
      `sentinel monitor office ${hosts.address(primary)} 6379 2`,
      ...['sentinel down-after-milliseconds office 5000', 'sentinel failover-timeout office 20000'],
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    hosts.redis(n, file, '--sentinel');
  }
  for (const n of REDIS_HOSTS)
    await vi.waitFor(() => {
      const said = hosts.ask(n, 26379, 'sentinel', 'master', 'office');
      expect([/num-other-sentinels\n(\d+)/.exec(said)?.[1], /num-slaves\n(\d+)/.exec(said)?.[1]]).toEqual([
        '2',
        String(others.length),
      ]);
    }, SOON);
  const nodes = REDIS_HOSTS.map((n) => `${hosts.address(n)}:26379`).join(',');
  return `redis+sentinel://${nodes}/office`;
}

/** Address of the primary as this host's sentinel names it. */
export function masterBy(hosts: Hosts, asked: number): string | undefined {
  return hosts.ask(asked, 26379, 'sentinel', 'get-master-addr-by-name', 'office').split('\n')[0];
}

/** Three primaries and three replicas. Resolves with the address for the worker. */
export async function asCluster(hosts: Hosts): Promise<string> {
  for (const port of CLUSTER_PORTS)
    for (const n of REDIS_HOSTS) {
      const dir = join(hosts.dir, `${n}-${port}`);
      mkdirSync(dir);
      const at = ['--port', port, '--bind', hosts.address(n), '--dir', dir, ...NO_DISK];
      hosts.redis(n, ...at, '--cluster-enabled', 'yes', '--cluster-node-timeout', 5000);
    }
  for (const port of CLUSTER_PORTS)
    for (const n of REDIS_HOSTS)
      await vi.waitFor(() => expect(hosts.ask(n, port, 'ping')).toBe('PONG'), SOON);
  const nodes = CLUSTER_PORTS.flatMap((port) => REDIS_HOSTS.map((n) => `${hosts.address(n)}:${port}`));
  const create = ['redis-cli', '--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'];
  execFileSync('ip', ['netns', 'exec', `sbt${process.pid}-0`, ...create], { stdio: 'ignore' });
  for (const n of REDIS_HOSTS)
    await vi.waitFor(() => expect(hosts.ask(n, 7000, 'cluster', 'info')).toMatch(/cluster_state:ok/), SOON);
  // A replica that has not yet copied its primary does not take its place.
  const isCopied = /master_link_status:up|slave0:.*state=online/;
  for (const port of CLUSTER_PORTS)
    for (const n of REDIS_HOSTS)
      await vi.waitFor(() => expect(hosts.ask(n, port, 'info', 'replication')).toMatch(isCopied), SOON);
  return `redis+cluster://${nodes.slice(0, 3).join(',')}`;
}

/** The host with the primary that has the worker's keys. */
export function holderOfKeys(hosts: Hosts): number {
  const slot = Number(hosts.ask(0, 7000, 'cluster', 'keyslot', '{slotbridge}'));
  const holder = REDIS_HOSTS.find((n) => {
    const nodes = hosts.ask(n, 7000, 'cluster', 'nodes').split('\n');
    const own = nodes.find((line) => line.includes('myself')) ?? '';
    const [from = -1, to = -1] = (own.split(' ').at(-1) ?? '').split('-').map(Number);
    return from <= slot && slot <= to;
  });
  expect(holder).toBeDefined();
  return holder ?? 0;
}
