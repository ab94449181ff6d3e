// Two workers whose Redis was split into two primaries. Both read the same tab and book on the same platform.
import { afterEach, expect, test, vi } from 'vitest';
import { type RunningWorker, startWorker } from '../../../src/worker/worker.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startSplittingRedis } from '../../stand/split-redis.ts';
import { SILENT_LOG } from '../../stand/store.ts';
import { BOOK, MIRRORS, slot, startWorld, type World } from '../../stand/world.ts';

const AT = { spreadsheetId: BOOK, tab: 'Intake' };
const HEADERS = ['Service', 'Start', 'Name', 'Phone', 'With', 'Ready', 'ID', 'Status', 'Appointment'];
const BOOKINGS = `
bookings:
  desk:
    from: { spreadsheet: ${BOOK}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, id: ID, status: Status, appointment: Appointment }
`;
const SOON = { timeout: PATIENCE_MS, interval: 100 };

let world: World;
let others: RunningWorker[] = [];
/** Booked by one row, on a primary that is gone. */
let doubled: string[] = [];
afterEach(async () => {
  for (const worker of others) await worker.stop();
  others = [];
  await world.close();
});

/** Two workers after the split, each with a Redis of its own. */
async function split() {
  const redis = await startSplittingRedis();
  world = await startWorld({ mirrors: MIRRORS + BOOKINGS, redis, watch: '{ every: 5s, settle: 100ms }' });
  world.google.staff.sheets.addTab({ ...AT, columns: HEADERS.length });
  world.google.staff.sheets.setRow({ ...AT, row: 1, values: HEADERS });
  const port = await world.door();
  await world.subscribe(port);
  const first = await world.startWorker(port);
  await world.untilIdle(first.url);
  // A booking before the split: what ids and keys are derived from is known to both sides.
  type('8 495 000-11-00', slot(20));
  await vi.waitFor(() => expect(live()).toHaveLength(1), SOON);
  doubled = [];
  for (const resourceId of [world.company.anna, world.company.boris]) doubled.push(bookAsWorker(resourceId));
  await redis.split();
  const config = world.config(port);
  const second = await startWorker({
    config: { ...config, redis: { ...config.redis, url: redis.otherUrl }, http: { ...config.http, port: 0 } },
    version: 'test',
    clock: { now: Date.now },
    log: SILENT_LOG,
    formationMs: 100,
  });
  others.push(second);
  await world.untilIdle(second.url);
  return [first, second];
}

function type(phone: string, startsAt: string): number {
  const values = ['Haircut', `'${startsAt}`, 'Vera Orlova', phone, '', true];
  return world.google.staff.sheets.addRow({ ...AT, values }).row;
}

function bookAsWorker(resourceId: string): string {
  return world.platform.dashboard.bookAs('api', {
    ...{ serviceId: world.company.haircut, resourceId, startsAt: slot(90) },
    ...{ customerName: 'Vera Orlova', customerPhone: '+74950001199' },
    metadata: { slotbridge_origin: 'row/22222222-2222-4222-8222-222222222222' },
  });
}

function live() {
  const all = world.platform.truth.appointments();
  return all.filter(({ status, id }) => status !== 'cancelled' && !doubled.includes(String(id)));
}

/** Delays what the next call of this kind does, until `release`. Meanwhile the other worker makes the same call. */
function holdNext(plan: World['google']['faults'], path: RegExp): () => void {
  let release = () => {};
  const until = new Promise<void>((done) => {
    release = done;
  });
  plan.add({ method: 'POST', path, times: 1, fault: { kind: 'hold', until } });
  return release;
}

test('a row that both sides of a split read before either has marked it is booked once', async () => {
  const workers = await split();
  const release = holdNext(world.google.faults, /batchUpdate/);
  const rows = ['01', '02', '03'].map((end, i) => type(`8 495 000-12-${end}`, slot(30 + i)));
  await vi.waitFor(() => expect(live()).toHaveLength(4), SOON);
  release();
  await untilSettled(workers);
  const status = HEADERS.indexOf('Status');
  expect(rows.map((row) => String(world.rows('Intake')[row - 1]?.[status]).slice(0, 6))).toEqual(
    Array(3).fill('Booked'),
  );
  expect(live()).toHaveLength(4);
  const { problems } = await world.status(workers[1]?.url ?? '');
  const twice = problems.filter(({ code }) => code === 'booked-twice').map(({ message }) => message);
  expect(twice).toEqual([expect.stringContaining([...doubled].sort().join(' and '))]);
});

/** Each worker has read the tab after the last write of the other. */
async function untilSettled(workers: readonly RunningWorker[]): Promise<void> {
  const sinceMs = Date.now();
  for (const { url } of workers) {
    await vi.waitFor(async () => {
      const { coverage, idle } = await world.status(url);
      const read = [...coverage.intake_sheets].map((each) => Date.parse(each.covered_until ?? '1970'));
      expect([idle, Math.min(...read) > sinceMs + 1_000]).toEqual([true, true]);
    }, SOON);
  }
}
