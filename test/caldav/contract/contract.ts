// What every kind of calendar does for the worker, whoever keeps it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOTE_MARK } from '../../../src/engine/event-texts.ts';
import { eventIdOf, noteIdOf } from '../../../src/engine/ids.ts';
import type { CalendarApi } from '../../../src/google/calendar-api.ts';
import type { CalendarEvent, EventBody, NoteBody } from '../../../src/google/calendar-event.ts';
import type { BusyEventsApi } from '../../../src/google/calendar-events.ts';
import type { CalendarWatchApi } from '../../../src/google/calendar-watch-api.ts';
import type { Staff } from './staff.ts';

/** A kind of calendar, with one account and its people. */
export interface Calendars {
  readonly api: Pick<CalendarApi, keyof CalendarApi>;
  readonly watch: Pick<CalendarWatchApi, 'changes'>;
  readonly busy: Pick<BusyEventsApi, 'list'>;
  readonly staff: Staff;
  /** The id of a new, empty calendar that was made for the zone Europe/Berlin. */
  newCalendar(): Promise<string>;
  /** The zone that such a calendar has in the end: some servers keep none. */
  readonly zone: string;
  /** The id of a calendar of which the account knows nothing. */
  missingCalendar(): Promise<string>;
  /** The id of a calendar that the account may only read; undefined where the tests can make none. */
  readonly readOnlyCalendar?: () => Promise<string>;
  close(): Promise<void>;
}

let made = 0;
/** A new appointment's event. */
function newId(): string {
  made += 1;
  return eventIdOf(`0d3b2f6a-91c4-4f0e-8a55-${String(made).padStart(12, '0')}`);
}

const BODY: EventBody = {
  summary: 'Haircut',
  description: 'With Boris',
  location: 'Room 1',
  start: { dateTime: '2026-11-03T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-11-03T11:00:00+01:00', timeZone: 'Europe/Berlin' },
  status: 'confirmed',
  extendedProperties: { private: { slotbridge: '1', slotbridge_hash: 'a,b;c\\d"e' } },
};
const SEEN = {
  title: 'Haircut',
  start: '2026-11-03T10:00',
  end: '2026-11-03T11:00',
  text: 'With Boris',
  place: 'Room 1',
};
const MARK = { key: 'slotbridge', value: '1' };
const WALK = { title: 'Walk', start: '2026-11-04T12:00', end: '2026-11-04T13:00' };
/** All of November. */
const NOVEMBER = { fromMs: Date.parse('2026-11-01T00:00:00Z'), untilMs: Date.parse('2026-12-01T00:00:00Z') };

