import { expect, test } from 'vitest';
import { type GoneInput, LOOKS_FRESH_MS, proveGone, SETTLED_MS } from '../../../src/engine/decide-edit.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const MINUTE = 60_000;
const GRACE = 2 * MINUTE;
const nothing = (atMs = NOW) => ({ atMs, shows: 'nothing' }) as const;
const facts = (over: Partial<GoneInput> = {}): GoneInput => ({
  calendars: ['home', 'colleague', 'other-mirror'],
  looks: { home: nothing(), colleague: nothing(), 'other-mirror': nothing() },
  ...{ seenAtMs: NOW - GRACE, graceMs: GRACE, nowMs: NOW },
  ...over,
});
const looks = (over: GoneInput['looks']) => facts({ looks: { ...facts().looks, ...over } });
const without = (calendarId: string) => {
  const { [calendarId]: _, ...rest } = facts().looks;
  return facts({ looks: rest });
};
const unread = (...calendars: string[]) => ({ is: 'unread', calendars });

test.each<[string, GoneInput, object]>([
  ['shown by no calendar after the grace', facts(), { is: 'gone' }],
  ['a moment before the grace is over', facts({ nowMs: NOW - 1 }), { is: 'waiting', untilMs: NOW }],
  ['only just found missing', facts({ seenAtMs: NOW }), { is: 'waiting', untilMs: NOW + GRACE }],
  ['without a grace', facts({ seenAtMs: NOW, graceMs: 0 }), { is: 'waiting', untilMs: NOW + SETTLED_MS }],
  ['without a grace, and settled', facts({ seenAtMs: NOW - SETTLED_MS, graceMs: 0 }), { is: 'gone' }],
  ['nothing was read', facts({ looks: {} }), unread('home', 'colleague', 'other-mirror')],
  ['its own calendar was not read again', without('home'), unread('home')],
  ['a calendar of its mirror does not answer', without('colleague'), unread('colleague')],
  ['a calendar of another mirror does not answer', without('other-mirror'), unread('other-mirror')],
  ['one was read before the grace was over', looks({ colleague: nothing(NOW - 1) }), unread('colleague')],
  [
    'one was read too long ago',
    { ...looks({ colleague: nothing(NOW - LOOKS_FRESH_MS) }), seenAtMs: NOW - 60 * MINUTE },
    unread('colleague'),
  ],
  [
    'one was read a while ago',
    { ...looks({ colleague: nothing(NOW - LOOKS_FRESH_MS + 1) }), seenAtMs: NOW - 60 * MINUTE },
    { is: 'gone' },
  ],
  ['one was read by a clock far ahead', looks({ colleague: nothing(NOW + 2 * MINUTE) }), unread('colleague')],
  [
    'one shows it',
    looks({ colleague: { atMs: NOW, shows: 'live' } }),
    { is: 'live', calendarId: 'colleague' },
  ],
  [
    'one shows it, however long ago and however little else is known',
    facts({ seenAtMs: NOW, looks: { 'other-mirror': { atMs: 0, shows: 'live' } } }),
    { is: 'live', calendarId: 'other-mirror' },
  ],
  [
    'a calendar that is in no mirror any more shows nothing of interest',
    looks({ former: { atMs: NOW, shows: 'live' } }),
    { is: 'gone' },
  ],
])('%s', (_, input, expected) => {
  expect(proveGone(input)).toEqual(expected);
});
