import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SILENT } from '../../../../src/engine/runtime.ts';
import { compileCondition } from '../../../../src/mapping/filter-condition.ts';
import { checkTemplate } from '../../../../src/mapping/render-check.ts';
import { startWorker } from '../../../../src/worker/worker.ts';
import { PATIENCE_MS } from '../../../../test/stand/patience.ts';
import { startTestRedis, type TestRedis } from '../../../../test/stand/redis.ts';
import { rowsOf } from '../../../../test/stand/runs.ts';
import { verdictText } from '../../scenarios/report.ts';
import { findScenarios, openSuite, type Suite } from '../../scenarios/suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-zones-'));
let redis: TestRedis;
let suite: Suite;

beforeAll(async () => {
  redis = await startTestRedis();
  suite = await openSuite({
    startWorker: (config, formationMs) =>
      startWorker({ config, version: 'test', clock: { now: Date.now }, log: SILENT, formationMs }),
    redisUrl: redis.url,
    signal: new AbortController().signal,
    settledWithinMs: PATIENCE_MS,
  });
});

afterAll(async () => {
  await suite.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const mapping = (zone: string) => `platform:
  base_url: \${PLATFORM_BASE_URL}
  api_key: \${PLATFORM_API_KEY}
  webhook: { public_url: "\${PUBLIC_URL}", secret_file: ./data/webhook-secret }
google: { credentials: "\${GOOGLE_APPLICATION_CREDENTIALS}" }
mirrors:
  staff:
    from: appointments
    calendars: { map: { Nora: nora@clinic.example, Sven: sven@clinic.example } }
    event:
      title: "{{ customer_name }}"
      description: "{{ starts_at | date: '%H:%M' }}, there {{ starts_at | date: '%H:%M', '${zone}' }}"
  visits:
    from: appointments
    sheet: { spreadsheet: office, tab: Visits, timezone: ${zone}, edited: carry, answers: Answer, cancel: Cancel }
    columns:
      ID: "{{ id }}"
      Start: { value: "{{ starts_at }}", as: datetime }
      Guest: "{{ customer_name }}"
bookings:
  desk:
    from: { spreadsheet: office, tab: Desk, timezone: ${zone} }
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, id: ID, status: Status, appointment: Appointment }
    region: CA
    service: "{{ service }}"
    customer: { name: "{{ name }}", phone: "{{ phone | phone }}" }
`;

interface Told {
  readonly clock: string;
  readonly south: string;
}

/** `clock` is the zone's true offset since 2026, as a zone without rules. All times of the scenario are on that clock. `south` is nine o'clock in the other branch. */
const scenario = (zone: string, { clock, south }: Told) => `mapping: ./mapping.yaml
given:
  timezone: ${clock}
  branches: { North: { timezone: ${zone} }, South: { timezone: Etc/GMT-3 } }
  resources: { Nora: { branch: North }, Sven: { branch: South } }
  services: { Check: { minutes: 30, by: [Nora, Sven] } }
  appointments:
    - { as: first, service: Check, with: Nora, at: in 5 days 12:00, customer: Ada Stone }
scenarios:
  - name: Typed hours, cells and texts are on the clock of ${zone}
    when:
      - type-row: { as: typed, tab: Desk, cells: { Service: Check, Start: "{in 6 days 10:00 | yyyy-MM-dd HH:mm}", Name: Ben Frost, Phone: "+1 780 555 0123", With: Nora, Ready: true } }
      - change-row: { row: first, tab: Visits, cells: { Start: "{in 5 days 15:30 | yyyy-MM-dd HH:mm}" } }
    expect:
      appointments:
        - { status: confirmed, start: in 5 days 15:30 }
        - { status: confirmed, start: in 6 days 10:00 }
      events:
        Nora:
          - { title: Ada Stone, start: in 5 days 15:30, description: { contains: "15:30, there 15:30" } }
          - { title: Ben Frost, start: in 6 days 10:00, description: { contains: "10:00, there 10:00" } }
      rows:
        Visits:
          - { Guest: Ada Stone, Start: "{in 5 days 15:30 | yyyy-MM-dd HH:mm}" }
          - { Guest: Ben Frost, Start: "{in 6 days 10:00 | yyyy-MM-dd HH:mm}" }
  - name: Each branch has its own zone beside ${zone}
    when:
      - book: { as: far, service: Check, with: Sven, at: in 5 days 9:00, customer: Ida Hill }
    expect:
      events:
        Nora: [ { title: Ada Stone, description: { contains: "12:00, there 12:00" } } ]
        Sven: [ { title: Ida Hill, description: { contains: "${south}, there 09:00" } } ]
`;

// No Node of November 2026 knows the second one, and none before version 26 knows any.
const ZONES = rowsOf(
  [
    ['America/Edmonton', { clock: 'Etc/GMT+6', south: '18:00' }],
    ['America/Winnipeg', { clock: 'Etc/GMT+5', south: '17:00' }],
    ['Africa/Casablanca', { clock: 'Etc/GMT', south: '12:00' }],
  ],
  3,
);

it.each(ZONES)('%s has one clock for everybody', async (zone, told) => {
  writeFileSync(join(folder, 'mapping.yaml'), mapping(zone));
  writeFileSync(join(folder, 'zone.yaml'), scenario(zone, told));
  const checks = { checkTemplate, compileCondition };
  const scenarios = findScenarios([join(folder, 'zone.yaml')], { env: {}, checks });
  expect(scenarios).toHaveLength(2);
  for (const each of scenarios) {
    const verdict = await suite.run(each);
    expect(verdict.passed, verdictText(verdict)).toBe(true);
  }
});
