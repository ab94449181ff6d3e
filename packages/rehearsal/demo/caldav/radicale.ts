import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownPort } from '../own-port.ts';
import { type CalendarServer, removeFolder, serverFolder, startChild, untilAnswers } from './server.ts';

/** Name of Anna's calendar that she may only read, as if another person had shared it. */
export const READ_ONLY = 'read-only';

/** Undefined if no radicale on PATH can be run. */
export async function radicaleVersion(): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('radicale', ['--version'])).stdout.trim();
  } catch {
    return undefined;
  }
}

/** Where radicale keeps the events of a collection, each in a file. */
export function collectionFolder(folder: string, path: string): string {
  return join(folder, 'collections/collection-root', path);
}

/** Two people with passwords. Without `--config`, Debian's program would read the machine's own configuration. */
export async function startRadicale(
  options: { readonly folder?: string; readonly port?: number } = {},
): Promise<CalendarServer> {
  const port = options.port ?? (await ownPort());
  const folder = options.folder ?? serverFolder('radicale');
  const people = { anna: 'anna-secret', boris: 'boris-secret' };
  const users = Object.entries(people).map(([user, password]) => `${user}:${password}\n`);
  writeFileSync(join(folder, 'users'), users.join(''));
  writeFileSync(join(folder, 'rights'), RIGHTS);
  writeFileSync(join(folder, 'config'), configuration(folder, port));
  const shared = collectionFolder(folder, `anna/${READ_ONLY}`);
  mkdirSync(shared, { recursive: true });
  writeFileSync(join(shared, '.Radicale.props'), '{"tag": "VCALENDAR"}');
  const child = startChild(['radicale', '--config', join(folder, 'config')], {
    log: join(folder, 'radicale.log'),
  });
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswers(url).catch(async (error: unknown) => {
    await child.stop();
    throw error;
  });
  const account = (user: keyof typeof people) => ({ user, password: people[user], home: `${url}${user}/` });
  return {
    name: 'radicale',
    url,
    accounts: [account('anna'), account('boris')],
    async stop() {
      await child.stop();
      if (options.folder === undefined) removeFolder(folder);
    },
  };
}

function configuration(folder: string, port: number): string {
  return `[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${join(folder, 'users')}
htpasswd_encryption = plain
[rights]
type = from_file
file = ${join(folder, 'rights')}
[storage]
filesystem_folder = ${join(folder, 'collections')}
[logging]
level = warning
`;
}

/** A capital letter is for a collection that holds no events. */
const RIGHTS = `[root]
user: .+
collection:
permissions: R
[home]
user: .+
collection: {user}
permissions: RW
[read-only]
user: .+
collection: {user}/${READ_ONLY}
permissions: r
[calendar]
user: .+
collection: {user}/[^/]+
permissions: rw
`;
