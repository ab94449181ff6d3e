import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommand } from '../stand/command.ts';
import { freePort } from '../stand/port.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let config: string;
afterEach(() => world.close());

async function slotbridge(...args: string[]) {
  return runCommand([...args, '--config', config], { cwd: world.dir });
}

/** A worker and its endpoint; `knows`: the worker has the endpoint's secret from its YAML. */
async function begin(webhook: string, knows: boolean): Promise<{ endpoint: string; url: string }> {
  world = await startWorld({ webhook });
  const port = await freePort();
  if (!knows) {
    config = world.writeConfig(port);
    const { url } = await world.startWorker(port);
    return { endpoint: await world.subscribe(port), url };
  }
  const endpoint = await world.subscribe(port);
  config = world.writeConfig(port);
  const { url } = await world.startWorker(port);
  return { endpoint, url };
}

interface Told {
  readonly sent: { readonly statusCode: number | null };
  readonly met: { readonly configured: string; readonly verdicts: Readonly<Record<string, string>> } | null;
}

async function tested(): Promise<Told & { code: number | null }> {
  const { code, stdout, stderr } = await slotbridge('webhook', 'test', '--json');
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Told) };
}

test('webhook test says that the signature verifies, and by which scheme; nothing is mirrored by it (case 15)', async () => {
  await begin('', true);
  const told = await tested();
  expect(told).toMatchObject({ code: 0, sent: { statusCode: 200 } });
  expect(told.met).toMatchObject({
    configured: 'timestamped',
    verdicts: { timestamped: 'valid', standard: 'missing' },
  });
  expect(world.rows('Visits').length).toBeLessThanOrEqual(1);
}, 30_000);

test('under the wrong scheme the delivery is refused, and the right one is named', async () => {
  await begin(', signature: body', true);
  const { code, stdout } = await slotbridge('webhook', 'test', '--type', 'contact.created');
  expect(code).toBe(1);
  expect(stdout).toContain('Test event contact.created: answered 401');
  expect(stdout).toContain('Set platform.webhook.signature: timestamped');
}, 30_000);

test('a worker that does not run is not met', async () => {
  world = await startWorld();
  const port = await freePort();
  await world.subscribe(port);
  config = world.writeConfig(port);
  const { code, stdout } = await slotbridge('webhook', 'test');
  expect(code).toBe(1);
  expect(stdout).toContain('The worker has not met it');
}, 30_000);

test('a secret is rolled without a gap: it is in the file before the old one stops, also when the answer was lost (case 14)', async () => {
  const { endpoint } = await begin(', secret_file: webhook-secret', false);
  const file = join(world.dir, 'webhook-secret');
  expect((await tested()).met?.verdicts['timestamped']).toBe('no-secret');
  // The platform rolls, and no answer comes: three times.
  const lost = { method: 'POST', path: /roll_secret/, fault: { kind: 'commit-then-reset' } } as const;
  world.platform.faults.add({ ...lost, times: 3 });
  const cut = await slotbridge('webhook', 'roll-secret', '--secret-file', file);
  expect(cut.code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(existsSync(`${file}.rolling`)).toBe(true);
  world.platform.faults.clear();
  const again = await slotbridge('webhook', 'roll-secret', '--secret-file', file);
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(again.stdout).toContain(`The new secret of endpoint ${endpoint} is kept in`);
  expect(again.stdout).toContain('has been brought to its end');
  expect(existsSync(`${file}.rolling`)).toBe(false);
  const secret = readFileSync(file, 'utf8').trim();
  expect(secret.split('\n').length).toBe(1);
  expect(again.stdout).not.toContain(secret);
}, 60_000);

test('a worker takes the rolled secret up without a restart', async () => {
  const port = await freePort();
  const file = join(mkdtempSync(join(tmpdir(), 'slotbridge-secret-')), 'webhook-secret');
  world = await startWorld({ webhook: `, secret_file: "${file}"` });
  config = world.writeConfig(port);
  await world.startWorker(port);
  await world.subscribe(port);
  expect((await tested()).met?.verdicts['timestamped']).toBe('no-secret');
  expect((await slotbridge('webhook', 'roll-secret', '--overlap', '1')).code).toBe(0);
  expect(await tested()).toMatchObject({ code: 0, met: { verdicts: { timestamped: 'valid' } } });
  expect((await slotbridge('webhook', 'roll-secret', '--overlap', '0')).stderr).toContain('overlap-unknown');
  rmSync(dirname(file), { recursive: true });
}, 60_000);

test('webhook enable switches the endpoint on again, and says what becomes of what was missed', async () => {
  const { endpoint } = await begin('', true);
  world.platform.dashboard.disableEndpoint(endpoint);
  const { code, stdout } = await slotbridge('webhook', 'enable');
  expect(code).toBe(0);
  expect(stdout).toContain(`Endpoint ${endpoint} is enabled. It was disabled since`);
  expect((await slotbridge('webhook', 'status')).stdout).toContain('enabled');
  expect((await slotbridge('webhook', 'enable')).stdout).toContain('enabled already');
}, 30_000);
