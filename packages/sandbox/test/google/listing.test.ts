import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventBody, type Reply, type Rig, reason, room, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.sandbox.close());

const list = (query = '') => rig.call('GET', `${rig.events}${query}`);
const titles = (reply: Reply): string[] =>
  reply.body.items.map((event: { summary: string }) => event.summary);
const add = (summary: string, start = '2026-05-04T08:00:00Z', more: Record<string, unknown> = {}) =>
  String(
    rig.sandbox.staff.calendar.add({
      calendarId: room,
      event: eventBody(start, { summary, ...more }) as never,
    })['id'],
  );
const remove = (eventId: string) => rig.sandbox.staff.calendar.remove({ calendarId: room, eventId });

/** All pages of a query. */
async function walk(query: string): Promise<{ pages: number[]; titles: string[]; token: string }> {
  const pages: number[] = [];
  const all: string[] = [];
  for (let pageToken = ''; ; ) {
    const { body } = await list(
      `${query}${pageToken === '' ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`,
    );
    pages.push(body.items.length);
    all.push(...body.items.map((event: { summary: string }) => event.summary));
    expect('nextPageToken' in body).not.toBe('nextSyncToken' in body);
    if (body.nextSyncToken !== undefined) return { pages, titles: all, token: body.nextSyncToken };
    pageToken = body.nextPageToken;
  }
}

test('a list carries the calendar’s zone and the caller’s role', async () => {
  expect((await list()).body).toMatchObject({
    kind: 'calendar#events',
    timeZone: 'Europe/Zurich',
    accessRole: 'writer',
    items: [],
  });
});

test('pages have at most maxResults events and only the last has a sync token', async () => {
  for (let i = 0; i < 5; i += 1) add(`e${i}`);
  expect(await walk('?maxResults=2')).toMatchObject({
    pages: [2, 2, 1],
    titles: ['e0', 'e1', 'e2', 'e3', 'e4'],
  });
});

test('a page holds 250 events by default and never more than 2500', async () => {
  for (let i = 0; i < 260; i += 1) add('e');
  expect((await list()).body.items).toHaveLength(250);
  expect((await list('?maxResults=9999')).body.items).toHaveLength(260);
});

test('a page may be empty although more follow', async () => {
  rig.sandbox.switches.emptyPages = true;
  for (let i = 0; i < 3; i += 1) add(`e${i}`);
  expect(await walk('?maxResults=2')).toMatchObject({ pages: [0, 2, 0, 1], titles: ['e0', 'e1', 'e2'] });
});

test('a page token is bound to its query', async () => {
  for (let i = 0; i < 3; i += 1) add(`e${i}`);
  const { body } = await list('?maxResults=1');
  expect((await list(`?maxResults=1&pageToken=${body.nextPageToken}`)).status).toBe(200);
  expect((await list(`?maxResults=1&q=e&pageToken=${body.nextPageToken}`)).status).toBe(400);
  expect((await list('?pageToken=made-up')).status).toBe(400);
});

test('deleted events show only when asked for', async () => {
  remove(add('gone'));
  add('here');
  expect(titles(await list())).toEqual(['here']);
  expect(titles(await list('?showDeleted=true'))).toEqual(['gone', 'here']);
});

test('timeMin bounds the end and timeMax the start, both exclusive', async () => {
  add('early', '2026-05-04T08:00:00Z');
  add('late', '2026-05-04T10:00:00Z');
  expect(titles(await list('?timeMin=2026-05-04T09:00:00Z'))).toEqual(['late']);
  expect(titles(await list('?timeMin=2026-05-04T08:59:59Z'))).toEqual(['early', 'late']);
  expect(titles(await list('?timeMax=2026-05-04T10:00:00Z'))).toEqual(['early']);
});

test('a bound needs an offset, and a window must not be empty', async () => {
  expect((await list('?timeMin=2026-05-04T09:00:00')).status).toBe(400);
  const empty = await list('?timeMin=2026-05-04T09:00:00Z&timeMax=2026-05-04T09:00:00Z');
  expect([empty.status, reason(empty).reason]).toEqual([400, 'timeRangeEmpty']);
});

test('the order by start needs single events', async () => {
  add('b', '2026-05-05T08:00:00Z');
  add('a', '2026-05-04T08:00:00Z');
  expect(reason(await list('?orderBy=startTime')).message).toBe(
    'The requested ordering is not available for the particular query.',
  );
  expect(titles(await list('?orderBy=startTime&singleEvents=true'))).toEqual(['a', 'b']);
});

test('one private property finds its events, two are refused', async () => {
  add('mine', '2026-05-04T08:00:00Z', { extendedProperties: { private: { crm: 'a=b' } } });
  add('other', '2026-05-04T08:00:00Z', { extendedProperties: { private: { crm: 'c' } } });
  expect(titles(await list('?privateExtendedProperty=crm%3Da%3Db'))).toEqual(['mine']);
  expect(titles(await list('?privateExtendedProperty=crm%3Dx'))).toEqual([]);
  expect((await list('?privateExtendedProperty=crm%3Dc&privateExtendedProperty=k%3Dv')).status).toBe(501);
});

test('text and iCalUID find their events', async () => {
  const id = add('Haircut Anna');
  add('Shave Boris');
  expect(titles(await list('?q=anna'))).toEqual(['Haircut Anna']);
  expect(titles(await list(`?iCalUID=${id}@google.com`))).toEqual(['Haircut Anna']);
});

test('times come in the zone that is asked for', async () => {
  add('e');
  expect((await list('?timeZone=Asia/Tokyo')).body.items[0].start.dateTime).toBe('2026-05-04T17:00:00+09:00');
  expect((await list('?timeZone=Mars/Base')).status).toBe(400);
});

