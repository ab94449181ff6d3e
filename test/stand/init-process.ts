import { spawn } from 'node:child_process';
import { MAIN } from './worker-process.ts';
import type { World } from './world.ts';

/** `slotbridge init` as a process in a folder of its own; the lines are typed one after the other. */
export function startInit(about: {
  readonly world: World;
  readonly dir: string;
  readonly args: readonly string[];
  readonly lines?: readonly string[];
  /** Empty: the variable is not set. */
  readonly key?: string;
}): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { world, dir, args, lines = [], key = world.apiKey } = about;
  return new Promise((done) => {
    const child = spawn(process.execPath, [MAIN, 'init', '--google-url', world.google.url, ...args], {
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '', ...(key === '' ? {} : { PLATFORM_API_KEY: key }) },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += String(text);
    });
    child.stderr.on('data', (text) => {
      stderr += String(text);
    });
    child.on('close', (code) => done({ code, stdout, stderr }));
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  });
}
