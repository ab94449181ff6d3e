/** What of an event the mirror writes, and what belongs to people (P6). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldsOfBody, fieldsOfEvent } from '../../src/calendar/event-writer.ts';
import { GUEST_MARKS, hashTexts } from '../../src/engine/event-texts.ts';
import { contentInSeries } from '../../src/google/calendar-event.ts';
import { ANNA, NOW_MS, openStand, type Stand } from './stand.ts';
import { NO_QUOTAS, type Situation, TEN, TWELVE, write } from './writer-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ quotas: NO_QUOTAS });
});
afterAll(() => stand.close());

/** Nobody has touched the event since the worker wrote it. */
const known = { isDecided: true, shows: TWELVE } as const;
/** The worker remembers what it wrote, so it does not read the event before the next write. */
const unread = { ...known, link: { isOwn: true, shown: {} } } as const;

type Fields = Readonly<Record<string, unknown>>;
const GIVEN: readonly [string, Fields, Fields][] = [
  ['title', { summary: 'Haircut' }, { summary: 'Mine' }],
  ['description', { description: 'from the mapping' }, { description: 'Mine' }],
  ['place', { location: 'Room 1' }, { location: 'Mine' }],
  ['colour', { colorId: '11' }, { colorId: '5' }],
  ['visibility', { visibility: 'private' }, { visibility: 'public' }],
  ['time as free', { transparency: 'transparent' }, { transparency: 'opaque' }],
  ['status', { status: 'confirmed' }, { status: 'tentative' }],
];

describe.each(GIVEN)('a %s that the mapping gives', (_, given, peoples) => {
  test('is put right', async () => {
    const { event, hasWritten } = await write(stand, 'update', { ...known, wants: given, has: peoples });
    expect(event()).toMatchObject(given);
    expect(hasWritten).toBe(true);
  });

  test('costs no write while it stands (case 46)', async () => {
    const { event, etag, link, hasWritten } = await write(stand, 'update', {
      ...known,
      ...{ wants: given, has: given },
    });
    expect(event()).toMatchObject({ etag, ...given });
    expect(link?.event).toMatchObject({ is: 'written', etag });
    expect(hasWritten).toBe(false);
  });
});

test.each(GIVEN.filter(([name]) => !['title', 'status'].includes(name)))(
  'a %s that the mapping does not give belongs to people, and is no reason for a write',
  async (_, peoples) => {
    for (const situation of [known, unread]) {
      const { event } = await write(stand, 'update', { ...situation, has: peoples });
      expect(event()).toMatchObject(peoples);
    }
    const { hasWritten } = await write(stand, 'update', { ...known, has: peoples });
    expect(hasWritten).toBe(false);
  },
);

test.each([
  ['begins', { start: { dateTime: '2026-11-03T11:59:00Z' }, end: { dateTime: '2026-11-03T13:00:00Z' } }],
  ['ends', { start: { dateTime: TWELVE }, end: { dateTime: '2026-11-03T13:01:00Z' } }],
  ['lasts all day instead of', { start: { date: '2026-11-03' }, end: { date: '2026-11-04' } }],
])('an event that %s at another time gets the hour of the appointment', async (_, has) => {
  const { event } = await write(stand, 'update', { ...known, has });
  const { start, end } = event() as { start: { dateTime: string; date?: string }; end: { dateTime: string } };
  expect(Date.parse(start.dateTime)).toBe(Date.parse(TWELVE));
  expect(Date.parse(end.dateTime)).toBe(Date.parse('2026-11-03T13:00:00Z'));
  expect(start.date).toBeUndefined();
});

test('an event of which people made a series is one event again', async () => {
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
  const { event } = await write(stand, 'update', { ...known, has: { recurrence } });
  expect(event()?.['recurrence']).toBeUndefined();
});

test('an event whose mark names another mirror gets its own mark again', async () => {
  const { event } = await write(stand, 'update', { ...known, mark: { slotbridge_mirror: 'other' } });
  expect(event()).toMatchObject({ extendedProperties: { private: { slotbridge_mirror: 'm' } } });
});

