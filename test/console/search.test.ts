import { expect, test } from 'vitest';
import { readAsked } from '../../src/console/search.ts';
import { CountedSearches } from '../../src/console/search-limit.ts';
import { RetryableError } from '../../src/engine/errors.ts';
import { double } from '../stand/double.ts';
import { observe, VERA } from './objects.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();
const STORY = `/console/object/appointment/${VERA.id}`;
const CARD = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  ...{ name: 'Vera Orlova', phone: '+7 495 000-11-01' },
  updated_at: '2026-11-21T14:00:00Z',
};

test.each([
  ['a phone number as people write it', '8 (495) 000-11-01'],
  ['a phone number with its country', '+74950001101'],
  ['seven digits of it', '0001101'],
  ['an e-mail address, in whatever case', 'Vera@Home.example'],
  ['a name', 'vera orlova'],
  ['parts of a name, in any order', 'ORL ver'],
  ['the day of the appointment', '2026-11-23'],
  ['the day as people write it', '23.11.2026'],
  ['the day without its year', '23.11.'],
  ['a name and a day', 'orlova 23.11.'],
  ['an id', VERA.id],
  ['the id of its event in a calendar', `sb${VERA.id.replaceAll('-', '')}`],
])('%s leads to the story', async (_, q) => {
  const stand = await openConsole();
  await observe(stand, 'appointment', VERA);
  await observe(stand, 'appointment', {
    ...VERA,
    id: 'other',
    starts_at: '2026-11-25T09:00:00Z',
    customer_name: 'Pavel',
    customer_phone: '+74950002202',
    customer_email: '',
  });
  const answer = await (await stand.signIn('desk')).post('/console/search', { q });
  expect([answer.status, answer.headers['location']]).toEqual([303, STORY]);
});

test('an id of an event of the platform leads to its object', async () => {
  const stand = await openConsole();
  const key = { kind: 'appointment', id: VERA.id } as const;
  const event = { eventId: 'evt-12345', eventType: 'appointment.created' };
  await stand.store.intake.observe({
    ...{ key, source: 'webhook', occurredAtMs: stand.clock.now(), ...event },
    seen: { as: 'snapshot', snapshot: VERA },
  });
  const answer = await (await stand.signIn('viewer')).post('/console/search', { q: event.eventId });
  expect(answer.headers['location']).toBe(STORY);
});

test('several results are a list, and what was typed stands in no address', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', VERA);
  await observe(stand, 'contact', CARD);
  const answer = await (await stand.signIn('desk')).post('/console/search', { q: 'Orlova' });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain(`href="${STORY}"`);
  expect(answer.text).toContain(`href="/console/object/contact/${CARD.id}"`);
  expect(answer.text).toContain('+7 495 000-11-01');
});

test('what has changed since the last search is found, and what was erased is not', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('desk');
  const found = async (q: string) => (await browser.post('/console/search', { q })).status === 303;
  const event = (eventId: string) => ({ eventId, eventType: 'contact.updated' });
  const key = { kind: 'contact', id: CARD.id } as const;
  await observe(stand, 'contact', CARD);
  expect(await found('Orlova')).toBe(true);
  stand.clock.advance(60_000);
  const snapshot = { ...CARD, name: 'Vera Lebedeva', updated_at: '2026-11-21T15:00:00Z' };
  await stand.store.intake.observe({
    ...{ key, source: 'webhook', occurredAtMs: stand.clock.now(), ...event('evt-2') },
    seen: { as: 'snapshot', snapshot },
  });
  expect([await found('Lebedeva'), await found('Orlova')]).toEqual([true, false]);
  stand.clock.advance(60_000);
  await stand.store.intake.observe({
    ...{ key, source: 'webhook', occurredAtMs: stand.clock.now(), ...event('evt-3') },
    seen: { as: 'deleted' },
  });
  expect(await found('Lebedeva')).toBe(false);
});

test('a viewer finds objects by their ids, and learns about nobody', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', VERA);
  const viewer = await stand.signIn('viewer');
  expect((await viewer.post('/console/search', { q: VERA.id })).headers['location']).toBe(STORY);
  for (const q of ['Orlova', '+74950001101', 'vera@home.example']) {
    const { status, text } = await viewer.post('/console/search', { q });
    expect([status, text.includes('Your role searches by ids and rows only')]).toEqual([200, true]);
    expect(text).not.toContain(VERA.id);
  }
});

