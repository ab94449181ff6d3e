import { describe, expect, it } from 'vitest';
import { Progress } from '../../demo/progress.ts';

function listener(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

describe('progress', () => {
  it('is a few plain lines where nobody can redraw one', () => {
    const sink = listener(false);
    const progress = new Progress(sink);
    progress.phase('the day');
    for (let done = 0; done <= 100; done += 1) progress.bar(done, 100, `${done} of 100`);
    progress.done();
    expect(sink.written.map((line) => line.trim())).toEqual([
      '0.0 s  the day',
      ...['25 of 100', '50 of 100', '75 of 100', '100 of 100'],
    ]);
    expect(sink.written.join('')).not.toContain('\r');
  });

  it('is a bar on a terminal, which leaves no trace', () => {
    const sink = listener(true);
    const progress = new Progress(sink);
    progress.bar(1, 2, 'half');
    expect(sink.written.join('')).toContain(`[${'#'.repeat(15)}${'.'.repeat(15)}] half`);
    progress.done();
    expect(sink.written.at(-1)).toBe('\r\x1b[K');
  });
});
