import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { expect, vi } from 'vitest';
import { startMortalWorld } from '../../stand/lives.ts';
import { MIRRORS, slot } from '../../stand/world.ts';

const COACH = 'coach@clinic.example';
const WITH_MOVES = MIRRORS.replace(
  '        Anna Petrova:',
  `        Coach: ${COACH}\n        Anna Petrova:`,
).replace('    event:\n', '    classes: { services: Yoga, moved: all }\n    event:\n');

const SIZE = 3;
/** Who has not come to its call by then has moved its class, and looks for more to do. */
const LIFE_MS = 12_000;
/** Calls of an idle worker until it notices what was dragged. */
const UNNOTICED_CALLS = 40;

/** In each life a class is dragged to another hour, and the worker dies at a later call. */
export async function moveInEveryLife({ lives, step }: { lives: number; step: number }): Promise<void> {
  const mortal = await startMortalWorld({ mirrors: WITH_MOVES, watch: '{ every: 5s, settle: 100ms }' });
  const { world } = mortal;
  const { dashboard, truth } = world.platform;
  try {
    const { projectId, branchId } = world.company;
    const coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 90 });
    const yoga = dashboard.createService({ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach] });
    world.google.addCalendar(COACH, { shareWith: [defaultAccount] });
    const shown = () =>
      world.events(COACH).map(({ id, start, summary }) => {
        const { dateTime } = start as { readonly dateTime: string };
        return { id: String(id), text: `${String(summary)} ${new Date(dateTime).toISOString()}` };
      });
    const texts = () =>
      shown()
        .map(({ text }) => text)
        .sort();
    const expected: string[] = [];
    const people: { readonly id: string; readonly startsAt: string }[] = [];
    let deaths = 0;
    for (let nth = 0; nth < lives; nth += 1) {
      const [from, to] = [slot(24 + nth * 3), slot(25 + nth * 3)];
      const life = await mortal.begin();
      for (let n = 0; n < SIZE; n += 1)
        people.push({
          id: world.book({ hours: 24 + nth * 3, resourceId: coach, serviceId: yoga }),
          startsAt: to,
        });
      const before = `Yoga (${SIZE}/90) ${from}`;
      await vi.waitFor(() => expect(texts()).toContain(before), { timeout: 120_000, interval: 100 });
      const ending = life.dieBefore(UNNOTICED_CALLS + nth * step, LIFE_MS);
      const eventId = shown().find(({ text }) => text === before)?.id ?? '';
      world.google.staff.calendar.move({ calendarId: COACH, eventId, start: to });
      expected.push(`Yoga (${SIZE}/90) ${to}`);
      if (await ending) deaths += 1;
      life.end();
    }
    expect(deaths).toBeGreaterThan(lives / 3);
    const url = await mortal.beginForGood();
    const right = () => {
      expect(people.map(({ id }) => truth.appointment(id)?.['starts_at'])).toEqual(
        people.map(({ startsAt }) => startsAt),
      );
      expect(texts()).toEqual([...expected].sort());
    };
    await vi.waitFor(right, { timeout: 120_000, interval: 200 });
    const status = await world.untilIdle(url);
    right();
    expect(status.dead_letters.count).toBe(0);
    expect(status.problems).toEqual([]);
    expect(truth.appointments().map(({ status: is }) => is)).not.toContain('cancelled');
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  } finally {
    await mortal.close();
  }
}
