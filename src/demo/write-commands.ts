import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A script that is `slotbridge` with the worker's own folder and variables. Returns its path; it goes with the folder. */
export function writeCommands({
  program,
  folder,
  env,
}: {
  readonly program: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): string {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${quoted(value)}`],
  );
  const path = join(folder, 'slotbridge');
  const lines = [
    '#!/bin/sh',
    ...variables,
    `cd ${quoted(folder)} || exit`,
    `exec ${program.map(quoted).join(' ')} "$@"`,
  ];
  // The variables hold keys, if only of sandboxes.
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o700 });
  return path;
}

/** The secret address of a calendar feed, which has none yet. Rejects when the command does. */
export async function feedAddress(commands: string, feed: string): Promise<string> {
  const { stdout } = await promisify(execFile)(commands, ['feeds', 'link', feed, '--json']);
  return (JSON.parse(stdout) as { readonly address: string }).address;
}

/** A link that signs one visitor in to the console, once. Rejects when the command does. */
export async function signInLink(commands: string): Promise<string> {
  const args = ['console', 'login', '--as', 'ops', '--who', 'visitor', '--json'];
  const { stdout } = await promisify(execFile)(commands, args);
  return (JSON.parse(stdout) as { readonly link: string }).link;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
