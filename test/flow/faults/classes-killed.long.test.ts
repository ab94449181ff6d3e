import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startMortalWorld } from '../../stand/lives.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { MIRRORS, slot } from '../../stand/world.ts';

const COACH = 'coach@clinic.example';
const WITH_CLASSES = MIRRORS.replace(
  '        Anna Petrova:',
  `        Coach: ${COACH}\n        Anna Petrova:`,
).replace('    event:\n', '    classes: { services: Yoga }\n    event:\n');

/** Who has nothing to do for so long has come to the end of its work alive. */
const LIFE_MS = 800;
const SURVIVORS = 2;
/** Every so many calls of the work on one appointment and its class. */
const STEP = 5;
/** What comes of one webhook takes more calls than these. */
const CALLS_MIN = 30;

let mortal: Awaited<ReturnType<typeof startMortalWorld>>;
beforeEach(async () => {
  mortal = await startMortalWorld({ mirrors: WITH_CLASSES });
});
afterEach(() => mortal.close());

test('P1, P2, P7: a worker that dies before any call after somebody joined or left a class leaves each class in one event, with all who come', async () => {
  const { world } = mortal;
  const { dashboard } = world.platform;
  const { projectId, branchId } = world.company;
  const coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 90 });
  const yoga = dashboard.createService({ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach] });
  world.google.addCalendar(COACH, { shareWith: [defaultAccount] });
  const join = (hours: number) => world.book({ hours, resourceId: coach, serviceId: yoga });
  const joined: string[] = [];
  let deaths = 0;
  let survivors = 0;
  let call = 1;
  for (let lives = 0, lifeMs = LIFE_MS; survivors < SURVIVORS; lives += 1) {
    const life = await mortal.begin();
    const ending = life.dieBefore(call, lifeMs);
    joined.push(join(24 + (lives % 3) * 4));
    const [first] = joined;
    if (lives % 3 === 1 && first !== undefined) dashboard.reschedule(first, { startsAt: slot(100 + lives) });
    const isDead = await ending;
    life.end();
    if (lives % 3 === 2) dashboard.cancel(joined.shift() ?? '', { notify: false });
    if (!isDead && call <= CALLS_MIN) {
      // It was only slow, and is to die at this call all the same.
      lifeMs *= 2;
      continue;
    }
    if (isDead) deaths += 1;
    else survivors += 1;
    call += STEP;
  }
  expect(deaths * STEP).toBeGreaterThan(CALLS_MIN - STEP);
  const url = await mortal.beginForGood();
  const expected = () => {
    const counts = new Map<string, number>();
    for (const { service_id, status, starts_at } of world.platform.truth.appointments())
      if (service_id === yoga && status !== 'cancelled')
        counts.set(String(starts_at), (counts.get(String(starts_at)) ?? 0) + 1);
    return [...counts].map(([start, count]) => `${start} Yoga (${count}/90)`).sort();
  };
  const shown = () =>
    world
      .events(COACH)
      .map(({ start, summary }) => {
        const { dateTime } = start as { readonly dateTime: string };
        return `${new Date(dateTime).toISOString()} ${String(summary)}`;
      })
      .sort();
  await vi.waitFor(() => expect(shown()).toEqual(expected()), { timeout: PATIENCE_MS, interval: 200 });
  const status = await world.untilIdle(url);
  expect(shown()).toEqual(expected());
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
}, 600_000);
