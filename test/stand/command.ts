import { spawn } from 'node:child_process';
import { MAIN } from './worker-process.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
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
    child.stdout.on('data', (text) => {
      stdout += String(text);
    });
    child.stderr.on('data', (text) => {
      stderr += String(text);
    });
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}
