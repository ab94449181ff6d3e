// The search while a person types: the results below the box, and how they count.
import { expect, test } from 'vitest';
import { double } from '../stand/double.ts';
import { observe, VERA } from './objects.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const IN_MOSCOW = { ...VERA, branch_id: 'b1', resource_id: 'r1' };

const type = (browser: Browser, q: string) => browser.post('/console/search/typed', { q });
const traceOf = async ({ store }: ConsoleStand) =>
  (await store.acts.newest(100)).filter(({ what }) => what === 'searched').map(({ about }) => about);
const wordsOf = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test.each([
  [
    'desk',
    'Orlo',
    /1 found Vera Orlova Appointment, Haircut, confirmed, \+74950001101 0a7c1b52 Mon 23 Nov, 12:00 – 12:45 Europe\/Moscow Anna, Arbat/,
  ],
  ['ops', '23.11.', /Vera Orlova/],
  ['viewer', VERA.id, /1 found Appointment Haircut, confirmed 0a7c1b52 Mon 23 Nov/],
  ['viewer', 'Orlo', /^Press Enter to search\.$/],
  ['viewer', '4950001101', /^Press Enter to search\.$/],
  ['desk', 'Or', /^Press Enter to search\.$/],
  ['desk', 'Nobody', /^Press Enter to search\.$/],
] as const)('for a %s, %s is answered as a part of a page', async (role, q, told) => {
  const stand = await openConsole();
  await observe(stand, 'appointment', IN_MOSCOW);
  const answer = await type(await stand.signIn(role), q);
  expect([answer.status, answer.text.includes('<html')]).toEqual([200, false]);
  expect(wordsOf(answer.text).trim()).toMatch(told);
  if (role === 'viewer') expect(answer.text).not.toMatch(/Vera|495 ?000/);
});

test('in Russian as well', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', IN_MOSCOW);
  const desk = await stand.signIn('desk');
  const answer = await desk.send('POST', '/console/search/typed', {
    headers: {
      origin: stand.url,
      'content-type': 'application/x-www-form-urlencoded',
      'accept-language': 'ru',
    },
    body: new URLSearchParams({
      form: /name="form" value="([^"]+)"/.exec((await desk.get('/console')).text)?.[1] ?? '',
      q: 'Orlo',
    }).toString(),
  });
  expect(wordsOf(answer.text)).toContain('Найдено: 1 Vera Orlova Запись, Haircut, подтверждена');
});

test('P9: typing is one search, and what it shows counts once, also when Enter shows it again', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', IN_MOSCOW);
  await observe(stand, 'appointment', { ...IN_MOSCOW, id: 'other', customer_name: 'Igor Orlov' });
  const desk = await stand.signIn('desk', 'olga');
  for (const q of ['orl', 'orlo', 'orlov', 'orlova']) expect((await type(desk, q)).status).toBe(200);
  expect((await desk.post('/console/search', { q: 'orlova' })).status).toBe(303);
  expect(await traceOf(stand)).toEqual([{ searches: '1', found: '2', objects: expect.any(String) }]);
  // Enter has ended it: the same text is another search.
  await desk.post('/console/search', { q: 'orlova' });
  expect(await traceOf(stand)).toEqual([{ searches: '2', found: '3', objects: expect.any(String) }]);
  expect(JSON.stringify([await traceOf(stand), stand.log.lines])).not.toMatch(/orlov/i);
});

test('P9: a text that does not continue the one before is another search, so typing lists nobody', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', IN_MOSCOW);
  const desk = await stand.signIn('desk');
  // One number after another, each by way of the digits that all have.
  const tries = Array.from({ length: 20 }, (_, last) => ['49500011', `49500011${10 + last}`]).flat();
  for (const q of tries) expect((await type(desk, q)).status).toBe(200);
  for (const q of ['495000222', 'orlova']) {
    const refused = await type(desk, q);
    expect([refused.status, refused.text.includes('Too many searches')]).toEqual([429, true]);
    expect((await desk.post('/console/search', { q })).status).toBe(429);
  }
  stand.clock.advance(60_000);
  expect((await type(desk, 'orlova')).status).toBe(200);
  // What was typed more than a minute ago is not continued.
  stand.clock.advance(60_000);
  for (let times = 0; times < 20; times += 1) await desk.post('/console/search', { q: 'pavel' });
  expect((await type(desk, 'orlova v')).status).toBe(429);
});

test('P9: many results are not shown before they are few, and those that were shown end with five hundred', async () => {
  const keys = Array.from({ length: 9 }, (_, at) => ({ kind: 'contact', id: `c${at}` }) as const);
  let found = 9;
  let offset = 0;
  const search = async (_: unknown, limit: number) => {
    return keys.slice(0, Math.min(found, limit)).map(({ kind, id }) => ({ kind, id: `${offset}${id}` }));
  };
  const stand = await openConsole({
    parts: double(() => ({ people: { search, prepare: async () => undefined } })),
  });
  const desk = await stand.signIn('desk');
  const many = await type(desk, 'iva');
  expect([many.text.includes('<li>'), many.text.includes('There are more')]).toEqual([false, true]);
  expect(await traceOf(stand)).toEqual([]);
  found = 8;
  const statuses: number[] = [];
  // Each continues the one before, and each shows eight others.
  for (let typed = 'ivan'; typed.length < 68; typed += 'a') {
    offset += 1;
    statuses.push((await type(desk, typed)).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(63);
  expect(statuses.at(-1)).toBe(429);
  expect((await traceOf(stand))[0]).toMatchObject({ searches: '1', found: '504' });
});

test('no row is read from Google, and no walk through all keys begins, before the text is complete', async () => {
  const asked: unknown[] = [];
  const stand = await openConsole({
    parts: double((own: { readonly people: unknown }) => ({
      people: own.people,
      rows: { at: async (row: unknown) => asked.push(row), placeOf: async () => undefined },
      find: async (_: string, id: string) => {
        asked.push(id);
        return [];
      },
    })),
  });
  for (const role of ['viewer', 'desk'] as const) {
    const browser = await stand.signIn(role, role);
    for (const q of ['Contacts!12', 'row 12', '0a7c1b', VERA.id.slice(0, 35)])
      expect((await type(browser, q)).status).toBe(200);
    expect(asked).toEqual([]);
  }
  await type(await stand.signIn('viewer'), VERA.id);
  expect(asked).toEqual([VERA.id]);
});
