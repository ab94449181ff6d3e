/** What 0.2.0 has stored about events, as this version reads it. */
import { describe, expect, test } from 'vitest';
import type { MirrorLinks } from '../../../src/engine/link.ts';
import {
  linksText,
  parseLinks,
  type StoredLink,
  type StoredRecord,
  toLink,
  toRecord,
  toStored,
  toStoredRecord,
} from '../../../src/engine/link.ts';
import {
  type BookingRecord,
  bookedAs,
  NEW_BOOKING,
  ownOf,
  wishedOf,
} from '../../../src/engine/outside-booking.ts';
import { forms020, redis020, world020 } from '../../stand/state-of-0.2.0.ts';

const forms = forms020.links as unknown as readonly StoredLink[];

const WISH = { startsAt: '2026-03-03T07:00:00.000Z', rest: 'r' };
const records = forms020.records as unknown as readonly StoredRecord[];

/** In three words: what is known of the event, what its absence would mean, what becomes of people's change. */
function said(stored: StoredLink): string {
  const { event, absence, edit } = toLink(stored);
  return `${event.is} ${absence} ${edit.is}`;
}

test('every form in which 0.2.0 has stored a link has one meaning', () => {
  const told = forms.map((stored) => `${said(stored)}: ${fieldsOf(stored)}`);
  expect(told).toMatchInlineSnapshot(`
    [
      "written wish asked: etag hash asked editSeenAtMs endsAt note resourceIds startsAt status visitHash",
      "written wish asked: etag hash asked editSeenAtMs endsAt resourceIds startsAt status visitHash",
      "doubtful wish asked: etag asked editSeenAtMs resourceIds startsAt status visitHash",
      "written wish open: etag hash editSeenAtMs endsAt resourceIds startsAt status visitHash",
      "doubtful wish open: etag editSeenAtMs resourceIds startsAt status visitHash",
      "strayed wish open: etag editSeenAtMs strayed",
      "written wish settled: etag hash endsAt leftAt resourceIds startsAt status visitHash",
      "written wish settled: etag hash endsAt note resourceIds startsAt status visitHash",
      "written wish settled: etag hash endsAt resourceIds startsAt status visitHash",
      "doubtful leaving settled: etag endsAt leaving resourceIds startsAt status tried visitHash",
      "doubtful leaving settled: etag endsAt leaving resourceIds startsAt status visitHash",
      "doubtful wish settled: etag endsAt leftAt resourceIds startsAt status tried visitHash",
      "doubtful wish settled: etag endsAt note resourceIds startsAt status tried visitHash",
      "doubtful wish settled: etag endsAt note resourceIds startsAt status visitHash",
      "doubtful wish settled: etag endsAt resourceIds startsAt status tried visitHash",
      "doubtful wish settled: etag endsAt resourceIds startsAt status visitHash",
      "found wish settled: etag",
      "intended wish settled: etag intendedAtMs resourceIds tried visitHash",
      "strayed leaving settled: etag leaving leftAt startsAt strayed",
      "doubtful leaving settled: etag leaving resourceIds startsAt status visitHash",
      "strayed leaving settled: etag leaving startsAt strayed",
      "strayed leaving settled: etag leaving strayed",
      "strayed wish settled: etag leftAt startsAt strayed",
      "doubtful wish settled: etag resourceIds startsAt status tried visitHash",
      "doubtful wish settled: etag resourceIds startsAt status visitHash",
      "strayed wish settled: etag resourceIds startsAt strayed tried visitHash",
      "found wish settled: etag resourceIds startsAt tried visitHash",
      "found wish settled: etag resourceIds tried visitHash",
      "found wish settled: etag startsAt",
      "strayed wish settled: etag startsAt strayed",
      "strayed wish settled: etag strayed",
      "found wish settled: ",
      "intended wish settled: intendedAtMs resourceIds tried visitHash",
      "found wish settled: resourceIds startsAt tried visitHash",
      "found wish settled: startsAt",
    ]
  `);
});

