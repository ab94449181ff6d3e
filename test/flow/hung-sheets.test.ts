import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

test('P1: whatever number of spreadsheets hang, the rows of the others are written meanwhile (decision 0010)', async () => {
  const hanging = ['s1', 's2', 's3', 's4', 's5', 's6'];
  const names = [...hanging, 'sound'];
  const mirrors = names.map(
    (name) => `  m-${name}:
    from: contacts
    sheet: { spreadsheet: book-${name}, tab: Contacts }
    columns: { ID: "{{ id }}", Name: "{{ name }}" }
`,
  );
  world = await startWorld({ mirrors: `mirrors:\n${mirrors.join('')}` });
  for (const name of names)
    world.google.addSpreadsheet(`book-${name}`, {
      shareWith: [defaultAccount],
      tabs: [{ title: 'Contacts' }],
    });
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  await world.untilIdle(url);
  const hung = new Set<string>();
  for (const name of hanging)
    world.google.faults.add({
      method: 'POST',
      path: new RegExp(`book-${name}:batchUpdate`),
      onStrike: () => void hung.add(name),
      fault: { kind: 'hang', ms: 600_000 },
    });
  const create = (name: string) =>
    world.platform.dashboard.createContact({ projectId: world.company.projectId, name });
  const rowsOf = (name: string) =>
    world.google.truth
      .values(`book-${name}`, 'Contacts')
      .slice(1)
      .map(([key]) => key);
  const first = create('First');
  // All of them hang, and stay so.
  await vi.waitFor(() => expect([...hung].sort()).toEqual(hanging), { timeout: PATIENCE_MS });
  const second = create('Second');
  await vi.waitFor(() => expect(rowsOf('sound')).toEqual([first, second]), { timeout: PATIENCE_MS });
  expect(hanging.map(rowsOf)).toEqual(hanging.map(() => []));
});
