// Sheets as the office uses them, through the whole worker: deleted and changed rows, typed cells, columns that come and go.
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { BOOK, startWorld, type World, type WorldOptions } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const MIRRORS = `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Contacts, check_every: 1s }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
  visits:
    from: appointments
    where: { since: 7d }
    sheet: { spreadsheet: ${BOOK}, tab: Visits, check_every: 1s, removed: leave }
    columns:
      ID: "{{ id }}"
      Start: { value: "{{ starts_at }}", as: datetime }
      Price: { value: "{{ price }}", as: money }
      Status: "{{ status }}"
`;
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };

async function start(options: WorldOptions = { mirrors: MIRRORS }) {
  world = await startWorld(options);
  const port = await world.door();
  await world.subscribe(port);
  return { port, worker: await world.startWorker(port) };
}

const contactRows = () => world.rows('Contacts').filter((cells) => cells.some((cell) => cell !== ''));
const soon = (what: () => void) => vi.waitFor(what, { timeout: PATIENCE_MS, interval: 100 });
const create = (name: string) =>
  world.platform.dashboard.createContact({ projectId: world.company.projectId, name });

test('a row that people delete comes back, a cell that they change is put back, and what is theirs stays (P6, case 65)', async () => {
  const { worker } = await start();
  const ids = ['Ada', 'Bea', 'Cleo'].map(create);
  await world.untilIdle(worker.url);
  expect(contactRows()).toHaveLength(4);
  const staff = world.google.staff.sheets;
  staff.setCell({ ...AT, cell: 'E1', value: 'Note' });
  staff.setCell({ ...AT, cell: 'E2', value: 'mine' });
  const [first] = world.rows('Contacts')[1] ?? [];
  staff.setCell({ ...AT, cell: 'B2', value: 'Typed over' });
  staff.deleteRow({ ...AT, row: 3 });
  await soon(() => {
    const rows = contactRows().slice(1);
    expect(rows.map(([id]) => id).sort()).toEqual([...ids].sort());
    expect(rows.find(([id]) => id === first)?.[4]).toBe('mine');
    expect(rows.map(([, name]) => name).sort()).toEqual(['Ada', 'Bea', 'Cleo']);
  });
});

atLength.test(
  'where the setting says so, a row that people deleted stays deleted even when its appointment changes',
  async () => {
    const { worker } = await start();
    const [gone, other] = [world.book(), world.book({ hours: 30 })];
    await world.untilIdle(worker.url);
    const appointments = () => world.rows('Visits').slice(1);
    const at = appointments().findIndex(([id]) => id === gone) + 2;
    expect(appointments().find(([id]) => id === gone)?.[1]).toEqual(expect.any(Number));
    world.google.staff.sheets.deleteRow({ spreadsheetId: BOOK, tab: 'Visits', row: at });
    for (const id of [gone, other]) world.platform.dashboard.markAppointment(id, 'arrived');
    await world.untilIdle(worker.url);
    await soon(() => expect(appointments().find(([id]) => id === other)?.[3]).toBe('arrived'));
    expect(appointments().map(([id]) => id)).toEqual([other]);
  },
);

atLength.test(
  'a column that is added in the YAML is filled for all rows, and one that is removed stays (case 73)',
  async () => {
    const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = { mirrors: MIRRORS };
    const { port, worker } = await start(options);
    const id = create('Ada');
    await world.untilIdle(worker.url);
    world.google.staff.sheets.setCell({ ...AT, cell: 'D1', value: 'Note' });
    world.google.staff.sheets.setCell({ ...AT, cell: 'D2', value: 'mine' });
    await world.stopWorker(worker);
    options.mirrors = MIRRORS.replace('Phone: "{{ phone }}" }', 'Lifecycle: "{{ lifecycle }}" }');
    const next = await world.startWorker(port);
    await soon(() => {
      const [header, row] = world.rows('Contacts');
      expect(header).toEqual(['ID', 'Name', 'Phone', 'Note', 'Lifecycle']);
      expect([row?.[0], row?.[3], row?.[4]]).toEqual([id, 'mine', expect.stringMatching(/./)]);
    });
    expect((await world.untilIdle(next.url)).problems).toEqual([]);
  },
);
