import { expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();
const CALENDAR = 'anna.petrova@clinic.example';

test('says that everything is mirrored, up to when, and when that was proved', async () => {
  const stand = await openConsole();
  const { text } = await (await stand.signIn('viewer')).get('/console');
  expect(text).toContain('<h1>Everything is mirrored</h1>');
  expect(text).toContain(
    '<time datetime="2026-11-21T14:03:22.000Z">14:03 UTC</time></strong>, checked 12 s ago.',
  );
  expect(text).not.toContain('What needs a person');
});

test('names what needs a person, each with what mends it', async () => {
  const stand = await openConsole();
  stand.stores.problems = [
    {
      ...{
        target: `calendar:${CALENDAR}`,
        code: 'calendar-not-shared',
        message: 'Google refuses the calendar',
        names: ['Europe/Nowhere'],
      },
      ...{ advice: 'Share it with the service account.', sinceMs: stand.clock.now() - 600_000, lastAtMs: 0 },
    },
  ];
  const reasons = [{ mirror: 'staff', code: 'template-failed', message: 'a filter failed' }];
  stand.stores.letters = [{ key: 'appointment/a', atMs: stand.clock.now(), attempts: 1, reasons }];
  const desk = await stand.signIn('desk');
  const { text } = await desk.get('/console');
  expect(text).toContain('<h1>A person is needed</h1>');
  expect(text).toContain(
    `calendar ${CALENDAR}: The calendar does not exist or is not shared <span class="code small">calendar-not-shared<`,
  );
  expect(text).toContain('since 10 min');
  expect(text).toContain('Google refuses the calendar');
  expect(text).toContain('Share it with the service account.');
  expect(text).toContain('1 dead letter: A template fails <');
  expect(text).toContain('A template cannot be rendered for this object');

  const russian = (await desk.get('/console', { 'accept-language': 'ru' })).text;
  // Without what the worker said in English, which is folded.
  const cards = russian
    .slice(russian.indexOf('class="cards"'), russian.indexOf('id="now"'))
    .replaceAll(/<details>.*?<\/details>/gs, '');
  expect(cards).toContain(`календарь ${CALENDAR}: Календаря нет или он не открыт <`);
  expect(cards).toContain('Записи для него ждут');
  expect(cards).toContain('Откройте календарь');
  expect(cards).toContain('Проверьте фильтры шаблона');
  expect(cards).toContain('<p class="code small">Europe/Nowhere</p>');
  expect(cards).not.toContain('Share it');
  const words = cards.replaceAll(/<[^>]*>/g, ' ').replaceAll(CALENDAR, '');
  // Codes, settings and commands only.
  expect(words.match(/[A-Za-z]+(?: [A-Za-z]+){2,}/g)).toBeNull();
  expect(russian).toContain('<p lang="en">Google refuses the calendar</p>');
});

test('shows how much was written within the last hour and day, and how late', async () => {
  const stand = await openConsole();
  const tell = () => stand.pace.flush((written) => stand.store.pace.add(written));
  for (let count = 0; count < 1_200; count += 1) stand.pace.add(0.5);
  await tell();
  stand.clock.advance(2 * 3_600_000);
  stand.pace.add(3);
  await tell();
  const { text } = await (await stand.signIn('viewer')).get('/console');
  expect(text).toMatch(
    /Last hour[\s\S]*1 written[\s\S]*slowest after 3\.0 s[\s\S]*Last day[\s\S]*1,201 written/,
  );
  expect([...text.matchAll(/<rect /g)]).toHaveLength(1 + 1 + 2 + 2);
});

test('tells of each budget what is used, what for, and who waits, and of the platform what it has told', async () => {
  const stand = await openConsole();
  const quota = { target: undefined, limit: 600, pausedUntilMs: undefined, reason: undefined };
  stand.stores.quotas = [{ ...quota, name: 'google-calendar:k1', spent: 212, admitted: 400, waiting: 3 }];
  stand.stores.platformBudget = { limit: 600, left: 450, renewedInMs: 19_500, pausedForMs: 0 };
  for (let count = 0; count < 40; count += 1) stand.usage.add('google-calendar:k1', 'live');
  stand.usage.add('google-calendar:k1', 'list');
  stand.usage.add('google-calendar:k2', 'list');
  for (let count = 0; count < 7; count += 1) stand.usage.add('platform', 'events.list');
  const { text } = await (await stand.signIn('viewer')).get('/console');
  const table = text.slice(text.indexOf('id="quotas"'), text.indexOf('id="workers"'));
  const words = table.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(words).toMatch(/Platform .*150 of 600 renewed in 20 s event feed: 7 – /);
  expect(words).toMatch(
    /Google Calendar k1 .*212 of 600 400 a minute allowed since Google refused some live work: 40 reading whole lists: 1 3 /,
  );
  stand.clock.advance(61_000);
  expect((await (await stand.signIn('viewer')).get('/console')).text).not.toContain('event feed: 7');
});

test('names the workers and their versions, this one and others', async () => {
  const stand = await openConsole();
  const { text } = await (await stand.signIn('viewer')).get('/console');
  expect(text).toMatch(/this one<\/th><td[^>]*>1\.2\.3<\/td><td>runs for 6 h 3 min/);
  expect(text).toMatch(/process 4711<\/th><td[^>]*>1\.2\.2<\/td><td[^>]*>3 s ago/);
});

test('what is to be typed stands out in advice, and a lone backtick is one', async () => {
  const stand = await openConsole();
  const problem = { target: 'a', code: 'b', message: 'm', sinceMs: stand.clock.now(), lastAtMs: 0 };
  stand.stores.problems = [
    { ...problem, advice: 'Run `slotbridge check <file>`, then restart.' },
    { ...problem, advice: 'A ` alone.' },
  ];
  const { text } = await (await stand.signIn('viewer')).get('/console');
  expect(text).toContain('Run <code>slotbridge check &lt;file&gt;</code>, then restart.');
  expect(text).toContain('A ` alone.');
});

test('a viewer reads how things stand, and no address of a person', async () => {
  const stand = await openConsole();
  stand.stores.calendarIds.push(CALENDAR);
  stand.stores.problems = [
    {
      ...{ target: `calendar:${CALENDAR}`, code: 'calendar-not-shared', message: `no access to ${CALENDAR}` },
      ...{ advice: 'Call +7 495 000-11-01.', sinceMs: stand.clock.now(), lastAtMs: 0 },
    },
    ...[
      'staff/Anna Petrova',
      'staff/where.resources/Boris/Ivanov',
      'feeds.x/event.color.resources/Room Orlova',
    ].map((target) => ({
      ...{ target: `mapping:${target}`, code: 'filter-name-unknown', message: 'a name is not on the lists' },
      ...{ sinceMs: stand.clock.now(), lastAtMs: 0 },
    })),
  ];
  const { text } = await (await stand.signIn('viewer')).get('/console');
  expect(text).toContain('calendar-not-shared');
  expect(text).not.toContain('anna.petrova');
  expect(text).not.toContain('000-11-01');
  expect(text).not.toMatch(/Petrova|Boris|Ivanov|Orlova/);
  // Still three problems, each with its place in the YAML.
  const masked = [...text.matchAll(/mapping (\S+)\[name \w{6}\]/g)].map(([told, at]) => [told, at]);
  expect(masked.map(([, at]) => at)).toEqual([
    'staff/',
    'staff/where.resources/',
    'feeds.x/event.color.resources/',
  ]);
  expect(new Set(masked.map(([told]) => told)).size).toBe(3);
  const desk = (await (await stand.signIn('desk')).get('/console')).text;
  for (const whole of [CALENDAR, 'Anna Petrova', 'Boris/Ivanov', 'Room Orlova'])
    expect(desk).toContain(whole);
});

test('foreign text is text: it becomes no element, no attribute and turns nothing around', async () => {
  const stand = await openConsole();
  const hostile = `"><img src=x onerror=alert(1)>'\u202egnp.exe`;
  stand.stores.problems = [
    {
      ...{ target: hostile, code: hostile, message: hostile, advice: hostile },
      ...{ sinceMs: stand.clock.now(), lastAtMs: 0 },
    },
  ];
  const { text } = await (await stand.signIn('ops', '<b>anna</b>')).get('/console');
  expect(text).toContain('&lt;b&gt;anna&lt;/b&gt;');
  expect(text).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;');
  expect(text).not.toMatch(/<img|<b>|\u202e/);
});

test('speaks the language of the browser, and the one that somebody chose', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('viewer');
  const russian = await browser.get('/console', { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' });
  expect(russian.text).toContain('<html lang="ru">');
  expect(russian.text).toContain('Всё перенесено');
  const chosen = await browser.get('/console?language=ru');
  expect([chosen.status, chosen.headers['location']]).toEqual([303, '/console']);
  expect((await browser.get('/console', { 'accept-language': 'en' })).text).toContain('Всё перенесено');
});

test('P9: a change of the language leads to a page of the console, whatever stands in the address', async () => {
  const browser = (await openConsole()).browser();
  const leadsTo = async (path: string) => (await browser.get(path)).headers['location'];
  expect(await leadsTo('/console/acts?language=ru&limit=5')).toBe('/console/acts?limit=5');
  expect(await leadsTo('/console/object/../../..//evil.example?language=ru')).toBe('/console');
  expect(await leadsTo('/console/object/%2e%2e/%2e%2e//evil.example?language=ru')).toBe('/console');
});

test.each([
  [new RetryableError('store-unavailable', 'host 10.0.0.7 is gone'), 503, 'Redis does not answer'],
  [new Error('host 10.0.0.7 is gone'), 500, 'That did not work'],
])('what cannot be read is told without a word of the error', async (error, status, title) => {
  const stand = await openConsole({ parts: () => ({ status: { read: () => Promise.reject(error) } }) });
  const answer = await (await stand.signIn('viewer')).get('/console');
  expect([answer.status, answer.text.includes(`<h1>${title}</h1>`)]).toEqual([status, true]);
  expect(answer.text).not.toContain('10.0.0.7');
});

test('the first page with its style and its script is far below 150 kB, and names no other host', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('viewer');
  const page = (await browser.get('/console')).text;
  const assets = [...page.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(assets).toHaveLength(2);
  const texts = await Promise.all(assets.map(async (path) => (await browser.get(path)).text));
  expect([page, ...texts].join('').length).toBeLessThan(60_000);
  expect([page, ...texts].join('')).not.toMatch(/https?:\/\//);
});
