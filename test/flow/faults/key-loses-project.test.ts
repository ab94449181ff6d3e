import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { differences, untilSame } from '../../stand/judge.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { ANNA, slot, startWorld, type World } from '../../stand/world.ts';

let world: World;
let url: string;
let annex: string;

beforeEach(async () => {
  world = await startWorld({ webhook: ', check_every: 1s' });
  annex = world.platform.dashboard.createProject({ name: 'Annex' });
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
});
afterEach(() => world.close());

/** The key goes on with other projects than before. */
function giveKey(projectIds?: string[]): void {
  world.platform.createKey({ key: world.apiKey, ...(projectIds === undefined ? {} : { projectIds }) });
}

test('P7, P8: the key loses the project of everything that is mirrored: nothing is deleted, it is told, and all that happened meanwhile is found when the key has it back (cases 17, 35, 56)', async () => {
  const { dashboard } = world.platform;
  const { projectId } = world.company;
  const contacts = Array.from({ length: 5 }, (_, at) =>
    dashboard.createContact({ projectId, name: `Contact ${at}` }),
  );
  const appointments = Array.from({ length: 6 }, (_, at) => world.book({ hours: 24 + at }));
  await untilSame(world);
  const rows = { contacts: world.rows('Contacts').length, appointments: world.rows('Visits').length };

  giveKey([annex]);
  // Told by the webhooks still, and then looked up in vain: an equal updated_at asks for a GET.
  for (const id of contacts) dashboard.setUpdatedAt(id, null);
  for (const id of appointments) dashboard.setUpdatedAt(id, null);
  for (const id of contacts.slice(0, 3)) dashboard.changeContact(id, { name: 'Changed unseen' });
  dashboard.cancel(appointments[0] ?? '');
  dashboard.reschedule(appointments[1] ?? '', { startsAt: slot(60), resourceId: world.company.boris });
  await vi.waitFor(
    async () => {
      const status = await world.status(url);
      const told = [...status.problems, ...status.dead_letters.recent, ...status.holes];
      expect(told.length).toBeGreaterThan(0);
    },
    { timeout: PATIENCE_MS },
  );
  await sleep(3_000);
  // What the key cannot see is not gone.
  expect(world.rows('Visits').length).toBe(rows.appointments);
  expect(world.rows('Contacts').length).toBe(rows.contacts);
  expect(world.events(ANNA).length).toBeGreaterThanOrEqual(4);

  giveKey();
  await untilSame(world);
  const status = await world.untilIdle(url);
  expect(differences(world)).toEqual([]);
  expect(status).toMatchObject({ holes: [], problems: [] });
});
