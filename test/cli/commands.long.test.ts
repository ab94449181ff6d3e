import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Outcome, runCommand, runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { listeningUrl, MAIN } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
let dir: string;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-cli-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** As a process: some commands once, and whatever starts a worker. `runHere` asks the rest; the runbook runs every command of dist/. */
function run(args: readonly string[]): Promise<Outcome> {
  return runCommand(args, { cwd: dir });
}

function write(yaml: string): string {
  const path = join(dir, 'slotbridge.yaml');
  writeFileSync(path, yaml);
  return path;
}

const EXAMPLE = new URL('../../config/slotbridge.example.yaml', import.meta.url).pathname;

test('check works offline and says that the example is in order', async () => {
  const { code, stdout } = await run(['check', '--config', EXAMPLE]);
  expect(code).toBe(0);
  expect(stdout).toContain('is valid');
});

test('check --live ends with 1 when something cannot work, and with 0 when all of it can', async () => {
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeConfig(port);
  expect((await runHere(['check', '--live', '--config', config])).code).toBe(0);
  world.google.revokeAccess(ANNA);
  const { code, stdout, stderr } = await runHere(['check', '--live', '--config', config]);
  world.google.grantAccess(ANNA);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toContain(`-> Share ${ANNA} with `);
});

test('google login ends with 1 and advice when the client file is none', async () => {
  const { code, stderr } = await runHere(['google', 'login', '--client', join(dir, 'none.json')]);
  expect(code).toBe(1);
  expect(stderr).toContain('google-client-broken');
  expect(stderr).toContain('Desktop app');
});

test('check tells every problem at once, with its line, and exits with the code for a configuration', async () => {
  const yaml = readFileSync(EXAMPLE, 'utf8').replace(
    /base_url: .*/,
    () => 'base_url: $' + '{NOT_SET_ANYWHERE}',
  );
  const { code, stderr } = await runHere(['check', '--config', write(`${yaml}\nsurprise: true\n`)]);
  expect(code).toBe(78);
  expect(stderr).toMatch(/slotbridge\.yaml:\d+:\d+ +platform\.base_url/);
  expect(stderr).toContain('NOT_SET_ANYWHERE');
  expect(stderr).toMatch(/slotbridge\.yaml:\d+:\d+ +surprise/);
});

test('a file that is not there is told with what to do', async () => {
  const { code, stderr } = await run(['start', '--config', 'nowhere.yaml']);
  expect(code).toBe(78);
  expect(stderr).toContain('slotbridge.example.yaml');
});

test('who books in a sandbox, or looks at it, is told when none runs here', async () => {
  for (const wish of ['--book', '--show']) {
    const { code, stdout, stderr } = await runHere(['sandbox', wish, '--data', join(dir, 'nowhere')]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('sandbox-not-running');
    expect(stderr).toContain('slotbridge sandbox');
  }
});

atLength.test('status loads no fetch: node:http asks the worker in a third of the time', async () => {
  const told = (path: string) =>
    `process.on('exit',()=>require('fs').writeFileSync('${path}',process.moduleLoadList.join('\\n')))`;
  const seen = join(dir, 'loaded.txt');
  writeFileSync(join(dir, 'tell.cjs'), told(seen));
  const config = world.writeConfig(await world.door());
  const child = spawn(process.execPath, [
    '--require',
    join(dir, 'tell.cjs'),
    MAIN,
    'status',
    '--config',
    config,
  ]);
  await new Promise((done) => child.once('close', done));
  const loaded = readFileSync(seen, 'utf8');
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('undici/undici');
});

atLength.test('a slip in a template hides no status', async () => {
  const config = world.writeConfig(await world.door());
  const broken = readFileSync(config, 'utf8').replace(/title: .*/, 'title: "{{ service_name"');
  expect((await runHere(['check', '--config', write(broken)])).code).toBe(78);
  const { code, stdout } = await runHere(['status', '--config', write(broken)]);
  expect(code).toBe(0);
  expect(stdout).toContain('coverage');
});

test('an unknown command or option is a usage error', async () => {
  expect((await runHere(['begin'])).code).toBe(2);
  expect((await runHere(['check', '--loud'])).code).toBe(2);
});

test('start refuses a mapping whose names the platform does not know', async () => {
  const path = world.writeConfig(0);
  const yaml = readFileSync(path, 'utf8').replace('Boris Ivanov', 'Nobody At All');
  const { code, stderr } = await run(['start', '--config', write(yaml)]);
  expect(code).toBe(78);
  expect(stderr).toContain('Nobody At All');
});

test('start without a usable Google key says which file, and exits', async () => {
  const path = world.writeConfig(0);
  const yaml = readFileSync(path, 'utf8').replace(/credentials: .*/, 'credentials: missing-key.json');
  const { code, stderr } = await run(['start', '--config', write(yaml)]);
  expect(code).toBe(1);
  expect(stderr).toContain('missing-key.json');
});

test('check counts the tabs of every source', async () => {
  const sources = ['appointments', 'contacts', 'leads', 'conversations', 'messages'];
  const mirrors = sources.map(
    (from) => `  ${from}:
    from: ${from}
    sheet: { spreadsheet: 1AbC, tab: ${from} }
    columns: { ID: "{{ id }}" }
`,
  );
  const path = write(
    `platform: { base_url: "https://api.example.com/v1", api_key: key }\nmirrors:\n${mirrors.join('')}`,
  );
  const { code, stdout } = await runHere(['check', '--config', path]);
  expect(code).toBe(0);
  expect(stdout).toContain('5: 0 calendars, 5 tabs in 1 spreadsheet');
});

test('status looks into Redis when no worker runs, as text and as JSON', async () => {
  const path = world.writeConfig(1);
  const text = await runHere(['status', '--config', path]);
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/not running/);
  const json = await runHere(['status', '--config', path, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ worker: 'not-running', idle: false });
});

