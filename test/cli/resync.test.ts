import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type World } from '../stand/world.ts';

let world: World;
let config: string;
let endpoint: string;
let worker: Awaited<ReturnType<World['startWorker']>>;

beforeAll(async () => {
  const tab = `{ spreadsheet: ${BOOK}, tab: Contacts`;
  world = await startWorld({
    mirrors: MIRRORS.replace(`${tab} }`, `${tab}, deleted: clear }`),
    // The feed must not be what heals it.
    feedEvery: '1h',
    webhook: ', check_every: 1h',
  });
  const port = await world.door();
  endpoint = await world.subscribe(port);
  worker = await world.startWorker(port);
  config = world.writeConfig(port);
});
afterAll(() => world.close());

async function slotbridge(...args: string[]) {
  return runHere([...args, '--config', config]);
}

const names = () => world.rows('Contacts').map((row) => row[1]);
const shows = (rows: readonly unknown[]) =>
  vi.waitFor(() => expect(names().filter((name) => Boolean(name))).toEqual(rows), {
    timeout: PATIENCE_MS,
    interval: 100,
  });

test('what no event told of is found by a resync: a contact imported, one changed, one deleted (case 22)', async () => {
  const projectId = world.company.projectId;
  const gone = world.platform.dashboard.createContact({ projectId, name: 'Emma' });
  // Two that come at once may stand in either order.
  await shows(['Name', 'Emma']);
  const moved = world.platform.dashboard.createContact({ projectId, name: 'Olga' });
  await shows(['Name', 'Emma', 'Olga']);
  world.platform.dashboard.disableEndpoint(endpoint);
  world.platform.dashboard.deleteContact(gone);
  world.platform.dashboard.changeContact(moved, { name: 'Olga Belova' });
  world.platform.dashboard.importContacts([{ projectId, name: 'Ivan' }]);
  const { code, stdout, stderr } = await slotbridge('resync', 'contacts', '--wait', '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ request: { kinds: ['contact'] }, objects: 2 });
  await shows(['Name', 'Olga Belova', 'Ivan']);
});

test('a resync of appointments stays within the given window; without --wait the command only requests it', async () => {
  const inside = world.book({ hours: 30 });
  const outside = world.book({ hours: 24 * 6 });
  const to = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString();
  const asked = await slotbridge('resync', 'appointments', '--from', '1d', '--to', to);
  expect(asked.code).toBe(0);
  expect(asked.stdout).toContain('Requested. The worker reads appointments behind its live work');
  const ids = () => world.events(ANNA).map((event) => String(event['id']));
  await vi.waitFor(() => expect(ids()).toEqual([`sb${inside.replaceAll('-', '')}`]), {
    timeout: PATIENCE_MS,
  });
  const rest = await slotbridge('resync', '--wait');
  expect(rest.stdout).toMatch(/objects read\. The worker mirrors what is new/);
  await vi.waitFor(() => expect(ids()).toContain(`sb${outside.replaceAll('-', '')}`), {
    timeout: PATIENCE_MS,
  });
});

test('lists that the platform does not have are refused, and times that are none', async () => {
  const leads = await slotbridge('resync', 'leads');
  expect(leads.code).toBe(2);
  expect(leads.stderr).toContain('list-unknown');
  const monday = await slotbridge('resync', '--from', 'monday');
  expect(monday.code).toBe(2);
  expect(monday.stderr).toContain('time-unreadable');
});

test('what was stopped is approved for an hour, and only by a name that the mapping has', async () => {
  const askedAtMs = Date.now();
  const approved = await slotbridge('approve', 'deletions', ANNA, '--json');
  const { until } = JSON.parse(approved.stdout) as { until: string };
  expect(Date.parse(until)).toBeGreaterThan(askedAtMs + 3_599_000);
  expect((await slotbridge('approve', 'deletions', 'nobody@clinic.example')).stderr).toContain(
    'calendar-unknown',
  );
  expect((await slotbridge('approve', 'mails')).stdout).toContain('deadletters retry');
});

test('a worker whose window of requests is spent by other work gets five minutes before the command gives up', async () => {
  await worker.stop();
  const startMs = Date.now();
  let nowMs = startMs;
  const clock = {
    now: () => {
      nowMs += 20_000;
      return nowMs;
    },
  };
  const { code, stderr } = await runHere(['resync', '--wait', '--config', config], { clock });
  expect([code, stderr.includes('resync-stands')]).toEqual([1, true]);
  expect(nowMs - startMs).toBeGreaterThan(5 * 60_000);
});
