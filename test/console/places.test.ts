// Each calendar and each tab has a page: what is there, when it was written and read, what waits and what is wrong.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { linkTo } from '../../src/engine/link.ts';
import { mappedPlaces, type Place } from '../../src/operate/places.ts';
import { file, load } from '../mapping/fixture.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, BOOK, startWorld, type World } from '../stand/world.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const CALENDAR = 'anna.petrova@clinic.example';
const PLACES = mappedPlaces(
  load(
    file({
      mirrors: `
mirrors:
  staff:
    from: appointments
    calendars: { map: { Anna Petrova: ${CALENDAR}, Room 1: ${CALENDAR}, Boris Ivanov: boris@clinic.example } }
    event: { title: "{{ service_name }}" }
  contacts:
    from: contacts
    sheet: { spreadsheet: book-1, tab: Contacts }
    columns: { ID: "{{ id }}", Name: "{{ name }}" }
`,
    }),
  ),
);
const [CALENDAR_PLACE, , TAB_PLACE] = PLACES as readonly [Place, Place, Place];

const words = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const pageOf = ({ id }: Place) => `/console/place/${id}`;

const openStand = () =>
  openConsole({ parts: ({ places }) => ({ places: { ...places, all: PLACES, tabId: async () => 77 } }) });

test('the places of a mapping are named once each, by an id that reveals no address', () => {
  expect(PLACES.map(({ kind, target, names, mirrors }) => [kind, target, names, mirrors])).toEqual([
    ['calendar', `calendar:${CALENDAR}`, ['Anna Petrova', 'Room 1'], ['staff']],
    ['calendar', 'calendar:boris@clinic.example', ['Boris Ivanov'], ['staff']],
    ['tab', 'spreadsheet:book-1/Contacts', [], ['contacts']],
  ]);
  for (const { id } of PLACES) expect(id).toMatch(/^[0-9a-f]{16}$/);
});

async function furnish(stand: ConsoleStand): Promise<void> {
  const claim = await observe(stand, 'appointment', VERA);
  const link = linkTo({ calendarId: CALENDAR, eventId: 'sb1' });
  await stand.store.links.write(claim, 'staff', { calendars: [link] });
  stand.store.history.note(`appointment/${VERA.id}`, {
    ...{ what: 'mirrored', atMs: stand.clock.now(), rev: 1, actions: { staff: 'created' } },
  });
  const target = `calendar:${CALENDAR}`;
  const other = await observe(stand, 'appointment', {
    ...VERA,
    id: 'refused-1',
    customer_name: 'Igor Petrov',
  });
  await giveUp(stand, other, { mirror: 'staff', code: 'event-forbidden', message: 'm', target });
  stand.stores.problems = [
    {
      ...{ target, code: 'calendar-not-shared', message: `no access to ${CALENDAR}`, advice: 'Share it.' },
      ...{ sinceMs: stand.clock.now() - 600_000, lastAtMs: stand.clock.now() },
    },
  ];
  await stand.store.places.add(new Map([[`write ${target}`, stand.clock.now() - 180_000]]));
  await expect.poll(() => stand.store.changes.newest(9)).not.toEqual([]);
}

test('the page of a calendar says what is there, when it was written, what waits and what is wrong', async () => {
  const stand = await openStand();
  await furnish(stand);
  const { status, text } = await (await stand.signIn('desk')).get(pageOf(CALENDAR_PLACE));
  expect(status).toBe(200);
  const told = words(text);
  expect(told).toContain('Anna Petrova, Room 1');
  expect(told).toContain('Events 1 Waiting 1 Last written 3 min ago Last read not yet');
  expect(told).toMatch(/What needs a person .*since 10 min.* no access to .*Share it\./);
  expect(told).toMatch(/1 dead letter Show its dead letters .*Appointment, Igor Petrov/);
  expect(told).toMatch(/Waiting to be written here Appointment, Vera Orlova/);
  expect(told).toMatch(
    /Latest changes here .*Appointment, Vera Orlova .*mirrored, version 1 : staff created/,
  );
  const cid = Buffer.from(CALENDAR).toString('base64').replaceAll('=', '');
  expect(text).toContain(`href="https://calendar.google.com/calendar/u/0?cid=${cid}"`);
  expect(text).toContain(`/console/letters?place=calendar%3A${encodeURIComponent(CALENDAR)}`);
});

test('a viewer sees the same without a name or an address, in no list and no link', async () => {
  const stand = await openStand();
  await furnish(stand);
  const viewer = await stand.signIn('viewer', 'victor');
  for (const path of ['/console', '/console/places', ...PLACES.map(pageOf)]) {
    const { status, text } = await viewer.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect([path, /anna|petrov|vera|orlova|boris|google\.com/i.exec(text)?.[0]]).toEqual([path, undefined]);
  }
  const { text } = await viewer.get(pageOf(CALENDAR_PLACE));
  expect(words(text)).toContain('Events 1 Waiting 1 Last written 3 min ago');
  const letters = /href="(\/console\/letters\?place=[^"]+)"/.exec(text)?.[1] ?? '';
  expect(words((await viewer.get(letters)).text)).toContain('1 object was given up');
});

