import { spawn } from 'node:child_process';
import { MAIN } from './worker-process.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they came, as on a terminal. */
  readonly output: string;
}

/** Runs `slotbridge …` as a process of its own, from `dist/`. */
export function runCommand(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
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
    child.on('close', (code) => done({ code, stdout, stderr, output }));
  });
}
