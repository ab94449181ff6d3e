import { expect, test } from 'vitest';
import { type DraggedRules, followDragged } from '../../src/calendar/route.ts';
import { type CalendarLink, opened, toLink } from '../../src/engine/link.ts';

const LINK = { eventId: 'own1', hash: '', coloured: false } as const;
const startsAt = '2026-03-03T07:00:00Z';
const home = toLink({ ...LINK, calendarId: 'a', etag: '"1"', startsAt });
const followed = toLink({ ...LINK, calendarId: 'b', etag: '"2"', startsAt });
const stray = toLink({ ...LINK, calendarId: 'b', etag: '"2"', startsAt, strayed: true });
const written = toLink({
  ...LINK,
  calendarId: 'a',
  etag: '"1"',
  startsAt,
  status: 's',
  isOwn: true,
  shown: {},
});
const room = toLink({ ...LINK, calendarId: 'c', eventId: 'sb1', etag: '"3"' });
const rules: DraggedRules = { isLeft: () => false, missedAt: () => [] };

test('an event is linked where it stands, and no more where it was', () => {
  expect(followDragged([home, room, stray], rules)).toEqual([room, followed]);
  expect(followDragged([stray, room, home], rules)).toEqual([room, followed]);
});

test('what is to be said in it goes along, where it was let be does not', () => {
  const note = { code: 'past', text: 'Not moved.', of: 'standing' };
  const known = [
    { ...home, note },
    { ...stray, leftAt: 'once' },
  ];
  expect(followDragged(known, rules)).toEqual([{ ...followed, note }]);
});

test('an event whose appointment has not followed still belongs to the resource that it was booked for', () => {
  const missedAt = (calendarId: string) => (calendarId === 'b' ? ['anna'] : []);
  expect(followDragged([home, stray], { ...rules, missedAt })).toMatchObject([
    { calendarId: 'b', resourceIds: ['anna'] },
  ]);
});

test.each([
  ['nothing was dragged', [home, room]],
  ['it is open what people did to it', [home, opened(stray, 1)]],
  ['it is open what people did where it was', [opened(home, 1), stray]],
  ['the mirror has written into it', [written, stray]],
  ['it is one of the worker’s own', ['a', 'b'].map((calendarId) => own(calendarId))],
  ['nothing of it is known where it was', [room, stray]],
])('the links stay the very same while %s', (_, links: readonly CalendarLink[]) => {
  expect(followDragged(links, rules)).toBe(links);
});

test('the links stay the very same where people may have it so', () => {
  const links = [home, stray];
  expect(followDragged(links, { ...rules, isLeft: ({ event }) => event.is === 'strayed' })).toBe(links);
  expect(followDragged(links, { ...rules, isLeft: ({ event }) => event.is !== 'strayed' })).toBe(links);
});

function own(calendarId: string): CalendarLink {
  const eventId = `sb${'0'.repeat(32)}`;
  return { ...(calendarId === 'b' ? stray : home), eventId, calendarId };
}
