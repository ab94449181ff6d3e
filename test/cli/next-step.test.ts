import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../stand/command.ts';
import { atLength } from '../stand/runs.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-next-'));
  mkdirSync(join(dir, 'config'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(platform: string, port = 1): void {
  writeFileSync(
    join(dir, 'config/slotbridge.yaml'),
    `platform: { base_url: "http://127.0.0.1:1/v1", api_key: key ${platform} }
google: { credentials: key.json }
http: { port: ${port} }
mirrors:
  contacts: { from: contacts, sheet: { spreadsheet: book, tab: Contacts }, columns: { ID: "{{ id }}" } }
`,
  );
}

const next = async () => (await runCommand([], { cwd: dir })).stdout;

test('without a configuration the way to one comes next', async () => {
  const { code, stdout } = await runCommand([], { cwd: dir });
  expect(code).toBe(0);
  expect(stdout).toContain('config/slotbridge.yaml does not exist yet.');
  expect(stdout).toContain('slotbridge init');
});

atLength.test(
  'of an invalid one the first problem is told, with its line, and check comes next',
  async () => {
    write(', surprise: true');
    const stdout = await next();
    expect(stdout).toMatch(/slotbridge\.yaml:1:\d+ +platform\.surprise/);
    expect(stdout).toContain('slotbridge check ');
  },
);

test('with a public address and no secret the registration comes next', async () => {
  write(', webhook: { public_url: "https://bridge.example.com", secret_file: secret }');
  expect(await next()).toContain('slotbridge webhook register');
  writeFileSync(join(dir, 'secret'), 'whsec_0123456789abcdef0123456789abcdef\n', { mode: 0o600 });
  expect(await next()).not.toContain('slotbridge webhook register');
});

atLength.test('with all in order and no worker, start comes next', async () => {
  write('');
  const stdout = await next();
  expect(stdout).toContain('No worker runs here.');
  expect(stdout).toContain('slotbridge start ');
});

test('of a running worker it is told how it does', async () => {
  const report = {
    ...{ version: 'x', at: '2026-11-22T10:00:00.000Z', worker: 'running', started_at: null, idle: true },
    ...{ not_idle_because: [], holes: [], quarantined: 0, problems: [], quotas: [] },
    coverage: {
      feed: {
        ...{ covered_until: '2026-11-22T10:00:00.000Z', proved_ago_s: 1, fresh: true },
        ...{ walk_open: false, reading: 'fresh', lag_s: 0 },
      },
      calendars: [],
      intake_sheets: [],
    },
    pending: { objects: 0, oldest_age_s: null, in_flight: 0, sheet_rows: 0 },
    dead_letters: { count: 1, by_code: {}, recent: [] },
    lag_s: { p50: null, p99: null, samples: 0 },
  };
  const server = createServer((_request, response) => response.end(JSON.stringify(report)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  write('', (server.address() as AddressInfo).port);
  const stdout = await next();
  server.close();
  expect(stdout).toContain('The worker runs: needs a person: ');
  expect(stdout).toContain('slotbridge status ');
});
