import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { type Stand, startStand } from '@slotbridge/sandbox/stand';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAIN } from '../stand/worker-process.ts';

let dir: string;
let stand: Promise<Stand> | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-waiting-'));
  stand = undefined;
});
afterEach(async () => {
  await (await stand)?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** As a process: what it prints decides when the sandbox starts. */
function startInit(args: readonly string[], onPrinted: (stdout: string) => void) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
    const child = spawn(process.execPath, [MAIN, 'init', ...args], {
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '' },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += String(text);
      onPrinted(stdout);
    });
    child.stderr.on('data', (text) => {
      stderr += String(text);
    });
    child.on('close', (code) => done({ code, stdout, stderr }));
    child.stdin.end();
  });
}

test('started beside a sandbox that is still starting, it waits for it and says so', async () => {
  // What one that was killed has left behind: its ports lead nowhere.
  const dataDir = join(dir, 'data/sandbox');
  mkdirSync(dataDir, { recursive: true });
  const port = await ownPort();
  const gone = { platform: `http://127.0.0.1:${port}/v1`, google: `http://127.0.0.1:${port}` };
  writeFileSync(join(dataDir, 'addresses.json'), JSON.stringify(gone));
  const start = (printed: string) => {
    if (stand === undefined && printed.includes('Waiting for the sandbox'))
      stand = startStand({ platformPort: 0, googlePort: 0, pagePort: 0, dataDir });
  };
  const args = ['--sandbox', '--yes', '--calendar', 'Anna Petrova=anna@clinic.example'];
  const { code, stdout, stderr } = await startInit(args, start);
  expect([stderr, code]).toEqual(['', 0]);
  expect(stdout).toContain('the connection failed (platform-unreachable)');
  expect(stdout).toContain('Everything can work.');
  const { platform } = (await stand) ?? {};
  expect(readFileSync(join(dir, 'config/slotbridge.yaml'), 'utf8')).toContain(String(platform?.url));
});
