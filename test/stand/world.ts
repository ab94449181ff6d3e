import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount, GoogleSandbox, type GoogleSandboxOptions } from '@slotbridge/sandbox/google/sandbox';
import { PlatformSandbox, type PlatformSandboxOptions } from '@slotbridge/sandbox/platform/sandbox';
import { vi } from 'vitest';
import { FORMATION_MS } from '../../src/engine/coverage.ts';
import type { Clock, Log } from '../../src/engine/runtime.ts';
import type { Config } from '../../src/mapping/config.ts';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import type { StatusReport } from '../../src/operate/status.ts';
import { type RunningWorker, startWorker } from '../../src/worker/worker.ts';
import { type Lifeline, startLifeline } from './lifeline.ts';
import { PATIENCE_MS } from './patience.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { SILENT_LOG } from './store.ts';

export const ANNA = 'anna@clinic.example';
export const BORIS = 'boris@clinic.example';
export const ROOM = 'room1@group.calendar.google.com';
export const BOOK = 'office-book';

/** The mapping of the flow tests. */
export const MIRRORS = `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: ${ANNA}
        Boris Ivanov: ${BORIS}
        Room 1: ${ROOM}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "{{ customer_phone }}"
      color: { no_show: tomato }
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Contacts }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
  visits:
    from: appointments
    where: { since: 7d }
    sheet: { spreadsheet: ${BOOK}, tab: Visits }
    columns: { ID: "{{ id }}", Status: "{{ status }}", Start: "{{ starts_at | date: '%Y-%m-%d %H:%M' }}", Who: "{{ customer_name }}" }
`;

export interface WorldOptions {
  readonly platform?: PlatformSandboxOptions;
  readonly google?: GoogleSandboxOptions;
  readonly mirrors?: string;
  /** YAML of the `webhook` setting; the secret and the address are added. */
  readonly webhook?: string;
  readonly log?: Log;
  readonly feedEvery?: string;
  /** YAML of `alerts`. */
  readonly alerts?: string;
  /** YAML of `google.watch`. */
  readonly watch?: string;
  /** Stopped with the world; absent: a private one. */
  readonly redis?: TestRedis;
  /** Clock of the workers in this process; absent: the real time. */
  readonly clock?: Clock;
  /** Formation time for the workers in this process. Default: as the sandbox forms at once; with `eventDelayMs`, the product's value. */
  readonly formationMs?: number;
  /** Has the last word about the YAML of each worker that is started. */
  readonly rewrite?: (yaml: string) => string;
}

const HOUR = 3_600_000;
/** For the way from a change to the feed, and for clocks of one machine. */
const FORMED_AT_ONCE_MS = 100;
/** A test that waits asks for the status no more often: an answer costs more than all that an idle worker does in that time. */
const STATUS_EVERY_MS = 250;

