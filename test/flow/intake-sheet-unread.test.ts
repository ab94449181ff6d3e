// A booking sheet that the worker cannot read: what is said of it, and that it is said no longer.

import { SandboxClock } from '@slotbridge/sandbox/clock';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { statusVerdict } from '../../src/operate/verdict.ts';
import { startHook } from '../stand/hook.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { MIRRORS, readStatus, startWorld, type World, type WorldOptions } from '../stand/world.ts';

const COLUMNS = { service: 'Service', starts_at: 'Start', name: 'Name', phone: 'Phone', resource: 'With' };
const KEPT = { id: 'ID', status: 'Status', appointment: 'Appointment', booked_at: 'Time' };
const HEADERS = [...Object.values(COLUMNS), ...Object.values(KEPT)];
const DESK_BOOK = 'submitter-book';
const BOOKINGS = `
bookings:
  front-submitter:
    from: { spreadsheet: ${DESK_BOOK}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: ${JSON.stringify({ ...COLUMNS, ...KEPT })}
`;
const SOON = { timeout: PATIENCE_MS, interval: 50 };

let world: World;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await world.close();
});

async function start(options: WorldOptions = {}) {
  world = await startWorld({ mirrors: MIRRORS + BOOKINGS, ...options });
  world.google.addSpreadsheet(DESK_BOOK, { shareWith: [defaultAccount], tabs: [{ title: 'Intake' }] });
  const at = { spreadsheetId: DESK_BOOK, tab: 'Intake' };
  world.google.staff.sheets.setRow({ ...at, row: 1, values: HEADERS });
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  const verdict = async () => statusVerdict(await world.status(url));
  await vi.waitFor(async () => expect((await verdict()).mood).toBe('well'), SOON);
  return { verdict, verdictNow: async () => statusVerdict(await readStatus(url)) };
}

test("P8: an intake sheet that Google's limit keeps from being read waits for that, pause after pause, and heals", async () => {
  const clock = new SandboxClock();
  const { verdict, verdictNow } = await start({ clock, watch: '{ push: false, every: 5s }' });
  const error = { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' };
  const lift = world.google.faults.add({
    path: new RegExp(`spreadsheets/${DESK_BOOK}`),
    fault: { kind: 'status', status: 429, body: JSON.stringify({ error }), contentType: 'application/json' },
  });
  // Longer than a first read may take and than one is fresh.
  clock.advance(10 * 60_000);
  const waits = /^working: 1 booking sheet waits for Google's limit/;
  await vi.waitFor(async () => expect((await verdict()).line).toMatch(waits), SOON);
  const refusals = world.google.faults.hits();
  // Over the ends of two pauses at least: also in between nobody is called.
  while (world.google.faults.hits() < refusals + 2) {
    expect((await verdictNow()).line).toMatch(waits);
    await new Promise((done) => setTimeout(done, 100));
  }
  lift();
  await vi.waitFor(async () => expect((await verdict()).mood).toBe('well'), {
    ...SOON,
    timeout: PATIENCE_MS,
  });
});

atLength.test(
  'P8: an intake sheet that is not read for too long is told once, and so is its return',
  async () => {
    const hook = await startHook();
    closing.push(() => hook.close());
    const alerts = `{ webhook: "${hook.url}", coverage: 10s, raise_after: 1s, clear_after: 2s }`;
    const { verdict } = await start({ alerts });
    const lift = world.google.faults.add({
      path: new RegExp(`spreadsheets/${DESK_BOOK}`),
      fault: { kind: 'status', status: 503 },
    });
    const told = (text: string) => hook.texts.filter((each) => each.includes(text)).length;
    await vi.waitFor(() => expect(told('ALERT coverage: booking sheet front-submitter: no proof')).toBe(1), {
      timeout: PATIENCE_MS,
      interval: 100,
    });
    lift();
    await vi.waitFor(() => expect(told(': coverage: booking sheet front-submitter')).toBe(1), SOON);
    expect(told('ALERT coverage')).toBe(1);
    await vi.waitFor(async () => expect((await verdict()).mood).toBe('well'), SOON);
  },
);
