import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Writes a script that runs `slotbridge` with the worker's folder and variables. Returns its path; it is deleted with the
 * folder.
 */
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
  // The variables contain keys, although only those of sandboxes.
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o700 });
  return path;
}

/** Creates the secret address of a calendar feed. Rejects when the command fails. */
export async function feedAddress(commands: string, feed: string): Promise<string> {
  return (await answerOf<{ readonly address: string }>(commands, ['feeds', 'link', feed])).address;
}

/** A link that signs one visitor in to the console once. Rejects when the command fails. */
export async function signInLink(commands: string): Promise<string> {
  const args = ['console', 'login', '--as', 'ops', '--who', 'visitor'];
  return (await answerOf<{ readonly link: string }>(commands, args)).link;
}

/** What `explain` prints about an object, or its complaint. */
export function explained(commands: string, id: string): Promise<string> {
  return run(commands, ['explain', id]).catch((error: unknown) => `${id}: ${String(error)}\n`);
}

async function answerOf<Answer>(commands: string, args: readonly string[]): Promise<Answer> {
  return JSON.parse(await run(commands, [...args, '--json'])) as Answer;
}

/** The shell reads the script, because a temporary folder may be mounted noexec. */
async function run(commands: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('/bin/sh', [commands, ...args])).stdout;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
