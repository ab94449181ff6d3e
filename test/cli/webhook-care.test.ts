import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KeyOptions } from '@slotbridge/sandbox/platform/keys';
import { afterEach, expect, test } from 'vitest';
import type { Act } from '../../src/engine/role.ts';
import { runHere } from '../stand/command.ts';
import { atLength } from '../stand/runs.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let config: string;
afterEach(() => world.close());

async function slotbridge(...args: string[]) {
  return runHere([...args, '--config', config]);
}

/** A worker and its endpoint; `knows`: the worker has the endpoint's secret from its YAML. */
async function begin(webhook: string, knows: boolean): Promise<{ endpoint: string; url: string }> {
  world = await startWorld({ webhook });
  const port = await world.door();
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
});

test('under the wrong scheme the delivery is refused, and the right one is named', async () => {
  await begin(', signature: body', true);
  const { code, stdout } = await slotbridge('webhook', 'test', '--type', 'contact.created');
  expect(code).toBe(1);
  expect(stdout).toContain('Test event contact.created: answered 401');
  expect(stdout).toContain('Set platform.webhook.signature: timestamped');
});

atLength.test(
  'signed by a secret that the worker does not hold, the delivery leaves no word, and the answer says why',
  async () => {
    world = await startWorld({
      rewrite: (yaml) => yaml.replace(/secrets: \["[^"]*"\]/, 'secrets: [not-the-endpoints-own]'),
    });
    const port = await world.door();
    await world.subscribe(port);
    config = world.writeConfig(port);
    await world.startWorker(port);
    const { code, stdout } = await slotbridge('webhook', 'test');
    expect(code).toBe(1);
    expect(stdout).toContain('answered 401');
    expect(stdout).toContain('No scheme verifies it');
  },
);

test('a worker that does not run is not met', async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  config = world.writeConfig(port);
  const { code, stdout } = await slotbridge('webhook', 'test');
  expect(code).toBe(1);
  expect(stdout).toContain('The worker did not receive it');
});

test('a secret is rolled without a gap: it is in the file before the old one stops, also when the answer was lost (case 14)', async () => {
  const { endpoint } = await begin(', secret_file: webhook-secret', false);
  const file = join(world.dir, 'webhook-secret');
  expect(await tested()).toMatchObject({ met: null, sent: { statusCode: 202 } });
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
  expect(again.stdout).toContain(`The new secret of endpoint ${endpoint} is saved in`);
  expect(again.stdout).toContain('finished the roll that was begun earlier');
  expect(existsSync(`${file}.rolling`)).toBe(false);
  const secret = readFileSync(file, 'utf8').trim();
  expect(secret.split('\n').length).toBe(1);
  expect(again.stdout).not.toContain(secret);
  const { acts } = JSON.parse((await slotbridge('acts', '--json')).stdout) as { acts: readonly Act[] };
  const roll = { role: 'ops', who: 'ops', what: 'secret-rolled', why: '', about: { endpoint }, chosen: 1 };
  expect(acts.map(({ id: _, atMs: __, ...act }) => act)).toEqual([{ ...roll, done: 1 }, roll]);
  expect(JSON.stringify(acts)).not.toContain(secret);
});

test('a secret that has leaked is rolled while Redis is away, and a warning says that the audit log lacks it', async () => {
  await begin(', secret_file: webhook-secret', false);
  const file = join(world.dir, 'webhook-secret');
  // A port on which nobody listens.
  writeFileSync(config, readFileSync(config, 'utf8').replace(world.redis.url, 'redis://127.0.0.1:1'));
  const { code, stderr } = await slotbridge('webhook', 'roll-secret', '--secret-file', file);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: not in the audit log: .*\(redis-[a-z-]+\)\n$/),
  ]);
  expect(readFileSync(file, 'utf8')).toMatch(/^whsec_/);
});

