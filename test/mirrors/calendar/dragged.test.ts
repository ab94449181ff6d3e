import { expect, test } from 'vitest';
import type { CalendarLink } from '../../../src/domain/link.ts';
import { type DraggedRules, followDragged } from '../../../src/mirrors/calendar/dragged.ts';

const LINK = { eventId: 'own1', hash: '', coloured: false } as const;
const home: CalendarLink = { ...LINK, calendarId: 'a', etag: '"1"', startsAt: '2026-03-03T07:00:00Z' };
const stray: CalendarLink = { ...home, calendarId: 'b', etag: '"2"', strayed: true };
const room: CalendarLink = { ...LINK, calendarId: 'c', eventId: 'sb1', etag: '"3"' };
const rules: DraggedRules = { isLeft: () => false, missedAt: () => [] };

test('an event is linked where it stands, and no more where it was', () => {
  const { strayed: _, ...followed } = stray;
  expect(followDragged([home, room, stray], rules)).toEqual([room, followed]);
  expect(followDragged([stray, room, home], rules)).toEqual([room, followed]);
});

test('what is to be said in it goes along, where it was let be does not', () => {
  const note = { code: 'past', text: 'Not moved.', of: 'standing' };
  const { strayed: _, ...followed } = stray;
  const known = [
    { ...home, note },
    { ...stray, leftAt: 'once' },
  ];
  expect(followDragged(known, rules)).toEqual([{ ...followed, note }]);
});

test('where its visit has not followed, it goes on standing for whom it was booked', () => {
  const missedAt = (calendarId: string) => (calendarId === 'b' ? ['anna'] : []);
  expect(followDragged([home, stray], { ...rules, missedAt })).toMatchObject([
    { calendarId: 'b', resourceIds: ['anna'] },
  ]);
});

test.each([
  ['nothing was dragged', [home, room]],
  ['it is open what people did to it', [home, { ...stray, editSeenAtMs: 1 }]],
  ['it is open what people did where it was', [{ ...home, editSeenAtMs: 1 }, stray]],
  ['the mirror has written into it', [{ ...home, shown: {} }, stray]],
  ['it is one of the worker’s own', ['a', 'b'].map((calendarId) => own(calendarId))],
  ['nothing of it is known where it was', [room, stray]],
])('the links stay the very same while %s', (_, links: readonly CalendarLink[]) => {
  expect(followDragged(links, rules)).toBe(links);
});

test('the links stay the very same where people may have it so', () => {
  const links = [home, stray];
  expect(followDragged(links, { ...rules, isLeft: ({ strayed }) => strayed === true })).toBe(links);
  expect(followDragged(links, { ...rules, isLeft: ({ strayed }) => strayed === undefined })).toBe(links);
});

function own(calendarId: string): CalendarLink {
  const eventId = `sb${'0'.repeat(32)}`;
  return { ...home, eventId, calendarId, ...(calendarId === 'b' && { strayed: true }) };
}