test('a sync token brings what changed since, deleted events included, each once', async () => {
  const [a, b, c] = [add('a'), add('b'), add('c')];
  const { token } = await walk('?maxResults=100');
  rig.sandbox.staff.calendar.retitle({ calendarId: room, eventId: a, summary: 'a2' });
  rig.sandbox.staff.calendar.retitle({ calendarId: room, eventId: a, summary: 'a3' });
  remove(b);
  add('d');
  const { body } = await list(`?syncToken=${token}`);
  expect(body.items.map((event: { id: string; status: string }) => [event.id === c, event.status])).toEqual([
    [false, 'confirmed'],
    [false, 'cancelled'],
    [false, 'confirmed'],
  ]);
  expect(body.items.map((event: { summary: string }) => event.summary)).toEqual(['a3', 'b', 'd']);
  expect((await list(`?syncToken=${body.nextSyncToken}`)).body.items).toEqual([]);
});

test('an incremental walk has pages, with the same sync token on each', async () => {
  const { token } = await walk('?maxResults=100');
  for (let i = 0; i < 5; i += 1) add(`e${i}`);
  expect(await walk(`?maxResults=2&syncToken=${token}`)).toMatchObject({
    pages: [2, 2, 1],
    titles: ['e0', 'e1', 'e2', 'e3', 'e4'],
  });
});

test('what changes while paging is in the next increment', async () => {
  const ids = ['a', 'b', 'c'].map((title) => add(title));
  const first = await list('?maxResults=2');
  rig.sandbox.staff.calendar.retitle({ calendarId: room, eventId: ids[0] ?? '', summary: 'a2' });
  const last = await list(`?maxResults=2&pageToken=${first.body.nextPageToken}`);
  expect(titles(await list(`?syncToken=${last.body.nextSyncToken}`))).toEqual(['a2']);
});

test('a sync token does not remember the window of its first list', async () => {
  const { token } = await walk('?timeMin=2026-05-04T00:00:00Z');
  add('long ago', '2020-01-01T08:00:00Z');
  expect(titles(await list(`?syncToken=${token}`))).toEqual(['long ago']);
});

test('beside a sync token most restrictions are forbidden', async () => {
  const { token } = await walk('?maxResults=100');
  for (const extra of [
    'timeMin=2026-05-04T00:00:00Z',
    'timeMax=2026-05-04T00:00:00Z',
    'q=x',
    'iCalUID=x',
    'privateExtendedProperty=a%3Db',
    'updatedMin=2026-05-04T00:00:00Z',
    'showDeleted=false',
  ]) {
    const reply = await list(`?syncToken=${token}&${extra}`);
    expect(reply.status).toBe(400);
    expect(reason(reply).message).toMatch(/^Sync token cannot be used with other request restrictions/);
  }
  expect(reason(await list(`?syncToken=${token}&orderBy=updated`)).message).toMatch(/non-default ordering/);
});

test('a sync token is bound to the parameters of its first list', async () => {
  const { token } = await walk('?singleEvents=true');
  expect((await list(`?syncToken=${token}`)).status).toBe(400);
  expect((await list(`?singleEvents=true&maxResults=10&syncToken=${token}`)).status).toBe(200);
});

test('a restricted or ordered list gives no sync token', async () => {
  for (const query of ['?q=x', '?orderBy=updated', '?iCalUID=x', '?privateExtendedProperty=a%3Db']) {
    expect((await list(query)).body.nextSyncToken).toBeUndefined();
  }
});

test('an expired sync token answers 410 fullSyncRequired, and a made-up one 400', async () => {
  const { token } = await walk('?maxResults=100');
  rig.sandbox.staff.calendar.expireSyncTokens({ calendarId: room });
  const reply = await list(`?syncToken=${token}`);
  expect(reply.status).toBe(410);
  expect(reason(reply)).toEqual({
    domain: 'calendar',
    reason: 'fullSyncRequired',
    message: 'Sync token is no longer valid, a full sync is required.',
    locationType: 'parameter',
    location: 'syncToken',
  });
  const malformed = await list('?syncToken=made-up');
  expect([malformed.status, reason(malformed).reason]).toEqual([400, 'invalid']);
});

test('a change of access voids sync tokens', async () => {
  const { token } = await walk('?maxResults=100');
  rig.sandbox.revokeAccess(room);
  rig.sandbox.grantAccess(room);
  expect((await list(`?syncToken=${token}`)).status).toBe(410);
});

test('updatedMin shows deletions since, and reaches back only some weeks', async () => {
  remove(add('gone'));
  const since = new Date(rig.clock.now() - 60_000).toISOString();
  expect(titles(await list(`?updatedMin=${since}`))).toEqual(['gone']);
  const old = await list('?updatedMin=2020-01-01T00:00:00Z');
  expect([old.status, reason(old).reason]).toEqual([410, 'updatedMinTooLongAgo']);
});

test('minimal tombstones in an increment have only an id and a status', async () => {
  rig.sandbox.switches.tombstonesMinimal = true;
  const id = add('secret');
  const { token } = await walk('?maxResults=100');
  remove(id);
  expect((await list(`?syncToken=${token}`)).body.items).toEqual([
    { kind: 'calendar#event', etag: expect.any(String), id, status: 'cancelled' },
  ]);
});

test('event types can be chosen', async () => {
  add('plain');
  add('away', '2026-05-04T08:00:00Z', { eventType: 'outOfOffice' });
  expect(titles(await list('?eventTypes=default'))).toEqual(['plain']);
  expect(titles(await list('?eventTypes=default&eventTypes=outOfOffice'))).toEqual(['plain', 'away']);
});