test.each([
  ['*', 'short'],
  ['%%%%', 'short'],
  ['a', 'short'],
  ['   ', 'short'],
  ['', 'short'],
  ['x'.repeat(201), 'long'],
  ['x'.repeat(10_000), 'long'],
])('%s is too %s to search for', (typed, why) => {
  expect(readAsked(typed, 0)).toBe(why);
});

test('what cannot be searched for is answered with what can, and is not repeated', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('desk');
  const star = await browser.post('/console/search', { q: '*' });
  expect([star.status, star.text.includes('at least three letters or digits')]).toEqual([400, true]);
  const long = await browser.post('/console/search', { q: '<b>x</b>'.repeat(100) });
  expect([long.status, long.text.includes('at most 200 characters')]).toEqual([400, true]);
  expect(long.text).not.toContain('&lt;b&gt;');
  const huge = await browser.post('/console/search', { q: 'ж'.repeat(10_000) });
  expect([huge.status, huge.text.includes('That is too much text')]).toEqual([413, true]);
});

test('more than fifty are not shown, and it is said that there are more', async () => {
  const stand = await openConsole();
  for (let at = 0; at < 51; at += 1) await observe(stand, 'appointment', { ...VERA, id: `many-${at}` });
  const { text } = await (await stand.signIn('desk')).post('/console/search', { q: 'Orlova' });
  expect([...text.matchAll(/href="\/console\/object\//g)]).toHaveLength(50);
  expect(text).toContain('There are more');
});

const NOW_MS = Date.parse('2026-12-28T12:00:00Z');
test.each([
  ['a day without a year is the nearest one', '3.1.', '2027-01-03'],
  ['also in the past', '24.11.', '2026-11-24'],
  ['a short year', '24.11.27', '2027-11-24'],
  ['a leap day, in a year that has one', '29.02.', '2028-02-29'],
])('%s', (_, typed, day) => {
  const nowMs = typed === '29.02.' ? Date.parse('2027-12-28T12:00:00Z') : NOW_MS;
  expect(readAsked(typed, nowMs)).toEqual({ person: { day } });
});

test.each([
  ['a day that no month has', '31.02.2026', { digits: '31022026' }],
  ['a month that no year has', '2026-13-01', { digits: '20261301' }],
  ['a number with points in it', '1.2.3.4 vera', { words: ['1.2.3.4', 'vera'] }],
])('%s is no day', (_, typed, person) => {
  expect(readAsked(typed, NOW_MS)).toMatchObject({ person });
});

test('a viewer does not find appointments by their day', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', VERA);
  const { text } = await (await stand.signIn('viewer')).post('/console/search', { q: '2026-11-23' });
  expect(text).toContain('Nothing was found by that id');
});

test.each([
  ['Contacts!12', { row: 12, tab: 'Contacts' }],
  ['contacts!$A$12', { row: 12, tab: 'contacts' }],
  ["'Past visits'!B7", { row: 7, tab: 'Past visits' }],
  ["'Anna''s'!2", { row: 2, tab: "Anna's" }],
  ['row 12', { row: 12 }],
  ['Строка 12', { row: 12 }],
])('%s is a row', (typed, row) => {
  expect(readAsked(typed, 0)).toEqual({ row });
});

test.each(['Contacts!1', 'row 0', 'Contacts!', '!12', 'row 99999999', `${'!'.repeat(150)}12x`])(
  '%s is no row',
  (typed) => {
    const asked = readAsked(typed, 0);
    expect(typeof asked === 'string' ? undefined : asked.row).toBe(undefined);
  },
);

test('a row leads to the story of the object that stands in it now, also for a viewer', async () => {
  const asked: unknown[] = [];
  const rows = {
    at: async (row: { readonly tab?: string; readonly row: number }) => {
      asked.push(row);
      if (row.row === 13) throw new RetryableError('google-timeout', 'm');
      return row.row === 12 ? [{ kind: 'appointment' as const, id: VERA.id }] : [];
    },
    placeOf: async () => undefined,
  };
  const stand = await openConsole({ parts: double(() => ({ rows })) });
  await observe(stand, 'appointment', VERA);
  const viewer = await stand.signIn('viewer');
  expect((await viewer.post('/console/search', { q: 'Visits!12' })).headers['location']).toBe(STORY);
  expect(asked).toEqual([{ tab: 'Visits', row: 12 }]);
  expect((await viewer.post('/console/search', { q: 'Visits!14' })).text).toContain(
    'There is no object in that row',
  );
  expect((await viewer.post('/console/search', { q: 'Visits!13' })).text).toContain(
    'could not be read from Google',
  );
});

test('P9: searches are counted in the audit log by ids, without what was typed, and nobody lists all customers', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', VERA);
  await observe(stand, 'contact', CARD);
  const desk = await stand.signIn('desk', 'olga');
  const q = 'Orlova';
  for (let times = 0; times < 19; times += 1)
    expect((await desk.post('/console/search', { q })).status).toBe(200);
  expect((await desk.post('/console/search', { q: CARD.id })).status).toBe(303);
  expect((await desk.post('/console/search', { q })).status).toBe(429);
  expect((await desk.post('/console/search', { q: 'Contacts!12' })).status).toBe(429);
  // Others go on.
  expect((await (await stand.signIn('desk', 'maria')).post('/console/search', { q })).status).toBe(200);
  const traces = (await stand.store.acts.newest(100))
    .filter(({ what }) => what === 'searched')
    .sort((a, b) => a.who.localeCompare(b.who));
  expect(traces.map(({ who, role, why, about }) => ({ who, role, why, about }))).toEqual([
    {
      ...{ who: 'maria', role: 'desk', why: '' },
      about: { searches: '1', found: '2', objects: expect.stringContaining(`contact/${CARD.id}`) },
    },
    {
      ...{ who: 'olga', role: 'desk', why: '' },
      about: {
        ...{ searches: '20', found: '39' },
        objects: [`contact/${CARD.id}`, `appointment/${VERA.id}`].join(', '),
      },
    },
  ]);
  expect(JSON.stringify([traces, stand.log.lines])).not.toMatch(/Orlova/i);
  stand.clock.advance(60_000);
  expect((await desk.post('/console/search', { q })).status).toBe(200);
  stand.clock.advance(3_600_000);
  const later = await stand.signIn('desk', 'olga');
  expect((await later.post('/console/search', { q })).status).toBe(200);
  expect((await stand.store.acts.newest(100)).filter(({ what }) => what === 'searched')).toHaveLength(3);
});

test('P9: after five hundred results within an hour a person searches no more until it is over', async () => {
  const keys = Array.from({ length: 51 }, (_, at) => ({ kind: 'contact', id: `c${at}` }) as const);
  const stand = await openConsole({
    parts: double(() => ({ people: { search: async () => keys, prepare: async () => undefined } })),
  });
  const desk = await stand.signIn('desk');
  const search = async () => (await desk.post('/console/search', { q: 'Iva' })).status;
  for (let times = 0; times < 10; times += 1) expect(await search()).toBe(200);
  stand.clock.advance(60_000);
  expect(await search()).toBe(429);
  stand.clock.advance(3_600_000);
  const again = await stand.signIn('desk');
  expect((await again.post('/console/search', { q: 'Iva' })).status).toBe(200);
});

test('P9: a restart or a second worker forgets neither the searches of a minute nor the results of an hour', async () => {
  const stand = await openConsole();
  const { consoleAccess: access, acts } = stand.store;
  const worker = () => new CountedSearches({ access, acts, clock: stand.clock });
  const olga = { role: 'desk', who: 'olga' } as const;
  const search = async (by: CountedSearches, shown: number) => {
    const begun = await by.begin(olga, 'Orlova', { isTyped: false });
    const keys = Array.from({ length: shown }, (_, at) => ({ kind: 'contact', id: `c${at}` }) as const);
    if (begun !== undefined) await by.note(olga, begun, keys);
    return begun !== undefined;
  };
  const first = worker();
  for (let times = 0; times < 19; times += 1) expect(await search(first, 10)).toBe(true);
  const second = worker();
  expect([await search(second, 10), await search(second, 10)]).toEqual([true, false]);
  const traces = (await acts.newest(100)).filter(({ what }) => what === 'searched');
  expect(traces).toMatchObject([{ who: 'olga', about: { searches: '20', found: '200' } }]);
  stand.clock.advance(60_000);
  expect(await search(worker(), 300)).toBe(true);
  expect([await search(worker(), 1), await search(first, 1)]).toEqual([false, false]);
  stand.clock.advance(3_600_000);
  expect(await search(worker(), 1)).toBe(true);
});
