import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../src/operate/metrics.ts';
import { type Lag, lagOf } from '../../src/operate/process-reports.ts';
import { createStatusSource } from '../../src/operate/status.ts';
import { StatusStores } from '../doubles/status-stores.ts';

/** The value of one series, as a scraper would read it. */
async function scraped(metrics: Metrics, series: string): Promise<number | undefined> {
  return valueIn(await metrics.text(), series);
}

function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  const value = line?.slice(series.length + 1);
  if (value === undefined) return undefined;
  return value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
}

describe('counting', () => {
  test('adds up per labels', async () => {
    const metrics = createMetrics();
    metrics.meter.add('slotbridge_events_total', { via: 'webhook', outcome: 'fresh' });
    metrics.meter.add('slotbridge_events_total', { via: 'webhook', outcome: 'fresh' });
    metrics.meter.add('slotbridge_events_total', { via: 'feed', outcome: 'fresh' });
    metrics.meter.add('slotbridge_feed_recovered_total', {}, 7);
    expect(await scraped(metrics, 'slotbridge_events_total{via="webhook",outcome="fresh"}')).toBe(2);
    expect(await scraped(metrics, 'slotbridge_events_total{via="feed",outcome="fresh"}')).toBe(1);
    expect(await scraped(metrics, 'slotbridge_feed_recovered_total')).toBe(7);
  });

  test('two workers in one process do not count into each other', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.meter.add('slotbridge_feed_recovered_total');
    expect(await scraped(one, 'slotbridge_feed_recovered_total')).toBe(1);
    expect(await scraped(other, 'slotbridge_feed_recovered_total')).toBe(0);
  });

  test('a name, label or number that is wrong loses its count, never the work, and is counted itself', async () => {
    const metrics = createMetrics();
    metrics.meter.add('no_such_counter', { via: 'webhook' });
    metrics.meter.observe('no_such_histogram', 1);
    metrics.meter.add('slotbridge_feed_recovered_total', {}, Number.NaN);
    metrics.meter.add('slotbridge_feed_recovered_total', {}, -1);
    metrics.meter.observe('slotbridge_lag_seconds', Number.NaN, { mirror: 'staff' });
    metrics.meter.add('slotbridge_quarantined_total', { reason: 'not-json', unknown: 'label' });
    expect(await scraped(metrics, 'slotbridge_meter_misused_total{metric="no_such_counter"}')).toBe(1);
    expect(await scraped(metrics, 'slotbridge_meter_misused_total{metric="no_such_histogram"}')).toBe(1);
    expect(
      await scraped(metrics, 'slotbridge_meter_misused_total{metric="slotbridge_feed_recovered_total"}'),
    ).toBe(2);
    expect(await scraped(metrics, 'slotbridge_quarantined_total{reason="not-json"}')).toBe(1);
    expect(await lagIn(metrics)).toMatchObject({ samples: 0 });
  });

  test('a label never shows an e-mail address', async () => {
    const metrics = createMetrics();
    metrics.meter.add('slotbridge_dead_letters_total', { code: 'calendar:anna@clinic.example' });
    expect(await metrics.text()).not.toContain('anna');
  });

  test('the process tells of itself as well', async () => {
    const metrics = createMetrics();
    expect(await scraped(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  test('the lag of the event loop leaves out the time between two samples', async () => {
    const metrics = createMetrics();
    const least = () => scraped(metrics, 'nodejs_eventloop_lag_min_seconds');
    await expect.poll(least, { interval: 250 }).toBeLessThan(0.1);
    // The first sample after a scrape only begins a measurement.
    await sleep(150);
    const untilMs = performance.now() + 400;
    while (performance.now() < untilMs);
    await sleep(150);
    expect(await scraped(metrics, 'nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.2);
  });
});

describe('the lag', () => {
  test('is nothing before anything was measured', async () => {
    expect(await lagIn(createMetrics())).toEqual({ p50: null, p99: null, samples: 0 });
  });

  test('is told over all mirrors, as lags that really were', async () => {
    const metrics = createMetrics();
    for (let at = 1; at <= 100; at += 1) {
      metrics.meter.observe('slotbridge_lag_seconds', at, { mirror: at % 2 === 0 ? 'staff' : 'contacts' });
    }
    expect(await lagIn(metrics)).toEqual({ p50: 50, p99: 99, samples: 100 });
    expect(await scraped(metrics, 'slotbridge_lag_seconds_count{mirror="staff"}')).toBe(50);
  });

  test('forgets what lies more than 2,000 writes back', async () => {
    const metrics = createMetrics();
    for (let at = 0; at < 500; at += 1)
      metrics.meter.observe('slotbridge_lag_seconds', 900, { mirror: 'staff' });
    for (let at = 0; at < 2_000; at += 1)
      metrics.meter.observe('slotbridge_lag_seconds', 0.5, { mirror: 'staff' });
    expect(await lagIn(metrics)).toEqual({ p50: 0.5, p99: 0.5, samples: 2_000 });
  });

  test('is never negative, though the clocks of two machines differ', async () => {
    const metrics = createMetrics();
    metrics.meter.observe('slotbridge_lag_seconds', -2, { mirror: 'staff' });
    expect(await lagIn(metrics)).toEqual({ p50: 0, p99: 0, samples: 1 });
  });

  test('other measurements are none of its business', async () => {
    const metrics = createMetrics();
    metrics.meter.observe('platform_request_seconds', 3, { operation: 'list-events' });
    expect((await lagIn(metrics)).samples).toBe(0);
  });
});

describe('the gauges', () => {
  test('are those of the moment of the scrape', async () => {
    const metrics = createMetrics();
    const stores = new StatusStores();
    const source = createStatusSource(stores.parts());
    const quiet = await metrics.text(await source.read());
    expect(valueIn(quiet, 'slotbridge_idle')).toBe(1);
    expect(valueIn(quiet, 'slotbridge_pending_objects')).toBe(0);

    stores.pending = { objects: 3, oldestSinceMs: stores.clock.now() - 40_000 };
    stores.rows = [
      { spreadsheetId: 'a', rows: 2 },
      { spreadsheetId: 'b', rows: 5 },
    ];
    stores.inFlight = 2;
    stores.quarantined = 4;
    stores.letters = [{ key: 'contact/1', atMs: 0, attempts: 8, reasons: [] }];
    stores.problems = [{ target: 'platform', code: 'key-refused', message: 'no', sinceMs: 0, lastAtMs: 0 }];
    const busy = await metrics.text(await source.read());
    expect(valueIn(busy, 'slotbridge_idle')).toBe(0);
    expect(valueIn(busy, 'slotbridge_pending_objects')).toBe(3);
    expect(valueIn(busy, 'slotbridge_oldest_pending_age_seconds')).toBe(40);
    expect(valueIn(busy, 'slotbridge_sheet_rows_waiting')).toBe(7);
    expect(valueIn(busy, 'slotbridge_in_flight')).toBe(2);
    expect(valueIn(busy, 'slotbridge_quarantine_entries')).toBe(4);
    expect(valueIn(busy, 'slotbridge_dead_letters_standing')).toBe(1);
    expect(valueIn(busy, 'slotbridge_problems')).toBe(1);
    expect(valueIn(busy, 'slotbridge_coverage_age_seconds')).toBe(12);
    expect(valueIn(busy, 'slotbridge_holes')).toBe(0);
    expect(valueIn(busy, 'slotbridge_oldest_hole_age_seconds')).toBe(0);
    expect(valueIn(busy, 'slotbridge_dead_letters_by_code{code="unknown"}')).toBe(1);
    expect(valueIn(busy, 'slotbridge_problems_by_code{code="key-refused"}')).toBe(1);
    expect(valueIn(busy, 'slotbridge_source_coverage_age_seconds{source="feed"}')).toBe(12);
  });

  test('tell a resync that was asked for apart from what was missed', async () => {
    const stores = new StatusStores();
    const foundAtMs = stores.clock.now() - 90_000;
    const hole = { id: 'a', source: 'schedule', fromMs: undefined, toMs: foundAtMs, foundAtMs };
    stores.holes = [{ ...hole, cause: 'scheduled' }];
    const text = await createMetrics().text(await createStatusSource(stores.parts()).read());
    expect(valueIn(text, 'slotbridge_holes')).toBe(0);
    expect(valueIn(text, 'slotbridge_oldest_hole_age_seconds')).toBe(0);
    expect(valueIn(text, 'slotbridge_oldest_resync_age_seconds')).toBe(90);
  });

  test('count the intake sheets that are not read', async () => {
    const stores = new StatusStores();
    const entries = ['session', 'phone'].map((name) => ({ name, everyMs: 30_000, spreadsheetId: name }));
    const readUntilMs = async (entry: string) =>
      stores.clock.now() - (entry === 'session' ? 20_000 : 600_000);
    const source = createStatusSource({ ...stores.parts(), intakeSheets: { entries, readUntilMs } });
    const text = await createMetrics().text(await source.read());
    expect(valueIn(text, 'slotbridge_intake_sheets_stale')).toBe(1);
  });

  test('of a code that is gone leave no series behind', async () => {
    const metrics = createMetrics();
    const stores = new StatusStores();
    const source = createStatusSource(stores.parts());
    stores.problems = [{ target: 'platform', code: 'key-refused', message: 'no', sinceMs: 0, lastAtMs: 0 }];
    await metrics.text(await source.read());
    stores.problems = [];
    expect(await metrics.text(await source.read())).not.toContain('key-refused');
  });

  test('add up who waits for a budget, and show no address of a calendar', async () => {
    const stores = new StatusStores();
    const quota = { spent: 1, admitted: 1, limit: 1, pausedUntilMs: undefined, reason: undefined };
    stores.quotas = [
      { ...quota, name: 'google-calendar:1', waiting: 2 },
      { ...quota, name: 'google-calendar:2', waiting: 3 },
    ];
    stores.calendarIds = ['anna@clinic.example', 'boris@clinic.example'];
    const text = await createMetrics().text(await createStatusSource(stores.parts()).read());
    expect(valueIn(text, 'slotbridge_quota_waits{budget="google-calendar"}')).toBe(5);
    const sources = text.match(
      /slotbridge_source_coverage_age_seconds\{source="calendar \[email \w{6}\]"\}/g,
    );
    expect(new Set(sources).size).toBe(2);
    expect(text).not.toContain('clinic.example');
  });

  test('of the alerts are all there, 1 for those that stand', async () => {
    const metrics = createMetrics();
    expect(await scraped(metrics, 'slotbridge_alert{alert="lag"}')).toBe(0);
    metrics.showAlerts(new Set(['lag']));
    expect(await scraped(metrics, 'slotbridge_alert{alert="lag"}')).toBe(1);
    metrics.showAlerts(new Set());
    expect(await scraped(metrics, 'slotbridge_alert{alert="lag"}')).toBe(0);
  });

  test('an alert on the age of the proof wakes a worker that never proved anything', async () => {
    const stores = new StatusStores();
    stores.coverage = { ...stores.coverage, coveredUntilMs: undefined, provedAtMs: undefined };
    const text = await createMetrics().text(await createStatusSource(stores.parts()).read());
    expect(valueIn(text, 'slotbridge_coverage_age_seconds')).toBe(Number.POSITIVE_INFINITY);
  });

  test('are absent while the state cannot be read, and come back', async () => {
    const metrics = createMetrics();
    const report = await createStatusSource(new StatusStores().parts()).read();
    await metrics.text(report);
    const blind = await metrics.text();
    expect(valueIn(blind, 'slotbridge_status_readable')).toBe(0);
    expect(valueIn(blind, 'slotbridge_pending_objects')).toBeUndefined();
    expect(valueIn(blind, 'slotbridge_idle')).toBeUndefined();
    expect(valueIn(blind, 'slotbridge_feed_recovered_total')).toBe(0);
    const seeing = await metrics.text(report);
    expect(valueIn(seeing, 'slotbridge_status_readable')).toBe(1);
    expect(valueIn(seeing, 'slotbridge_idle')).toBe(1);
  });
});

/** The lag of what these metrics hand over. */
async function lagIn(metrics: Metrics): Promise<Lag> {
  let lagsS: readonly number[] = [];
  await metrics.pace.flush(async (written) => {
    lagsS = written.lagsS;
  });
  return lagOf(lagsS);
}
