import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterEach, expect, test, vi } from 'vitest';
import { differences } from '../../stand/judge.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { rowsOf } from '../../stand/runs.ts';
import { startWorld, type World } from '../../stand/world.ts';

const PAGE = 100;
const EVENTS_ROUTE = 'GET /v1/events';

/** The platform's and the worker's. */
let clock: SandboxClock;
let world: World;
afterEach(() => world.close());

test.each(
  rowsOf(
    [
      { pages: 40, interruptions: 4 },
      { pages: 100, interruptions: 10 },
    ],
    2,
  ),
)(
  'P1, P8: a catch-up of $pages pages that is interrupted $interruptions times goes on where it stood, and claims nothing before its end (cases 1, 23)',
  async ({ pages, interruptions }) => {
    clock = new SandboxClock();
    world = await startWorld({ feedEvery: '1h', clock, platform: { clock } });
    const port = await world.door();
    await world.subscribe(port);
    let worker = await world.startWorker(port);
    const { covered_until } = (await untilProved(worker.url)).coverage.feed;
    await world.stopWorker(worker);
    world.platform.delivery = { ...world.platform.delivery, loseShare: 1 };
    missedEvents(pages * PAGE);
    const before = pagesRead();
    for (let interruption = 0; interruption < interruptions; interruption += 1) {
      // However fast this machine is, the walk stands in its middle when it is looked at and interrupted.
      let isStuck = false;
      const lift = world.platform.faults.add({
        path: /\/v1\/events/,
        skip: 4 + (interruption % 3),
        onStrike: () => {
          isStuck = true;
        },
        fault: { kind: 'hang', ms: 600_000 },
      });
      worker = await world.startWorker(port);
      await vi.waitFor(() => expect(isStuck).toBe(true), { timeout: PATIENCE_MS, interval: 2 });
      const { feed } = (await world.status(worker.url)).coverage;
      // Whatever was read: nothing is proved before the floor is met.
      expect(feed).toMatchObject({ covered_until, walk_open: true });
      await world.stopWorker(worker);
      lift();
    }
    expect(pagesRead() - before).toBeLessThan(pages);
    worker = await world.startWorker(port);
    await vi.waitFor(async () => expect((await world.status(worker.url)).idle).toBe(true), {
      timeout: PATIENCE_MS,
      interval: 100,
    });
    expect(differences(world)).toEqual([]);
    // A page that was under way when it was interrupted is read again, and the walk that was taken up is followed by a short one.
    expect(pagesRead() - before).toBeGreaterThanOrEqual(pages);
    expect(pagesRead() - before).toBeLessThanOrEqual(pages + interruptions + 5);
  },
);

/** Everybody in it changes many times. */
function missedEvents(events: number): void {
  const { dashboard } = world.platform;
  const contacts = Array.from({ length: 40 }, (_, at) =>
    dashboard.createContact({ projectId: world.company.projectId, name: `Contact ${at}` }),
  );
  const appointments = Array.from({ length: 10 }, (_, at) => world.book({ hours: 24 + at }));
  for (let made = contacts.length + appointments.length; made < events; made += 1) {
    const contact = contacts[made % contacts.length] ?? '';
    dashboard.changeContact(contact, { name: `Contact ${made}` });
    // Four events a second: what lies within the overlap of a walk is a page or two of it.
    clock.advance(250);
  }
  for (const appointment of appointments.slice(0, 5)) dashboard.cancel(appointment);
}

function pagesRead(): number {
  return world.platform.stats().requestsByRoute[EVENTS_ROUTE] ?? 0;
}

function untilProved(url: string) {
  return vi.waitFor(
    async () => {
      const status = await world.status(url);
      expect(status).toMatchObject({ idle: true, coverage: { feed: { walk_open: false } } });
      expect(status.coverage.feed.covered_until).not.toBeNull();
      return status;
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );
}
