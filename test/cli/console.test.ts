import { expect, test } from 'vitest';
import { safeConsole } from '../../src/cli/console.ts';
import { painter } from '../../src/operate/paint.ts';

function printed(text: string): string {
  let out = '';
  const sink = {
    write: (written: string) => {
      out += written;
    },
  };
  safeConsole({ stdout: sink, stderr: sink, env: {} }).stdout.write(text);
  return out;
}

test.each([
  ['a window title', 'a\u001b]0;owned\u0007b', 'a\\u001b]0;owned\\u0007b'],
  ['a cleared screen', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['a hidden text', 'a\u001b[8mb', 'a\\u001b[8mb'],
  ['a line that is written over', 'bad\rgood', 'bad\\u000dgood'],
  ['a line that is taken away', 'bad\r\u001b[Kgood', 'bad\\u000d\\u001b[Kgood'],
  ['an escape of eight bits', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['text turned around', 'a\u202egpj.exe', 'a\\u202egpj.exe'],
  ['a zero byte', 'a\u0000b\u007f', 'a\\u0000b\\u007f'],
])('%s is shown, not done', (_, text, shown) => {
  expect(printed(text)).toBe(shown);
});

test.each([
  ['lines', 'one\ntwo\n'],
  ['rows of a CSV', 'a,b\r\nc,d\r\n'],
  ['a bar that is drawn anew', '\r\u001b[Kreading: 3 objects'],
  ['a count that is written over', '\r3 of 10'],
  [
    'colours',
    Object.values(painter(true))
      .map((paint) => paint('text'))
      .join('\n'),
  ],
  ['names of people', 'Zoë, Ольга, 王, 👩‍⚕️'],
])('%s of the program itself come out as they are', (_, text) => {
  expect(printed(text)).toBe(text);
});

test('JSON stays JSON with the same content', () => {
  const value = { id: 'a\u001b[2J\u009b\u202e\u007f\u2028' };
  expect(JSON.parse(printed(JSON.stringify(value)))).toEqual(value);
});
