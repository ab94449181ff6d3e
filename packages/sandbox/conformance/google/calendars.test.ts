import { expect } from 'vitest';
import { type Answer, verdict } from '../office/api.ts';
import type { Desk, Sent } from '../office/desk.ts';
import { needing, reading, writing } from '../office/fact.ts';
import { ACCOUNT } from '../office/stage.ts';

function freeBusy(desk: Desk, ids: string[], changes: Record<string, unknown> = {}): Promise<Answer> {
  const body = { timeMin: desk.at(8), timeMax: desk.at(18), items: ids.map((id) => ({ id })), ...changes };
  return desk.api.calendar('POST', '/freeBusy', { body });
}

async function secondary(desk: Desk): Promise<Sent> {
  const { body } = await desk.api.calendar('POST', '/calendars', {
    body: { summary: 'Second', timeZone: 'Asia/Tokyo' },
  });
  return { ...body, path: `/calendars/${encodeURIComponent(body.id)}` };
}

reading('[calendars.1] a calendar tells its id, title and zone', async (desk) => {
  const { body } = await desk.calendar('GET');
  expect(body).toMatchObject({ kind: 'calendar#calendar', id: desk.calendarId });
  expect([typeof body.summary, typeof body.timeZone]).toEqual(['string', 'string']);
});

needing('ownership', '[calendars.2] who makes a calendar owns it', async (stage) => {
  const made = await secondary(stage);
  expect(made).toMatchObject({ kind: 'calendar#calendar', summary: 'Second', timeZone: 'Asia/Tokyo' });
  expect((await stage.api.calendar('GET', `${made.path}/events`)).body.accessRole).toBe('owner');
});

needing('ownership', '[calendars.3] a calendar without a title is refused', async (stage) => {
  expect((await stage.api.calendar('POST', '/calendars', { body: {} })).status).toBe(400);
});

needing('ownership', '[calendars.4] a calendar gets another title and another zone', async (stage) => {
  const { path } = await secondary(stage);
  const { body } = await stage.api.calendar('PATCH', path, { body: { timeZone: 'Europe/Zurich' } });
  expect([body.summary, body.timeZone]).toEqual(['Second', 'Europe/Zurich']);
  const put = await stage.api.calendar('PUT', path, { body: { summary: 'Third' } });
  expect(put.body.summary).toBe('Third');
  expect((await stage.api.calendar('PATCH', path, { body: { timeZone: 'Mars/Olympus' } })).status).toBe(400);
});

needing('ownership', '[calendars.5] a secondary calendar goes, a primary one stays', async (stage) => {
  const { path } = await secondary(stage);
  expect((await stage.api.calendar('DELETE', path)).status).toBe(204);
  expect((await stage.api.calendar('GET', path)).status).toBe(404);
  expect((await stage.api.calendar('DELETE', '/calendars/primary')).status).toBe(403);
});

needing('ownership', '[calendars.6] a primary calendar is emptied at once', async (stage) => {
  const own = '/calendars/primary';
  await stage.api.calendar('POST', `${own}/events`, { body: stage.eventBody() });
  expect((await stage.api.calendar('POST', `${own}/clear`)).status).toBe(204);
  expect((await stage.api.calendar('GET', `${own}/events`)).body.items).toEqual([]);
  const { path } = await secondary(stage);
  expect((await stage.api.calendar('POST', `${path}/clear`)).status).toBe(400);
});

reading('[calendars.7] there are eleven colours for events', async (desk) => {
  const { body } = await desk.api.calendar('GET', '/colors');
  expect(Object.keys(body.event).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 11 }, (_, i) => String(i + 1)),
  );
  expect(body.event['1'].background).toMatch(/^#[0-9a-f]{6}$/);
});

writing('[calendars.8] what overlaps is busy once, what is free not at all', async (desk) => {
  const span = (from: number, to: number) => ({
    start: { dateTime: desk.at(from) },
    end: { dateTime: desk.at(to) },
  });
  await desk.made(span(9, 11));
  await desk.made(span(10, 12));
  await desk.made({ ...span(13, 14), transparency: 'transparent' });
  const { body } = await freeBusy(desk, [desk.calendarId]);
  const busy = body.calendars[desk.calendarId].busy.map((one: { start: string; end: string }) => [
    Date.parse(one.start),
    Date.parse(one.end),
  ]);
  expect(busy).toEqual([[Date.parse(desk.at(9)), Date.parse(desk.at(12))]]);
});

needing('accounts', '[calendars.9] a calendar that is not shared fails alone', async (stage) => {
  const { status, body } = await freeBusy(stage, ['nobody@clinic.example', stage.calendarId]);
  expect(status).toBe(200);
  expect(body.calendars['nobody@clinic.example'].errors[0].reason).toBe('notFound');
  expect(body.calendars[stage.calendarId].errors).toBeUndefined();
});

writing('[calendars.10] free/busy of no time is refused', async (desk) => {
  expect((await freeBusy(desk, [desk.calendarId], { timeMax: undefined })).status).toBe(400);
  expect((await freeBusy(desk, [desk.calendarId], { timeMax: desk.at(8) })).status).toBe(400);
});

writing('[calendars.11] 51 calendars are too many', async (desk) => {
  const ids = Array.from({ length: 51 }, (_, i) => `c${i}@clinic.example`);
  expect((await freeBusy(desk, ids)).status).toBe(400);
});

needing('people', '[calendars.12] an imported event keeps its iCalUID and is one copy', async (stage) => {
  const body = stage.eventBody({ iCalUID: 'away-0@elsewhere.example' });
  const { body: event } = await stage.events('POST', '/import', { body });
  expect(event.iCalUID).toBe('away-0@elsewhere.example');
  await stage.events('POST', '/import', { body: { ...body, summary: 'Again' } });
  const { items } = (await stage.list()).body;
  expect(items.map(({ id, summary }: Sent) => [id, summary])).toEqual([[event.id, 'Again']]);
  expect(verdict(await stage.events('POST', '/import', { body: stage.eventBody() }))).toBe('400 required');
});

needing('people', '[calendars.13] an absence is not imported', async (stage) => {
  const body = stage.eventBody({ iCalUID: 'away-1@elsewhere.example', eventType: 'outOfOffice' });
  expect((await stage.events('POST', '/import', { body })).status).toBe(400);
  await stage.share(ACCOUNT, 'writer');
  expect((await stage.list()).body.items).toEqual([]);
});