test('nothing that 0.2.0 has stored in a link is lost when this version writes it', () => {
  for (const stored of forms) expect(toStored(toLink(stored))).toEqual(stored);
});

test('nor is what this version stores besides', () => {
  const known: StoredLink = {
    ...{ calendarId: 'a', eventId: 'e', etag: '"1"', hash: '', coloured: true, status: 's' },
    ...{ isOwn: true, shown: { summary: 'x' }, doubled: true, editSeenAtMs: 1, missedSinceMs: { p: 2 } },
    ...{ looks: { b: 3 }, asked: 'cancel', overrules: 'o', released: true },
  };
  expect(toStored(toLink(known))).toEqual(known);
  const { editSeenAtMs: _, missedSinceMs: __, looks: ___, ...dropped } = known;
  expect(toStored(toLink(dropped))).toEqual(dropped);
  expect(said(dropped)).toBe('doubtful doubled dropped');
});

test('every form in which 0.2.0 has stored the record of a booking has one meaning, and loses nothing', () => {
  const told = records.map((stored) => {
    const record = toRecord(stored);
    const own = ownOf(record);
    expect(toStoredRecord(record)).toEqual(stored);
    const asked = record.asked === undefined ? [] : ['asked'];
    const answered = record.told.is === 'given' ? ['answered'] : [];
    const wish = own === undefined ? [] : [own.wish.is];
    return [record.state, ...wish, ...asked, ...answered].join(' ');
  });
  expect([...new Set(told)].sort()).toMatchInlineSnapshot(`
    [
      "booked carried",
      "booked carried answered",
      "cancelled carried answered",
      "ignored",
      "ignored answered",
      "new asked",
      "refused",
      "refused answered",
      "refused asked answered",
    ]
  `);
});

test.each<[string, StoredRecord, BookingRecord]>([
  [
    'refused anew beside its cancelled appointment',
    { state: 'refused', code: 'c', appointmentId: 'a', said: WISH },
    { ...NEW_BOOKING, state: 'refused', code: 'c', own: { id: 'a', wish: { is: 'unknown' }, said: WISH } },
  ],
  ['booked, and names none', { state: 'booked', wished: WISH }, NEW_BOOKING],
  ['not decided, and names one', { state: 'new', appointmentId: 'a' }, bookedAs(NEW_BOOKING, { id: 'a' })],
  [
    'overruled',
    { state: 'booked', appointmentId: 'a', wished: WISH, overruled: 'o' },
    {
      ...{ state: 'booked', told: { is: 'nothing' } },
      own: { id: 'a', wish: { is: 'overruled', wished: WISH, startsAt: 'o' } },
    },
  ],
  [
    'answered, and the answer is not known: what stands there is taken away',
    { state: 'ignored', code: 'c', answered: 'h' },
    {
      ...{ state: 'ignored', code: 'c' },
      told: { is: 'given', answer: { state: 'ignored', text: '' }, stands: 'h' },
    },
  ],
])('a record that is %s', (_, stored, record) => {
  expect(toRecord(stored)).toEqual(record);
});

test('a move of a class is kept with what was asked for, also where nobody asks any more', () => {
  const members = [{ id: 'a', is: 'leaving', state: 's' }] as const;
  const [from, to] = [WISH.startsAt, '2026-03-03T09:00:00.000Z'];
  const classMove = { from, to, resourceId: 'r', notifyCustomer: false, members };
  const stored = {
    calendarId: 'c',
    eventId: 'e',
    etag: '"1"',
    hash: '',
    coloured: false,
    asked: to,
    classMove,
  };
  expect(toLink(stored).edit).toEqual({ is: 'dropped', wish: { for: to, classMove } });
  const open = { ...stored, editSeenAtMs: 1 };
  expect(toLink(open).edit).toMatchObject({ is: 'asked', wish: { for: to, classMove } });
  for (const each of [stored, open]) expect(toStored(toLink(each))).toEqual(each);
});

