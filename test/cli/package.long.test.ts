import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { house, read } from '../house/tree.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

const BYTES_MAX = 25_000_000;
const WAIT = { timeout: PATIENCE_MS, interval: 50 };

const dir = mkdtempSync(join(tmpdir(), 'package-'));
/** The folder in which the package is installed, as a stranger would do it. */
const folder = join(dir, 'empty');
const own = join(folder, 'node_modules/slotbridge');
const program = join(folder, 'node_modules/.bin/slotbridge');
const version: string = JSON.parse(read('package.json')).version;
const running: ChildProcess[] = [];
let port: number;

beforeAll(async () => {
  mkdirSync(folder);
  port = await ownPort();
  // dist/ is what `npm test` has just built; `npm run pack` builds it anew.
  await succeed(house, 'npm', 'pack', '--pack-destination', dir);
  // Offline: whatever the package needed from a registry would be missing.
  await succeed(folder, 'npm', 'install', '--offline', join(dir, `slotbridge-${version}.tgz`));
});

afterAll(async () => {
  // The worker before the sandbox: it ends what it has begun.
  for (const child of running.reverse()) await end(child, 'SIGTERM');
  await vi.waitFor(() => expect(processesInside()).toEqual([]), WAIT);
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

describe('npm i of the package in an empty folder', () => {
  it('brings no other package, and at most 25 MB', () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'slotbridge',
    ]);
    const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(bytes).toBeLessThan(BYTES_MAX);
  });

  it('brings the licence of each package whose code it has, and of no other; so does the bill of materials', async () => {
    const bundles = readdirSync(join(own, 'dist')).filter((name) => name.endsWith('.js'));
    // esbuild says of which files it has taken code. The hashes in the names prove that it is the code of the package.
    const { bundle } = await import(join(house, 'scripts/bundle.mjs'));
    const { metafile } = await build({ ...(bundle as BuildOptions), write: false, metafile: true });
    const outputs = Object.entries(metafile.outputs).filter(([name]) => name.endsWith('.js'));
    expect(outputs.map(([name]) => basename(name)).toSorted()).toEqual(bundles.toSorted());
    const paths = outputs.flatMap(([, { inputs }]) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    );
    const packages = paths.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
    // Files for browsers are copied from their packages as they are.
    const served = readdirSync(join(own, 'dist/assets'))
      .filter((name) => !existsSync(join(house, 'src/console/assets', name)))
      .map((name) => {
        const owner = readdirSync(join(house, 'node_modules')).find((each) =>
          existsSync(join(house, 'node_modules', each, 'dist', name)),
        );
        return `node_modules/${owner}`;
      });
    expect(served.length).toBeGreaterThan(0);
    const bundled = [...new Set([...packages, ...served])].map((path) => {
      const manifest = JSON.parse(read(`${path}/package.json`));
      return `${manifest.name} ${manifest.version}`;
    });
    const expected = [...new Set(bundled)].toSorted();
    expect(expected.length).toBeGreaterThan(100);

    const licences = readFileSync(join(own, 'dist/THIRD-PARTY-LICENSES'), 'utf8')
      .split(/^-{80}$/m)
      .slice(1);
    const titled = licences.map((part) => /^\n(\S+ \S+) \((.+)\)\n\n/.exec(part)?.[1]);
    expect(titled.toSorted()).toEqual(expected);
    expect(licences.filter((part) => !/copyright|public domain/i.test(part) || part.length < 500)).toEqual(
      [],
    );

    const bill = JSON.parse(await succeed(house, process.execPath, 'scripts/sbom.mjs'));
    const listed: { name: string; version: string }[] = bill.components;
    expect(listed.map((each) => `${each.name} ${each.version}`).toSorted()).toEqual(expected);
  });

  it('brings a program that tells its version, and checks and tests a mapping', async () => {
    expect(await succeed(folder, 'npx', 'slotbridge', '--version')).toContain(version);
    const example = 'node_modules/slotbridge/config/slotbridge.example.yaml';
    expect(await succeed(folder, program, 'check', '--config', example)).toContain('is valid');
    const scenarios = 'node_modules/slotbridge/config/scenarios/clinic.yaml';
    expect(await succeed(folder, program, 'test', scenarios)).toContain('passed');
  });
});

describe('beside the sandbox of the package', () => {
  beforeAll(async () => {
    await launch(/Ctrl-C ends everything/, 'npx', 'slotbridge', 'sandbox');
    const calendar = 'Anna Petrova=anna@clinic.example';
    const said = await succeed(folder, program, 'init', '--sandbox', '--yes', '--calendar', calendar);
    expect(said).toContain('Everything can work.');
  });

  it('npx slotbridge start becomes ready, and ends by Ctrl-C', async () => {
    const worker = await launch(/"msg":"listening"/, 'npx', 'slotbridge', 'start');
    await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(200), WAIT);
    await end(worker, 'SIGINT');
    await vi.waitFor(() => expect(statusOf('/readyz')).rejects.toThrow(), WAIT);
  });

  it('its program becomes ready, serves the console, and ends by SIGTERM with code 0', async () => {
    const worker = await launch(/"msg":"listening"/, program, 'start');
    await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(200), WAIT);
    expect(await statusOf('/console/sign-in')).toBe(200);
    await end(worker, 'SIGTERM');
    expect(worker.exitCode).toBe(0);
  });
});

async function statusOf(path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.body?.cancel();
  return answer.status;
}

/** Nothing of npm's settings on this machine, and the ports of nobody else. */
function environment() {
  return {
    ...{
      PATH: process.env['PATH'],
      TMPDIR: tmpdir(),
      HOME: dir,
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
    ...{ SANDBOX_PLATFORM_PORT: '0', SANDBOX_GOOGLE_PORT: '0', SANDBOX_PAGE_PORT: '0', PORT: String(port) },
  };
}

/** What the command prints; rejects when it fails. */
async function succeed(cwd: string, program: string, ...args: string[]): Promise<string> {
  const child = spawn(program, args, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Starts what runs until a signal, in a group of its own, as a terminal does; resolves once it has said so much. */
async function launch(enough: RegExp, program: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { cwd: folder, env: environment(), detached: true });
  running.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      printed += String(bytes);
    });
  await vi.waitFor(
    () => expect(child.exitCode === null ? printed : `ended: ${printed}`).toMatch(enough),
    WAIT,
  );
  return child;
}

/** As Ctrl-C in a terminal or a service manager: all processes of the group get the signal. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('close', done));
  process.kill(-child.pid, signal);
  await ended;
}

/** Ids of the processes that work in the folder, such as a worker's private Redis. */
function processesInside(): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').filter((id) => {
    try {
      return readlinkSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      // It has ended, belongs to somebody else, or is no process.
      return false;
    }
  });
}
