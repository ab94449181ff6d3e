// A tab of contacts in which the office may change cells, through the whole worker.
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { BOOK, startWorld, type World, type WorldOptions } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const mirrors = (more = '') => `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Contacts, check_every: 1s, edited: carry, answers: Answer, region: RU${more} }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}", Email: "{{ email }}", Stage: "{{ lifecycle }}", Since: "{{ created_at | date: '%Y' }}" }
`;
const AT = { spreadsheetId: BOOK, tab: 'Contacts' };
const HEADERS = ['ID', 'Name', 'Phone', 'Email', 'Stage', 'Since', 'Answer'];
const TITLES = (): string[] =>
  (world.google.truth.spreadsheet(BOOK) as { sheets: { properties: { title: string } }[] }).sheets.map(
    ({ properties }) => properties.title,
  );

async function start(options: WorldOptions = { mirrors: mirrors() }) {
  world = await startWorld(options);
  const port = await world.door();
  await world.subscribe(port);
  return { port, worker: await world.startWorker(port) };
}

const soon = (what: () => void | Promise<void>) => vi.waitFor(what, { timeout: PATIENCE_MS, interval: 100 });
const create = (name: string, phone: string, more = {}) =>
  world.platform.dashboard.createContact({ projectId: world.company.projectId, name, phone, ...more });
const contact = (id: string) => world.platform.truth.contacts().find((each) => each['id'] === id);
const rowNumber = (id: string) => world.rows('Contacts').findIndex(([key]) => key === id) + 1;
const row = (id: string) => {
  const cells = world.rows('Contacts')[rowNumber(id) - 1] ?? [];
  return Object.fromEntries(HEADERS.map((header, i) => [header, cells[i] ?? '']));
};
const type = (id: string, header: string, value: string | number) => {
  const column = String.fromCharCode(65 + HEADERS.indexOf(header));
  world.google.staff.sheets.setCell({ ...AT, cell: `${column}${rowNumber(id)}`, value });
};

test('what the office changes in a row is changed on the platform, said beside it, and nothing stays behind', async () => {
  const { worker } = await start();
  const ada = create('Ada Lovelace', '+74950001101', { email: 'ada@example.com' });
  create('Bea Miles', '+74950001102');
  await world.untilIdle(worker.url);
  type(ada, 'Name', '  Ada   King ');
  await soon(() => expect(contact(ada)).toMatchObject({ name: 'Ada King', phone: '+74950001101' }));
  await soon(() =>
    expect(row(ada)).toMatchObject({ Name: 'Ada King', Answer: 'Changed in the booking system: Name.' }),
  );
  type(ada, 'Phone', 74950001199);
  await soon(() => expect(contact(ada)).toMatchObject({ name: 'Ada King', phone: '+74950001199' }));
  await soon(() =>
    expect(row(ada)).toMatchObject({
      Phone: '+74950001199',
      Answer: 'Changed in the booking system: Phone.',
    }),
  );
  type(ada, 'Stage', 'Customer');
  await soon(() => expect(contact(ada)).toMatchObject({ lifecycle: 'customer' }));
  type(ada, 'Email', 'king@example.com');
  await soon(() => expect(contact(ada)).toMatchObject({ email: 'king@example.com' }));
  await world.untilIdle(worker.url);
  await soon(() => expect(TITLES()).toEqual(['Contacts', 'Visits']));
});

atLength.test(
  'a tab that was only restored becomes one that is carried, without an answer to anybody',
  async () => {
    const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {
      mirrors: mirrors().replace('edited: carry', 'edited: restore'),
    };
    const { port, worker } = await start(options);
    const ada = create('Ada Lovelace', '+74950001101');
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    options.mirrors = mirrors();
    const next = await world.startWorker(port);
    await soon(() => expect(world.rows('Contacts')[0]).toEqual(HEADERS));
    await world.untilIdle(next.url);
    expect(row(ada)).toMatchObject({ Name: 'Ada Lovelace', Answer: '' });
    type(ada, 'Name', 'Ada King');
    await soon(() =>
      expect(row(ada)).toMatchObject({ Name: 'Ada King', Answer: 'Changed in the booking system: Name.' }),
    );
    expect(contact(ada)).toMatchObject({ name: 'Ada King', phone: '+74950001101' });
  },
);
