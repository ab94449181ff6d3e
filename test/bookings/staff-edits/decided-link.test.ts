import { expect, test } from 'vitest';
import { hasLost } from '../../../src/bookings/staff-edits/decided-link.ts';
import type { AskedWish, CalendarLink } from '../../../src/domain/link.ts';
import { type StoredLink, toLink } from '../../../src/storage/calendars/link-text.ts';

const [TEN, NOON, TWO] = [
  '2026-03-03T07:00:00Z',
  '2026-03-03T09:00:00.000Z',
  '2026-03-03T11:00:00Z',
] as const;
const link = (more: Partial<StoredLink> = {}): CalendarLink =>
  toLink({ ...{ calendarId: 'room', eventId: 'sb1', etag: '"1"', hash: '', coloured: false }, ...more });
const asked: AskedWish = { for: TWO, overrules: NOON };

test.each<[string, boolean, CalendarLink, AskedWish]>([
  ['shows the hour that is taken back', true, link({ startsAt: NOON }), asked],
  ['shows it as the platform writes it', true, link({ startsAt: '2026-03-03T12:00:00.400+03:00' }), asked],
  ['was not told of it either', false, link({ startsAt: TEN }), asked],
  ['shows the hour that counts', false, link({ startsAt: TWO }), { ...asked, overrules: TWO }],
  ['shows an hour of which nothing is known', false, link(), asked],
  ['is nobody’s wish about the appointment any more', false, link({ startsAt: NOON, strayed: true }), asked],
  ['may stay as people left it', false, link({ startsAt: NOON, leftAt: 'p' }), asked],
  ['gives way to a move whose author knew its hour', false, link({ startsAt: NOON }), { for: TWO }],
])('an event that %s: it has lost %s', (_, expected, other, by) => {
  expect(hasLost(other, by)).toBe(expected);
});
