import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

/** An address of this machine that no rule takes for loopback. */
const REMOTE = '127.0.0.2';
const isInstalled = [
  ['tinyproxy', '-v'],
  ['openssl', 'version'],
].every(([program = '', flag = '']) => spawnSync(program, [flag]).status === 0);

let dir: string;
let world: World;
let proxy: ChildProcess;
let port: number;
const fronts: { readonly server: Server; readonly port: number; taken: number }[] = [];

async function start(): Promise<void> {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-proxy-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const name = ['-subj', `/CN=${REMOTE}`, '-addext', `subjectAltName=IP:${REMOTE}`];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
      ...name,
    ],
    { stdio: 'ignore' },
  );
  world = await startWorld();
  for (const url of [world.platform.url, world.google.url])
    await openFront(Number(new URL(url).port), { key, cert });
  port = await ownPort();
  const settings = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    `LogFile "${join(dir, 'proxy.log')}"`,
    'LogLevel Connect',
    'BasicAuth office word',
  ];
  writeFileSync(join(dir, 'proxy.conf'), `${settings.join('\n')}\n`);
  proxy = spawn('tinyproxy', ['-d', '-c', join(dir, 'proxy.conf')], { stdio: 'ignore' });
  await vi.waitFor(() => expect(connects()).toEqual([]), { timeout: PATIENCE_MS });
}

/** https with a certificate, before a sandbox that speaks http. */
async function openFront(sandboxPort: number, files: { key: string; cert: string }): Promise<void> {
  const server = createServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, (socket) => {
    front.taken += 1;
    const inner = connect(sandboxPort, '127.0.0.1');
    for (const [from, to] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((done) => server.listen(0, REMOTE, done));
  const front = { server, port: (server.address() as AddressInfo).port, taken: 0 };
  fronts.push(front);
}

/** What the proxy was asked for, in order: `127.0.0.2:4711`. */
function connects(): string[] {
  const log = readFileSync(join(dir, 'proxy.log'), 'utf8');
  return [...log.matchAll(/CONNECT (\S+) HTTP/g)].map(([, authority = '']) => authority);
}

const authorities = () => fronts.map((front) => `${REMOTE}:${front.port}`);
const variables = (login = 'office:word@') => ({
  NODE_EXTRA_CA_CERTS: join(dir, 'cert.pem'),
  HTTPS_PROXY: `http://${login}127.0.0.1:${port}`,
});

/** The YAML names the https addresses instead of the sandboxes'. */
function behindFronts(path: string): string {
  let text = readFileSync(path, 'utf8');
  for (const [at, url] of [world.platform.url, world.google.url].entries())
    text = text.replaceAll(new URL(url).origin, `https://${REMOTE}:${fronts[at]?.port}`);
  writeFileSync(path, text);
  return path;
}

describe.skipIf(!isInstalled)("through Debian's tinyproxy, which asks for a password", () => {
  beforeAll(start);
  afterAll(async () => {
    proxy.kill('SIGTERM');
    for (const { server } of fronts) server.close();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const check = async (env: Record<string, string>) => {
    const config = behindFronts(world.writeConfig(await world.door()));
    return runCommand(['check', '--live', '--config', config], { cwd: dir, env });
  };

  test('a command asks the platform and Google', async () => {
    const { stdout, stderr } = await check(variables());
    expect(stderr).toBe('');
    expect(stdout).toMatch(/API key +ok/);
    expect(stdout).toMatch(/calendar anna@clinic.example +ok/);
    expect([...new Set(connects())].sort()).toEqual(authorities().sort());
  });

  test('a command writes to the platform', async () => {
    const config = behindFronts(world.writeConfig(await world.door()));
    const before = connects().length;
    const register = ['webhook', 'register', '--config', config, '--secret-file', join(dir, 'secret')];
    const { code, stdout } = await runCommand(register, { cwd: dir, env: variables() });
    expect(stdout).toMatch(/^Endpoint \S+ sends /);
    expect(code).toBe(0);
    expect(new Set(connects().slice(before))).toEqual(new Set(authorities().slice(0, 1)));
  });

  test('NO_PROXY leads past it', async () => {
    const before = connects().length;
    const { stdout } = await check({ ...variables('nobody:else@'), NO_PROXY: `other.example, ${REMOTE}` });
    expect(stdout).toMatch(/API key +ok/);
    expect(stdout).toMatch(/calendar anna@clinic.example +ok/);
    expect(connects()).toHaveLength(before);
  });

  test('a proxy that refuses the login is named, without its password', async () => {
    const { code, stdout, stderr } = await check(variables('office:wrong@'));
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('the proxy answered 401 instead of connecting');
    expect(stdout + stderr).not.toContain('wrong');
  });

  atLength.test('a worker mirrors, and every connection that it opens passes the proxy', async () => {
    const door = await world.door();
    await world.subscribe(door);
    const worker = await startWorkerProcess(world, door, { args: [], env: variables() });
    behindFronts(join(world.dir, `slotbridge-${door}-worker.yaml`));
    const before = { connects: connects().length, taken: fronts.map(({ taken }) => taken) };
    worker.start();
    await worker.untilReady();
    for (let hours = 24; hours < 30; hours += 1) world.book({ hours });
    await world.untilIdle(worker.url);
    expect(world.events(ANNA)).toHaveLength(6);
    await worker.stop();
    const taken = fronts.map(({ taken }, at) => taken - (before.taken[at] ?? 0));
    const asked = connects().slice(before.connects);
    expect(authorities().map((authority) => asked.filter((each) => each === authority).length)).toEqual(
      taken,
    );
    // Connections are kept: each of hundreds of requests would open its own.
    expect(taken.reduce((sum, each) => sum + each)).toBeLessThan(60);
  });
});
