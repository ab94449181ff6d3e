import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { beforeEach, expect, test } from 'vitest';
import type { MovedRow } from '../../src/engine/erasure.ts';
import { TerminalError } from '../../src/engine/errors.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { PersonTerms } from '../../src/engine/person.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import type { CalendarEvent } from '../../src/google/calendar-event.ts';
import { SheetsApi } from '../../src/google/sheets-api.ts';
import { eraseEvents, eraseRows } from '../../src/operate/forget/erase-google.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

const BOOK = 'book';
const TAB = { spreadsheetId: BOOK, tab: 'Desk' };
const HEADER = ['ID', 'Order', 'Service', 'Name', 'Phone', 'Status'];
const VERA_ID = '9e1d0c77-7d8e-43a9-b2a1-0fd1f6a3c955';
const OLEG_ID = '0a7c1b52-9d0f-4a34-8f6e-0d9e5c1f7a11';
const VERA = [VERA_ID, 1, 'Haircut', 'Vera', '+7 495 000-11-01', 'confirmed'];
const OLEG = [OLEG_ID, 2, 'Haircut', 'Oleg', '+7 495 000-22-02', 'confirmed'];
const TERMS: PersonTerms = {
  ...{ ids: [VERA_ID], phones: ['+74950001101'], emails: [], names: ['Vera Orlova'], hashes: [] },
};
const ERASED = ['', 1, '', '', '', ''];

let google: GoogleSandbox;
let folder: string;
let api: SheetsApi;
beforeEach(async () => {
  counted = [];
  google = await GoogleSandbox.start();
  folder = mkdtempSync(join(tmpdir(), 'forget-rows-'));
  const credentialsPath = join(folder, 'key.json');
  writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey(defaultAccount)));
  google.addSpreadsheet(BOOK, {
    shareWith: [defaultAccount],
    tabs: [{ title: TAB.tab, values: [HEADER, VERA, OLEG] }],
  });
  api = new SheetsApi({
    credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
    rootUrl: `${google.url}/`,
    ...{ budget: new CountingBudget(), problems: new MemoryProblemBoard(), timeoutMs: 5_000 },
    clock: { now: () => Date.now() },
  });
  return async () => {
    await google.close();
    rmSync(folder, { recursive: true });
  };
});

/** The counts of cells that were told, in order. */
let counted: unknown[];
/** `between`: what people do right after a call. */
function erase(between: { read?: () => void; replace?: () => void; moved?: MovedRow[] } = {}) {
  const then = (doIt: (() => void) | undefined) => {
    doIt?.();
  };
  return eraseRows(
    {
      tabs: (id) => api.tabs(id),
      read: async (...asked) => {
        const values = await api.read(...asked);
        then(between.read);
        return values;
      },
      readTyped: (...asked) => api.readTyped(...asked),
      replace: async (...asked) => {
        const outcome = await api.replace(...asked);
        then(between.replace);
        return outcome;
      },
      write: (...asked) => api.write(...asked),
    },
    BOOK,
    {
      ...{ terms: TERMS, act: true, moved: between.moved ?? [] },
      count: async ({ cells }) => void counted.push(cells),
    },
  );
}
const sort = (descending: boolean) => () => google.staff.sheets.sortTab({ ...TAB, column: 'B', descending });
const rows = () => {
  const trimmed = google.truth.values(BOOK, TAB.tab).map((row) => HEADER.map((_, at) => row[at] ?? ''));
  return trimmed.filter((row) => row.some((cell) => cell !== '')).slice(1);
};

test('the texts of the row go, and nothing of the next one', async () => {
  expect((await erase()).cells).toBe(5);
  expect(rows()).toEqual([ERASED, OLEG]);
  expect((await erase()).cells).toBe(0);
});

test.each([
  ['by nobody', {}, [4, 1]],
  // Another row was hit, and has its texts back.
  ['between reading and writing', { read: sort(true) }, [0, 4, 1]],
  ['between the two writes', { replace: sort(true) }, [4, 0, 1]],
])('only cells of the person are counted, when its row is sorted %s', async (_, between, cells) => {
  await erase(between);
  await erase();
  expect(counted).toEqual(cells);
});

test('P7: a row that was sorted into the place keeps every text that it shares with the person', async () => {
  await erase({ read: sort(true) });
  expect(rows()).toEqual([OLEG, VERA]);
  await erase();
  expect(rows()).toEqual([OLEG, ERASED]);
});

test('P7: a row that is sorted away half-way is finished where it stands then', async () => {
  await erase({ replace: sort(true) });
  expect(rows()).toEqual([OLEG, [VERA_ID, 1, '', '', '', '']]);
  await erase();
  expect(rows()).toEqual([OLEG, ERASED]);
});

