// Drop-downs of a booking sheet, through the whole worker.
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { BOOK, MIRRORS, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const AT = { spreadsheetId: BOOK, tab: 'Desk' };
const HEADERS = ['Service', 'Start', 'Name', 'Phone', 'With', 'Ready', 'ID', 'Status'];
const BOOKINGS = (setting: string) => `
bookings:
  front-desk:
    from: { spreadsheet: ${BOOK}, tab: Desk, every: 5s, timezone: Europe/Moscow }
    region: RU
    ${setting}
    columns:
      { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, id: ID, status: Status }
`;
const SOON = { timeout: PATIENCE_MS, interval: 100 };

async function start(setting: string) {
  world = await startWorld({ mirrors: MIRRORS + BOOKINGS(setting) });
  world.google.staff.sheets.addTab({ ...AT, columns: HEADERS.length });
  world.google.staff.sheets.setRow({ ...AT, row: 1, values: HEADERS });
  const values = ['Haircut', '', 'Vera Orlova', '8 495 000-11-01', 'Anna Petrova', false];
  world.google.staff.sheets.addRow({ ...AT, values });
  const port = await world.door();
  await world.subscribe(port);
  return world.startWorker(port);
}

const tabs = () => world.google.truth.tabs(BOOK);
const lists = () =>
  tabs().includes('slotbridge lists') ? world.google.truth.values(BOOK, 'slotbridge lists') : [];
/** Columns of row 2 that have a drop-down. */
function ruled(): number[] {
  const { sheets } = world.google.truth.spreadsheet(BOOK) as unknown as {
    sheets: {
      properties: { title: string };
      data: { rowData: { values?: { dataValidation?: object }[] }[] }[];
    }[];
  };
  const tab = sheets.find(({ properties }) => properties.title === 'Desk');
  const cells = tab?.data[0]?.rowData[1]?.values ?? [];
  return cells.flatMap(({ dataValidation }, column) => (dataValidation === undefined ? [] : [column]));
}

test('people choose from the services, the people and the free times of the platform', async () => {
  await start('drop_downs: [service, resource, starts_at]');
  await vi.waitFor(() => {
    expect(ruled()).toEqual([0, 1, 4]);
    expect(lists().length).toBeGreaterThan(1);
  }, SOON);
  const [titles = [], first = []] = lists();
  expect(titles.slice(0, 2)).toEqual(['slotbridge service', 'slotbridge resource']);
  expect(lists().map(([service]) => service)).toContain('Haircut');
  expect(lists().map(([, person]) => person)).toContain('Anna Petrova');
  expect(first[3]).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
});

test('nobody gets drop-downs or a hidden tab without asking for them', async () => {
  const worker = await start('');
  world.book();
  await world.untilIdle(worker.url);
  expect(ruled()).toEqual([]);
  expect(tabs()).not.toContain('slotbridge lists');
});