describe('a colour', () => {
  const gave = { coloured: true } as const;
  test.each<[string, Situation, string | undefined]>([
    [
      'that the mirror gave goes with its reason',
      { ...known, link: gave, has: { colorId: '11' } },
      undefined,
    ],
    [
      'that the mirror gave goes, also unread',
      { ...unread, link: { ...unread.link, ...gave }, has: { colorId: '11' } },
      undefined,
    ],
    [
      'of people stays, although the mirror had given one',
      { ...known, link: gave, has: { colorId: '5' } },
      '5',
    ],
    ['of people stays, although the mapping has the same one', { ...known, has: { colorId: '11' } }, '11'],
    ['of people stays, also unread', { ...unread, has: { colorId: '11' } }, '11'],
    ['stays away', { ...known, link: gave }, undefined],
  ])('%s (P6)', async (_, situation, expected) => {
    const { event, link } = await write(stand, 'update', situation);
    expect(event()?.['colorId']).toBe(expected);
    expect(link?.coloured).toBe(false);
  });

  test('of an event that nobody remembers goes if it is one of the mapping', async () => {
    const colourAfter = async (colorId: string) =>
      (await write(stand, 'create', { shows: TWELVE, has: { colorId } })).event()?.['colorId'];
    expect([await colourAfter('11'), await colourAfter('5')]).toEqual([undefined, '5']);
  });

  test('gives way to another one of the mapping', async () => {
    const { event, link } = await write(stand, 'update', {
      ...{ ...known, link: gave, has: { colorId: '11' }, wants: { colorId: '5' } },
    });
    expect(event()?.['colorId']).toBe('5');
    expect(link?.coloured).toBe(true);
  });

  test('is not written over a label that people chose, nor taken away with it', async () => {
    const labelled = { eventLabelId: 'label-1', colorId: '11' };
    const other = { ...known, shows: TEN, has: labelled };
    expect((await write(stand, 'update', { ...other, wants: { colorId: '5' } })).event()).toMatchObject(
      labelled,
    );
    expect((await write(stand, 'update', { ...other, link: gave })).event()).toMatchObject(labelled);
    const wants = { ...known, wants: { colorId: '5' }, has: labelled };
    expect((await write(stand, 'update', wants)).event()).toMatchObject(labelled);
    const former = await write(stand, 'update', { ...known, link: gave, has: labelled });
    expect(former.event()).toMatchObject(labelled);
    expect(former.hasWritten).toBe(false);
  });

  test('of a new event is known before its insert is sent', async () => {
    const intendedOf = async (wants: Situation['wants'] & object) =>
      (await write(stand, 'create', { shows: 'gone', wants })).intended.map((link) => link.coloured);
    expect(await intendedOf({ colorId: '11' })).toEqual([true]);
    expect(await intendedOf({})).toEqual([false]);
  });

  test.each([
    [true, '11', { coloured: false }],
    [true, undefined, { coloured: true }],
    [false, undefined, { coloured: false }],
  ])(
    'is known to be the mirror’s before its write is sent: %s',
    async (isColoured, colorId, { coloured }) => {
      const wants = colorId === undefined ? {} : { colorId };
      const { intended } = await write(stand, 'update', {
        ...{ ...unread, wants, link: { ...unread.link, coloured } },
      });
      expect(intended.map((link) => link.coloured)).toEqual([isColoured]);
    },
  );
});

describe('names of guests', () => {
  const [first = '', second = ''] = GUEST_MARKS;
  const marks = (event: Record<string, unknown> = {}) =>
    (event['extendedProperties'] as { private: Record<string, string> }).private;

  test('leave with their marks, although the mapping gives no description any more (P9)', async () => {
    const situation = { has: { description: 'Vera, Olga' }, mark: { [first]: 'a', [second]: 'b' } };
    const read = await write(stand, 'update', { ...known, ...situation });
    expect(read.event()?.['description'] ?? '').toBe('');
    expect(Object.keys(marks(read.event()))).not.toContain(first);
    expect(read.link?.namesGuests).toBeUndefined();
    const link = { ...unread.link, namesGuests: true } as const;
    const { event } = await write(stand, 'update', { ...unread, ...situation, link });
    expect(event()?.['description'] ?? '').toBe('');
    expect(Object.keys(marks(event()))).not.toContain(second);
  });

  test('that are still shown stay, and a mark that is no longer needed goes', async () => {
    const wants = { description: 'Vera', extendedProperties: { private: { [first]: 'a' } } };
    const { event, link } = await write(stand, 'update', {
      ...{ ...known, wants, has: { description: 'Vera, Olga' }, mark: { [first]: 'a', [second]: 'b' } },
    });
    expect(event()).toMatchObject({ description: 'Vera' });
    expect(marks(event())).toMatchObject({ [first]: 'a' });
    expect(Object.keys(marks(event()))).not.toContain(second);
    expect(link?.namesGuests).toBe(true);
  });

  test('that were never there cost no description of people', async () => {
    for (const situation of [known, unread]) {
      const { event } = await write(stand, 'update', { ...situation, has: { description: 'Mine' } });
      expect(event()).toMatchObject({ description: 'Mine' });
    }
  });
});

