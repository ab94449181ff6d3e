import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openRedis, type RedisClient, untilConnected } from '../../../src/engine/redis-client.ts';

// A Redis with a password, 16 databases, one socket without TLS and one port with it.
let dir: string;
let plain: string;
let tlsPort: number;
let server: ReturnType<typeof spawn>;
const clients: RedisClient[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sb-conn-'));
  // Made for this test and good for nothing else; it ends in 2126.
  const [key, certificate] = ['key.pem', 'cert.pem'].map((name) =>
    fileURLToPath(new URL(`tls/${name}`, import.meta.url)),
  ) as [string, string];
  // Redis takes no port 0: it is asked for a port until it got one.
  const said: string[] = [];
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    server = spawn('redis-server', [
      ...['--port', String(port), '--bind', '127.0.0.1', '--tls-port', String(port + 1)],
      ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
      ...[
        '--tls-auth-clients',
        'no',
        '--requirepass',
        'right',
        '--databases',
        '16',
        '--save',
        '',
        '--dir',
        dir,
      ],
    ]);
    if (await isListening(server, said)) {
      [plain, tlsPort] = [`127.0.0.1:${port}`, port + 1];
      return;
    }
  }
  throw new Error(`no Redis could be started: ${said.slice(-5).join('')}`);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(async () => {
  if (server.exitCode === null) {
    const ended = new Promise((done) => server.once('exit', done));
    server.kill();
    await ended;
  }
  rmSync(dir, { recursive: true, force: true });
});

async function isListening(child: ReturnType<typeof spawn>, said: string[]): Promise<boolean> {
  return new Promise((done) => {
    child.stderr?.on('data', (text: Buffer) => said.push(String(text)));
    child.stdout?.on('data', (text: Buffer) => {
      said.push(String(text));
      if (String(text).includes('Ready to accept connections')) done(true);
    });
    child.once('exit', () => done(false));
  });
}

function connect(url: string, more: { signal?: AbortSignal; withinMs?: number } = {}): Promise<void> {
  const client = openRedis(url, 'commands');
  clients.push(client);
  const address = url.replace(/\/\/.*@/, '//');
  // As `start` waits: what is wrong is known long before.
  return untilConnected(client, { address, withinMs: 10_000, ...more });
}

test.each([
  { what: 'a wrong password', url: () => `redis://:wrong@${plain}`, code: 'redis-login-refused' },
  { what: 'no password', url: () => `redis://${plain}`, code: 'redis-login-refused' },
  { what: 'an unknown user', url: () => `redis://nobody:right@${plain}`, code: 'redis-login-refused' },
  {
    what: 'a database that is not there',
    url: () => `redis://:right@${plain}/99`,
    code: 'redis-database-refused',
  },
  { what: 'TLS on a port without', url: () => `rediss://:right@${plain}`, code: 'redis-tls-mismatch' },
  {
    what: 'no TLS on a port with it',
    url: () => `redis://:right@127.0.0.1:${tlsPort}`,
    code: 'redis-tls-mismatch',
  },
  {
    what: 'a certificate nobody vouches for',
    url: () => `rediss://:right@127.0.0.1:${tlsPort}`,
    code: 'redis-certificate-refused',
  },
  { what: 'an unknown host', url: () => 'redis://nowhere.invalid:6379', code: 'redis-host-unknown' },
  { what: 'a closed port', url: () => 'redis://127.0.0.1:1', code: 'redis-refused' },
  { what: 'a missing socket', url: () => `unix://${dir}/none.sock`, code: 'redis-refused' },
])('$what has a message of its own, with the address and without the password', async ({ url, code }) => {
  const error = await connect(url()).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ family: 'terminal', code, target: 'redis', advice: expect.any(String) });
  const address = url().replace(/\/\/.*@/, '//');
  expect(error?.message).toContain(address);
  expect(error?.message).not.toMatch(/wrong|right/);
});

test('a server that accepts and says nothing is told as silent', async () => {
  const mute = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((done) => mute.once('listening', done));
  const { port } = mute.address() as { port: number };
  await expect(connect(`redis://127.0.0.1:${port}`, { withinMs: 200 })).rejects.toMatchObject({
    code: 'redis-silent',
  });
  for (const client of clients.splice(0)) client.disconnect();
  mute.close();
});

test('a right address connects, in its own database', async () => {
  await connect(`redis://:right@${plain}/3`);
  const [client] = clients;
  expect(String(await client?.call('CLIENT', 'INFO'))).toMatch(/ db=3 /);
});

test('a signal ends the wait at once', async () => {
  const stopping = new AbortController();
  const waiting = connect('redis://127.0.0.1:1', { signal: stopping.signal, withinMs: 60_000 });
  stopping.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