/** Redis, both sandboxes with a small company, and the means to start and stop workers over them. */
export async function startWorld(options: WorldOptions = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-world-'));
  const redis = options.redis ?? (await startTestRedis());
  const platform = await PlatformSandbox.start({
    eventDelayMs: [0, 0],
    rateLimitPerMinute: 100_000,
    ...options.platform,
    delivery: { retryDelaysMs: [300, 1_000, 2_000, 5_000], ...options.platform?.delivery },
  });
  const google = await GoogleSandbox.start({
    ...options.google,
    quotas: {
      calendarPerMinutePerUser: 100_000,
      sheetsReadsPerMinutePerUser: 100_000,
      sheetsWritesPerMinutePerUser: 100_000,
      ...options.google?.quotas,
    },
  });
  const keyFile = join(dir, 'google-key.json');
  writeFileSync(keyFile, JSON.stringify(google.serviceAccountKey()), { mode: 0o600 });
  for (const id of [ANNA, BORIS, ROOM]) google.addCalendar(id, { shareWith: [defaultAccount] });
  google.addSpreadsheet(BOOK, {
    shareWith: [defaultAccount],
    tabs: [{ title: 'Contacts' }, { title: 'Visits' }],
  });
  const company = furnish(platform);
  const apiKey = platform.createKey();
  let secret = '';
  const workers: RunningWorker[] = [];
  const formationMs =
    options.formationMs ?? (options.platform?.eventDelayMs === undefined ? FORMED_AT_ONCE_MS : FORMATION_MS);
  const doors = new Map<number, Lifeline>();
  const askedAtMs = new Map<string, number>();

  const yaml = (port: number) => `
platform:
  base_url: ${platform.url}
  api_key: ${apiKey}
  webhook: { public_url: "http://127.0.0.1:${port === 0 ? 8080 : port}", secrets: ["${secret}"] ${options.webhook ?? ''} }
  feed: { every: ${options.feedEvery ?? '1s'}, overlap: 30s }
google:
  credentials: ${keyFile}
  calendar_root_url: ${google.url}/
  sheets_root_url: ${google.url}/
  token_url: ${google.tokenUrl}
  quotas: { calendar_per_minute: 100000, sheets_reads_per_minute: 100000, sheets_writes_per_minute: 100000 }
${options.watch === undefined ? '' : `  watch: ${options.watch}\n`}redis: { url: "${redis.url}" }
http: { port: ${port} }
worker: { flush_every: 50ms, shutdown: 5s }
log: { format: json }
${options.alerts === undefined ? '' : `alerts: ${options.alerts}\n`}${options.mirrors ?? MIRRORS}`;
  const rewritten = (port: number) => (options.rewrite ?? ((text) => text))(yaml(port));
  const config = (port = 0): Config =>
    loadConfig({ text: rewritten(port), path: 'test.yaml' }, {}, { checkTemplate, compileCondition });

  const world = {
    dir,
    redis,
    platform,
    google,
    company,
    apiKey,
    config,
    /** The YAML of a worker at this port, for one in a process of its own. */
    writeConfig(port: number): string {
      const path = join(dir, `slotbridge-${port}.yaml`);
      writeFileSync(path, rewritten(port));
      return path;
    },
    /** The same for the worker itself: it listens at a port of its own choice, behind the door. */
    writeWorkerConfig(port: number): string {
      const path = join(dir, `slotbridge-${port}-worker.yaml`);
      writeFileSync(path, rewritten(port).replace(`http: { port: ${port} }`, 'http: { port: 0 }'));
      return path;
    },
    /** A port that stays the public address, whichever workers stand behind it one after another. Nobody else can take it meanwhile. */
    async door(): Promise<number> {
      const door = await startLifeline();
      doors.set(door.port, door);
      return door.port;
    },
    /** The door leads to the worker that listens at this URL. */
    leadDoor(port: number, url: string): void {
      doors.get(port)?.leadTo(Number(new URL(url).port));
    },
    /** Creates the endpoint at the platform. Call it before the worker starts, so that it knows the secret. */
    async subscribe(port: number): Promise<string> {
      const answer = await fetch(`${platform.url}/webhook_endpoints`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `endpoint-${port}`,
        },
        body: JSON.stringify({ url: `http://127.0.0.1:${port}/webhooks/platform`, enabled_events: ['*'] }),
      });
      const endpoint = (await answer.json()) as { id: string; secret: string };
      secret = endpoint.secret;
      return endpoint.id;
    },
    /** What the platform signs with since `subscribe`. */
    secret: () => secret,
    /** A worker in this process, behind the door of that port. */
    async startWorker(port = 0): Promise<RunningWorker> {
      const written = config(port);
      const worker = await startWorker({
        config: { ...written, http: { ...written.http, port: 0 } },
        version: 'test',
        clock: options.clock ?? { now: Date.now },
        log: options.log ?? SILENT_LOG,
        formationMs,
      });
      workers.push(worker);
      world.leadDoor(port, worker.url);
      return worker;
    },
    async stopWorker(worker: RunningWorker): Promise<void> {
      workers.splice(workers.indexOf(worker), 1);
      await worker.stop();
    },
    async status(url: string): Promise<StatusReport> {
      const tooEarlyMs = (askedAtMs.get(url) ?? 0) + STATUS_EVERY_MS - performance.now();
      if (tooEarlyMs > 0) await sleep(tooEarlyMs);
      askedAtMs.set(url, performance.now());
      return readStatus(url);
    },
    /** Waits until the worker says that everything up to now is mirrored. */
    async untilIdle(url: string): Promise<StatusReport> {
      const since = Date.now();
      return vi.waitFor(
        async () => {
          const status = await world.status(url);
          const covered = Date.parse(status.coverage.feed.covered_until ?? '1970');
          if (!status.idle || covered < since) {
            throw new Error(`not idle: ${status.not_idle_because.join('; ')}; covered ${covered - since} ms`);
          }
          return status;
        },
        { timeout: PATIENCE_MS, interval: 100 },
      );
    },
    book(
      fields: Partial<{ hours: number; resourceId: string; serviceId: string; name: string }> = {},
    ): string {
      return platform.dashboard.bookAs('lk', {
        serviceId: fields.serviceId ?? company.haircut,
        resourceId: fields.resourceId ?? company.anna,
        startsAt: slot(fields.hours ?? 24),
        customerName: fields.name ?? 'Vera Orlova',
        customerPhone: '+74950001101',
      });
    },
    events: (calendarId: string) => google.truth.events(calendarId),
    rows: (tab: string) => google.truth.values(BOOK, tab),
    async close(): Promise<void> {
      try {
        for (const worker of workers.splice(0)) await worker.stop();
        await google.close();
        await platform.close();
        for (const door of doors.values()) await door.close();
      } finally {
        // Whatever else cannot be closed: a Redis that is left behind stays for ever.
        await redis.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    },
  };
  return world;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** One for the whole file: a test that runs when an hour ends means the same slot before and after. */
const COMING_HOUR_MS = Math.ceil(Date.now() / HOUR) * HOUR;

/** The full hour so many hours from now. */
export function slot(hours: number): string {
  return new Date(COMING_HOUR_MS + hours * HOUR).toISOString();
}

/** At once, for a test that looks for what must never be seen. */
export async function readStatus(url: string): Promise<StatusReport> {
  const answer = await fetch(`${url}/status`);
  if (!answer.ok) throw new Error(`status answers ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as StatusReport;
}

function furnish(platform: PlatformSandbox) {
  const { dashboard } = platform;
  const projectId = dashboard.createProject({ name: 'Clinic' });
  const schedule = Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7].map((day) => [String(day), [['00:00', '24:00'] as [string, string]]]),
  );
  const branchId = dashboard.createBranch({
    projectId,
    name: 'Central',
    timezone: 'Europe/Moscow',
    schedule,
  });
  const anna = dashboard.createResource({ branchId, name: 'Anna Petrova' });
  const boris = dashboard.createResource({ branchId, name: 'Boris Ivanov' });
  const room = dashboard.createResource({ branchId, name: 'Room 1', kind: 'place' });
  const haircut = dashboard.createService({
    projectId,
    name: 'Haircut',
    durationMin: 45,
    resourceIds: [anna, boris],
  });
  const massage = dashboard.createService({
    projectId,
    name: 'Massage',
    durationMin: 60,
    resourceIds: [anna, boris],
    secondResourceIds: [room],
  });
  return { projectId, branchId, anna, boris, room, haircut, massage };
}
