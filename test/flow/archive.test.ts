// Old rows move to the archive, through the whole worker.

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { BOOK, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const MIRRORS = (archive: string) => `
mirrors:
  visits:
    from: appointments
    where: { since: 30d }
    sheet: { spreadsheet: ${BOOK}, tab: Visits, check_every: 1s${archive} }
    columns: { ID: "{{ id }}", Status: "{{ status }}" }
`;

test('an archive that is new in the YAML takes the old rows, each once; they change there, come back, and what people wrote beside them stays (P2, P6)', async () => {
  const options = { mirrors: MIRRORS('') };
  world = await startWorld(options);
  world.google.addSpreadsheet('cellar', { shareWith: [defaultAccount], tabs: [{ title: 'Old' }] });
  const port = await world.door();
  await world.subscribe(port);
  const before = await world.startWorker(port);
  const [noted, changed, back] = [-100, -90, -80].map((hours) => world.book({ hours }));
  const near = world.book();
  await world.untilIdle(before.url);
  const keys = (spreadsheetId: string, tab: string) =>
    world.google.truth
      .values(spreadsheetId, tab)
      .slice(1)
      .flatMap(([key]) => (key === undefined || key === '' ? [] : [key]))
      .sort();
  const home = () => keys(BOOK, 'Visits');
  const old = () => keys('cellar', 'Old');
  expect(home()).toHaveLength(4);
  const row = world.rows('Visits').findIndex(([key]) => key === noted) + 1;
  world.google.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'Visits', cell: `D${row}`, value: 'mine' });
  world.google.staff.sheets.sortTab({ spreadsheetId: BOOK, tab: 'Visits', column: 'ID', descending: true });
  await world.stopWorker(before);

  options.mirrors = MIRRORS(', archive: { after: 2d, tab: Old, spreadsheet: cellar }');
  const worker = await world.startWorker(port);
  await vi.waitFor(() => expect([home(), old()]).toEqual([[noted, near].sort(), [changed, back].sort()]), {
    timeout: PATIENCE_MS,
    interval: 200,
  });
  expect(world.rows('Visits').find(([key]) => key === noted)?.[3]).toBe('mine');
  world.platform.dashboard.markAppointment(changed ?? '', 'no_show');
  world.platform.dashboard.reschedule(back ?? '', { startsAt: slot(50), resourceId: world.company.anna });
  await vi.waitFor(
    () => {
      expect(old()).toEqual([changed]);
      expect(world.google.truth.values('cellar', 'Old').find(([key]) => key === changed)?.[1]).toBe(
        'no_show',
      );
      expect(home()).toEqual([noted, near, back].sort());
    },
    { timeout: PATIENCE_MS, interval: 200 },
  );
  const status = await world.untilIdle(worker.url);
  expect([status.problems, status.dead_letters.count]).toEqual([[], 0]);
});
