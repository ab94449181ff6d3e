import { SandboxClock } from '@slotbridge/sandbox/clock';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { expect, type TestContext, test, vi } from 'vitest';
import { statusVerdict } from '../../src/operate/verdict.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, readStatus, startWorld, type World, type WorldOptions } from '../stand/world.ts';

/** Worlds of their own, which mostly wait for a quota: three stand beside each other. */
async function begin({ onTestFinished }: TestContext, options: WorldOptions): Promise<World> {
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  return world;
}

async function start(world: World): Promise<string> {
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: PATIENCE_MS,
  });
  return url;
}

const soon = { timeout: PATIENCE_MS, interval: 50 };

/** While status shows a pause, newly booked appointments wait too, and Google gets no calls. Returns how many were booked. */
async function expectRest(world: World, url: string): Promise<number> {
  for (let booked = 0; ; ) {
    const { quotas } = await world.status(url);
    const { quotaRefusals } = world.google.stats();
    const paused = quotas.find(({ paused_until }) => paused_until !== null);
    if (paused === undefined) continue;
    booked += 1;
    world.book({ hours: 60 + booked });
    const waitingNow = async () =>
      (await world.status(url)).quotas.reduce((sum, { waiting }) => sum + waiting, 0);
    await vi.waitFor(async () => expect(await waitingNow()).toBeGreaterThan(paused.waiting), soon);
    const later = world.google.stats().quotaRefusals;
    // On a machine that was busy elsewhere the pause may be over: then over the next one, which is longer.
    if (Date.now() >= Date.parse(paused.paused_until ?? '')) continue;
    expect(later).toBe(quotaRefusals);
    return booked;
  }
}

test.concurrent("Google's quota is nobody's failure: status says who waits for it, and everything is written in the end (cases 36, 67)", async (context) => {
  // Calendars that are looked at meanwhile would wait as well.
  const world = await begin(context, { watch: '{ push: false, every: 1h }' });
  world.google.switches.quotaForm = 'guide';
  const url = await start(world);
  await world.untilIdle(url);
  world.google.changeQuotas({ calendarPerMinutePerUser: 0 });
  world.book();
  world.book({ resourceId: world.company.boris });
  const waiting = await vi.waitFor(async () => {
    const { quotas } = await world.status(url);
    const quota = quotas.find(({ name }) => name.startsWith('google-calendar:'));
    expect(quota).toMatchObject({ limit: 100_000, waiting: 2, reason: 'userRateLimitExceeded' });
    expect(quota?.paused_until).not.toBeNull();
    return quota;
  }, soon);
  expect(waiting?.name).not.toContain('@');
  // While the budget is paused, nobody asks Google.
  const status = await world.status(url);
  expect(status).toMatchObject({ problems: [], dead_letters: { count: 0 }, idle: false });
  const booked = await expectRest(world, url);
  world.google.changeQuotas({ calendarPerMinutePerUser: 100_000 });
  await world.untilIdle(url);
  expect([world.events(ANNA).length, world.events(BORIS).length]).toEqual([1 + booked, 1]);
});

test.concurrent("P8: the user's spent quota pauses no calendar by itself first, whichever calendar meets it (case 36)", async (context) => {
  const world = await begin(context, { watch: '{ push: false, every: 1h }' });
  const url = await start(world);
  await world.untilIdle(url);
  world.google.changeQuotas({ calendarPerMinutePerUser: 0 });
  world.book();
  world.book({ hours: 26 });
  const whose = await vi.waitFor(async () => {
    const { quotas } = await world.status(url);
    const refused = quotas.filter(({ reason }) => reason === 'rateLimitExceeded');
    expect(refused.filter(({ paused_until }) => paused_until !== null)).not.toEqual([]);
    return refused.map(({ target }) => target);
  }, soon);
  expect(whose).toEqual([null]);
  world.google.changeQuotas({ calendarPerMinutePerUser: 100_000 });
  await world.untilIdle(url);
  expect(world.events(ANNA)).toHaveLength(2);
});

atLength.test.concurrent(
  'one calendar that Google limits by itself rests alone, and the others are written meanwhile (cases 36, 70)',
  async (context) => {
    const world = await begin(context, { watch: '{ push: false, every: 1h }' });
    const url = await start(world);
    await world.untilIdle(url);
    world.google.changeQuotas({ calendarWritesPerMinutePerCalendar: 6 });
    for (let count = 1; count <= 6; count += 1) {
      world.book({ hours: 24 + count });
      await vi.waitFor(() => expect(world.events(ANNA).length).toBe(count), soon);
    }
    world.book({ hours: 48 });
    const resting = await vi.waitFor(async () => {
      const quota = (await world.status(url)).quotas.find(({ target }) => target !== null);
      expect(quota).toMatchObject({ target: `calendar:${ANNA}`, reason: 'rateLimitExceeded', waiting: 1 });
      return quota;
    }, soon);
    expect(resting?.name).not.toContain('@');
    for (let count = 1; count <= 5; count += 1) {
      world.book({ resourceId: world.company.boris, hours: 24 + count });
      await vi.waitFor(() => expect(world.events(BORIS).length).toBe(count), soon);
    }
    const { quotas, problems, dead_letters } = await world.status(url);
    expect(
      quotas.filter(({ target }) => target === null).every(({ paused_until }) => paused_until === null),
    ).toBe(true);
    expect([problems, dead_letters.count]).toEqual([[], 0]);
    const booked = await expectRest(world, url);
    world.google.changeQuotas({ calendarWritesPerMinutePerCalendar: 1_000 });
    await world.untilIdle(url);
    expect(world.events(ANNA).length).toBe(7 + booked);
  },
);