atLength.test('a worker takes the rolled secret up without a restart', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'slotbridge-secret-')), 'webhook-secret');
  world = await startWorld({ webhook: `, secret_file: "${file}"` });
  const port = await world.door();
  config = world.writeConfig(port);
  await world.startWorker(port);
  await world.subscribe(port);
  expect(await tested()).toMatchObject({ met: null, sent: { statusCode: 202 } });
  expect((await slotbridge('webhook', 'roll-secret', '--overlap', '1')).code).toBe(0);
  expect(await tested()).toMatchObject({ code: 0, met: { verdicts: { timestamped: 'valid' } } });
  expect((await slotbridge('webhook', 'roll-secret', '--overlap', '0')).stderr).toContain('overlap-unknown');
  rmSync(dirname(file), { recursive: true });
});

test('webhook enable switches the endpoint on again, and says what becomes of what was missed', async () => {
  const { endpoint } = await begin('', true);
  world.platform.dashboard.disableEndpoint(endpoint);
  const advice = 'Run: slotbridge webhook enable';
  expect((await slotbridge('webhook', 'status')).stdout).toContain(
    `The platform sends nothing to it. ${advice}`,
  );
  // The platform also tests disabled endpoints, so the arrival of a test does not prove delivery.
  expect((await slotbridge('webhook', 'test')).stdout).toContain(`it receives only tests. ${advice}`);
  const { code, stdout } = await slotbridge('webhook', 'enable');
  expect(code).toBe(0);
  expect(stdout).toContain(`Endpoint ${endpoint} is enabled. It had been disabled since`);
  expect((await slotbridge('webhook', 'status')).stdout).toContain('enabled');
  expect((await slotbridge('webhook', 'enable')).stdout).toContain('already enabled');
  const { acts } = JSON.parse((await slotbridge('acts', '--json')).stdout) as { acts: readonly Act[] };
  expect(acts).toMatchObject([{ what: 'endpoint-enabled', about: { endpoint }, done: 1 }]);
});

