import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { ChangeHub, ChangeReader, changeAtIn, type News } from '../../src/console/change-hub.ts';
import type { Change } from '../../src/engine/changes.ts';
import type { HistoryEntry } from '../../src/engine/history.ts';
import { double } from '../stand/double.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { type ConsoleStand, useConsole } from './stand.ts';
import { openStream, until } from './stream.ts';

const openConsole = useConsole();
const LEAD = 'lead/5c1b1b52-9d0f-4a34-8f6e-0d9e5c1f7a13';
const CALENDAR = 'anna@clinic.example';

/** One change of each kind, as the worker tells of them. */
async function furnish(stand: ConsoleStand): Promise<void> {
  const claim = await observe(stand, 'appointment', VERA);
  await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'm' });
  const key = `appointment/${VERA.id}`;
  const told: readonly (readonly [string, HistoryEntry])[] = [
    [key, { ...at(stand), what: 'mirrored', rev: 1, actions: { staff: 'created' } }],
    [
      LEAD,
      {
        ...at(stand),
        what: 'failed',
        attempt: 1,
        reasons: [{ mirror: 'contacts', code: 'tab-not-found' }],
        next: 'defer',
      },
    ],
    [
      key,
      {
        ...at(stand),
        what: 'acted',
        by: 'staff-edit',
        code: 'moved',
        rule: 'mirrors.staff.staff_edits',
        ids: { calendarId: CALENDAR },
      },
    ],
  ];
  for (const [name, entry] of told) stand.store.history.note(name, entry);
  await expect.poll(async () => (await stand.store.changes.newest(50)).at(-1)?.entry.what).toBe('acted');
}

function at({ clock }: ConsoleStand): { readonly atMs: number } {
  return { atMs: clock.now() };
}

const rowsOf = (text: string) => [...text.matchAll(/<tr><td><time[\s\S]*?<\/tr>/g)].map(([row]) => row);

test('the list shows what happened to objects, the newest first, each with a link to its story', async () => {
  const stand = await openConsole();
  await furnish(stand);
  const { text } = await (await stand.signIn('desk')).get('/console/changes');
  const rows = rowsOf(text);
  expect(rows).toHaveLength(4);
  expect(rows[0]).toContain(`href="/console/object/appointment/${VERA.id}"`);
  expect(rows[0]).toContain('mirrors.staff.staff_edits');
  expect(rows[1]).toContain('The spreadsheet has no such tab (tab-not-found), contacts');
  expect(rows[3]).toContain('received by webhook');
});

test.each([
  ['kind=lead', ['tab-not-found']],
  ['mirror=staff', ['staff_edits', 'staff']],
  ['outcome=defer', ['tab-not-found']],
  ['outcome=mirrored&mirror=staff', ['mirrored, version 1']],
  ['text=TAB-NOT', ['tab-not-found']],
  [`text=${VERA.id.slice(0, 13)}&outcome=seen`, ['received by webhook']],
  ['kind=lead&mirror=staff', []],
  ['outcome=never-heard-of', []],
  [`text=${'x'.repeat(10_000)}`, []],
])(
  'the filter %s shows what it says, and what it does not understand matches nothing',
  async (query, shown) => {
    const stand = await openConsole();
    await furnish(stand);
    const { status, text } = await (await stand.signIn('desk')).get(`/console/changes?${query}`);
    expect(status).toBe(200);
    const rows = rowsOf(text);
    expect(rows).toHaveLength(shown.length);
    for (const [nth, part] of shown.entries()) expect(rows[nth]).toContain(part);
    if (shown.length === 0) expect(text).toContain('Nothing matches the filter yet');
  },
);

test('a viewer reads no address in the list, and finds out none by the filter', async () => {
  const stand = await openConsole();
  await furnish(stand);
  const [viewer, desk] = [await stand.signIn('viewer'), await stand.signIn('desk')];
  const filter = '/console/changes?text=anna%40clinic';
  expect((await viewer.get('/console/changes')).text).not.toContain('anna@');
  expect(rowsOf((await viewer.get(filter)).text)).toHaveLength(0);
  expect(rowsOf((await desk.get(filter)).text)).toHaveLength(1);
});

/** Opens the stream; resolves with its answer and what has come so far. */
function listen(
  stand: ConsoleStand,
  token: string,
  about: { readonly query: string; readonly lastEvent?: string },
): Promise<{ answer: IncomingMessage; text: () => string }> {
  const headers = {
    cookie: `slotbridge_console=${token}`,
    ...(about.lastEvent === undefined ? {} : { 'last-event-id': about.lastEvent }),
  };
  return new Promise((done, fail) => {
    const sent = request(`${stand.url}/console/live?about=changes${about.query}`, { headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      done({ answer, text: () => text });
    });
    sent.on('error', fail).end();
  });
}

