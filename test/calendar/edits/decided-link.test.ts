import { expect, test } from 'vitest';
import { hasLost } from '../../../src/calendar/edit-search.ts';
import type { AskedWish, CalendarLink } from '../../../src/engine/link.ts';
import { type StoredLink, toLink } from '../../../src/engine/link.ts';

const [TEN, NOON, TWO] = [
  '2026-03-03T07:00:00Z',
  '2026-03-03T09:00:00.000Z',
  '2026-03-03T11:00:00Z',
] as const;
const link = (more: Partial<StoredLink> = {}): CalendarLink =>
  toLink({ ...{ calendarId: 'room', eventId: 'sb1', etag: '"1"', hash: '', coloured: false }, ...more });
const asked: AskedWish = { for: TWO, overrules: NOON };

test.each<[string, boolean, { other: CalendarLink; by: AskedWish }]>([
  ['shows the hour that is taken back', true, { other: link({ startsAt: NOON }), by: asked }],
  [
    'shows it as the platform writes it',
    true,
    { other: link({ startsAt: '2026-03-03T12:00:00.400+03:00' }), by: asked },
  ],
  ['was not told of it either', false, { other: link({ startsAt: TEN }), by: asked }],
  ['shows the hour that counts', false, { other: link({ startsAt: TWO }), by: { ...asked, overrules: TWO } }],
  ['shows an hour of which nothing is known', false, { other: link(), by: asked }],
  [
    'is nobody’s wish about the appointment any more',
    false,
    { other: link({ startsAt: NOON, strayed: true }), by: asked },
  ],
  ['may stay as people left it', false, { other: link({ startsAt: NOON, leftAt: 'p' }), by: asked }],
  [
    'gives way to a move whose author knew its hour',
    false,
    { other: link({ startsAt: NOON }), by: { for: TWO } },
  ],
])('an event that %s: it has lost %s', (_, expected, { other, by }) => {
  expect(hasLost(other, by)).toBe(expected);
});
