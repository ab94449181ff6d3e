import { expect, test } from 'vitest';
import { abridged, shapeOf, transcriptsOf, withTranscripts, wordsOf } from '../stand/transcript.ts';

const ID = '2cf3180b-b2fe-4d28-a281-6e03901a2177';
const OTHER = '9a43a65b-0860-4378-b9e9-d9f83bb5753c';

test.each([
  [`appointment/${ID}, for 4 s`, `appointment/${OTHER}, for 2 min`],
  ['2 objects read', '1 object read'],
  ['proved 6 h 3 min ago', 'proved 12 s ago'],
  ['up to 03:04:57 UTC', 'up to 2026-11-20 23:00:00 UTC'],
  ['~ Mon 6 May 2030, 10:00 Europe/Moscow', '~ Thu 26 Sept 2030, 23:30 Europe/Moscow'],
  ['half within 0.1 s (newest 4)', 'half within 12 s (newest 2,000)'],
  ['  a  1\n  a  2\n  b', '  a  7\n  b'],
  [
    '  anna@a.example: seen up to 03:04:57 UTC\n  b@b.example: seen up to 03:04:58 UTC',
    '  b@b.example: seen up to 03:04:57 UTC',
  ],
])('%s has the shape of %s', (one, other) => {
  expect(shapeOf(one)).toBe(shapeOf(other));
});

test.each([
  ['problems  none', 'problems  1, each shown until it is over'],
  ['status  enabled', 'status  disabled'],
  ['all mirrored; covered', 'working: 1 object pending; covered'],
  ['  missing  foreign-edit', '  missing  missed-event'],
  ['a\nb', 'a'],
])('%s has not the shape of %s', (one, other) => {
  expect(shapeOf(one)).not.toBe(shapeOf(other));
});

const DOCUMENT = `## One

    $ slotbridge status
    first

      second
    $ slotbridge explain "a b" c

text

## Two

    no command
    $ other
`;

test('transcripts are found with their section, blank lines within, and without what is no command of ours', () => {
  expect(transcriptsOf(DOCUMENT)).toMatchObject([
    { section: 'One', command: 'slotbridge status', output: 'first\n\n  second' },
    { section: 'One', command: 'slotbridge explain "a b" c', output: '' },
  ]);
  expect(wordsOf('slotbridge explain "a b" c')).toEqual(['slotbridge', 'explain', 'a b', 'c']);
});

test('new transcripts take the place of the old ones, and the rest stays', () => {
  const fresh = transcriptsOf(DOCUMENT).map((old, index) => ({
    old,
    command: old.command,
    output: `new ${index}\n\n  more`,
  }));
  const text = withTranscripts(DOCUMENT, fresh);
  expect(transcriptsOf(text).map((each) => each.output)).toEqual(['new 0\n\n  more', 'new 1\n\n  more']);
  expect(text).toContain('text\n\n## Two\n\n    no command\n    $ other\n');
});

test('lines that another printout has too are left out, the first one and what differs are not', () => {
  const whole = 'all mirrored\nholes  none\npending  nothing\nproblems  none';
  const output = 'all mirrored\nholes  none\npending  nothing\nproblems  1\n  code\nholes  none';
  expect(abridged(output, whole)).toBe('all mirrored\n…\nproblems  1\n  code\n…');
});