test('what happens while the page is open comes to it, as the filter shows it, and a page that comes back misses nothing', async () => {
  const stand = await openConsole();
  await furnish(stand);
  const { token } = await stand.signIn('viewer');
  const after = /after=([\d.-]+)/.exec(
    (await (await stand.signIn('viewer')).get('/console/changes')).text,
  )?.[1];
  const first = await listen(stand, token, { query: `&kind=contact&after=${after}` });
  await until(() => first.text().includes('event: rows'));
  expect(first.text()).toContain('"rows":""');
  const mirror = (name: string, rev: number) =>
    stand.store.history.note(name, { ...at(stand), what: 'mirrored', rev, actions: { a: 'updated' } });
  mirror('lead/a', 1);
  mirror('contact/b', 2);
  await until(() => first.text().includes('version 2'));
  expect(first.text()).not.toContain('version 1');
  const lastEvent = [...first.text().matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
  first.answer.destroy();
  mirror('contact/c', 3);
  const again = await listen(stand, token, { query: `&kind=contact&after=${after}`, lastEvent });
  await until(() => again.text().includes('version 3'));
  expect(again.text()).not.toContain('version 2');
  again.answer.destroy();
});

test('without a session there is no list and no stream of it', async () => {
  const stand = await openConsole();
  const { answer } = await listen(stand, 'made-up', { query: '' });
  expect(answer.statusCode).toBe(401);
  answer.destroy();
});

const change = (nth: number): Change => ({
  at: { id: `${nth}-0`, nth },
  key: 'contact/a',
  entry: { what: 'mirrored', atMs: nth, rev: nth, actions: {} },
});

/** The newest of a stream of changes, and readers that tell what they were given. */
async function hubOf() {
  const all: Change[] = [change(1)];
  /** What happens while a look waits for Redis. */
  const reading: { meanwhile: () => void } = { meanwhile: () => undefined };
  const hub = new ChangeHub(
    double({
      newest: async () => all,
      async after(id) {
        const [from] = id.split('-').map(Number);
        const found = all.filter(({ at }) => Number(at.id.split('-')[0]) > Number(from)).slice(-1_000);
        reading.meanwhile();
        return found;
      },
    }),
  );
  const reader = async ({ nth = 1, add = true } = {}) => {
    const opened = await openStream();
    await until(() => opened.raw.writableLength === 0);
    const given: News[] = [];
    const made = new ChangeReader(opened.stream, {
      after: { id: `${nth}-0`, nth },
      see: (each) => (each.at.nth % 2 === 0 ? each : undefined),
      frame: (news) => {
        given.push(news);
        return ':\n\n';
      },
    });
    if (add) hub.add(made);
    return { ...opened, given, made };
  };
  return { hub, all, reader, reading };
}

test('a slow reader holds 200 changes and is told how many it lost; nobody waits for it', async () => {
  const { hub, all, reader } = await hubOf();
  const [slow, quick] = [await reader(), await reader()];
  await hub.look();
  for (const { given } of [slow, quick]) given.length = 0;
  await until(() => quick.raw.writableLength === 0);
  slow.raw.cork();
  slow.raw.write(':');
  for (let round = 0; round < 10; round += 1) {
    for (let count = 0; count < 100; count += 1) all.push(change(all.length + 1));
    await hub.look();
    await until(() => quick.raw.writableLength === 0);
  }
  expect(slow.given).toEqual([]);
  expect(quick.given.flatMap(({ changes }) => changes)).toHaveLength(500);
  expect(quick.given.at(-1)?.missed).toBe(0);
  slow.raw.uncork();
  await until(() => slow.raw.writableLength === 0);
  await hub.look();
  expect(slow.given.map(({ changes, missed }) => [changes.length, missed])).toEqual([[200, 300]]);
  expect(slow.given[0]?.changes.at(-1)?.at.nth).toBe(1_000);
  hub.endAll();
  await Promise.all([slow.close(), quick.close()]);
});

test('of more than Redis keeps, a reader is told how many went unread', async () => {
  const { hub, all, reader } = await hubOf();
  const open = await reader();
  for (let count = 0; count < 5_000; count += 1) all.push(change(all.length + 1));
  await hub.look();
  const [news] = open.given.slice(-1);
  // 4,000 that were never read, and 300 of the 500 that the reader wants to see.
  expect([news?.changes.length, news?.missed]).toEqual([200, 4_300]);
  hub.endAll();
  await open.close();
});

test('a page that comes back while Redis is read misses nothing: neither what the others have nor what they lack', async () => {
  const { hub, all, reader, reading } = await hubOf();
  const first = await reader();
  for (let count = 0; count < 9; count += 1) all.push(change(all.length + 1));
  await hub.look();
  for (let count = 0; count < 10; count += 1) all.push(change(all.length + 1));
  const [behind, level] = await Promise.all([
    reader({ nth: 5, add: false }),
    reader({ nth: 10, add: false }),
  ]);
  reading.meanwhile = () => {
    for (const { made } of [behind, level]) hub.add(made);
    reading.meanwhile = () => undefined;
  };
  await hub.look();
  const pages = [first, behind, level];
  await until(() => pages.every(({ raw }) => raw.writableLength === 0));
  await hub.look();
  const shown = pages.map(({ given }) =>
    given.flatMap(({ changes }) => changes.map(({ at: { nth } }) => nth)),
  );
  expect(shown).toEqual([
    [2, 4, 6, 8, 10, 12, 14, 16, 18, 20],
    [6, 8, 10, 12, 14, 16, 18, 20],
    [12, 14, 16, 18, 20],
  ]);
  expect(pages.map(({ given }) => given.at(-1)?.missed)).toEqual([0, 0, 0]);
  hub.endAll();
  await Promise.all(pages.map(({ close }) => close()));
});

test('a place to go on from that a browser made up is no place', () => {
  expect(changeAtIn('1763900000000-0.17')).toEqual({ id: '1763900000000-0', nth: 17 });
  for (const text of ['', '1-1', 'x-1.1', '1-1.1\n', `${'9'.repeat(30)}-1.1`, '+', '(1-1.1'])
    expect(changeAtIn(text)).toBe(undefined);
});