test('the link remembers what was written: hour, status, texts and note', async () => {
  const note = { code: 'not-taken', text: 'why', of: 'p' } as const;
  const texts = { summary: 'Haircut', description: 'D', location: 'L' };
  const { link } = await write(stand, 'create', {
    ...{
      shows: 'gone',
      wants: { description: 'D', location: 'L', colorId: '11' },
      parts: { note: note as never },
    },
  });
  expect(link).toMatchObject({
    ...{ calendarId: ANNA, coloured: true, absence: 'wish', edit: { is: 'settled' }, note },
    event: {
      ...{ is: 'written', hash: 'new', status: 'confirmed', shown: hashTexts(texts, note.text) },
      hour: { startsAt: TWELVE, endsAt: new Date('2026-11-03T13:00:00Z').toISOString() },
    },
  });
  const { link: bare } = await write(stand, 'create', { shows: 'gone' });
  expect(bare?.event).toMatchObject({ is: 'written' });
  const { shown, content } = { shown: undefined, content: undefined, ...bare?.event };
  expect([shown, content]).toEqual([hashTexts({ summary: 'Haircut' }, undefined), undefined]);
  expect(Object.keys(bare ?? {})).not.toContain('note');
});

describe('an instance of a series of people', () => {
  async function instance() {
    const series = randomUUID().replaceAll('-', '');
    stand.staff.add({
      ...{ calendarId: ANNA, id: series },
      event: {
        ...{ summary: 'Haircut', visibility: 'public', recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
        start: { dateTime: TEN, timeZone: 'UTC' },
        end: { dateTime: '2026-11-03T11:00:00Z', timeZone: 'UTC' },
      } as never,
    });
    const window = { fromMs: NOW_MS, untilMs: NOW_MS + 9 * 86_400_000, limit: 9 };
    const events = await stand.api.instances(ANNA, series, window);
    const first = typeof events === 'string' ? undefined : events[0];
    if (first === undefined) throw new Error('the series has no event');
    return first;
  }

  test('is written without a look if only its siblings have changed since', async () => {
    const one = await instance();
    const stored = (content: string) => ({
      ...({ eventId: one.id, etag: '"1"', isOwn: true, shown: {}, startsAt: TEN, content } as const),
    });
    const calls: string[] = [];
    const before = (call: string) => calls.push(call);
    const situation = { shows: 'gone', before } as const;
    const content = String(contentInSeries(one));
    await write(stand, 'update', { ...situation, link: stored(content) });
    expect(calls.splice(0)).toEqual(['patch']);
    const other = await instance();
    const changed = { ...stored('what it was'), eventId: other.id };
    const edits = { moved: 'revert', deleted: 'restore' } as const;
    await write(stand, 'update', { ...situation, link: changed, edits });
    expect(calls).toEqual(['patch', 'getIn', 'patch']);
  });

  test('gets no visibility: Google would apply it to all of the series', async () => {
    const first = await instance();
    const wants = { visibility: 'private' } as const;
    const link = { eventId: first.id, etag: first.etag };
    const { event, link: after } = await write(stand, 'update', { shows: 'gone', wants, link });
    expect(event(first.id)).toMatchObject({ visibility: 'public' });
    expect(after?.event).toMatchObject({ is: 'written', content: expect.any(String) });
  });
});

test('fields have the names that people know, and what is left out says what Google shows then', () => {
  const at = { start: { dateTime: TEN }, end: { dateTime: TWELVE } };
  const rest = { status: 'confirmed', extendedProperties: { private: {} } } as const;
  const title = { start: TEN, end: TWELVE, title: 'T' };
  expect(fieldsOfBody({ ...at, ...rest, summary: 'T' } as never)).toEqual(title);
  const given = { description: 'D', location: 'L', visibility: 'private' } as const;
  const body = { ...at, ...rest, ...given, summary: 'T', transparency: 'transparent' };
  const full = { ...title, ...given, busy: 'no' };
  expect(fieldsOfBody({ ...body, colorId: '5' } as never)).toEqual({ ...full, color: '5' });
  expect(fieldsOfBody({ ...body, colorId: null } as never)).toEqual({ ...full, color: 'default' });
  const shown = { ...at, id: 'x', etag: '', status: 'confirmed' };
  const bare = { start: TEN, end: TWELVE, title: '', description: '', location: '' };
  expect(fieldsOfEvent(shown as never)).toEqual({
    ...bare,
    color: 'default',
    visibility: 'default',
    busy: 'yes',
  });
  const all = { ...shown, ...given, summary: 'T', colorId: '5', transparency: 'transparent' };
  expect(fieldsOfEvent(all as never)).toEqual({ ...full, color: '5' });
  const days = { ...shown, start: { date: '2026-11-03' }, end: undefined };
  expect(fieldsOfEvent(days as never)).toMatchObject({ start: '2026-11-03', end: '' });
});