test('a worker that stands still is not told to be absent: nobody starts a second one beside it', async () => {
  // As the kernel does for a stopped process: the connection stands, and no answer comes.
  const still = createServer(() => undefined);
  still.listen(0, '127.0.0.1');
  await once(still, 'listening');
  const path = world.writeConfig((still.address() as AddressInfo).port);
  const { code, stdout } = await runHere(['status', '--check', '--config', path]);
  still.closeAllConnections();
  still.close();
  expect([code, stdout]).toEqual([1, expect.stringContaining('needs a person: the worker does not answer')]);
  expect(stdout).toMatch(/^worker +does not answer\. If that lasts, it hangs: stop it \(SIGTERM/m);
  expect(stdout).not.toContain('slotbridge start');
});

test('P8: status does not take another installation at the port for its own', async () => {
  const own = JSON.parse((await runHere(['status', '--config', world.writeConfig(1), '--json'])).stdout);
  let installation: string | undefined;
  const answering = createServer((_, answer) => {
    answer.end(JSON.stringify({ ...own, worker: 'running', installation }));
  });
  answering.listen(0, '127.0.0.1');
  await once(answering, 'listening');
  const path = world.writeConfig((answering.address() as AddressInfo).port);
  for (const [seen, worker] of [
    ['0123456789abcdef', 'not-running'],
    [own.installation, 'running'],
    // An older worker does not say.
    [undefined, 'running'],
  ] as const) {
    installation = seen;
    const { stdout, stderr } = await runHere(['status', '--config', path, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ worker });
    expect(stderr.includes('another installation answers at http://127.0.0.1:')).toBe(
      worker === 'not-running',
    );
  }
  answering.close();
});

test('webhook register creates the endpoint once and keeps its secret where only the owner reads', async () => {
  const port = await world.door();
  const path = world.writeConfig(port);
  const secretFile = join(dir, 'secrets', 'webhook');
  const before = await runHere(['webhook', 'status', '--config', path]);
  expect(before.stdout).toContain('webhook register');
  const first = await runHere(['webhook', 'register', '--config', path, '--secret-file', secretFile]);
  expect(first.code).toBe(0);
  const secret = readFileSync(secretFile, 'utf8').trim();
  expect(secret).toMatch(/^whsec_/);
  expect(first.stdout + first.stderr).not.toContain(secret);
  expect(statSync(secretFile).mode & 0o777).toBe(0o600);
  const second = await runHere(['webhook', 'register', '--config', path, '--secret-file', secretFile]);
  expect(second.stdout).toContain('already');
  const endpoints = world.platform.truth
    .endpoints()
    .filter((each) => String(each['url']).includes(`:${port}/`));
  expect(endpoints.length).toBe(1);
  const status = await runHere(['webhook', 'status', '--config', path, '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ endpoint: { status: 'enabled' }, lacking: [] });
});

test('two people who run webhook register at the same moment make one endpoint (P2)', async () => {
  const port = await world.door();
  const secretFile = join(dir, 'secrets', `webhook-${port}`);
  const args = ['webhook', 'register', '--config', world.writeConfig(port), '--secret-file', secretFile];
  const both = await Promise.all([runHere(args), runHere(args)]);
  expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const endpoints = world.platform.truth
    .endpoints()
    .filter((each) => String(each['url']).includes(`:${port}/`));
  expect(endpoints.length).toBe(1);
  expect(readFileSync(secretFile, 'utf8').trim().split('\n').length).toBe(1);
});

atLength.test('webhook register asks for a place for the secret before it creates anything', async () => {
  const path = world.writeConfig(await world.door());
  const count = world.platform.truth.endpoints().length;
  const { code, stderr } = await runHere(['webhook', 'register', '--config', path]);
  expect(code).toBe(1);
  expect(stderr).toContain('--secret-file');
  expect(world.platform.truth.endpoints().length).toBe(count);
});

atLength.test('webhook register creates nothing when the file could not take the secret', async () => {
  const path = world.writeConfig(await world.door());
  writeFileSync(join(dir, 'plain'), '');
  const count = world.platform.truth.endpoints().length;
  const { code, stderr } = await runHere([
    'webhook',
    'register',
    '--config',
    path,
    '--secret-file',
    join(dir, 'plain', 's'),
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain('secret-file-unwritable');
  expect(world.platform.truth.endpoints().length).toBe(count);
});

test('a weak secret in the secret file is refused by check and by start, without showing it', async () => {
  const path = world.writeConfig(await world.door());
  const secretFile = join(dir, 'weak');
  writeFileSync(secretFile, '# rolled in May\nlong enough to sign\nhunter2\n');
  const yaml = readFileSync(path, 'utf8').replace('webhook: {', `webhook: { secret_file: "${secretFile}",`);
  writeFileSync(path, yaml);
  for (const command of ['check', 'start']) {
    const { code, stdout, stderr } = await (command === 'start' ? run : runHere)([command, '--config', path]);
    expect([command, code]).toEqual([command, 78]);
    expect(stderr).toContain('no. 2 of the secrets');
    expect(stdout + stderr).not.toContain('hunter2');
  }
});

atLength.test(
  'a secret that the platform gave and that the scheme cannot use is kept, and told',
  async () => {
    const path = world.writeConfig(await world.door());
    writeFileSync(path, readFileSync(path, 'utf8').replace('webhook: {', 'webhook: { signature: standard,'));
    const secretFile = join(dir, 'given');
    world.platform.faults.add({
      method: 'POST',
      path: /webhook_endpoints$/,
      times: 1,
      fault: {
        kind: 'status',
        status: 201,
        body: JSON.stringify({
          ...{
            id: 'endpoint-1',
            object: 'webhook_endpoint',
            url: 'https://bridge.example.com/webhooks/platform',
          },
          ...{ enabled_events: ['*'], project_ids: null, status: 'enabled', secret: 'whsec_c2hvcnQ=' },
        }),
      },
    });
    const { code, stderr } = await runHere([
      'webhook',
      'register',
      '--config',
      path,
      '--secret-file',
      secretFile,
    ]);
    expect(code).toBe(78);
    expect(stderr).toContain('webhook-secret-weak');
    expect(readFileSync(secretFile, 'utf8').trim()).toBe('whsec_c2hvcnQ=');
  },
);

test('what others wrote does not reach the terminal as it came', async () => {
  const path = world.writeConfig(await world.door());
  const { output } = await runHere([
    'explain',
    'appointment/\u001b]0;owned\u0007\u009b2J\u202e',
    '--config',
    path,
  ]);
  expect(output).toContain('\\u001b]0;owned\\u0007\\u009b2J\\u202e');
  for (const raw of ['\u001b', '\u0007', '\u009b', '\u202e']) expect(output).not.toContain(raw);
});

atLength.test('a lost answer to webhook register leaves one endpoint, and its secret is known', async () => {
  const port = await world.door();
  const path = world.writeConfig(port);
  world.platform.faults.add({
    method: 'POST',
    path: /webhook_endpoints$/,
    times: 1,
    fault: { kind: 'commit-then-reset' },
  });
  const { code } = await runHere([
    'webhook',
    'register',
    '--config',
    path,
    '--secret-file',
    join(dir, 'secret'),
  ]);
  expect(code).toBe(0);
  expect(readFileSync(join(dir, 'secret'), 'utf8')).toMatch(/^whsec_/);
  const endpoints = world.platform.truth
    .endpoints()
    .filter((each) => String(each['url']).includes(`:${port}/`));
  expect(endpoints.length).toBe(1);
});

atLength.test(
  'webhook register that never got its answer is finished by the next one: one endpoint, its secret known (case 53)',
  async () => {
    const port = await world.door();
    const path = world.writeConfig(port);
    const args = ['webhook', 'register', '--config', path, '--secret-file', join(dir, 'secret')];
    world.platform.faults.add({
      method: 'POST',
      path: /webhook_endpoints$/,
      times: 3,
      fault: { kind: 'commit-then-reset' },
    });
    expect((await runHere(args)).code).toBe(1);
    expect(readFileSync(join(dir, 'secret'), 'utf8')).toBe('');
    const second = await runHere(args);
    expect(second.code).toBe(0);
    expect(readFileSync(join(dir, 'secret'), 'utf8')).toMatch(/^whsec_/);
    expect(existsSync(join(dir, 'secret.pending'))).toBe(false);
    const endpoints = world.platform.truth
      .endpoints()
      .filter((each) => String(each['url']).includes(`:${port}/`));
    expect(endpoints.length).toBe(1);
    expect((await runHere(args)).stdout).toContain('already');
  },
);

test('start stops by itself on SIGTERM, with exit code 0, and its private Redis with it', async () => {
  const yaml = readFileSync(world.writeConfig(0), 'utf8').replace(/redis: .*/, `redis: { data_dir: ${dir} }`);
  const path = write(yaml);
  const child = spawn(process.execPath, [MAIN, 'start', '--config', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  let log = '';
  child.stdout.on('data', (bytes) => {
    log += String(bytes);
  });
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${listeningUrl(log, child.pid)}/readyz`);
      expect(answer.status).toBe(200);
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );
  const socket = join(dir, 'redis', 'redis.sock');
  expect(existsSync(socket)).toBe(true);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(existsSync(socket)).toBe(false);
});
