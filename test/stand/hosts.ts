// Hosts as network namespaces behind one bridge, for what only a lost host does: it answers nothing and closes nothing.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ip = (...args: (string | number)[]) =>
  execFileSync('ip', args.map(String), { stdio: 'pipe' }).toString();

/** Whether this system lets this user make namespaces and a bridge in one. */
export function areHostsAllowed(): boolean {
  const name = `sbt${process.pid}`;
  try {
    ip('netns', 'add', name);
  } catch {
    return false;
  }
  try {
    ip('-n', name, 'link', 'add', 'br0', 'type', 'bridge');
    return true;
  } catch {
    return false;
  } finally {
    ip('netns', 'del', name);
  }
}

export type Hosts = ReturnType<typeof startHosts>;

/** `count` hosts that reach each other at `address(n)`. Their namespaces are this test's own, and go with `stop`. */
export function startHosts(count: number) {
  const base = `sbt${process.pid}`;
  const bridge = `${base}-x`;
  const hosts = Array.from({ length: count }, (_, n) => n);
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-hosts-'));
  const children: ChildProcess[] = [];
  const folders: string[] = [];
  const name = (n: number) => `${base}-${n}`;
  const address = (n: number) => `10.77.0.${n + 1}`;
  const mac = (n: number) => `02:00:00:00:00:0${n + 1}`;
  ip('netns', 'add', bridge);
  ip('-n', bridge, 'link', 'add', 'br0', 'type', 'bridge');
  ip('-n', bridge, 'link', 'set', 'br0', 'up');
  for (const n of hosts) {
    ip('netns', 'add', name(n));
    ip('-n', bridge, 'link', 'add', `p${n}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name(n));
    ip('-n', bridge, 'link', 'set', `p${n}`, 'master', 'br0', 'up');
    ip('-n', name(n), 'link', 'set', 'lo', 'up');
    ip('-n', name(n), 'link', 'set', 'eth0', 'address', mac(n), 'up');
    ip('-n', name(n), 'addr', 'add', `${address(n)}/24`, 'dev', 'eth0');
    // A host that does not answer must not become one without a route.
    for (const m of hosts)
      if (m !== n)
        ip(
          '-n',
          name(n),
          'neigh',
          'replace',
          address(m),
          'lladdr',
          mac(m),
          'dev',
          'eth0',
          'nud',
          'permanent',
        );
  }
  const run = (n: number, program: string, args: readonly (string | number)[]): ChildProcess => {
    const child = spawn('ip', ['netns', 'exec', name(n), program, ...args.map(String)], {
      cwd: process.cwd(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    return child;
  };
  return {
    dir,
    address,
    run,
    redis: (n: number, ...args: (string | number)[]) => run(n, 'redis-server', args),
    /** What `redis-cli` on that host prints; empty when it fails. */
    ask(n: number, port: number, ...words: (string | number)[]): string {
      const args = ['netns', 'exec', name(n), 'redis-cli', '-h', address(n), '-p', port, ...words].map(
        String,
      );
      try {
        return execFileSync('ip', args, { timeout: 3_000, stdio: ['ignore', 'pipe', 'ignore'] })
          .toString()
          .trim();
      } catch {
        return '';
      }
    },
    /** No frame passes between these two from now on, or again: each knows the other by an address that nobody has. */
    part(a: number, b: number, isParted: boolean): void {
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        const lladdr = isParted ? '02:00:00:00:00:ff' : mac(to);
        ip(
          ...[
            '-n',
            name(from),
            'neigh',
            'replace',
            address(to),
            'lladdr',
            lladdr,
            'dev',
            'eth0',
            'nud',
            'permanent',
          ],
        );
      }
    },
    /** On these hosts `localhost` is the last one of them: there the worker may be told of plain http. */
    shareLocalhost(...those: readonly number[]): void {
      for (const n of those) {
        const folder = `/etc/netns/${name(n)}`;
        mkdirSync(folder, { recursive: true });
        folders.push(folder);
        writeFileSync(join(folder, 'hosts'), `${address(those.at(-1) ?? 0)} localhost\n`);
      }
    },
    /** What a program prints on that host; rejects if it fails. */
    async say(n: number, program: string, ...args: readonly string[]): Promise<string> {
      const { stdout } = await promisify(execFile)('ip', ['netns', 'exec', name(n), program, ...args], {
        timeout: 5_000,
      });
      return stdout;
    },
    /** From now on no frame of this host passes; nobody is told. */
    cut: (n: number) => void ip('-n', bridge, 'link', 'set', `p${n}`, 'nomaster'),
    join: (n: number) => void ip('-n', bridge, 'link', 'set', `p${n}`, 'master', 'br0'),
    async stop(): Promise<void> {
      for (const child of children) {
        const exited = new Promise((done) => child.once('exit', done));
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await exited;
      }
      for (const n of hosts) ip('netns', 'del', name(n));
      ip('netns', 'del', bridge);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
