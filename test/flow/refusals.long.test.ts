import { expect, type TestContext, test, vi } from 'vitest';
import { differences } from '../stand/judge.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BOOK, BORIS, startWorld, type WorldOptions } from '../stand/world.ts';

/** Worlds of their own, which mostly wait for a target that rests: three stand beside each other. */
async function begin({ onTestFinished }: TestContext, options: WorldOptions = {}) {
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: PATIENCE_MS,
  });
  const problems = async (): Promise<Record<string, string>> => {
    const status = await world.status(url);
    return Object.fromEntries(
      status.problems.map((problem) => [problem.target, `${problem.code}: ${problem.advice}`]),
    );
  };
  return { world, url, problems };
}

const soon = { timeout: PATIENCE_MS, interval: 50 };
const eventually = { timeout: PATIENCE_MS, interval: 100 };

test.concurrent('a calendar that is not shared holds up nobody else, is told with the step to take, and catches up by itself (cases 35, 36, 70)', async (context) => {
  const { world, url, problems } = await begin(context);
  const events = world.events(ANNA).length;
  world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(events + 1), soon);
  world.google.revokeAccess(ANNA);
  world.book({ hours: 30 });
  world.book({ hours: 30, resourceId: world.company.boris });
  await vi.waitFor(() => expect(world.events(BORIS).length).toBe(1), soon);
  await vi.waitFor(() => expect(world.rows('Visits').length).toBe(4), soon);
  await vi.waitFor(async () => expect((await problems())[`calendar:${ANNA}`]).toMatch(/[Ss]hare/), soon);
  const status = await world.status(url);
  expect(status).toMatchObject({ idle: false, dead_letters: { count: 0 } });
  expect(world.events(ANNA).length).toBe(events + 1);
  world.google.grantAccess(ANNA);
  await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
  expect(await problems()).toEqual({});
});

atLength.test.concurrent(
  'a spreadsheet that is not shared keeps its rows in the outbox until it is',
  async (context) => {
    const { world, url, problems } = await begin(context);
    world.google.revokeAccess(BOOK);
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
    await vi.waitFor(async () => expect(JSON.stringify(await problems())).toContain(BOOK), soon);
    expect((await world.status(url)).pending.sheet_rows).toBeGreaterThan(0);
    world.google.grantAccess(BOOK);
    await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
  },
);

test.concurrent('a key that the platform refuses is told, webhooks are taken in all the same, and it goes on when the key works again (case 56)', async (context) => {
  const { world, url, problems } = await begin(context);
  world.platform.revokeKey(world.apiKey);
  await vi.waitFor(
    async () => expect((await problems())['platform']).toMatch(/platform-unauthenticated/),
    eventually,
  );
  const id = world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  world.platform.createKey({ key: world.apiKey });
  await world.untilIdle(url);
  expect(await problems()).toEqual({});
  expect(world.rows('Visits')[1]?.[0]).toBe(id);
});

atLength.test.concurrent.for([
  [
    'a page of HTML',
    { kind: 'status', status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' },
  ],
  [
    'a page of HTML that says it is fine',
    { kind: 'status', status: 200, contentType: 'text/html', body: '<html></html>' },
  ],
  [
    'no add-on',
    {
      kind: 'status',
      status: 402,
      contentType: 'application/json',
      body: '{"type":"x/api-addon-required","status":402}',
    },
  ],
] as const)('a platform that answers %s to the feed loses nothing', async ([_, fault], context) => {
  const { world, url } = await begin(context);
  const hits = world.platform.faults.hits();
  const lift = world.platform.faults.add({ path: /\/v1\/events/, fault });
  world.platform.delivery = { ...world.platform.delivery, loseShare: 1 };
  const id = world.book();
  // The walk before it has ended by then, and proved what it could.
  await vi.waitFor(() => expect(world.platform.faults.hits()).toBeGreaterThan(hits), soon);
  const before = await world.status(url);
  await new Promise((done) => setTimeout(done, 2_500));
  expect((await world.status(url)).coverage.feed.covered_until).toBe(before.coverage.feed.covered_until);
  lift();
  await world.untilIdle(url);
  expect(world.rows('Visits')[1]?.[0]).toBe(id);
});

atLength.test.concurrent(
  'a body of more than 256 KB comes reduced, and the object is read (case 17)',
  async (context) => {
    const { world } = await begin(context);
    const id = world.platform.dashboard.bookAs('lk', {
      serviceId: world.company.haircut,
      resourceId: world.company.anna,
      startsAt: new Date(Date.now() + 48 * 3_600_000).toISOString(),
      customerName: 'Vera',
      customerPhone: '+74950001101',
      comment: 'x'.repeat(300_000),
    });
    await vi.waitFor(() => expect(world.rows('Visits')[1]?.[0]).toBe(id), soon);
    expect(world.events(ANNA).length).toBe(1);
  },
);

test.concurrent('an event that staff deleted comes back with the next change of its appointment (case 33)', async (context) => {
  const { world } = await begin(context);
  const id = world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  world.google.staff.calendar.remove({ calendarId: ANNA, eventId: String(world.events(ANNA)[0]?.['id']) });
  expect(world.events(ANNA)).toEqual([]);
  world.platform.dashboard.markAppointment(id, 'no_show');
  await vi.waitFor(() => expect(world.events(ANNA)[0]?.['colorId']).toBe('11'), soon);
});

test.concurrent('nothing that a log line holds is personal', async (context) => {
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const { world } = await begin(context, { log: { debug: keep, info: keep, warn: keep, error: keep } });
  world.google.faults.add({ share: 0.1, fault: { kind: 'status', status: 503 } });
  const id = world.book({ name: 'Veronika Unmistakable' });
  await vi.waitFor(() => expect(world.rows('Visits')[1]?.[0]).toBe(id), eventually);
  const text = lines.join('\n');
  expect(text).toContain(id);
  for (const secret of ['Unmistakable', '74950001101', world.apiKey]) expect(text).not.toContain(secret);
});
