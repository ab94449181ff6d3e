// Who listens on a port of this machine. Linux tells it to the same user, and to root; elsewhere nobody is named.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `0A`: the socket listens. Columns: number, local address, remote address, state, …, inode. */
const LISTENING = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A (?:\S+ +){5}(\d+)/;

/** Such as `node (process 4711)`, otherwise `another process`. */
export function portHolder(port: number): string {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeners(`/proc/net/${table}`, port)));
  if (sockets.size === 0) return UNNAMED;
  const pid = attempt(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name))
    .find((process) => holds(`/proc/${process}/fd`, sockets));
  if (pid === undefined) return UNNAMED;
  return `${attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8'), 'program').trim()} (process ${pid})`;
}

const UNNAMED = 'another process';

function listeners(table: string, port: number): readonly string[] {
  return attempt(() => readFileSync(table, 'utf8'), '')
    .split('\n')
    .flatMap((line) => {
      const [, hex = '', inode = ''] = LISTENING.exec(line) ?? [];
      return Number.parseInt(hex, 16) === port ? [`socket:[${inode}]`] : [];
    });
}

function holds(folder: string, sockets: ReadonlySet<string>): boolean {
  return attempt(() => readdirSync(folder), []).some((fd) =>
    sockets.has(attempt(() => readlinkSync(`${folder}/${fd}`), '')),
  );
}

/** Processes end while they are read, and those of others are closed. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