export function calendarContract(open: () => Promise<Calendars>): void {
  let at: Calendars;
  beforeAll(async () => {
    at = await open();
  });
  afterAll(() => at?.close());

  const insert = async (calendar: string, id = newId(), body: EventBody = BODY): Promise<CalendarEvent> => {
    const event = await at.api.insert(calendar, id, body);
    if (event === 'taken') throw new Error('the calendar was empty');
    return event;
  };
  const get = async (calendar: string, id: string): Promise<CalendarEvent> => {
    const event = await at.api.get(calendar, id);
    if (event === 'absent') throw new Error('the event is absent');
    return event;
  };
  const titles = async (calendar: string) => (await at.staff.see(calendar)).map(({ title }) => title);
  /** All pages since the token, and the next token. */
  const changes = async (calendar: string, syncToken?: string) => {
    const events: CalendarEvent[] = [];
    let pageToken: string | undefined;
    for (;;) {
      const page = await at.watch.changes(calendar, { syncToken, pageToken });
      if (typeof page === 'string') return page;
      events.push(...page.events);
      if (page.nextPageToken === undefined) return { events, token: page.nextSyncToken };
      pageToken = page.nextPageToken;
    }
  };
  const changesNow = async (calendar: string, syncToken?: string) => {
    const found = await changes(calendar, syncToken);
    if (typeof found === 'string') throw new Error(found);
    return found;
  };
  const titled = async (calendar: string, title: string): Promise<CalendarEvent> => {
    const { events } = await changesNow(calendar);
    const event = events.find(({ summary }) => summary === title);
    if (event === undefined) throw new Error(`no event ${title}`);
    return event;
  };

  describe('an insert', () => {
    test('is what was written, to the worker and to people', async () => {
      const calendar = await at.newCalendar();
      const event = await insert(calendar);
      expect(event).toMatchObject({
        ...{ status: 'confirmed', summary: 'Haircut', description: 'With Boris', location: 'Room 1' },
        extendedProperties: BODY.extendedProperties,
      });
      expect(event.etag).not.toBe('');
      expect(Date.parse(event.start?.dateTime ?? '')).toBe(Date.parse(BODY.start.dateTime));
      expect(await get(calendar, event.id)).toEqual(event);
      expect(await at.staff.see(calendar)).toEqual([SEEN]);
    });

    test('keeps difficult texts', async () => {
      const calendar = await at.newCalendar();
      const summary = `Стрижка и укладка; "Two, half" \\ 100 % 💇 ${'длинное слово '.repeat(12)}конец`;
      const description = `First line, with a comma; and more\nA back\\slash\n\n${'x'.repeat(200)}`;
      const id = newId();
      await insert(calendar, id, { ...BODY, summary, description, location: 'Room: "1", left' });
      expect(await get(calendar, id)).toMatchObject({ summary, description, location: 'Room: "1", left' });
      expect(await at.staff.see(calendar)).toMatchObject([{ title: summary, text: description }]);
    });

    test('of a text that the server spells in its own way is still the state that is read', async () => {
      const calendar = await at.newCalendar();
      const description = 'C:\\new; "a", b\\, \\; & <b>more</b> \n\n\n  indented\n';
      const event = await insert(calendar, newId(), { ...BODY, description });
      expect((await get(calendar, event.id)).etag).toBe(event.etag);
      const { events } = await changesNow(calendar);
      expect(events).toEqual([event]);
      const patched = await at.api.patch(calendar, event, { location: 'C:\\new\\table' });
      expect(await get(calendar, event.id)).toEqual(patched);
    });

    test('keeps status, what blocks time, and what is private', async () => {
      const calendar = await at.newCalendar();
      const id = newId();
      const looks = { status: 'tentative', visibility: 'private', transparency: 'transparent' } as const;
      await insert(calendar, id, { ...BODY, ...looks });
      expect(await get(calendar, id)).toMatchObject(looks);
      expect(await at.staff.see(calendar)).toEqual([{ ...SEEN, isTentative: true, isFree: true }]);
    });

    test('of an id that is in use is taken, and changes nothing', async () => {
      const calendar = await at.newCalendar();
      const event = await insert(calendar);
      expect(await at.api.insert(calendar, event.id, { ...BODY, summary: 'Again' })).toBe('taken');
      expect(await titles(calendar)).toEqual(['Haircut']);
      await at.staff.edit(calendar, 'Haircut', { title: 'By people' });
      expect(await at.api.insert(calendar, event.id, BODY)).toBe('taken');
      expect(await titles(calendar)).toEqual(['By people']);
    });

    test('by two at once is made once', async () => {
      const calendar = await at.newCalendar();
      const id = newId();
      const [one, two] = ['One', 'Two'].map((summary) => at.api.insert(calendar, id, { ...BODY, summary }));
      const both = await Promise.allSettled([one, two]);
      // Who loses may be told to try again.
      const failed = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      for (const reason of failed) expect(reason).toMatchObject({ family: 'retryable' });
      const won = both.flatMap((each) =>
        each.status === 'fulfilled' && each.value !== 'taken' ? [each.value] : [],
      );
      const seen = await titles(calendar);
      expect(seen).toHaveLength(1);
      // SOGo lets both write: then both are told to look again.
      for (const event of won) expect(seen).toEqual([event?.summary]);
      expect(await at.api.insert(calendar, id, BODY)).toBe('taken');
    });

    test('of the same id in two calendars is two events', async () => {
      const [calendar, other, id] = [await at.newCalendar(), await at.newCalendar(), newId()];
      await insert(calendar, id);
      await insert(other, id, { ...BODY, summary: 'Other' });
      expect([await titles(calendar), await titles(other)]).toEqual([['Haircut'], ['Other']]);
      expect(await get(other, id)).toMatchObject({ id, summary: 'Other' });
    });

    test.each([
      ['Asia/Tokyo', '2026-11-03T10:00:00+09:00', '2026-11-03T10:00'],
      ['America/New_York', '2027-03-14T03:30:00-04:00', '2027-03-14T03:30'],
      ['Australia/Lord_Howe', '2027-04-04T01:45:00+10:30', '2027-04-04T01:45'],
      ['UTC', '2026-11-03T10:00:00Z', '2026-11-03T10:00'],
    ])('in %s is shown by the clock of that zone', async (timeZone, dateTime, shown) => {
      const calendar = await at.newCalendar();
      const endMs = Date.parse(dateTime) + 3_600_000;
      const end = { dateTime: new Date(endMs).toISOString(), timeZone };
      const event = await insert(calendar, newId(), { ...BODY, start: { dateTime, timeZone }, end });
      expect(Date.parse(event.start?.dateTime ?? '')).toBe(Date.parse(dateTime));
      expect(await at.staff.see(calendar)).toMatchObject([{ start: shown, zone: timeZone }]);
    });
  });

  describe('absence', () => {
    test('of an event is said by a calendar that answers', async () => {
      const [calendar, id] = [await at.newCalendar(), newId()];
      expect(await at.api.get(calendar, id)).toBe('absent');
      expect(await at.api.getWhole(calendar, id)).toBe('absent');
      expect(await at.api.patch(calendar, { id }, BODY)).toBe('absent');
      expect(await at.api.remove(calendar, { id, etag: '"1"' })).toBe('absent');
      expect(await at.staff.see(calendar)).toEqual([]);
    });

    test.each(['get', 'patch', 'remove', 'changes', 'busy', 'marked', 'insert'] as const)(
      'is not concluded by %s from a calendar that is not there',
      async (name) => {
        const [calendar, id] = [await at.missingCalendar(), newId()];
        const calls = {
          get: () => at.api.get(calendar, id),
          patch: () => at.api.patch(calendar, { id }, BODY),
          remove: () => at.api.remove(calendar, { id, etag: '"1"' }),
          changes: () => at.watch.changes(calendar, { syncToken: undefined, pageToken: undefined }),
          busy: () => at.busy.list(calendar, NOVEMBER, { ruled: false }),
          marked: () => at.api.marked(calendar, MARK).next(),
          insert: () => at.api.insert(calendar, id, BODY),
        };
        await expect(calls[name]()).rejects.toMatchObject({
          family: 'deferred',
          code: 'calendar-not-shared',
        });
      },
    );
  });

  describe('a patch', () => {
    test('changes its fields and leaves what people added', async () => {
      const calendar = await at.newCalendar();
      const { id } = await insert(calendar);
      await at.staff.decorate(calendar, 'Haircut');
      const before = await at.staff.decorations(calendar, 'Haircut');
      expect(before.length).toBeGreaterThan(1);
      const seen = await get(calendar, id);
      const patched = await at.api.patch(calendar, seen, { summary: 'Colouring' });
      expect(patched).toMatchObject({ id, summary: 'Colouring', description: 'With Boris' });
      expect((patched as CalendarEvent).etag).not.toBe(seen.etag);
      expect(await get(calendar, id)).toEqual(patched);
      expect(await at.staff.decorations(calendar, 'Colouring')).toEqual(before);
      expect(await at.staff.see(calendar)).toEqual([{ ...SEEN, title: 'Colouring' }]);
    });

    test('with an etag that is no longer the one changes nothing and says so', async () => {
      const calendar = await at.newCalendar();
      const old = await insert(calendar);
      await at.staff.edit(calendar, 'Haircut', { title: 'By people' });
      expect(await at.api.patch(calendar, old, { ...BODY, summary: 'By the worker' })).toBe('changed');
      expect(await titles(calendar)).toEqual(['By people']);
    });

    test('without an etag is made whatever people did', async () => {
      const calendar = await at.newCalendar();
      const { id } = await insert(calendar);
      await at.staff.edit(calendar, 'Haircut', { title: 'By people' });
      expect(await at.api.patch(calendar, { id }, BODY)).toMatchObject({ summary: 'Haircut' });
      expect(await titles(calendar)).toEqual(['Haircut']);
    });

    test('by two at once loses no change without a word', async () => {
      const calendar = await at.newCalendar();
      const event = await insert(calendar);
      const bodies = [{ summary: 'By one' }, { location: 'By the other' }] as const;
      const both = await Promise.all(bodies.map((body) => at.api.patch(calendar, event, body)));
      const [title, place] = both.map((each) => each !== 'changed');
      expect(await at.staff.see(calendar)).toEqual([
        { ...SEEN, ...(title && { title: 'By one' }), ...(place && { place: 'By the other' }) },
      ]);
    });

    test('adds and removes marks, one by one', async () => {
      const calendar = await at.newCalendar();
      const event = await insert(calendar);
      const marks = { private: { slotbridge_hash: null, slotbridge_new: 'Ünïcode, "x"' } };
      const patched = await at.api.patch(calendar, event, { extendedProperties: marks });
      const left = { slotbridge: '1', slotbridge_new: 'Ünïcode, "x"' };
      expect(patched).toMatchObject({ extendedProperties: { private: left } });
      expect((await get(calendar, event.id)).extendedProperties?.private).toEqual(left);
    });

    test('brings an event back that people moved, and makes an all-day one timed again', async () => {
      const calendar = await at.newCalendar();
      const { id } = await insert(calendar);
      for (const times of [
        { start: '2026-11-05T15:00', end: '2026-11-05T17:00' },
        { start: '2026-11-06', end: '2026-11-07' },
      ]) {
        await at.staff.edit(calendar, 'Haircut', times);
        const seen = await get(calendar, id);
        const { start, end } = BODY;
        const timed = { start: { ...start, date: null }, end: { ...end, date: null } };
        await at.api.patch(calendar, seen, timed);
        expect(await at.staff.see(calendar)).toEqual([SEEN]);
      }
    });
  });

  describe('a removal', () => {
    test('needs the etag of now, and is made once', async () => {
      const calendar = await at.newCalendar();
      const old = await insert(calendar);
      await at.staff.edit(calendar, 'Haircut', { title: 'By people' });
      expect(await at.api.remove(calendar, old)).toBe('changed');
      expect(await titles(calendar)).toEqual(['By people']);
      const now = await get(calendar, old.id);
      expect(await at.api.remove(calendar, now)).toBe('removed');
      expect(await at.api.remove(calendar, now)).toBe('absent');
      expect(await titles(calendar)).toEqual([]);
    });

    test('by people can be undone, and then there is one event', async () => {
      const calendar = await at.newCalendar();
      const { id } = await insert(calendar);
      await at.staff.remove(calendar, 'Haircut');
      const gone = await at.api.get(calendar, id);
      if (gone === 'absent') await insert(calendar, id);
      else {
        expect(gone.status).toBe('cancelled');
        await at.api.patch(calendar, gone, BODY);
      }
      expect(await get(calendar, id)).toMatchObject({ status: 'confirmed', summary: 'Haircut' });
      expect(await titles(calendar)).toEqual(['Haircut']);
    });

    test('by people is not undone by a patch that does not know of it', async () => {
      const calendar = await at.newCalendar();
      const event = await insert(calendar);
      await at.staff.remove(calendar, 'Haircut');
      expect(['absent', 'changed']).toContain(await at.api.patch(calendar, event, { summary: 'Revived' }));
      expect(await titles(calendar)).toEqual([]);
    });
  });

  describe('a list', () => {
    test('of marked events has the live ones of the worker, and nothing of people', async () => {
      const calendar = await at.newCalendar();
      const [one, two] = [
        await insert(calendar),
        await insert(calendar, newId(), { ...BODY, summary: 'Two' }),
      ];
      await insert(calendar, newId(), { ...BODY, summary: 'Removed' });
      await at.staff.remove(calendar, 'Removed');
      await at.staff.add(calendar, WALK);
      const found: string[] = [];
      for await (const { id } of at.api.marked(calendar, MARK)) found.push(id);
      expect(found.sort()).toEqual([one.id, two.id].sort());
      const past = Date.parse('2026-01-01T00:00:00Z');
      const future = Date.parse('2027-01-01T00:00:00Z');
      expect(await at.api.countUpcoming(calendar, { property: MARK, fromMs: past })).toBe(2);
      expect(await at.api.countUpcoming(calendar, { property: MARK, fromMs: future })).toBe(0);
    });

    test('of notes has the one of a day, as it was written, and it can be taken out', async () => {
      const calendar = await at.newCalendar();
      await insert(calendar);
      const date = '2026-11-10';
      const id = noteIdOf({ installation: 'contract', calendarId: calendar, date, turn: 0 });
      const note: NoteBody = {
        ...{ summary: 'The calendar is behind', description: 'Since 10:32.\nAsk Anna; "soon", perhaps.' },
        ...{ status: 'confirmed', transparency: 'transparent', start: { date }, end: { date: '2026-11-11' } },
        extendedProperties: { private: { [MARK.key]: MARK.value, [NOTE_MARK.key]: NOTE_MARK.value } },
        reminders: { useDefault: false },
      };
      await at.api.insert(calendar, id, note);
      const found: CalendarEvent[] = [];
      for await (const event of at.api.marked(calendar, NOTE_MARK)) found.push(event);
      const { status: _status, reminders: _reminders, ...written } = note;
      expect(found).toMatchObject([{ id, ...written }]);
      expect((await at.staff.see(calendar)).map(({ title, start }) => [title, start])).toContainEqual([
        note.summary,
        date,
      ]);
      const read = await get(calendar, id);
      expect(await at.api.remove(calendar, read)).not.toBe('changed');
      expect(await titles(calendar)).toEqual(['Haircut']);
    });

    test('of busy times has everything in the window, series as single events', async () => {
      const calendar = await at.newCalendar();
      await insert(calendar);
      await at.staff.add(calendar, { ...WALK, isFree: true });
      await at.staff.add(calendar, { title: 'Holiday', start: '2026-11-10', end: '2026-11-12' });
      await at.staff.add(calendar, { ...WALK, title: 'Weekly', repeats: 'FREQ=WEEKLY;COUNT=10' });
      await at.staff.add(calendar, { title: 'Later', start: '2026-12-10T10:00', end: '2026-12-10T11:00' });
      const busy = await at.busy.list(calendar, NOVEMBER, { ruled: false });
      const marked = busy.filter(({ isMarked }) => isMarked);
      expect(marked).toHaveLength(1);
      expect(busy.filter(({ isFree }) => isFree)).toHaveLength(1);
      expect(busy.filter(({ start }) => start.date !== undefined)).toMatchObject([
        { start: { date: '2026-11-10' }, end: { date: '2026-11-12' } },
      ]);
      // 4, 11, 18 and 25 November.
      expect(busy.filter(({ seriesId }) => seriesId !== undefined)).toHaveLength(4);
      expect(busy).toHaveLength(7);
    });

    test('of a series has its instances at their own times, also after the clocks change', async () => {
      const calendar = await at.newCalendar();
      const weekly = { title: 'Weekly', start: '2026-10-12T10:00', end: '2026-10-12T11:00' };
      await at.staff.add(calendar, { ...weekly, repeats: 'FREQ=WEEKLY;COUNT=6' });
      await at.staff.shift(calendar, 'Weekly', { at: '2026-10-19T10:00', to: '2026-10-19T14:00' });
      await at.staff.shift(calendar, 'Weekly', { at: '2026-11-02T10:00', to: undefined });
      const { id } = await titled(calendar, 'Weekly');
      const window = { fromMs: Date.parse('2026-10-01T00:00:00Z'), untilMs: NOVEMBER.untilMs, limit: 100 };
      const found = await at.api.instances(calendar, id, window);
      if (typeof found === 'string') throw new Error(found);
      const shown = found.map((each) => [each.id.slice(id.length), iso(each), each.recurringEventId === id]);
      expect(shown.sort()).toEqual([
        ['_20261012T080000Z', '2026-10-12T08:00:00.000Z', true],
        ['_20261019T080000Z', '2026-10-19T12:00:00.000Z', true],
        ['_20261026T090000Z', '2026-10-26T09:00:00.000Z', true],
        ['_20261109T090000Z', '2026-11-09T09:00:00.000Z', true],
        ['_20261116T090000Z', '2026-11-16T09:00:00.000Z', true],
      ]);
      expect(await at.api.instances(calendar, id, { ...window, limit: 3 })).toBe('too-many');
      expect(await at.api.instances(calendar, newId(), window)).toBe('absent');
    });
  });

  describe('changes', () => {
    test('are a full list first, then what happened since, deletions too', async () => {
      const calendar = await at.newCalendar();
      const own = await insert(calendar);
      await at.staff.add(calendar, WALK);
      const first = await changesNow(calendar);
      expect(first.events.map(({ summary }) => summary).sort()).toEqual(['Haircut', 'Walk']);
      const walk = first.events.find(({ summary }) => summary === 'Walk');
      await at.staff.edit(calendar, 'Haircut', { start: '2026-11-03T15:00', end: '2026-11-03T16:00' });
      await at.staff.add(calendar, { ...WALK, title: 'Run' });
      await at.staff.remove(calendar, 'Walk');
      const then = await changesNow(calendar, first.token);
      const told = new Map(then.events.map((event) => [event.id, event]));
      expect(told.get(own.id)).toMatchObject({ status: 'confirmed', summary: 'Haircut' });
      expect(iso(told.get(own.id))).toBe('2026-11-03T14:00:00.000Z');
      expect(told.get(walk?.id ?? '')).toMatchObject({ status: 'cancelled' });
      expect(then.events.find(({ summary }) => summary === 'Run')).toBeDefined();
      // An old place tells at least what it told before.
      const again = await changesNow(calendar, first.token);
      expect(again.events.map(({ id }) => id)).toEqual(expect.arrayContaining([...told.keys()]));
      // The last change may be told twice; nothing else is.
      const last = await changesNow(calendar, then.token);
      for (const event of last.events) expect(event).toEqual(told.get(event.id));
    });

    test('tell the same etag as a read', async () => {
      const calendar = await at.newCalendar();
      const own = await insert(calendar);
      const { events } = await changesNow(calendar);
      expect(events).toEqual([await get(calendar, own.id)]);
      expect(events[0]?.etag).toBe(own.etag);
    });

    test("tell people's move to another calendar in both, under one id", async () => {
      const [calendar, other] = [await at.newCalendar(), await at.newCalendar()];
      const { id } = await insert(calendar);
      const [here, there] = [await changesNow(calendar), await changesNow(other)];
      await at.staff.hand(calendar, 'Haircut', other);
      expect((await changesNow(calendar, here.token)).events).toMatchObject([{ id, status: 'cancelled' }]);
      const arrived = await changesNow(other, there.token);
      expect(arrived.events).toMatchObject([{ id, status: 'confirmed', summary: 'Haircut' }]);
      expect(arrived.events[0]?.extendedProperties?.private).toMatchObject({ slotbridge: '1' });
    });

    test('after an event was made anew show the new one', async () => {
      const calendar = await at.newCalendar();
      await at.staff.add(calendar, WALK);
      const first = await changesNow(calendar);
      await at.staff.remove(calendar, 'Walk');
      await at.staff.add(calendar, { ...WALK, start: '2026-11-04T15:00', end: '2026-11-04T16:00' });
      const { events } = await changesNow(calendar, first.token);
      const live = events.filter(({ status }) => status !== 'cancelled');
      expect(live.map(iso)).toEqual(['2026-11-04T14:00:00.000Z']);
    });

    test('of a token that never was lead to a full list', async () => {
      const calendar = await at.newCalendar();
      await insert(calendar);
      const { token = '' } = await changesNow(calendar);
      expect(['lost', 'place-refused']).toContain(await changes(calendar, `${token.slice(0, 3)}never-was`));
      expect((await changesNow(calendar)).events).toHaveLength(1);
    });

    test('of a lost token lead to a full list', async ({ skip }) => {
      if (at.staff.loseTokens === undefined) return skip();
      const calendar = await at.newCalendar();
      await insert(calendar);
      const { token } = await changesNow(calendar);
      await at.staff.loseTokens(calendar);
      expect(await changes(calendar, token)).toBe('lost');
      expect((await changesNow(calendar)).events).toHaveLength(1);
    });

    test("name a series by its master, and people's change of one occurrence", async () => {
      const calendar = await at.newCalendar();
      await at.staff.add(calendar, { ...WALK, title: 'Weekly', repeats: 'FREQ=WEEKLY;COUNT=4' });
      const first = await changesNow(calendar);
      expect(first.events).toMatchObject([{ summary: 'Weekly', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] }]);
      const [{ id } = { id: '' }] = first.events;
      await at.staff.shift(calendar, 'Weekly', { at: '2026-11-11T12:00', to: '2026-11-11T17:00' });
      const { events } = await changesNow(calendar, first.token);
      const moved = events.find((each) => each.recurringEventId === id);
      expect(moved?.id).toBe(`${id}_20261111T110000Z`);
      expect(iso(moved)).toBe('2026-11-11T16:00:00.000Z');
    });
  });

  describe('a calendar', () => {
    test('that may be written says so', async () => {
      const calendar = await at.newCalendar();
      await at.api.assertWritable(calendar);
      expect(['owner', 'writer']).toContain(await at.api.accessRole(calendar));
      expect(await at.api.zone(calendar)).toBe(at.zone);
    });

    test('that may only be read refuses every write, for a reason that is kept', async ({ skip }) => {
      if (at.readOnlyCalendar === undefined) return skip();
      const calendar = await at.readOnlyCalendar();
      await expect(at.api.assertWritable(calendar)).rejects.toMatchObject({ code: 'calendar-read-only' });
      await expect(at.api.insert(calendar, newId(), BODY)).rejects.toMatchObject({
        code: 'calendar-read-only',
      });
      expect(await changesNow(calendar)).toMatchObject({ events: [] });
    });

    test('of the same account takes an event over, or refuses and changes nothing', async () => {
      const [calendar, other] = [await at.newCalendar(), await at.newCalendar()];
      const { id } = await insert(calendar);
      expect(at.api.isSameAccount(calendar, other)).toBe(true);
      const moved = await at.api.move(calendar, id, other);
      if (moved === 'refused')
        expect([await titles(calendar), await titles(other)]).toEqual([['Haircut'], []]);
      else {
        expect(moved).toMatchObject({ id, summary: 'Haircut' });
        expect([await titles(calendar), await titles(other)]).toEqual([[], ['Haircut']]);
        expect(await get(other, id)).toMatchObject({ id, extendedProperties: BODY.extendedProperties });
      }
    });
  });
}

function iso(event: CalendarEvent | undefined): string | undefined {
  const at = event?.start?.dateTime;
  return at === undefined ? undefined : new Date(at).toISOString();
}
