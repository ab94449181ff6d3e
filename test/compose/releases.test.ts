import { expect, test } from 'vitest';
import { Releases } from '../../src/work/supervisor.ts';
import { SILENT_LOG } from '../stand/store.ts';

test('a release that never ends keeps no other from its turn, nor the worker from its end', async () => {
  const done: string[] = [];
  const releases = new Releases(SILENT_LOG);
  releases.push('first', () => void done.push('first'));
  releases.push('second', () => new Promise(() => {}), 50);
  releases.push('third', () => Promise.reject(new Error('fails')));
  releases.push('fourth', () => new Promise(() => {}), 50);
  const beganAt = performance.now();
  await releases.all();
  expect(done).toEqual(['first']);
  expect(performance.now() - beganAt).toBeLessThan(2_000);
});

test('those without a time of their own share one, however many of them never end', async () => {
  const releases = new Releases(SILENT_LOG);
  for (const name of ['one', 'two', 'three']) releases.push(name, () => new Promise(() => {}));
  const beganAt = performance.now();
  await releases.all();
  expect(performance.now() - beganAt).toBeLessThan(8_000);
});
