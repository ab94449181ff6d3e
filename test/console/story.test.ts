import { expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { linkTo } from '../../src/engine/link.ts';
import type { EntityKey } from '../../src/engine/object.ts';
import { WHY } from '../../src/operate/codes/codes.ts';
import { double } from '../stand/double.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { OPINION, useConsole } from './stand.ts';

const openConsole = useConsole();
const STORY = `/console/object/appointment/${VERA.id}`;

test('tells what came, where it stands and by which line, and what stopped it', async () => {
  const stand = await openConsole();
  const claim = await observe(stand, 'appointment', VERA);
  const link = linkTo({ calendarId: 'anna@group.calendar.google.com', eventId: 'sb01' }, { etag: 'e' });
  await stand.store.links.write(claim, OPINION.mirror, { calendars: [link] });
  await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'the filter broke' });
  stand.store.history.note(`appointment/${VERA.id}`, {
    ...{ what: 'failed', atMs: stand.clock.now(), attempt: 3, next: 'done' },
    reasons: [{ mirror: 'staff', code: 'template-failed' }],
  });
  stand.store.history.note(`appointment/${VERA.id}`, {
    ...{ what: 'acted', atMs: stand.clock.now(), by: 'row-edit', code: 'copied', ids: { mirror: 'staff' } },
  });
  const desk = await stand.signIn('desk');
  const { status, text } = await desk.get(STORY);
  expect(status).toBe(200);
  expect(text).toContain('<h1>Appointment, confirmed, Haircut</h1>');
  expect(text).toContain('A template fails <span class="code small">template-failed</span></h3>');
  expect(text).toContain('edit of a row: The id is in several rows');
  expect(text).toContain('Delete the copy, then write the value again.');
  const russian = (await desk.get(STORY, { 'accept-language': 'ru' })).text;
  expect(russian).toContain('правка строки: Номер указан в нескольких строках');
  for (const said of [
    'Удалите копию',
    'Шаблон не сработал',
    'Шаблон не срабатывает',
    'Проверьте фильтры шаблона',
    `<p>${WHY.ru.owners.resource}</p>`,
  ])
    expect(russian).toContain(said);
  expect(russian).not.toContain('Check the filters');
  expect(russian).not.toContain(OPINION.because);
  expect(text).toContain(OPINION.rule);
  expect(text).toContain('received by webhook');
  expect(text).toContain('the filter broke');
  expect(text).toContain('Check the filters of the template');
  const eid = Buffer.from('sb01 anna@g').toString('base64').replaceAll('=', '');
  expect(text).toContain(`https://calendar.google.com/calendar/event?eid=${eid}`);
});

test('the desk sees who the customer is; a viewer sees neither name nor phone nor e-mail, nor an address of a calendar', async () => {
  const stand = await openConsole();
  const claim = await observe(stand, 'appointment', VERA);
  const link = linkTo({ calendarId: 'anna.petrova@clinic.example', eventId: 'sb01' }, { etag: 'e' });
  await stand.store.links.write(claim, OPINION.mirror, { calendars: [link] });
  const seen = await (await stand.signIn('desk')).get(STORY);
  for (const known of ['Vera Orlova', '+74950001101', 'vera@home.example', 'anna.petrova'])
    expect(seen.text).toContain(known);
  const hidden = await (await stand.signIn('viewer')).get(STORY);
  expect(hidden.status).toBe(200);
  expect(hidden.text).toContain('Haircut');
  for (const known of ['Vera', '4950001101', 'home.example', 'anna.petrova', 'calendar.google.com'])
    expect(hidden.text).not.toContain(known);
});

test('an object that was erased, or never heard of, has no story, and says so', async () => {
  const stand = await openConsole();
  const { status, text } = await (await stand.signIn('desk')).get('/console/object/contact/gone-1');
  expect(status).toBe(404);
  expect(text).toContain('Nothing is known about it');
});

test.each([
  'appointment/',
  'nonsense/1',
  'appointment/%3Cscript%3E',
  'appointment/a%20b',
  `contact/${'x'.repeat(129)}`,
  'appointment/a/b',
])('object/%s is no object', async (path) => {
  const stand = await openConsole();
  const answer = await (await stand.signIn('ops')).get(`/console/object/${path}`);
  expect(answer.status).toBe(404);
  expect(answer.text).toContain('There is no such page');
  expect(answer.text).not.toContain('<script>');
});

test('in Russian the state and the way of an object are Russian, and an unknown one stays as it is', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('desk');
  const claim = await observe(stand, 'appointment', VERA);
  await stand.store.work.settle(claim);
  const headers = { 'accept-language': 'ru' };
  const { text } = await browser.get(STORY, headers);
  expect(text).toContain('<h1>Запись, подтверждена, Haircut</h1>');
  expect(text).toContain('получено: вебхук');
  await observe(stand, 'appointment', { ...VERA, status: 'on_hold', updated_at: '2026-11-21T15:00:00Z' });
  expect((await browser.get(STORY, headers)).text).toContain('<h1>Запись, on_hold, Haircut</h1>');
});

test('the link to a row is looked up when somebody follows it, and leads to its tab and row', async () => {
  const place = { spreadsheetId: 'book-1', sheetId: 77, row: 12 };
  const asked: unknown[] = [];
  const placeOf = async (key: EntityKey, name: string) => {
    asked.push([key, name]);
    if (key.id === 'away') throw new RetryableError('google-timeout', 'm');
    return key.id === VERA.id ? place : undefined;
  };
  const stand = await openConsole({ parts: double(() => ({ rows: { at: async () => [], placeOf } })) });
  const claim = await observe(stand, 'appointment', VERA);
  const sheet = { spreadsheetId: 'book-1', tab: 'Visits', hash: 'h' };
  await stand.store.links.write(claim, OPINION.mirror, { sheet });
  const desk = await stand.signIn('desk');
  const link = /href="(\/console\/row\/[^"]+)"/.exec((await desk.get(STORY)).text)?.[1] ?? '';
  expect([link, asked]).toEqual([`/console/row/staff/appointment/${VERA.id}`, []]);
  const answer = await desk.get(link);
  expect([answer.status, answer.headers['location']]).toEqual([
    303,
    'https://docs.google.com/spreadsheets/d/book-1/edit#gid=77&range=A12',
  ]);
  expect(asked).toEqual([[{ kind: 'appointment', id: VERA.id }, 'staff']]);
  expect((await desk.get('/console/row/staff/appointment/gone')).status).toBe(404);
  expect((await desk.get('/console/row/staff/appointment/away')).status).toBe(503);
  for (const path of ['staff', 'staff/', 'staff/nonsense/1', '/appointment/a%20b'])
    expect((await desk.get(`/console/row/${path}`)).status).toBe(404);
});
