import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStand } from '@slotbridge/sandbox/stand';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHere } from '../../../../test/stand/command.ts';
import { startTestRedis, type TestRedis } from '../../../../test/stand/redis.ts';
import { readLike, writeLike } from '../../scenarios/named-company.ts';

// The CalDAV server of the office is real. What is tried on a sandbox must not reach it.

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-caldav-named-'));
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.writeHead(404).end();
});
let redis: TestRedis;
let file = '';

beforeAll(async () => {
  redis = await startTestRedis();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  file = join(folder, 'mixed.yaml');
  writeFileSync(
    file,
    `platform: { base_url: "https://real.example/v1", api_key: real-key, webhook: { secrets: [real-secret-0123456789] } }
google: { credentials: real.json }
caldav:
  accounts:
    office: { url: "${url}", user: office, password: "\${OFFICE_CALDAV_PASSWORD}" }
mirrors:
  staff:
    from: appointments
    calendars:
      map:
        Anna: { id: "${url}/dav/anna/work/", account: office }
        Boris: boris@clinic.example
    event: { title: "{{ customer_name }}" }
bookings:
  walk-ins:
    from: { calendar: "${url}/dav/anna/work/" }
    when: { title: "#book *" }
    service: Consultation
    customer: { name: "{{ title }}", phone: "{{ description | phone }}" }
`,
  );
});

afterAll(async () => {
  server.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a scenario whose colleague has a CalDAV calendar runs on the sandbox alone, without the password', async () => {
  const scenario = join(folder, 'mixed.scenario.yaml');
  writeFileSync(
    scenario,
    `mapping: ${file}
given:
  services:
    Consultation: { minutes: 30, by: [Anna, Boris] }
  contacts:
    Vera Orlova: { phone: "+74950001101" }
scenarios:
  - name: Both see their booking
    when:
      - book: { as: first, service: Consultation, with: Anna, at: tomorrow 10:00, customer: Vera Orlova }
      - book: { as: other, service: Consultation, with: Boris, at: tomorrow 11:00, customer: Vera Orlova }
    expect:
      events:
        Anna: [{ title: Vera Orlova, start: tomorrow 10:00, end: tomorrow 10:30 }]
        Boris: [{ title: Vera Orlova, start: tomorrow 11:00, end: tomorrow 11:30 }]
`,
  );
  const { code, stdout, stderr } = await runHere(['test', '--redis', redis.url, scenario]);
  expect(code, stdout + stderr).toBe(0);
  expect(asked).toEqual([]);
});

it('a copy of its YAML for the sandbox can be checked and started, and names no CalDAV server', async () => {
  const checks = { checkTemplate: () => undefined, compileCondition: () => ({}) } as never;
  const { text, config, company } = readLike(file, { env: {}, checks });
  const dataDir = join(folder, 'like');
  const stand = await startStand({ platformPort: 0, googlePort: 0, pagePort: 0, dataDir, company });
  try {
    const { platform, google, keyFile } = stand;
    const running = { platformUrl: platform.url, apiKey: 'sandbox-key', googleUrl: google.url, keyFile };
    const copy = await writeLike({ file, text, config, running, dataDir, workerPort: 8099 });
    const checked = await runHere(['check', '--config', copy.config, '--live']);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
    const told = readFileSync(copy.config, 'utf8');
    expect(told).not.toMatch(/caldav:|\/dav\/|OFFICE_CALDAV_PASSWORD/);
    expect(told).toContain('Boris: boris@clinic.example');
    expect(google.truth.calendarIds()).toContain(copy.calendarId);
    expect(asked).toEqual([]);
  } finally {
    await stand.close();
  }
});
