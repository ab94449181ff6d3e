import { expect } from 'vitest';
import { messageOf, verdict } from '../office/api.ts';
import type { Desk, Sent } from '../office/desk.ts';
import { needing, reading, writing } from '../office/fact.ts';

/** Id and status of each event changed since the token. */
async function changes(desk: Desk, syncToken: string, query: Record<string, string> = {}): Promise<Sent[]> {
  const { items } = await desk.all({ ...query, syncToken });
  return items.map(({ id, status }) => [id, status]);
}

async function refusal(desk: Desk, beside: Record<string, string>): Promise<string> {
  return verdict(await desk.list({ syncToken: await desk.syncToken(), ...beside })).slice(0, 3);
}

writing('[sync.1] a full list ends with a sync token', async (desk) => {
  expect(await desk.syncToken()).toMatch(/\S/);
});

writing('[sync.2][sync.3] a token gives what has changed, and the next one nothing', async (desk) => {
  const before = await desk.made();
  const token = await desk.syncToken();
  const event = await desk.made();
  const { items, last } = await desk.all({ syncToken: token });
  expect(items.map(({ id }) => id)).toContain(event.id);
  expect(items.map(({ id }) => id)).not.toContain(before.id);
  expect(await changes(desk, last.nextSyncToken)).toEqual([]);
});

writing('[sync.4] a deleted event is among the changes', async (desk) => {
  const event = await desk.made();
  const token = await desk.syncToken();
  await desk.delete(event);
  expect(await changes(desk, token)).toContainEqual([event.id, 'cancelled']);
});

writing('[sync.5] an event that changed twice shows once, as it is', async (desk) => {
  const token = await desk.syncToken();
  const event = await desk.made();
  await desk.patch(event, { summary: 'Second' });
  await desk.patch(event, { summary: 'Third' });
  const mine = (await desk.all({ syncToken: token })).items.filter(({ id }) => id === event.id);
  expect(mine.map(({ summary }) => summary)).toEqual(['Third']);
});

reading('[sync.6] beside a token there is no search, no window and no property', async (desk) => {
  for (const beside of [
    { q: 'x' },
    { timeMin: desk.at(0) },
    { timeMax: desk.at(0) },
    { iCalUID: 'x@y' },
    { privateExtendedProperty: 'a=b' },
    { sharedExtendedProperty: 'a=b' },
    { updatedMin: new Date().toISOString() },
  ])
    expect(await refusal(desk, beside)).toBe('400');
});

reading('[sync.7] beside a token there is no order', async (desk) => {
  expect(await refusal(desk, { orderBy: 'updated' })).toBe('400');
});

reading('[sync.8] beside a token deleted events cannot be left out', async (desk) => {
  expect(await refusal(desk, { showDeleted: 'false' })).toBe('400');
});

reading('[sync.9] the refusal says that the token cannot be used so', async (desk) => {
  const answer = await desk.list({ syncToken: await desk.syncToken(), q: 'x' });
  expect(messageOf(answer)).toContain('Sync token cannot be used with other request restrictions');
});

reading('[sync.22] a token that nobody gave out is refused', async (desk) => {
  expect(verdict(await desk.list({ syncToken: 'invented' }))).toBe('400 invalid');
});

needing('people', '[sync.10] a token that has gone needs a full list', async (stage) => {
  const syncToken = await stage.syncToken();
  await stage.people('calendar/expireSyncTokens', {});
  const { status, body } = await stage.list({ syncToken });
  expect([status, body.error.errors[0]]).toEqual([
    410,
    {
      domain: 'calendar',
      reason: 'fullSyncRequired',
      message: 'Sync token is no longer valid, a full sync is required.',
      locationType: 'parameter',
      location: 'syncToken',
    },
  ]);
});

needing('ownership', '[sync.11] sharing the calendar anew ends the tokens', async (stage) => {
  const syncToken = await stage.syncToken();
  await stage.share('colleague@clinic.example', 'reader');
  expect(verdict(await stage.list({ syncToken }))).toBe('410 fullSyncRequired');
  expect((await stage.list()).status).toBe(200);
});

writing('[sync.12][sync.13] a window gives a token, and the token knows no window', async (desk) => {
  const token = await desk.syncToken({ timeMin: desk.at(0), timeMax: desk.at(24) });
  const outside = await desk.made({
    start: { dateTime: desk.at(9, 40) },
    end: { dateTime: desk.at(10, 40) },
  });
  expect(await changes(desk, token)).toContainEqual([outside.id, 'confirmed']);
});

writing('[sync.14] single events are synchronised', async (desk) => {
  const token = await desk.syncToken({ singleEvents: true, timeMin: desk.at(0), timeMax: desk.at(24) });
  const event = await desk.made();
  expect(await changes(desk, token, { singleEvents: 'true' })).toContainEqual([event.id, 'confirmed']);
});

writing('[sync.16] the pages of a synchronisation repeat the token', async (desk) => {
  const syncToken = await desk.syncToken();
  const ids = [(await desk.made()).id, (await desk.made()).id, (await desk.made()).id];
  const first = await desk.list({ syncToken, maxResults: 1 });
  expect(first.body.nextPageToken).toMatch(/\S/);
  const { items } = await desk.all({ syncToken, maxResults: 1 });
  expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
});

reading('[sync.17] a search ends without a token', async (desk) => {
  const { last } = await desk.all({ privateExtendedProperty: 'conformance=none' });
  expect(last.nextSyncToken).toBeUndefined();
});

needing('people', '[sync.18] what is gone and what must begin anew have different reasons', async (stage) => {
  const syncToken = await stage.syncToken();
  await stage.people('calendar/expireSyncTokens', {});
  expect(verdict(await stage.delete(await stage.deleted()))).toBe('410 deleted');
  expect(verdict(await stage.list({ syncToken }))).toBe('410 fullSyncRequired');
});

needing('guess', '[sync.19] a token tells the same again', async (stage) => {
  const token = await stage.syncToken();
  const event = await stage.made();
  for (const _ of [1, 2]) expect(await changes(stage, token)).toEqual([[event.id, 'confirmed']]);
});

needing('guess', '[sync.20] what changes between two pages is not lost', async (stage) => {
  const first = await stage.made();
  await stage.made();
  const page = (await stage.list({ maxResults: 1 })).body;
  await stage.patch(first, { summary: 'Meanwhile' });
  const rest = (await stage.list({ maxResults: 1, pageToken: page.nextPageToken })).body;
  expect(await changes(stage, rest.nextSyncToken)).toEqual([[first.id, 'confirmed']]);
});

needing('people', '[sync.21] an event that left is among the changes', async (stage) => {
  const event = await stage.made();
  const token = await stage.syncToken();
  await stage.control('POST', 'calendars', { id: 'other@clinic.example' });
  await stage.people('calendar/moveToCalendar', { eventId: event.id, to: 'other@clinic.example' });
  expect(await changes(stage, token)).toEqual([[event.id, 'cancelled']]);
});
