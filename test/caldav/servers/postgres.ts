import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type RunBy, startChild } from '@slotbridge/rehearsal/demo/caldav/server';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { findPostgres } from '../../../scripts/setup/calendar-servers.mjs';

const run = promisify(execFile);
const READY_TRIES_MAX = 600;
const READY_EVERY_MS = 100;

/** An own PostgreSQL for a calendar server that keeps its events in one. It runs as Debian's user `postgres`. */
export async function startPostgres(folder: string) {
  const bin = findPostgres() ?? '';
  const by = userOf('postgres');
  const place = join(folder, 'db');
  mkdirSync(place);
  chownSync(place, by.uid, by.gid);
  const data = join(place, 'data');
  const port = await ownPort();
  const env = { PGHOST: place, PGPORT: String(port) };
  const as = { ...by, cwd: place, env: { ...process.env, ...env } };
  await run(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-E', 'UTF8', '--no-sync'], as);
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-k', place, '-p', String(port)];
  const child = startChild([join(bin, 'postgres'), '-D', data, ...listen], {
    ...by,
    ...{ log: join(place, 'log'), cwd: place, signal: 'INT' },
  });
  for (let tries = 0; ; tries += 1) {
    try {
      await run(join(bin, 'pg_isready'), ['-q'], as);
      break;
    } catch (error) {
      if (tries > READY_TRIES_MAX) throw error;
      await sleep(READY_EVERY_MS);
    }
  }
  return {
    port,
    /** Where programs of the same machine find it. */
    env,
    async sql(database: string, text: string): Promise<void> {
      await run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-d', database, '-c', text], as);
    },
    /** Runs a program as the owner of all databases. */
    async run(program: string, args: readonly string[]): Promise<void> {
      await run(program, args, as);
    },
    stop: () => child.stop(),
  };
}

/** A user of this machine. @throws where there is none of this name */
export function userOf(name: string): Required<RunBy> {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined) throw new Error(`this machine has no user ${name}`);
  return { uid: Number(uid), gid: Number(gid) };
}
