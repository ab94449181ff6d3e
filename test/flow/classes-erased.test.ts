/** The whole worker: a person who was erased still comes to a class, and its event says how many come. */

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

const COACH = 'coach@clinic.example';

let world: World;
let port: number;
let url: string;
let coach: string;
let yoga: string;
let contactId: string;

beforeEach(async () => {
  world = await startWorld({
    mirrors: MIRRORS.replace(
      '        Anna Petrova:',
      `        Coach: ${COACH}\n        Anna Petrova:`,
    ).replace('    event:\n', '    classes: { services: [Yoga] }\n    event:\n'),
  });
  port = await world.door();
  await world.subscribe(port);
  const { dashboard } = world.platform;
  const { projectId, branchId, anna } = world.company;
  coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 6 });
  yoga = dashboard.createService({ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach, anna] });
  contactId = dashboard.createContact({ projectId, name: 'Vera Orlova', phone: '+74950001101' });
  world.google.addCalendar(COACH, { shareWith: [defaultAccount] });
  ({ url } = await world.startWorker(port));
});
afterEach(() => world.close());

const join = (hours = 26, name = 'Oleg Smirnov') =>
  world.book({ hours, name, resourceId: coach, serviceId: yoga });
const shown = () =>
  world
    .events(COACH)
    .map(({ summary, start }) => {
      const { dateTime } = start as { readonly dateTime: string };
      return `${String(summary)} ${new Date(dateTime).toISOString()}`;
    })
    .sort();
const eventually = (holds: () => void | Promise<void>) =>
  vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });

/** An appointment at `slot(26)` of somebody who is erased. `before`: what happens to it until then. */
async function erased(before: (id: string) => void = () => undefined): Promise<string> {
  const id = join(26, 'Vera Orlova');
  world.platform.dashboard.linkContact(id, contactId);
  await eventually(() => expect(shown()).toContain(`Yoga (2/6) ${slot(26)}`));
  await world.untilIdle(url);
  before(id);
  const { code } = await runHere([
    ...['forget', 'contact', contactId, '--yes', '--config', world.writeConfig(port)],
  ]);
  expect(code).toBe(0);
  return id;
}

describe('P1: an erased person’s appointment', () => {
  test('wakes its class when it is cancelled, and both when it is moved', async () => {
    join();
    join(30);
    const id = await erased();
    expect(shown()).toEqual([`Yoga (1/6) ${slot(30)}`, `Yoga (2/6) ${slot(26)}`]);
    world.platform.dashboard.reschedule(id, { startsAt: slot(30) });
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (2/6) ${slot(30)}`]));
    world.platform.dashboard.cancel(id, { notify: false });
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (1/6) ${slot(30)}`]));
  });

  atLength.test(
    'wakes its class before it is forgotten: what happened to it until then may not have been told',
    async () => {
      join();
      await erased((id) => world.platform.silently(() => world.platform.dashboard.cancel(id)));
      await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`]));
    },
  );
});
