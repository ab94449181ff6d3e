import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { expect, vi } from 'vitest';
import { openSession } from '../../../src/worker/operator-session.ts';
import { startMortalWorld } from '../../stand/lives.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { MIRRORS, slot } from '../../stand/world.ts';

const COACH = 'coach@clinic.example';
const WITH_GUESTS = MIRRORS.replace(
  '        Anna Petrova:',
  `        Coach: ${COACH}\n        Anna Petrova:`,
).replace(
  '    event:\n',
  '    classes: { services: Yoga, guests: "{{ customer_name }}, {{ comment }}" }\n    event:\n',
);

/** Who has nothing to do for so long has come to the end of its work alive. */
const LIFE_MS = 1_500;
interface Lives {
  readonly lives: number;
  /** Every so many calls of the work on the class, its people and the contact. */
  readonly step: number;
}

/** In each life somebody is erased while the worker is about to name them in a class, and dies at a later call. */
export async function eraseInEveryLife({ lives, step }: Lives): Promise<void> {
  const mortal = await startMortalWorld({ mirrors: WITH_GUESTS });
  try {
    await eraseIn(mortal, { lives, step });
  } finally {
    await mortal.close();
  }
}

async function eraseIn(
  mortal: Awaited<ReturnType<typeof startMortalWorld>>,
  { lives, step }: Lives,
): Promise<void> {
  const { world } = mortal;
  const { dashboard } = world.platform;
  const { projectId, branchId } = world.company;
  const coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 90 });
  const yoga = dashboard.createService({ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach] });
  world.google.addCalendar(COACH, { shareWith: [defaultAccount] });
  const join = (name: string, nth: number) => {
    const contactId = dashboard.createContact({ projectId, name, phone: `+7495000${2000 + nth}` });
    const about = { serviceId: yoga, resourceId: coach, startsAt: slot(26), comment: `says ${name}` };
    return { contactId, id: dashboard.bookAs('lk', { ...about, contactId }) };
  };
  const event = () => JSON.stringify(world.events(COACH));
  join('Stays Here', 0);
  const erased: string[] = [];
  // Past the lines that are cut.
  const config = world.config();
  let deaths = 0;
  for (let nth = 1; nth <= lives; nth += 1) {
    const name = `Goes${nth} Away${nth}`;
    const life = await mortal.begin();
    const { contactId, id } = join(name, nth);
    await vi.waitFor(() => expect(event()).toContain(`says ${name}`), { timeout: 240_000, interval: 50 });
    const ending = life.dieBefore(1 + (nth - 1) * step, LIFE_MS);
    // The class is about to write what it has listed.
    dashboard.changeContact(contactId, { name: `Renamed${nth} ${name}` });
    const session = await openSession(config, { now: Date.now });
    try {
      const outcome = await session.runForget(await session.planForget(contactId));
      expect(outcome.state).toBe('erased');
    } finally {
      await session.close();
    }
    erased.push(name, `Renamed${nth}`, id);
    expect(erased.filter((each) => event().includes(each))).toEqual([]);
    if (await ending) deaths += 1;
    life.end();
  }
  expect(deaths).toBeGreaterThan(lives / 3);
  const url = await mortal.beginForGood();
  join('Comes Late', 99);
  const right = () => {
    expect(world.events(COACH)).toMatchObject([
      {
        summary: `Yoga (${lives + 2}/90)`,
        description: `Stays Here, says Stays Here\nComes Late, says Comes Late\nand ${lives} more`,
      },
    ]);
    expect(erased.filter((each) => event().includes(each))).toEqual([]);
  };
  await vi.waitFor(right, { timeout: PATIENCE_MS, interval: 200 });
  const status = await world.untilIdle(url);
  right();
  expect(status.dead_letters.count).toBe(0);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
}