test('the page of a tab counts its rows and those that wait, and leads to the tab in Google', async () => {
  const stand = await openStand();
  const contact = { id: 'c-1', name: 'Vera Orlova', updated_at: '2026-11-21T14:00:00Z' };
  const claim = await observe(stand, 'contact', contact);
  const spot = {
    spreadsheetId: 'book-1',
    tab: 'Contacts',
    mirror: 'contacts',
    key: 'contact/c-1',
    rowKey: 'c-1',
  };
  const row = { ...spot, cells: { Name: 'Vera Orlova' }, hash: 'h', occurredAtMs: stand.clock.now() };
  await stand.store.outbox.put(claim, row);
  const desk = await stand.signIn('desk');
  const before = words((await desk.get(pageOf(TAB_PLACE))).text);
  expect(before).toContain('Rows 0 Waiting 1 Last written not yet');
  expect(before).toMatch(/Waiting to be written here Contact, Vera Orlova/);
  await stand.store.outbox.confirm(await stand.store.outbox.pending('book-1', 9));
  const { text } = await desk.get(pageOf(TAB_PLACE));
  expect(words(text)).toContain('Rows 1 Waiting 0 Last written 0 s ago');
  expect(text).toContain('href="https://docs.google.com/spreadsheets/d/book-1/edit#gid=77"');
});

test('Home and the list have calendars and tabs, those that need a person first', async () => {
  const stand = await openStand();
  await furnish(stand);
  const desk = await stand.signIn('desk');
  for (const path of ['/console', '/console/places']) {
    const told = words((await desk.get(path)).text);
    expect(told).toMatch(
      /Anna Petrova, Room 1 .*1 problem 1 dead letter .*3 min ago 1 .*Boris Ivanov .*in order/,
    );
    expect(told).toMatch(/Contacts Tab, filled by contacts in order/);
  }
});

test('in Russian the pages are Russian', async () => {
  const stand = await openStand();
  await furnish(stand);
  const desk = await stand.signIn('desk');
  const headers = { 'accept-language': 'ru' };
  const told = words((await desk.get(pageOf(CALENDAR_PLACE), headers)).text);
  expect(told).toContain('Событий 1 Ждут 1 Последний перенос 3 min назад'.replace('min', 'мин'));
  expect(words((await desk.get('/console/places', headers)).text)).toContain(
    'Contacts Лист, заполняет contacts в порядке',
  );
});

test.each(['', 'nonsense', '%2e%2e', 'calendar:anna', 'x'.repeat(200)])(
  'place/%s is no place',
  async (path) => {
    const stand = await openStand();
    expect((await (await stand.signIn('ops')).get(`/console/place/${path}`)).status).toBe(404);
  },
);

test('five hundred places make a page of bounded size, and Home shows some', async () => {
  const all = Array.from({ length: 700 }, (_, nth): Place => {
    const spot = { kind: 'tab', spreadsheetId: 'b', tab: `T${nth}` } as const;
    return {
      ...spot,
      id: `id${nth}`,
      target: `spreadsheet:b/T${nth}`,
      names: [],
      mirrors: ['m'],
      entries: [],
    };
  });
  const stand = await openConsole({ parts: ({ places }) => ({ places: { ...places, all } }) });
  const viewer = await stand.signIn('viewer');
  const list = await viewer.get('/console/places');
  expect([...list.text.matchAll(/\/console\/place\//g)]).toHaveLength(500);
  expect(list.text).toContain('and 200 more');
  const home = await viewer.get('/console');
  expect([...home.text.matchAll(/\/console\/place\//g)]).toHaveLength(25);
  expect(home.text).toContain('All 700 calendars and tabs');
});

// Over a worker at work: what it writes and reads is what the page says.

let world: World;

beforeAll(async () => {
  world = await startWorld({ rewrite: (yaml) => `${yaml}\nconsole: { enabled: true }\n` });
});
afterAll(() => world.close());

test('a worker tells when it wrote and read each calendar and each tab', async () => {
  const door = await world.door();
  await world.subscribe(door);
  const worker = await world.startWorker(door);
  world.book();
  await world.untilIdle(worker.url);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const browser = new Browser(worker.url);
  const code = await store.consoleAccess.offer({ role: 'desk', who: 'anna' }, 60_000);
  await browser.post('/console/sign-in', { code });
  const reached = await vi.waitFor(
    async () => {
      const fields = await store.places.reached();
      expect([...fields.keys()]).toEqual(
        expect.arrayContaining([
          ...[`write calendar:${ANNA}`, `read calendar:${ANNA}`],
          ...[`write spreadsheet:${BOOK}/Visits`, `read spreadsheet:${BOOK}`],
        ]),
      );
      return fields;
    },
    { timeout: PATIENCE_MS },
  );
  // Nobody was booked with Boris, and no contact has changed.
  expect(reached.has('write calendar:boris@clinic.example')).toBe(false);
  const { text } = await browser.get('/console/places');
  expect(words(text)).toMatch(/Anna Petrova .*(?:s|min) ago 1 /);
  expect(words(text)).toMatch(/Visits Tab, filled by \w+ in order – .*(?:s|min) ago .*(?:s|min) ago 1 /);
  store.close();
});