atLength.test.concurrent(
  'P8: a calendar that Google limits by itself while it is read waits for that in the first line, pause after pause, and heals',
  async (context) => {
    const clock = new SandboxClock();
    const world = await begin(context, { clock, watch: '{ push: false, every: 5s }' });
    const url = await start(world);
    await world.untilIdle(url);
    const verdict = async () => statusVerdict(await world.status(url));
    await vi.waitFor(async () => expect((await verdict()).mood).toBe('well'), soon);
    const error = {
      code: 403,
      message: 'Rate Limit Exceeded',
      errors: [{ reason: 'rateLimitExceeded', message: 'x' }],
    };
    const lift = world.google.faults.add({
      path: new RegExp(`calendars/${ANNA}`),
      fault: {
        kind: 'status',
        status: 403,
        body: JSON.stringify({ error }),
        contentType: 'application/json',
      },
    });
    // Longer than a first walk may take and than a proof is fresh.
    clock.advance(10 * 60_000);
    const waits = /^working: 1 calendar waits for Google's limit/;
    await vi.waitFor(async () => expect((await verdict()).line).toMatch(waits), {
      timeout: PATIENCE_MS,
      interval: 50,
    });
    const refusals = world.google.faults.hits();
    // Over the ends of two pauses at least: also in between nobody is called.
    while (world.google.faults.hits() < refusals + 2) {
      expect(statusVerdict(await readStatus(url)).line).toMatch(waits);
      await new Promise((done) => setTimeout(done, 20));
    }
    lift();
    await vi.waitFor(async () => expect((await verdict()).mood).toBe('well'), {
      timeout: PATIENCE_MS,
      interval: 100,
    });
  },
);

const PEOPLE = Array.from({ length: 10 }, (_, at) => `Person ${at}`);
/** Appointments of each person: more than the calls that may hang at once. */
const APPOINTMENTS = 10;
const calendarOf = (name: string) => `${name.replace(' ', '').toLowerCase()}@clinic.example`;

/** Calls that the worker has given up. */
async function timeouts(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counted = [...text.matchAll(/^slotbridge_failures_total\{.*code="google-timeout".*\} (\d+)/gm)];
  return counted.reduce((sum, [, count]) => sum + Number(count), 0);
}

test.concurrent('one calendar that does not answer takes nothing from nine that do (case 70)', async (context) => {
  const mirrors = `
mirrors:
  staff:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
${PEOPLE.map((name) => `        ${name}: ${calendarOf(name)}`).join('\n')}
    event: { title: "{{ service_name }}" }
`;
  // Calendars that are looked at meanwhile would hang as well.
  const world = await begin(context, { mirrors, watch: '{ push: false, every: 1h }' });
  const { dashboard } = world.platform;
  const { branchId, projectId } = world.company;
  const ids = PEOPLE.map((name) => dashboard.createResource({ branchId, name }));
  const serviceId = dashboard.createService({
    projectId,
    name: 'Shave',
    durationMin: 30,
    resourceIds: ids,
  });
  for (const name of PEOPLE) world.google.addCalendar(calendarOf(name), { shareWith: [defaultAccount] });
  const url = await start(world);
  await world.untilIdle(url);

  // Longer than the time-out of a call, which is 10 s.
  const [slow = ''] = PEOPLE.map(calendarOf);
  world.google.faults.add({ path: new RegExp(`calendars/${slow}`), fault: { kind: 'hang', ms: 60_000 } });
  for (let round = 0; round < APPOINTMENTS; round += 1)
    for (const resourceId of ids) world.book({ resourceId, serviceId, hours: 24 + round });
  const healthy = () => PEOPLE.slice(1).reduce((sum, name) => sum + world.events(calendarOf(name)).length, 0);
  // However slow this machine is: never do more than six calls hang at once, and a place is taken again only after a time-out.
  await vi.waitFor(
    async () => {
      const stuck = world.google.faults.hits();
      expect(stuck - (await timeouts(url))).toBeLessThanOrEqual(6);
      expect(healthy()).toBe((PEOPLE.length - 1) * APPOINTMENTS);
    },
    { timeout: 200_000, interval: 250 },
  );
  expect(world.google.faults.hits()).toBeGreaterThan(0);
  expect(world.events(slow).length).toBe(0);

  world.google.faults.clear();
  await world.untilIdle(url);
  expect(world.events(slow).length).toBe(APPOINTMENTS);
  expect((await world.status(url)).dead_letters.count).toBe(0);
});
