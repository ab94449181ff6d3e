import { expect } from 'vitest';
import type { Desk, Sent } from '../office/desk.ts';
import { needing, writing } from '../office/fact.ts';

/**
 * Creates a daily series from the suite's day on, at 9 o'clock UTC, in Zurich's zone. Returns it with the
 * query that finds it.
 */
async function daily(
  desk: Desk,
  recurrence = ['RRULE:FREQ=DAILY;COUNT=3'],
): Promise<{ master: Sent; mark: Record<string, string> }> {
  const mark = desk.freshId();
  const side = (hour: number) => ({ dateTime: desk.at(hour), timeZone: 'Europe/Zurich' });
  const extendedProperties = { private: { mark } };
  const master = await desk.made({ recurrence, start: side(9), end: side(10), extendedProperties });
  return { master, mark: { privateExtendedProperty: `mark=${mark}` } };
}

async function instances(desk: Desk, master: Sent): Promise<Sent[]> {
  return (await desk.events('GET', `/${master.id}/instances`)).body.items;
}

const startsOf = (items: Sent[]): string[] =>
  items.map((item) => new Date(item.start.dateTime).toISOString());

writing('[series.1] unexpanded a series is one event', async (desk) => {
  const { master, mark } = await daily(desk);
  const { items } = await desk.all(mark);
  expect(items.map(({ id, recurrence }) => [id, recurrence])).toEqual([[master.id, master.recurrence]]);
});

writing('[series.2] expanded a series is its instances', async (desk) => {
  const { master } = await daily(desk);
  const { items } = await desk.all({ singleEvents: true, timeMin: desk.at(0), timeMax: desk.at(0, 5) });
  const mine = items.filter(({ recurringEventId }) => recurringEventId === master.id);
  expect(startsOf(mine).sort()).toEqual([desk.at(9), desk.at(9, 1), desk.at(9, 2)]);
  expect(items.map(({ id }) => id)).not.toContain(master.id);
});

writing('[series.3] an instance knows its series and where it began', async (desk) => {
  const { master } = await daily(desk);
  const [first] = await instances(desk, master);
  expect(first.recurringEventId).toBe(master.id);
  expect(Date.parse(first.originalStartTime.dateTime)).toBe(Date.parse(desk.at(9)));
  expect(first.recurrence).toBeUndefined();
});

needing('guess', '[series.4] an instance is called after its series and its start', async (stage) => {
  const { master } = await daily(stage);
  const [first] = await instances(stage, master);
  expect(first.id).toBe(`${master.id}_20350604T090000Z`);
  expect((await stage.get(first)).body.recurringEventId).toBe(master.id);
});

writing('[series.5] a changed instance stands beside its series', async (desk) => {
  const { master } = await daily(desk);
  const [, second] = await instances(desk, master);
  await desk.patch(second, { start: { dateTime: desk.at(15, 1) }, end: { dateTime: desk.at(16, 1) } });
  const { items } = await desk.all({ timeMin: desk.at(0), timeMax: desk.at(0, 5) });
  const mine = items.filter((item) => item.id === master.id || item.recurringEventId === master.id);
  expect(mine).toHaveLength(2);
  const moved = mine.find(({ recurringEventId }) => recurringEventId !== undefined);
  expect(Date.parse(moved.start.dateTime)).toBe(Date.parse(desk.at(15, 1)));
  expect(Date.parse(moved.originalStartTime.dateTime)).toBe(Date.parse(desk.at(9, 1)));
});

writing('[series.6] a cancelled instance shows where the series is not expanded', async (desk) => {
  const { master } = await daily(desk);
  const [, second] = await instances(desk, master);
  await desk.delete(second);
  const { items } = await desk.all({ timeMin: desk.at(0), timeMax: desk.at(0, 5) });
  const shown = items.find(({ id }) => id === second.id);
  expect([shown?.status, shown?.recurringEventId]).toEqual(['cancelled', master.id]);
});

writing('[series.7] a cancelled instance is missing where the series is expanded', async (desk) => {
  const { master } = await daily(desk);
  const [, second] = await instances(desk, master);
  await desk.delete(second);
  expect(startsOf(await instances(desk, master))).toEqual([desk.at(9), desk.at(9, 2)]);
});

