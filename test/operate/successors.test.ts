import { expect, test } from 'vitest';
import type { CalendarLink, ObjectLinks, SheetLink } from '../../src/engine/link.ts';
import { toLink } from '../../src/engine/link.ts';
import {
  type CalendarSuccessor,
  inherit,
  type Successor,
} from '../../src/operate/mapping-change/inherit-links.ts';

const stored = {
  ...{ calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'h', coloured: false, status: 'confirmed' },
  ...{ startsAt: '2026-03-03T07:00:00Z', sourceHash: 'v', resourceIds: ['anna'] },
};
const inA = toLink(stored);
const inRoom: CalendarLink = { ...inA, calendarId: 'r', resourceIds: ['room'] };
const row: SheetLink = { spreadsheetId: 'book', tab: 'Visits', hash: 'h' };

const staff = (
  name: string,
  lines: Readonly<Record<string, string>>,
  gained: readonly string[] = [],
): CalendarSuccessor => ({
  ...{ kind: 'calendar', name, from: 'appointment' },
  resources: new Set(Object.keys(lines)),
  calendars: new Set(Object.values(lines)),
  gained: new Set(gained),
});
const sheet = (name: string, tab = 'Visits'): Successor => ({
  ...{ kind: 'sheet', name, from: 'appointment' },
  places: [{ spreadsheetId: 'book', tab }],
});

const events = (name: string, ...calendars: CalendarLink[]): ObjectLinks => ({ [name]: { calendars } });

test.each<[string, { links: ObjectLinks; successors: readonly Successor[] }, ObjectLinks | undefined]>([
  [
    'a mirror that is still there keeps its own',
    { links: events('m', inA), successors: [staff('m', { anna: 'a' })] },
    undefined,
  ],
  [
    'also where its resource has another calendar, which a third mirror names',
    {
      links: events('m', inA),
      successors: [staff('m', { anna: 'b' }), staff('n', { boris: 'a' }, ['boris'])],
    },
    undefined,
  ],
  [
    'a mirror that was renamed goes on with all of them',
    { links: events('m', inA, inRoom), successors: [staff('n', { anna: 'a', room: 'r' }, ['anna', 'room'])] },
    { m: {}, n: { calendars: [inA, inRoom] } },
  ],
  [
    'and with those of a resource that was given another calendar in the same edit',
    { links: events('m', inA), successors: [staff('n', { anna: 'b' }, ['anna'])] },
    { m: {}, n: { calendars: [inA] } },
  ],
  [
    'a resource that went to another mirror takes its events along',
    {
      links: events('m', inA, inRoom),
      successors: [staff('m', { anna: 'a' }), staff('rooms', { room: 'r' }, ['room'])],
    },
    { m: { calendars: [inA] }, rooms: { calendars: [inRoom] } },
  ],
  [
    'a mirror that had the resource all along does not take over what a deleted mirror wrote elsewhere',
    { links: events('m', inA), successors: [staff('n', { anna: 'x' })] },
    undefined,
  ],
  [
    'nor does one that has the calendar for somebody else',
    { links: events('m', inA), successors: [staff('n', { boris: 'a' }, ['boris'])] },
    undefined,
  ],
  [
    'two that may have taken over the resource: nobody guesses',
    {
      links: events('m', inA),
      successors: [staff('n', { anna: 'x' }, ['anna']), staff('o', { anna: 'y' }, ['anna'])],
    },
    undefined,
  ],
  [
    'of whom nothing is known, the calendar decides',
    { links: events('m', { ...inA, resourceIds: [] }), successors: [staff('n', { anna: 'a' })] },
    { m: {}, n: { calendars: [{ ...inA, resourceIds: [] }] } },
  ],
  [
    'two remember one event: what either says of it is not trusted, nor who moved it concluded',
    {
      links: {
        m: { calendars: [inA] },
        n: { calendars: [toLink({ ...stored, hash: 'old', startsAt: '2026-03-03T09:00:00Z' })] },
      },
      successors: [staff('n', { anna: 'a' }, ['anna'])],
    },
    {
      m: {},
      n: {
        calendars: [
          toLink({
            ...{ calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: '', coloured: false },
            ...{ status: 'confirmed', resourceIds: ['anna'] },
          }),
        ],
      },
    },
  ],
  [
    'a renamed sheet mirror goes on with the row',
    { links: { m: { sheet: row } }, successors: [sheet('n')] },
    { m: {}, n: { sheet: row } },
  ],
  ['in its own tab only', { links: { m: { sheet: row } }, successors: [sheet('n', 'Other')] }, undefined],
  [
    'a sheet mirror that is still there knows itself what to do with a tab that it has left',
    { links: { m: { sheet: row } }, successors: [sheet('m', 'Other'), sheet('n')] },
    undefined,
  ],
  [
    'two remember one row: it is written again',
    { links: { m: { sheet: row }, n: { sheet: { ...row, hash: 'old' } } }, successors: [sheet('n')] },
    { m: {}, n: { sheet: { ...row, hash: '' } } },
  ],
  [
    'a row that people deleted for good stays away',
    { links: { m: { sheet: { ...row, hash: 'left' } }, n: { sheet: row } }, successors: [sheet('n')] },
    { m: {}, n: { sheet: { ...row, hash: 'left' } } },
  ],
  [
    'a calendar mirror has no use for the row of a mirror of its name',
    { links: { m: { calendars: [inA], sheet: row } }, successors: [staff('m', { anna: 'a' }), sheet('n')] },
    { m: { calendars: [inA] }, n: { sheet: row } },
  ],
])('%s', (_, { links, successors }, expected) => {
  expect(inherit('appointment', links, successors)).toEqual(expected);
});

test('what is done once is done: a second look finds nothing to move', () => {
  const successors = [staff('n', { anna: 'b', room: 'r' }, ['anna', 'room']), sheet('t')];
  const once = inherit('appointment', { m: { calendars: [inA, inRoom] }, s: { sheet: row } }, successors);
  expect(once).toEqual({ m: {}, s: {}, n: { calendars: [inA, inRoom] }, t: { sheet: row } });
  expect(inherit('appointment', once ?? {}, successors)).toBeUndefined();
});

test('a mirror of another kind of object is no successor', () => {
  expect(inherit('contact', { m: { sheet: row } }, [sheet('n')])).toBeUndefined();
});
