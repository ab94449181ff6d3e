import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { house } from './tree.ts';

const root = mkdtempSync(join(tmpdir(), 'image-'));
const packages = join(root, 'node_modules');
const pruned = join(packages, 'googleapis');
let bytesBefore: number;

beforeAll(() => {
  mkdirSync(packages);
  for (const name of readdirSync(join(house, 'node_modules'))) {
    if (name !== 'googleapis') symlinkSync(join(house, 'node_modules', name), join(packages, name));
  }
  cpSync(join(house, 'node_modules/googleapis'), pruned, { recursive: true });
  bytesBefore = bytesIn(pruned);
  prune(pruned);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('in the image, googleapis', () => {
  it('is smaller by more than 90 %', () => {
    expect(bytesBefore).toBeGreaterThan(100_000_000);
    expect(bytesIn(pruned)).toBeLessThan(bytesBefore * 0.1);
  });

  it('still makes a calendar v3 client', () => {
    const made = imported('calendar', "calendar('v3').events.insert");
    expect(made).toBe('function');
  });

  it('still makes a sheets v4 client, and its auth', () => {
    expect(imported('sheets', "sheets('v4').spreadsheets.values.batchUpdate")).toBe('function');
    expect(imported('sheets', 'auth.GoogleAuth')).toBe('function');
  });

  it('has no other API, and no entry that promises all', () => {
    expect(() => imported('drive', 'drive')).toThrow(/ERR_MODULE_NOT_FOUND/);
    expect(() => node("await import('googleapis')")).toThrow(/Cannot find|ERR_MODULE_NOT_FOUND/);
  });
});

describe('pruning something else', () => {
  it('is refused, and deletes nothing', () => {
    expect(() => prune(join(packages, 'zod'))).toThrow(/usage/);
    expect(existsSync(join(house, 'node_modules/zod/package.json'))).toBe(true);
  });

  it('a package in which an API has moved is an error', () => {
    const moved = join(root, 'moved');
    mkdirSync(join(moved, 'build/src/apis/calendar'), { recursive: true });
    expect(() => prune(moved)).toThrow(/no index\.js and v3\.js in apis\/calendar/);
  });
});

function prune(folder: string): void {
  execFileSync(process.execPath, [join(house, 'scripts/prune-googleapis.mjs'), folder], { stdio: 'pipe' });
}

function imported(api: string, path: string): string {
  return node(
    `import * as api from 'googleapis/build/src/apis/${api}/index.js'; console.log(typeof api.${path})`,
  );
}

function node(script: string): string {
  const args = ['--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
