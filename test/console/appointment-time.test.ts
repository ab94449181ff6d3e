// Whoever reads an hour to a customer must read the one on the wall of the branch.
import { expect, test } from 'vitest';
import { observe, VERA } from './objects.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();
const STORY = `/console/object/appointment/${VERA.id}`;
const AT_ARBAT = { ...VERA, branch_id: 'b1', resource_id: 'r1', resource_ids: ['r1', 'r2'] };

const plain = (text: string) => text.replaceAll(/<br>/g, ' ').replaceAll(/<[^>]+>/g, '');

test('an appointment stands on the clock of its branch, with zone, resources and branch', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', AT_ARBAT);
  const browser = await stand.signIn('desk');
  const { text } = await browser.get(STORY);
  expect(plain(text)).toContain('Mon 23 Nov, 12:00 – 12:45 Europe/Moscow Anna, Room 2, Arbat');
  // The script must not convert it to the zone of the browser.
  expect(text).toContain('<time datetime="2026-11-23T09:00:00.000Z" data-there>');
  expect(text).toContain('data-here="2026-11-23T09:00:00.000Z" data-offset="180"');
  await browser.get('/console?language=ru');
  expect(plain((await browser.get(STORY)).text)).toContain('пн 23 нояб., 12:00 – 12:45 Europe/Moscow');
});

test('the list of what was found shows the day that was searched', async () => {
  const stand = await openConsole();
  // At night in Moscow the day in UTC is another one.
  const night = { ...AT_ARBAT, starts_at: '2026-11-23T21:30:00Z', ends_at: '2026-11-23T22:15:00Z' };
  await observe(stand, 'appointment', night);
  await observe(stand, 'appointment', { ...night, id: 'second' });
  const browser = await stand.signIn('desk');
  const { text } = await browser.post('/console/search', { q: '24.11.2026' });
  expect(plain(text)).toContain('Tue 24 Nov, 00:30 – 01:15 Europe/Moscow Anna, Room 2, Arbat');
  expect((await browser.post('/console/search', { q: '23.11.2026' })).text).toContain('Nothing was found');
});

test.each([
  ['its own zone', { timezone: 'Asia/Tokyo', branch_id: 'b1' }, '18:00 – 18:45 Asia/Tokyo Arbat'],
  ['the zone of another branch', { branch_id: 'b2' }, '10:00 – 10:45 Europe/Berlin Mitte'],
  ['a zone that nobody knows', { timezone: 'Mars/Base' }, '09:00 – 09:45 UTC'],
  ['a resource that the lists lack', { resource_id: 'r9' }, '12:00 – 12:45 Europe/Moscow r9'],
  ['no end', { ends_at: null }, '23 Nov, 12:00 Europe/Moscow'],
  ['an end on another day', { ends_at: '2026-11-24T09:00:00Z' }, '12:00 – Tue 24 Nov, 12:00 Europe/Moscow'],
])('%s', async (_, fields, shown) => {
  const stand = await openConsole();
  await observe(stand, 'appointment', { ...VERA, ...fields });
  expect(plain((await (await stand.signIn('desk')).get(STORY)).text)).toContain(shown);
});

test('the hour that the clocks take away in spring is shown on the right side of it', async () => {
  const stand = await openConsole();
  const spring = { starts_at: '2027-03-28T00:30:00Z', ends_at: '2027-03-28T01:30:00Z', branch_id: 'b2' };
  await observe(stand, 'appointment', { ...VERA, ...spring });
  const { text } = await (await stand.signIn('desk')).get(STORY);
  expect(plain(text)).toContain('Sun 28 Mar 2027, 01:30 – 03:30 Europe/Berlin');
});

test('a viewer sees no phone number or address in the name of a resource', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', { ...VERA, resource_id: 'anna@clinic.example' });
  const { text } = await (await stand.signIn('viewer')).get(STORY);
  expect(text).toContain('Europe/Moscow');
  expect(text).not.toContain('anna@clinic');
});

test('an object without a start shows no time', async () => {
  const stand = await openConsole();
  await observe(stand, 'contact', { id: 'c1', name: 'Vera', updated_at: '2026-11-21T14:00:00Z' });
  const { text } = await (await stand.signIn('desk')).get('/console/object/contact/c1');
  expect(text).not.toContain('data-there');
});

test('whoever wants all times in UTC gets them on every page, and the branch again at a wish', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', AT_ARBAT);
  const browser = await stand.signIn('desk');
  const chosen = await browser.get('/console/changes?times=utc&kind=contact');
  expect([chosen.status, chosen.headers['location']]).toEqual([303, '/console/changes?kind=contact']);
  const { text } = await browser.get(STORY);
  expect(plain(text)).toContain('Mon 23 Nov, 09:00 – 09:45 UTC');
  expect(text).toContain('<body data-times="utc" data-now="2026-11-21T14:03:34.000Z"');
  expect(plain((await browser.get('/console/changes')).text)).toContain('Mon 23 Nov, 09:00');
  expect((await browser.get('/console?times=mars')).status).toBe(200);
  await browser.get('/console?times=branch');
  expect(plain((await browser.get(STORY)).text)).toContain('Mon 23 Nov, 12:00 – 12:45 Europe/Moscow');
});

test('seconds stand only where many things happen within a minute', async () => {
  const stand = await openConsole();
  await observe(stand, 'appointment', AT_ARBAT);
  const browser = await stand.signIn('ops');
  const times = async (path: string) =>
    [...(await browser.get(path)).text.matchAll(/<time datetime="[^"]*"(?: data-exact)?>([^<]*)</g)].map(
      ([, told = '']) => told.replaceAll(/\d/g, '0'),
    );
  expect(new Set(await times('/console/acts'))).toEqual(new Set(['00:00 UTC']));
  expect(new Set(await times('/console'))).toEqual(new Set(['00:00 UTC']));
  expect(new Set(await times('/console/changes'))).toEqual(new Set(['00:00:00 UTC']));
  expect(new Set(await times(STORY))).toEqual(new Set(['00:00:00 UTC']));
});
