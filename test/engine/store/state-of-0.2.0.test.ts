/** A worker of this version on what 0.2.0 has left. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxClock } from '@slotbridge/sandbox/clock';
import { expect, test, vi } from 'vitest';
import { compileCondition } from '../../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../../src/mapping/load.ts';
import { checkTemplate } from '../../../src/mapping/render-check.ts';
import type { StatusReport } from '../../../src/operate/status-report.ts';
import { startWorker } from '../../../src/worker/worker.ts';
import { KeptLog } from '../../doubles/listener.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startRecordedPlatform } from '../../stand/recorded-platform.ts';
import { startTestRedis } from '../../stand/redis.ts';
import {
  appointments020,
  BOOK_020,
  CALENDARS_020,
  loadRedis020,
  PREFIX,
  startGoogle020,
  world020,
  YAML_020,
} from '../../stand/state-of-0.2.0.ts';

test('a worker that starts on the state of 0.2.0 becomes idle: nothing is doubled, mailed, moved or cancelled', async () => {
  const clock = new SandboxClock();
  clock.freeze(world020.atMs + 1_000);
  clock.thaw();
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-0.2.0-'));
  const redis = await startTestRedis();
  await loadRedis020(redis.url);
  const google = await startGoogle020(clock);
  const { branches, resources, services, webhook_endpoints, feed } = world020;
  const appointments = appointments020();
  const events = feed.map(({ of, ...event }) => {
    const object = appointments.find(({ id }) => id === of);
    return { object: 'event', test: false, ...event, data: { object } };
  });
  await using platform = await startRecordedPlatform({
    lists: { appointments, branches, resources, services, webhook_endpoints, events, contacts: [] },
  });
  const keyFile = join(dir, 'google-key.json');
  writeFileSync(keyFile, JSON.stringify(google.serviceAccountKey()));
  const stood = shown(google);
  google.resetCounts();
  const log = new KeptLog();
  const text = `
platform:
  base_url: ${platform.url}
  api_key: some-key
  webhook: { public_url: "${String(webhook_endpoints[0]?.['url']).replace('/webhooks/platform', '')}", secrets: ["whsec_c29tZSBzZWNyZXQ="] }
  feed: { every: 1s, overlap: 1s }
google:
  credentials: ${keyFile}
  calendar_root_url: ${google.url}/
  sheets_root_url: ${google.url}/
  token_url: ${google.tokenUrl}
  watch: { every: 5s, settle: 100ms }
redis: { url: "${redis.url}", prefix: ${PREFIX} }
http: { port: 0 }
worker: { flush_every: 50ms, shutdown: 5s }
log: { format: json }
${YAML_020}`;
  const config = loadConfig({ text, path: 'test.yaml' }, {}, { checkTemplate, compileCondition });
  const worker = await startWorker({ config, version: 'test', clock, log, formationMs: 100 });
  try {
    const sinceMs = clock.now();
    await vi.waitFor(
      async () => {
        const status = (await (await fetch(`${worker.url}/status`)).json()) as StatusReport;
        const covered = Date.parse(status.coverage.feed.covered_until ?? '1970');
        if (!status.idle || covered < sinceMs) throw new Error(status.not_idle_because.join('; '));
        expect(status.dead_letters.count).toBe(0);
        expect(status.problems).toEqual([]);
      },
      { timeout: PATIENCE_MS, interval: 200 },
    );
    expect(platform.writes).toEqual([]);
    const { events: now, rows } = shown(google);
    expect(rows).toEqual(stood.rows);
    expect(now.map(({ id }) => id)).toEqual(stood.events.map(({ id }) => id));
    // The one thing that this version says and 0.2.0 did not: whoever booked for an hour that was over is answered.
    const said = now.filter((event, at) => JSON.stringify(event) !== JSON.stringify(stood.events[at]));
    expect(said.map(({ id }) => id)).toEqual([world020.origins['past']]);
    expect(said[0]?.['description']).toContain('this time had passed');
    const { callsByMethod } = google.stats();
    const written = Object.entries(callsByMethod).filter(([name]) => !/list|get|watch/i.test(name));
    expect(written).toEqual([['events.patch', 1]]);
    expect(google.stats().mailsSent).toBe(0);
  } finally {
    await worker.stop();
    await google.close();
    await redis.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});

function shown(google: Awaited<ReturnType<typeof startGoogle020>>) {
  const events = CALENDARS_020.flatMap((id) => google.truth.events(id));
  return { events, rows: google.truth.values(BOOK_020, 'Intake') };
}
