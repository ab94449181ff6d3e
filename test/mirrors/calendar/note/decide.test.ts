import { expect, test } from 'vitest';
import { decideNote, type KnownNote, type NoteStep } from '../../../../src/mirrors/calendar/note/decide.ts';

const NOW_MS = Date.parse('2026-11-24T09:00:00Z');
const MINUTE_MS = 60_000;
const TODAY = '2026-11-24';
const insert = (turn: number): NoteStep => ({ insert: { turn } });

function known(is: KnownNote['is'], more: Partial<KnownNote> = {}): KnownNote {
  const times = { atMs: NOW_MS - MINUTE_MS, sentAtMs: NOW_MS - MINUTE_MS };
  return { is, date: TODAY, turn: 2, ...times, zone: 'UTC', summary: 's', description: 'd', ...more };
}

test.each<[KnownNote['is'], 'today' | 'yesterday', 'behind' | 'current', NoteStep]>([
  ['none', 'today', 'behind', insert(0)],
  ['none', 'today', 'current', 'rest'],
  ['sent', 'today', 'behind', insert(2)],
  ['sent', 'today', 'current', 'take-away'],
  ['sent', 'yesterday', 'behind', 'take-away'],
  ['sent', 'yesterday', 'current', 'take-away'],
  ['stands', 'today', 'behind', 'rest'],
  ['stands', 'today', 'current', 'take-away'],
  ['stands', 'yesterday', 'behind', 'take-away'],
  ['stands', 'yesterday', 'current', 'take-away'],
  ['leaving', 'today', 'behind', 'take-away'],
  ['leaving', 'today', 'current', 'take-away'],
  ['leaving', 'yesterday', 'behind', 'take-away'],
  ['gone', 'today', 'behind', insert(3)],
  ['gone', 'today', 'current', 'rest'],
  ['gone', 'yesterday', 'behind', insert(0)],
  ['gone', 'yesterday', 'current', 'forget'],
  ['left', 'today', 'behind', 'rest'],
  ['left', 'today', 'current', 'rest'],
  ['left', 'yesterday', 'behind', insert(0)],
  ['left', 'yesterday', 'current', 'forget'],
])('a note that is %s, of %s, in a calendar that is %s', (is, day, state, step) => {
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
