/** The whole worker: private events take time on the platform, and no mirror shows it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRedis } from '../../src/engine/redis-client.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { startOf } from '../stand/edits.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

const PRIVATE = 'anna.private@example.com';
const HOUSE = '00000000-0000-4000-8000-00000000b10c';
const BLOCKS = `
blocks:
  private-time:
    service: Busy
    contact: ${HOUSE}
    people:
      Anna Petrova: [${PRIVATE}, ${ANNA}]
      Boris Ivanov: ${BORIS}
    hours: { daily: "00:00-24:00" }
    every: 1s
`;
const FEEDS = `
feeds:
  anna:
    resource: Anna Petrova
    event: { title: "{{ service_name }}" }
`;

let world: World;
const options: { mirrors: string; rewrite?: (yaml: string) => string } = {
  mirrors: `${MIRRORS}${BLOCKS}${FEEDS}`,
};
beforeEach(async () => {
  delete options.rewrite;
  world = await startWorld(options);
  const { dashboard } = world.platform;
  const { projectId, anna, boris } = world.company;
  dashboard.createService({
    ...{ projectId, name: 'Busy', resourceIds: [anna, boris], bookingMode: 'interval' },
    ...{ minDurationMin: 15, maxDurationMin: 480, durationStepMin: 15, onlineBookable: false },
  });
  dashboard.createContact({ projectId, id: HOUSE, name: 'House' });
  world.google.addCalendar(PRIVATE, { shareWith: [defaultAccount], role: 'freeBusyReader' });
});
afterEach(() => world.close());

const eventually = (holds: () => void) => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });

function busy(hours: number, calendarId = PRIVATE): string {
  const start = slot(hours);
  const end = new Date(Date.parse(start) + 3_600_000).toISOString();
  const event = { summary: 'Dentist', start: { dateTime: start }, end: { dateTime: end } };
  return String(world.google.staff.calendar.add({ calendarId, event })['id']);
}

const blocks = () =>
  world.platform.truth
    .appointments()
    .filter(({ contact_id, status }) => contact_id === HOUSE && status !== 'cancelled')
    .map(({ starts_at }) => String(starts_at))
    .sort();

async function feedTitles(url: string, port: number): Promise<readonly string[]> {
  const session = await openSession(world.config(port), { now: Date.now });
  try {
    const address = (await session.feedLinks.make('anna')) ?? '';
    const answer = await fetch(`${url}${new URL(address).pathname}`);
    return [...(await answer.text()).matchAll(/^SUMMARY:(.*?)\r?$/gm)].map(([, title]) => title ?? '');
  } finally {
    await session.close();
  }
}

test('an event takes time; appointments and their mirrors take none; no mirror and no feed shows a block or its contact', async () => {
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  const eventId = busy(26);
  world.book({ hours: 30 });
  await eventually(() => expect(blocks()).toEqual([slot(26)]));
  await eventually(() => expect(world.events(ANNA).map(startOf)).toEqual([slot(30)]));
  // Some rounds over a calendar that holds a mirror.
  const seen = Date.now() + 3_000;
  await vi.waitFor(
    async () => {
      const [entry] = (await world.status(url)).coverage.blocks ?? [];
      expect(Date.parse(entry?.covered_until ?? '')).toBeGreaterThan(seen);
    },
    { timeout: PATIENCE_MS, interval: 200 },
  );
  await world.untilIdle(url);
  expect(blocks()).toEqual([slot(26)]);
  expect(world.events(ANNA)).toHaveLength(1);
  expect(world.rows('Visits')).toHaveLength(2);
  expect(JSON.stringify(world.rows('Contacts'))).not.toContain(HOUSE);
  expect(await feedTitles(url, port)).toEqual(['Haircut']);
  world.google.staff.calendar.move({ calendarId: PRIVATE, eventId, start: slot(34) });
  await eventually(() => expect(blocks()).toEqual([slot(34)]));
  expect(world.platform.stats().customerMails).toBe(1);
});

atLength.test(
  'events that are moved while the worker is down are followed when it is back, in a Redis that knows nothing',
  async () => {
    const worker = await world.startWorker();
    const eventId = busy(26);
    busy(40);
    await eventually(() => expect(blocks()).toEqual([slot(26), slot(40)]));
    await world.stopWorker(worker);
    world.google.staff.calendar.move({ calendarId: PRIVATE, eventId, start: slot(28) });
    const redis = openRedis(world.redis.url, 'commands');
    await redis.flushall();
    redis.disconnect();
    await world.startWorker();
    await eventually(() => expect(blocks()).toEqual([slot(28), slot(40)]));
  },
);

atLength.test(
  'each private calendar is read by its own account; one that cannot keeps its blocks, and the others go on',
  async () => {
    const branch = 'branch@two.iam.gserviceaccount.com';
    const other = 'boris.private@example.com';
    world.google.addCalendar(other, { shareWith: [branch], role: 'freeBusyReader' });
    const key = join(world.dir, 'branch-key.json');
    writeFileSync(key, JSON.stringify(world.google.serviceAccountKey(branch)));
    options.rewrite = (yaml) =>
      yaml
        .replace(/^google:\n/m, `google:\n  accounts: { branch: { credentials: "${key}" } }\n`)
        .replace(
          `Boris Ivanov: ${BORIS}\n    hours`,
          `Boris Ivanov: { id: ${other}, account: branch }\n    hours`,
        );
    await world.startWorker();
    busy(26);
    const eventId = busy(28, other);
    await eventually(() => expect(blocks()).toEqual([slot(26), slot(28)]));
    world.google.revokeGrants(branch);
    world.google.staff.calendar.remove({ calendarId: other, eventId });
    busy(40);
    await eventually(() => expect(blocks()).toEqual([slot(26), slot(28), slot(40)]));
    world.google.restoreGrants();
    await eventually(() => expect(blocks()).toEqual([slot(26), slot(40)]));
  },
);