writing('[series.8] a series ends by number or by date, and leaves days out', async (desk) => {
  const until = await daily(desk, ['RRULE:FREQ=DAILY;UNTIL=20350605T235959Z']);
  expect(await instances(desk, until.master)).toHaveLength(2);
  const out = await daily(desk, ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20350605T090000Z']);
  expect(startsOf(await instances(desk, out.master))).toEqual([desk.at(9), desk.at(9, 2)]);
});

writing('[series.9] a weekly appointment at ten stays at ten when the clocks change', async (desk) => {
  const side = (hour: string) => ({ dateTime: `2035-03-23T${hour}:00:00`, timeZone: 'Europe/Zurich' });
  const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=2'];
  const master = await desk.made({ start: side('10'), end: side('11'), recurrence });
  expect(startsOf(await instances(desk, master))).toEqual([
    '2035-03-23T09:00:00.000Z',
    '2035-03-30T08:00:00.000Z',
  ]);
});

writing('[series.10] a rule that cannot be read is refused', async (desk) => {
  const side = (hour: number) => ({ dateTime: desk.at(hour), timeZone: 'Europe/Zurich' });
  const times = { start: side(9), end: side(10) };
  for (const rule of ['RRULE:FREQ=SOMETIMES', 'every day'])
    expect((await desk.insert({ ...times, recurrence: [rule] })).status).toBe(400);
});

writing('[series.11] a changed series brings its instances along', async (desk) => {
  const { master } = await daily(desk);
  const window = { singleEvents: true, timeMin: desk.at(0), timeMax: desk.at(0, 5) };
  const syncToken = await desk.syncToken(window);
  await desk.patch(master, { summary: 'Renamed' });
  const { items } = await desk.all({ singleEvents: true, syncToken });
  expect(items.filter((item) => item.recurringEventId === master.id).length).toBeGreaterThanOrEqual(3);
});

writing('[series.12] a deleted series has no instances left', async (desk) => {
  const { master } = await daily(desk);
  await desk.delete(master);
  const { items } = await desk.all({ singleEvents: true, timeMin: desk.at(0), timeMax: desk.at(0, 5) });
  expect(items.filter((item) => item.recurringEventId === master.id)).toEqual([]);
});

writing('[series.13] an all-day series has dates', async (desk) => {
  const master = await desk.made({
    start: { date: desk.date() },
    end: { date: desk.date(1) },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
  });
  expect((await instances(desk, master)).map(({ start }) => start.date)).toEqual([desk.date(), desk.date(1)]);
});

writing('[series.14] who changes one event of a series changes them all', async (desk) => {
  const { master } = await daily(desk);
  const [first, second] = await instances(desk, master);
  await desk.patch(first, { summary: 'First' });
  const syncToken = await desk.syncToken();
  const { body } = await desk.patch(second, { summary: 'Second' });
  const { items } = await desk.all({ syncToken });
  const mine = items.filter((item) => item.id === master.id || item.recurringEventId === master.id);
  expect(mine.map(({ id }) => id).sort()).toEqual([master.id, first.id, second.id].sort());
  for (const each of mine) expect([each.etag, each.updated]).toEqual([body.etag, body.updated]);
});

writing('[series.15] what is left of a deleted series and of a deleted instance', async (desk) => {
  const { master } = await daily(desk);
  const [, second] = await instances(desk, master);
  const syncToken = await desk.syncToken();
  await desk.delete(second);
  const gone = (await desk.all({ syncToken })).items.find(({ id }) => id === second.id);
  const tombstone = ['etag', 'id', 'kind', 'status'];
  expect(Object.keys(gone).sort()).toEqual([...tombstone, 'originalStartTime', 'recurringEventId'].sort());
  await desk.delete(master);
  const ended = (await desk.all({ syncToken })).items.find(({ id }) => id === master.id);
  expect(Object.keys(ended).sort()).toEqual(tombstone);
});

writing(
  '[series.16] one private event makes its series private, and one public event nothing',
  async (desk) => {
    const { master } = await daily(desk);
    const [first, second, third] = await instances(desk, master);
    await desk.patch(second, { visibility: 'private' });
    await desk.patch(third, { visibility: 'public' });
    for (const each of [master, first, second, third])
      expect((await desk.get(each)).body.visibility).toBe('private');
  },
);

needing(
  'people',
  '[series.17] [series.18] [series.19] a part of a series goes on under the old ids',
  async (stage) => {
    const { master } = await daily(stage);
    const [first, second, third] = await instances(stage, master);
    await stage.delete(third);
    const syncToken = await stage.syncToken();
    const patch = { summary: 'From now on' };
    await stage.people('calendar/splitSeries', { masterId: master.id, at: stage.at(9, 1), patch });
    const id = `${master.id}_R20350605T090000`;
    const { items } = await stage.all({ syncToken });
    const [ended, part, gone] = [master.id, id, third.id].map((each) =>
      items.find((item) => item.id === each),
    );
    expect(ended.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20350604T215959Z']);
    expect(part).toMatchObject({
      ...patch,
      etag: ended.etag,
      created: ended.created,
      iCalUID: ended.iCalUID,
    });
    expect(Object.keys(gone).sort()).toEqual(['etag', 'id', 'kind', 'status']);
    expect((await instances(stage, master)).map((each) => each.id)).toEqual([first.id]);
    expect((await instances(stage, part)).map((each) => [each.id, each.recurringEventId])).toEqual([
      [second.id, id],
    ]);
  },
);

needing('people', '[series.20] a part of a series at another hour is another series', async (stage) => {
  const { master } = await daily(stage);
  const side = (hour: number) => ({ dateTime: stage.at(hour, 1), timeZone: 'Europe/Zurich' });
  const part = await stage.people('calendar/splitSeries', {
    masterId: master.id,
    at: stage.at(9, 1),
    patch: { start: side(12), end: side(13) },
  });
  expect(part.id).not.toContain(master.id);
  expect(startsOf(await instances(stage, part))).toEqual([stage.at(12, 1), stage.at(12, 2)]);
  expect(startsOf(await instances(stage, master))).toEqual([stage.at(9)]);
});
