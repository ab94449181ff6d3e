import { Readable } from 'node:stream';
import { type Outcome, runCommand, runHere } from './command.ts';
import type { World } from './world.ts';

export interface InitCall {
  readonly world: World;
  /** The folder in which it is called. */
  readonly dir: string;
  readonly args: readonly string[];
  /** Typed one after the other. */
  readonly lines?: readonly string[];
  /** Empty: the variable is not set. */
  readonly key?: string;
}

/** `slotbridge init` as a process of its own. */
export function startInit(call: InitCall): Promise<Outcome> {
  const { args, env, typed } = wordsOf(call);
  return runCommand(args, { cwd: call.dir, env, typed });
}

/** The same within this process, for tests of one file one after the other: meanwhile this process is in that folder. */
export async function initHere(call: InitCall): Promise<Outcome> {
  const { args, env, typed } = wordsOf(call);
  const before = process.cwd();
  process.chdir(call.dir);
  try {
    return await runHere(args, { env, stdin: Readable.from(typed === '' ? [] : [typed]) });
  } finally {
    process.chdir(before);
  }
}

function wordsOf({ world, args, lines = [], key = world.apiKey }: InitCall) {
  return {
    args: ['init', '--google-url', world.google.url, ...args],
    env: { PATH: process.env['PATH'] ?? '', ...(key === '' ? {} : { PLATFORM_API_KEY: key }) },
    typed: lines.map((line) => `${line}\n`).join(''),
  };
}
