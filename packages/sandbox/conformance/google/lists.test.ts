import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import type { Desk, Sent } from '../office/desk.ts';
import { needing, reading, writing } from '../office/fact.ts';

const idsOf = (items: Sent[]): string[] => items.map((item) => item.id);

/** Makes events at 9, 11 and 13 o'clock that share a fresh mark. */
async function three(desk: Desk): Promise<{ mark: Record<string, string>; ids: string[] }> {
  const mark = desk.freshId();
  const ids: string[] = [];
  for (const hour of [9, 11, 13]) {
    const times = { start: { dateTime: desk.at(hour) }, end: { dateTime: desk.at(hour + 1) } };
    ids.push((await desk.made({ ...times, extendedProperties: { private: { mark } } })).id);
  }
  return { mark: { privateExtendedProperty: `mark=${mark}` }, ids };
}

reading('[lists.1] a list says what it is, of which calendar, and what the caller may do', async (desk) => {
  const { body } = await desk.list({ maxResults: 1 });
  expect(body).toMatchObject({ kind: 'calendar#events', items: expect.any(Array) });
  expect(body.timeZone).toMatch(/\w/);
  expect(['freeBusyReader', 'reader', 'writerWithoutPrivateAccess', 'writer', 'owner']).toContain(
    body.accessRole,
  );
  expect(typeof body.summary).toBe('string');
});

writing('[lists.3][lists.21] a page has as many events as asked, and none shows twice', async (desk) => {
  const { mark, ids } = await three(desk);
  expect((await desk.list({ ...mark, maxResults: 2 })).body.items.length).toBeLessThanOrEqual(2);
  const { items } = await desk.all({ ...mark, maxResults: 2 });
  expect(idsOf(items).sort()).toEqual([...ids].sort());
});

reading('[lists.3] a page of nothing is refused', async (desk) => {
  expect((await desk.list({ maxResults: 0 })).status).toBe(400);
});

writing('[lists.4] a page has a next one or a sync token', async (desk) => {
  await three(desk);
  const window = { timeMin: desk.at(0), timeMax: desk.at(24) };
  const first = await desk.list({ ...window, maxResults: 1 });
  expect([first.body.nextPageToken !== undefined, first.body.nextSyncToken]).toEqual([true, undefined]);
  const { last } = await desk.all(window);
  expect([last.nextPageToken, typeof last.nextSyncToken]).toEqual([undefined, 'string']);
});

needing('guess', '[lists.5] an empty page is not the end', {
  options: { switches: { emptyPages: true } },
  run: async (stage) => {
    const { ids } = await three(stage);
    expect((await stage.list()).body.items).toEqual([]);
    const { items, pages } = await stage.all();
    expect([idsOf(items).sort(), pages > 1]).toEqual([[...ids].sort(), true]);
  },
});

writing('[lists.6] an event that ends when the window begins is outside', async (desk) => {
  const { mark, ids } = await three(desk);
  expect(idsOf((await desk.all({ ...mark, timeMin: desk.at(10) })).items)).not.toContain(ids[0]);
  expect(idsOf((await desk.all({ ...mark, timeMin: desk.at(9.5) })).items)).toContain(ids[0]);
});

writing('[lists.7] an event that starts when the window ends is outside', async (desk) => {
  const { mark, ids } = await three(desk);
  expect(idsOf((await desk.all({ ...mark, timeMax: desk.at(13) })).items)).not.toContain(ids[2]);
  expect(idsOf((await desk.all({ ...mark, timeMax: desk.at(13.5) })).items)).toContain(ids[2]);
});

reading('[lists.8] a bound without an offset is refused', async (desk) => {
  expect((await desk.list({ timeMin: '2035-06-04T00:00:00' })).status).toBe(400);
});

reading('[lists.9] a window of no length is refused', async (desk) => {
  expect(verdict(await desk.list({ timeMin: desk.at(9), timeMax: desk.at(9) }))).toBe('400 timeRangeEmpty');
});