test('P7: a row that is hit and moved on before it gets its texts back is told, with its place', async () => {
  let isDescending = false;
  const shuffle = () => {
    isDescending = !isDescending;
    sort(isDescending)();
  };
  const moved: MovedRow[] = [];
  await erase({ read: shuffle, replace: shuffle, moved });
  const where = `spreadsheet ${BOOK}, tab ${TAB.tab}`;
  expect(moved).toEqual([{ kind: 'row', where, name: 'row 2', by: [], why: 'moved' }]);
});

test('a protected row is left and told, and neither its neighbours nor later tabs are', async () => {
  google.staff.sheets.addTab({ spreadsheetId: BOOK, tab: 'Later' });
  for (const [at, values] of [HEADER, VERA].entries())
    google.staff.sheets.setRow({ spreadsheetId: BOOK, tab: 'Later', row: at + 1, values });
  google.staff.sheets.addRow({ ...TAB, values: VERA });
  google.staff.sheets.protectRange({ ...TAB, range: 'E2' });
  const where = `spreadsheet ${BOOK}, tab ${TAB.tab}`;
  const left = [{ kind: 'row', where, name: 'row 2', by: ['id', 'phone'], why: 'forbidden' }];
  expect(await erase()).toEqual({ cells: 10, left });
  expect(rows()).toEqual([VERA, OLEG, ERASED]);
  expect(JSON.stringify(google.truth.values(BOOK, 'Later'))).not.toContain('Vera');
  expect(await erase()).toEqual({ cells: 0, left });
});

test('a formula that shows the person is left and told, and does not make the erasure endless', async () => {
  google.staff.sheets.setCell({ ...TAB, cell: 'D2', value: '="Vera Orlova"' });
  google.staff.sheets.setCell({ ...TAB, cell: 'F2', value: '="confirmed"' });
  const where = `spreadsheet ${BOOK}, tab ${TAB.tab}`;
  const left = [{ kind: 'row', where, name: 'row 2', by: ['name'], why: 'formula' }];
  expect(await erase()).toEqual({ cells: 3, left });
  expect(rows()).toEqual([['', 1, '', 'Vera Orlova', '', 'confirmed'], OLEG]);
  expect((await erase()).cells).toBe(0);
});

test('a row that people sort between the two readings is no formula', async () => {
  expect((await erase({ read: sort(true) })).left).toEqual([]);
  expect((await erase()).cells).toBeGreaterThan(0);
  expect(rows()).toEqual([OLEG, ERASED]);
});

test('an event that Google forbids to change is left and told, and the later ones are not', async () => {
  const events = ['first', 'forbidden', 'last'].map((id) => ({
    ...{ id, etag: '"1"', status: 'confirmed' },
    description: `Vera Orlova, ${TERMS.phones[0]}`,
  }));
  const written: string[] = [];
  const done = await eraseEvents(
    {
      async *eventsOf() {
        yield* events as unknown as CalendarEvent[];
      },
      api: {
        patch: async (_, { id }) => {
          if (id === 'forbidden') throw new TerminalError('event-forbidden', 'no', { status: 403 });
          written.push(id);
          return 'absent';
        },
        remove: () => Promise.reject(new Error('not asked for')),
      },
      doubtClass: () => Promise.reject(new Error('not asked for')),
    },
    'anna',
    { terms: TERMS, act: true },
  );
  expect(written).toEqual(['first', 'last']);
  const place = { kind: 'event', where: 'calendar anna', name: 'forbidden', by: ['phone', 'name'] };
  expect(done).toEqual({ events: 0, rewritten: 2, left: [{ ...place, why: 'forbidden' }] });
});

test('the event of a class is doubted before it is emptied, and one that its class has written meanwhile is looked at again', async () => {
  const id = `c${'0'.repeat(32)}`;
  const marks = { slotbridge_appointment: id, slotbridge_guests_0: `x ${TERMS.ids[0]}` };
  const event = {
    ...{ id: eventIdOf(id), etag: '"1"', status: 'confirmed', description: 'Vera Orlova' },
    extendedProperties: { private: marks },
  } as unknown as CalendarEvent;
  const steps: string[] = [];
  const done = await eraseEvents(
    {
      async *eventsOf() {
        yield event;
      },
      api: {
        patch: async (_, { etag }, body) => {
          steps.push(`patch ${etag} ${JSON.stringify(body)}`);
          return 'changed';
        },
        remove: () => Promise.reject(new Error('not asked for')),
      },
      doubtClass: async (of) => void steps.push(`doubt ${of.id}`),
    },
    'anna',
    { terms: TERMS, act: true },
  );
  const body = { description: '', extendedProperties: { private: { slotbridge_guests_0: null } } };
  expect(steps).toEqual([`doubt ${event.id}`, `patch "1" ${JSON.stringify(body)}`]);
  expect(done).toEqual({ events: 0, rewritten: 1, left: [] });
});

test('a row beside it with the same texts, and no id, is somebody else’s', async () => {
  google.staff.sheets.addRow({ ...TAB, values: ['', 3, 'Haircut', 'Vera', '+7 495 000-33-03', 'confirmed'] });
  const before = rows();
  await erase();
  expect(rows().slice(1)).toEqual(before.slice(1));
});
