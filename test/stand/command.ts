import { spawn } from 'node:child_process';
import type { Clock } from '../../src/engine/runtime.ts';
import { runProgram } from '../../src/program.ts';
import { MAIN } from './worker-process.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they came, as on a terminal. */
  readonly output: string;
}

interface HereOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly stdin?: NodeJS.ReadableStream;
}

/** Runs `slotbridge …` within this process: a process of its own costs a second of the processor. Not for `start`, which ends by a signal. */
export async function runHere(
  args: readonly string[],
  { env = {}, clock, stdin }: HereOptions = {},
): Promise<Outcome> {
  const texts: { readonly from: 'stdout' | 'stderr'; readonly text: string }[] = [];
  const sink = (from: 'stdout' | 'stderr') => ({ write: (text: string) => texts.push({ from, text }) });
  const console = { stdout: sink('stdout'), stderr: sink('stderr'), env, ...(stdin && { stdin }) };
  const code = await runProgram([process.execPath, MAIN, ...args], console, clock);
  const joined = (which?: string) =>
    texts.map(({ from, text }) => (which === undefined || from === which ? text : '')).join('');
  return { code, stdout: joined('stdout'), stderr: joined('stderr'), output: joined() };
}

/** Runs `slotbridge …` as a process of its own, from `dist/`; `typed` is all of its input. */
export function runCommand(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly typed?: string;
  },
): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
    });
    let stdout = '';
    let stderr = '';
    let output = '';
    child.stdout.on('data', (text) => {
      stdout += String(text);
      output += String(text);
    });
    child.stderr.on('data', (text) => {
      stderr += String(text);
      output += String(text);
    });
    child.stdin.end(options.typed ?? '');
    child.on('close', (code) => done({ code, stdout, stderr, output }));
  });
}