describe('in the Redis of a worker of 0.2.0', () => {
  const links = Object.entries(redis020).flatMap(([name, { value }]) =>
    Object.entries(value)
      .filter(([field]) => field.startsWith('l:'))
      .map(([field, each]) => ({
        name,
        mirror: field.slice(2),
        links: parseLinks(JSON.stringify(each)),
        each,
      })),
  );
  const eventOf = (key: string) => {
    const { value } = redis020[key] ?? { value: '' };
    return typeof value === 'string' ? undefined : (value['s'] as { event_id?: string }).event_id;
  };
  const of = (id: string | undefined) =>
    links
      .filter(({ name }) => name === `object:appointment/${id}`)
      .flatMap((each) => each.links.calendars ?? []);
  const { appointments } = world020;

  test.each([
    ['home', ['anna@clinic.example']],
    ['two', ['anna@clinic.example', 'room1@group.calendar.google.com']],
    ['moved', ['anna@clinic.example']],
    ['handed', ['boris@clinic.example']],
    ['left', ['clara@clinic.example']],
    ['cancelled', []],
    ['deleted', []],
  ])('an appointment that is %s is linked in %j', (name, calendars) => {
    const found = of(appointments[name]);
    expect(found.map(({ calendarId }) => calendarId)).toEqual(calendars);
    for (const { event, absence, edit } of found)
      expect([event.is, absence, edit.is]).toEqual(['written', 'wish', 'settled']);
  });

  test.each([
    ['booked', 'booked', true],
    ['undone', 'booked', true],
    ['refused', 'refused', false],
    ['past', 'ignored', false],
  ])('an event that is %s has a record that is %s', (name, state, hasAppointment) => {
    const event = world020.origins[name];
    const [found] = links.filter(({ name: key }) => eventOf(key) === event);
    expect(found?.links.booking?.state).toBe(state);
    expect(wishedOf(ownOf(found?.links.booking)) !== undefined).toBe(hasAppointment);
  });

  test('a note in an event is known', () => {
    const noted = links
      .flatMap((each) => each.links.calendars ?? [])
      .filter(({ note }) => note !== undefined);
    expect(noted.map(({ note }) => note?.code)).toEqual(['slot-unavailable']);
  });

  test('each is read again as it was, without the names of what no script reads', () => {
    for (const { links: known } of links) {
      const text = linksText(known);
      expect(parseLinks(text)).toEqual(known);
      expect(text).not.toMatch(/"(startsAt|endsAt|status|shown|visitHash)":"?[^"]*".*"k":/);
      for (const { calendarId, eventId } of known.calendars ?? [])
        expect(JSON.parse(text).calendars).toContainEqual(expect.objectContaining({ calendarId, eventId }));
    }
    expect(links.filter(({ links: { calendars } }: { links: MirrorLinks }) => calendars).length).toBe(9);
  });
});

function fieldsOf({ etag, hash, ...stored }: StoredLink): string {
  const { calendarId: _, eventId: __, coloured: ___, ...known } = stored;
  return [etag && 'etag', hash && 'hash', ...Object.keys(known).sort()]
    .filter((name) => name !== '')
    .join(' ');
}

test('a link that a script has rewritten can be read, although Lua has no empty list', () => {
  const move = { from: 'a', to: 'b', resourceId: 'r', notifyCustomer: false, members: [] };
  const stored: StoredLink = {
    ...{ calendarId: 'c', eventId: 'e', etag: '', hash: 'h', coloured: false, resourceIds: [], tried: [] },
    ...{ editSeenAtMs: 1, asked: 'x', classMove: move },
  };
  const written = { calendars: [stored], slots: [], told: [], sheet: { formats: {} } };
  const rewritten = JSON.stringify(written).replaceAll('[]', '{}');
  expect(parseLinks(rewritten)).toEqual(parseLinks(JSON.stringify(written)));
  expect(parseLinks('{"calendars":{}}')).toEqual({ calendars: [] });
});
