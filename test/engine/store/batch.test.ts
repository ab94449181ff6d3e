import { expect, test } from 'vitest';
import { Batch } from '../../../src/engine/redis-script.ts';

test('whoever asks within one turn of the loop shares a call, and each gets its own answer', async () => {
  const calls: number[][] = [];
  const batch = new Batch<number, string>({
    run: async (items) => {
      calls.push([...items]);
      return items.map((item) => `answer ${item}`);
    },
    atOnceMax: 2,
  });
  const answers = await Promise.all([1, 2, 3].map((item) => batch.ask(item)));
  expect(answers).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(calls).toEqual([[1, 2], [3]]);
  expect(await batch.ask(4)).toBe('answer 4');
});

test('a call that fails fails all who share it, and nobody else', async () => {
  const batch = new Batch<number, number>({
    run: async (items) => {
      if (items.includes(2)) throw new Error('Redis is away');
      return items;
    },
    atOnceMax: 2,
  });
  const ends = await Promise.allSettled([1, 2, 3].map((item) => batch.ask(item)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('an answer that does not fit its questions is nobody’s answer', async () => {
  const batch = new Batch<number, number>({ run: async () => [1], atOnceMax: 10 });
  const ends = await Promise.allSettled([batch.ask(1), batch.ask(2)]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
