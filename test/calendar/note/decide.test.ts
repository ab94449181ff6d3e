import { expect, test } from 'vitest';
import { decideNote, type KnownNote, type NoteStep } from '../../../src/calendar/calendar-notes.ts';

const NOW_MS = Date.parse('2026-11-24T09:00:00Z');
const MINUTE_MS = 60_000;
const TODAY = '2026-11-24';
const insert = (turn: number): NoteStep => ({ insert: { turn } });

function known(is: KnownNote['is'], more: Partial<KnownNote> = {}): KnownNote {
  const times = { atMs: NOW_MS - MINUTE_MS, sentAtMs: NOW_MS - MINUTE_MS };
  return { is, date: TODAY, turn: 2, ...times, zone: 'UTC', summary: 's', description: 'd', ...more };
}

test.each<{ is: KnownNote['is']; day: 'today' | 'yesterday'; state: 'behind' | 'current'; step: NoteStep }>([
  { is: 'none', day: 'today', state: 'behind', step: insert(0) },
  { is: 'none', day: 'today', state: 'current', step: 'rest' },
  { is: 'sent', day: 'today', state: 'behind', step: insert(2) },
  { is: 'sent', day: 'today', state: 'current', step: 'take-away' },
  { is: 'sent', day: 'yesterday', state: 'behind', step: 'take-away' },
  { is: 'sent', day: 'yesterday', state: 'current', step: 'take-away' },
  { is: 'stands', day: 'today', state: 'behind', step: 'rest' },
  { is: 'stands', day: 'today', state: 'current', step: 'take-away' },
  { is: 'stands', day: 'yesterday', state: 'behind', step: 'take-away' },
  { is: 'stands', day: 'yesterday', state: 'current', step: 'take-away' },
  { is: 'leaving', day: 'today', state: 'behind', step: 'take-away' },
  { is: 'leaving', day: 'today', state: 'current', step: 'take-away' },
  { is: 'leaving', day: 'yesterday', state: 'behind', step: 'take-away' },
  { is: 'gone', day: 'today', state: 'behind', step: insert(3) },
  { is: 'gone', day: 'today', state: 'current', step: 'rest' },
  { is: 'gone', day: 'yesterday', state: 'behind', step: insert(0) },
  { is: 'gone', day: 'yesterday', state: 'current', step: 'forget' },
  { is: 'left', day: 'today', state: 'behind', step: 'rest' },
  { is: 'left', day: 'today', state: 'current', step: 'rest' },
  { is: 'left', day: 'yesterday', state: 'behind', step: insert(0) },
  { is: 'left', day: 'yesterday', state: 'current', step: 'forget' },
])('a note that is $is, of $day, in a calendar that is $state', ({ is, day, state, step }) => {
  const date = day === 'today' ? TODAY : '2026-11-23';
  const now = { isBehind: state === 'behind', mayBegin: true, today: TODAY, nowMs: NOW_MS };
  expect(decideNote(known(is, { date }), now)).toEqual(step);
});

test.each<[string, KnownNote['is'], NoteStep]>([
  ['begins no note', 'none', 'rest'],
  ['begins no other note', 'gone', 'rest'],
  ['ends what it began', 'sent', insert(2)],
  ['keeps what stands', 'stands', 'rest'],
])('a worker that is still catching up %s', (_, is, step) => {
  const now = { isBehind: true, mayBegin: false, today: TODAY, nowMs: NOW_MS };
  expect(decideNote(known(is), now)).toEqual(step);
});

test.each([-59_999, 59_999])('nothing is tried twice in a minute, whatever the clock (%d ms)', (ms) => {
  const now = { isBehind: false, mayBegin: true, today: TODAY, nowMs: NOW_MS };
  expect(decideNote(known('stands', { atMs: NOW_MS + ms }), now)).toBe('rest');
});
