import { expect } from 'vitest';
import { messageOf, verdict } from '../office/api.ts';
import { needing, writing } from '../office/fact.ts';

const EMPTY = '400 timeRangeEmpty';

writing('[times.1] an event needs an end', async (desk) => {
  const answer = await desk.insert({ end: undefined });
  expect([verdict(answer), messageOf(answer)]).toEqual(['400 required', 'Missing end time.']);
});

writing('[times.2] an event needs a start', async (desk) => {
  expect((await desk.insert({ start: undefined })).status).toBe(400);
});

writing('[times.3] a time without an offset needs a zone', async (desk) => {
  const bare = {
    start: { dateTime: `${desk.date()}T09:00:00` },
    end: { dateTime: `${desk.date()}T10:00:00` },
  };
  expect((await desk.insert(bare)).status).toBe(400);
});

writing('[times.4] a time without an offset is read in its zone', async (desk) => {
  const side = (hour: string) => ({ dateTime: `${desk.date()}T${hour}:00:00`, timeZone: 'Asia/Tokyo' });
  const event = await desk.made({ start: side('18'), end: side('19') });
  expect(Date.parse(event.start.dateTime)).toBe(Date.parse(desk.at(9)));
});

writing('[times.5] the same instant may be written with any offset', async (desk) => {
  const event = await desk.made({
    start: { dateTime: `${desk.date()}T14:30:00+05:30` },
    end: { dateTime: `${desk.date()}T10:00:00Z` },
  });
  expect(Date.parse(event.start.dateTime)).toBe(Date.parse(desk.at(9)));
});

writing('[times.6] times come back in the calendar’s zone', async (desk) => {
  const { timeZone } = (await desk.list({ maxResults: 1 })).body;
  const event = await desk.made();
  expect(event.start.timeZone).toBe(timeZone);
  expect(Date.parse(event.start.dateTime)).toBe(Date.parse(desk.at(9)));
});

writing('[times.7] times come back in the zone that is asked for', async (desk) => {
  const { body } = await desk.get(await desk.made(), { timeZone: 'Asia/Tokyo' });
  expect(body.start.dateTime).toBe(`${desk.date()}T18:00:00+09:00`);
});

writing('[times.8] an end before the start is refused', async (desk) => {
  expect(verdict(await desk.insert({ end: { dateTime: desk.at(8) } }))).toBe(EMPTY);
  const event = await desk.made();
  expect(verdict(await desk.patch(event, { end: { dateTime: desk.at(8) } }))).toBe(EMPTY);
});

writing('[times.9] an all-day event keeps its dates, the last one outside', async (desk) => {
  const days = { start: { date: desk.date() }, end: { date: desk.date(2) } };
  const event = await desk.made(days);
  expect([event.start, event.end]).toEqual([days.start, days.end]);
});

needing('guess', '[times.10] an all-day event lasts a day at least', async (stage) => {
  const day = { date: stage.date() };
  expect(verdict(await stage.insert({ start: day, end: day }))).toBe(EMPTY);
});

writing('[times.11] a date and a time do not make an event', async (desk) => {
  expect((await desk.insert({ start: { date: desk.date() } })).status).toBe(400);
});

writing('[times.12] a side has a date or a time, not both', async (desk) => {
  expect((await desk.insert({ start: { date: desk.date(), dateTime: desk.at(9) } })).status).toBe(400);
});

writing('[times.13] a series needs a zone', async (desk) => {
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=2'];
  expect((await desk.insert({ recurrence })).status).toBe(400);
  const side = (hour: number) => ({ dateTime: desk.at(hour), timeZone: 'Europe/Zurich' });
  expect((await desk.insert({ recurrence, start: side(9), end: side(10) })).status).toBe(200);
});

writing('[times.14] a zone that nobody knows is refused', async (desk) => {
  expect((await desk.insert({ start: { dateTime: desk.at(9), timeZone: 'Mars/Olympus' } })).status).toBe(400);
});

writing('[times.15] the thirtieth of February is refused', async (desk) => {
  expect((await desk.insert({ start: { dateTime: '2035-02-30T09:00:00Z' } })).status).toBe(400);
});

writing('[times.16] the zone that was given comes back', async (desk) => {
  const event = await desk.made({ start: { dateTime: desk.at(9), timeZone: 'Asia/Tokyo' } });
  expect(event.start.timeZone).toBe('Asia/Tokyo');
});

writing('[times.17] summer and winter have their own offsets', async (desk) => {
  const zone = { timeZone: 'Europe/Zurich' };
  const winter = { start: { dateTime: '2035-01-08T09:00:00Z' }, end: { dateTime: '2035-01-08T10:00:00Z' } };
  expect((await desk.get(await desk.made(), zone)).body.start.dateTime).toBe(`${desk.date()}T11:00:00+02:00`);
  expect((await desk.get(await desk.made(winter), zone)).body.start.dateTime).toBe(
    '2035-01-08T10:00:00+01:00',
  );
});
