import { expect, test } from 'vitest';
import { judgeDeletion, type SeenDeletion } from '../../src/operate/forget/forget-deleted.ts';

const NOW = Date.parse('2026-07-03T09:00:00Z');
const seen = (more: Partial<SeenDeletion> = {}): SeenDeletion => ({
  ...{ isHouse: false, isContentKnown: true, marks: ['+74950001101'], bearers: 0, appointments: [] },
  ...more,
});
const at = (status: string, ends_at = '2026-07-03T10:00:00Z') => ({ appointments: [{ status, ends_at }] });

test.each<[string, Partial<SeenDeletion>, object]>([
  ['nothing speaks against it', {}, { do: 'erase' }],
  ['blocks are booked for it', { isHouse: true, marks: [] }, { do: 'leave', why: 'contact-of-blocks' }],
  ['no mark is known', { marks: [] }, { do: 'leave', why: 'no-phone-or-email' }],
  ['another card bears its mark', { bearers: 1 }, { do: 'leave', why: 'on-another-card' }],
  [
    'another card bears it, and an appointment is near',
    { bearers: 1, ...at('confirmed') },
    { do: 'leave', why: 'on-another-card' },
  ],
  ['its content is gone', { isContentKnown: false, marks: [] }, { do: 'ask-person', why: 'content-gone' }],
  [
    'its content is gone, and its appointments are not asked for yet',
    { isContentKnown: false, marks: [], appointments: undefined },
    { do: 'ask-platform' },
  ],
  [
    'its content is gone, and an appointment is near',
    { isContentKnown: false, marks: [], ...at('confirmed') },
    { do: 'ask-person', why: 'still-expected', appointments: 1 },
  ],
  ['its content is gone, and its appointments tell a mark', { isContentKnown: false }, { do: 'erase' }],
  ['its appointments are not asked for yet', { appointments: undefined }, { do: 'ask-platform' }],
  ['one is pending', at('pending'), { do: 'ask-person', why: 'still-expected', appointments: 1 }],
  ['one is confirmed', at('confirmed'), { do: 'ask-person', why: 'still-expected', appointments: 1 }],
  ['one has arrived', at('arrived'), { do: 'ask-person', why: 'still-expected', appointments: 1 }],
  [
    'one has a status of tomorrow',
    at('on_the_way'),
    { do: 'ask-person', why: 'still-expected', appointments: 1 },
  ],
  ['one has no end', at('confirmed', ''), { do: 'ask-person', why: 'still-expected', appointments: 1 }],
  ['all are over', at('confirmed', '2026-07-03T09:00:00Z'), { do: 'erase' }],
  ['one is cancelled', at('cancelled'), { do: 'erase' }],
  ['one is completed before its end', at('completed'), { do: 'erase' }],
  ['nobody came to one', at('no_show'), { do: 'erase' }],
])('the card of a deleted contact, when %s', (_, more, verdict) => {
  expect(judgeDeletion(seen(more), NOW)).toEqual(verdict);
});