reading('[lists.10] series cannot be ordered by start', async (desk) => {
  expect((await desk.list({ orderBy: 'startTime' })).status).toBe(400);
});

writing('[lists.11] single events are ordered by start', async (desk) => {
  const { mark, ids } = await three(desk);
  await desk.patch(
    { id: ids[0] ?? '' },
    { start: { dateTime: desk.at(15) }, end: { dateTime: desk.at(16) } },
  );
  const { items } = await desk.all({ ...mark, singleEvents: true, orderBy: 'startTime' });
  expect(idsOf(items)).toEqual([ids[1], ids[2], ids[0]]);
});

needing('clock', '[lists.12] events are ordered by their last change', async (stage) => {
  const { ids } = await three(stage);
  await stage.advance(5000);
  await stage.patch({ id: ids[0] ?? '' }, { summary: 'Last' });
  expect(idsOf((await stage.all({ orderBy: 'updated' })).items).at(-1)).toBe(ids[0]);
});

writing('[lists.13] showDeleted shows what was deleted', async (desk) => {
  const { mark, ids } = await three(desk);
  await desk.delete({ id: ids[1] ?? '' });
  expect(idsOf((await desk.all(mark)).items)).not.toContain(ids[1]);
  const shown = (await desk.all({ ...mark, showDeleted: true })).items.find(({ id }) => id === ids[1]);
  expect(shown.status).toBe('cancelled');
});

needing('people', '[lists.14] a word is found in title, description and place', async (stage) => {
  for (const field of ['summary', 'description', 'location']) await stage.made({ [field]: 'Two Zebras' });
  await stage.made();
  expect((await stage.list({ q: 'zebras' })).body.items).toHaveLength(3);
});

writing('[lists.15] an event is found by its iCalUID', async (desk) => {
  const event = await desk.made();
  expect(idsOf((await desk.list({ iCalUID: event.iCalUID })).body.items)).toEqual([event.id]);
});

needing('people', '[lists.16] a list shows the types that were asked for', async (stage) => {
  await stage.made();
  const away = await stage.people('calendar/add', { event: stage.eventBody({ eventType: 'outOfOffice' }) });
  expect(idsOf((await stage.list({ eventTypes: 'outOfOffice' })).body.items)).toEqual([away.id]);
  expect((await stage.list({ eventTypes: ['outOfOffice', 'default'] })).body.items).toHaveLength(2);
});

reading('[lists.16] a type that nobody knows cannot be asked for', async (desk) => {
  expect((await desk.list({ eventTypes: 'holiday' })).status).toBe(400);
});

needing('clock', '[lists.17] updatedMin shows later changes, deletions among them', async (stage) => {
  const { ids } = await three(stage);
  await stage.advance(60_000);
  const updatedMin = new Date(Date.now() + 30_000).toISOString();
  await stage.delete({ id: ids[2] ?? '' });
  const { items } = await stage.all({ updatedMin });
  expect([idsOf(items), items[0].status]).toEqual([[ids[2]], 'cancelled']);
});

reading('[lists.18] an updatedMin of years ago is too long ago', async (desk) => {
  const answer = await desk.list({ updatedMin: '2015-01-01T00:00:00Z' });
  expect(verdict(answer)).toBe('410 updatedMinTooLongAgo');
});

needing('guess', '[lists.19] a page token is worth nothing with another query', async (stage) => {
  await three(stage);
  const { body } = await stage.list({ maxResults: 1 });
  expect((await stage.list({ maxResults: 1, q: 'x', pageToken: body.nextPageToken })).status).toBe(400);
});

reading('[lists.20] a page token that nobody gave out is refused', async (desk) => {
  expect((await desk.list({ pageToken: 'invented' })).status).toBe(400);
});

reading('[lists.22] fields narrows the answer', async (desk) => {
  expect(Object.keys((await desk.list({ fields: 'kind,timeZone' })).body).sort()).toEqual([
    'kind',
    'timeZone',
  ]);
  expect((await desk.list({ fields: 'kind,colour' })).status).toBe(400);
});