atLength.test(
  'webhook register subscribes a narrowed endpoint to the projects that the mapping needs, and webhook status names them before',
  async () => {
    const { endpoint } = await begin('', true);
    const other = world.platform.dashboard.createProject({ name: 'Elsewhere' });
    const answer = await fetch(`${world.platform.url}/webhook_endpoints/${endpoint}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project_ids: [other] }),
    });
    expect(answer.status).toBe(200);
    expect((await slotbridge('webhook', 'status')).stdout).toContain(`project ${world.company.projectId}`);
    const secret = join(world.dir, 'secret');
    const { code, stdout } = await slotbridge('webhook', 'register', '--secret-file', secret);
    expect([code, stdout]).toEqual([0, expect.stringContaining('the events of 2 projects')]);
    const [found] = world.platform.truth.endpoints();
    const projects = found?.['project_ids'] as string[] | undefined;
    expect([...(projects ?? [])].sort()).toEqual([other, world.company.projectId].sort());
  },
);

atLength.describe('webhook register with a key that does not cover all projects', () => {
  /** A YAML with such a key, in a company that has a second project. */
  async function withKey(options: KeyOptions, mirrors?: string): Promise<string> {
    let key = '';
    world = await startWorld({
      ...(mirrors === undefined ? {} : { mirrors }),
      rewrite: (yaml) => yaml.replace(/api_key: .*/, `api_key: ${key}`),
    });
    world.platform.dashboard.createProject({ name: 'Elsewhere' });
    key = world.platform.createKey({ projectIds: [world.company.projectId], ...options });
    config = world.writeConfig(await world.door());
    return join(world.dir, 'secret');
  }

  test('makes the endpoint for the projects that the mapping needs, and keeps its secret', async () => {
    const secret = await withKey({});
    const { code, stdout, stderr } = await slotbridge('webhook', 'register', '--secret-file', secret);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('It covers 1 project: the key may not subscribe to all projects of the company');
    expect(world.platform.truth.endpoints()).toMatchObject([{ project_ids: [world.company.projectId] }]);
    expect(readFileSync(secret, 'utf8')).toMatch(/^whsec_/);
    expect(existsSync(`${secret}.pending`)).toBe(false);
    const { acts } = JSON.parse((await slotbridge('acts', '--json')).stdout) as { acts: readonly Act[] };
    expect(acts).toMatchObject([{ what: 'endpoint-made', done: 1 }]);
    expect((await slotbridge('webhook', 'register', '--secret-file', secret)).stdout).toContain(
      'covers all needed events',
    );
  });

  test('that was cut off after it is finished by the next one, with the same endpoint', async () => {
    const secret = await withKey({});
    // The first answer is the refusal; the endpoint is made by the second request.
    const lost = { method: 'POST', path: /webhook_endpoints$/, skip: 1, times: 3 } as const;
    world.platform.faults.add({ ...lost, fault: { kind: 'commit-then-reset' } });
    expect((await slotbridge('webhook', 'register', '--secret-file', secret)).code).toBe(1);
    expect(world.platform.truth.endpoints()).toHaveLength(1);
    world.platform.faults.clear();
    expect((await slotbridge('webhook', 'register', '--secret-file', secret)).code).toBe(0);
    expect(world.platform.truth.endpoints()).toHaveLength(1);
    expect(readFileSync(secret, 'utf8')).toMatch(/^whsec_/);
  });

  test('and without the lists of names takes the projects that the mirrors name; without those it says where to name them', async () => {
    const contacts = (where: string) => `
mirrors:
  contacts:
    from: contacts
    ${where}
    sheet: { spreadsheet: office-book, tab: Contacts }
    columns: { ID: "{{ id }}" }
`;
    let where = '';
    const secret = await withKey({ scopes: ['contacts:read', 'webhooks:manage'] }, contacts('WHERE'));
    const write = async () => {
      const text = readFileSync(config, 'utf8').replace(/^ {4}(WHERE|where: .*)$/m, `    ${where}`);
      writeFileSync(config, text);
    };
    where = 'where: {}';
    await write();
    const refused = await slotbridge('webhook', 'register', '--secret-file', secret);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('name them in where.project of every mirror');
    where = `where: { project: [${world.company.projectId}] }`;
    await write();
    const made = await slotbridge('webhook', 'register', '--secret-file', secret);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(world.platform.truth.endpoints()).toMatchObject([{ project_ids: [world.company.projectId] }]);
  });
});

atLength.test(
  'webhook register that the platform refused asks for something else after the YAML was changed',
  async () => {
    let key = '';
    world = await startWorld({ rewrite: (yaml) => yaml.replace(/api_key: .*/, `api_key: ${key}`) });
    key = world.platform.createKey({ scopes: ['appointments:read', 'webhooks:manage'] });
    config = world.writeConfig(await world.door());
    const secret = join(world.dir, 'secret');
    expect((await slotbridge('webhook', 'register', '--secret-file', secret)).stderr).toContain('403');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replace(/^ {2}contacts:\n(?: {4}.*\n)+/m, ''));
    const { code, stderr } = await slotbridge('webhook', 'register', '--secret-file', secret);
    expect([code, stderr]).toEqual([0, '']);
  },
);

test('P8: webhook status and check report what several endpoints with the worker’s address deliver together', async () => {
  const { endpoint } = await begin('', true);
  const [first] = world.platform.truth.endpoints();
  const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' };
  const made = await fetch(`${world.platform.url}/webhook_endpoints`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'by-hand' },
    body: JSON.stringify({ url: first?.['url'], enabled_events: ['*'] }),
  });
  const { id } = (await made.json()) as { id: string };
  world.platform.dashboard.disableEndpoint(id);
  expect((await slotbridge('webhook', 'status')).stdout).toContain(`Endpoint ${endpoint} sends to`);
  world.platform.dashboard.enableEndpoint(id);
  const change = async (changed: string, body: object) => {
    const sent = { method: 'PATCH', headers, body: JSON.stringify(body) };
    expect((await fetch(`${world.platform.url}/webhook_endpoints/${changed}`, sent)).status).toBe(200);
  };
  const elsewhere = world.platform.dashboard.createProject({ name: 'Elsewhere' });
  await change(endpoint, { project_ids: [world.company.projectId] });
  await change(id, { project_ids: [elsewhere] });
  const told = await slotbridge('webhook', 'status', '--json');
  expect(JSON.parse(told.stdout)).toMatchObject({ lacking: [] });
  const look = async () => (await slotbridge('check', '--live')).stdout;
  expect(await look()).toContain('enabled, covers all needed events');
  await change(endpoint, { enabled_events: ['contact.created'] });
  expect(await look()).toContain('endpoint-narrow');
});
