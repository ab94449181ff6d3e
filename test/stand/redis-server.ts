import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';

/** A redis-server on a free port of 127.0.0.1, with lines for its configuration. */
export async function startRedisServer(
  lines: (port: number) => readonly string[],
  args: readonly string[] = [],
) {
  const port = await ownPort();
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-server-'));
  const file = join(dir, 'redis.conf');
  const common = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`, 'daemonize no', 'protected-mode no'];
  writeFileSync(file, `${[...common, ...lines(port)].join('\n')}\n`);
  const child = spawn('redis-server', [file, ...args], { stdio: 'ignore' });
  return {
    port,
    async stop(): Promise<void> {
      const exited = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      // Who has exited already tells nobody a second time.
      if (child.exitCode === null && child.signalCode === null) await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
