import { setImmediate as yieldNow } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { DeliveryRush } from '../../src/platform/webhook-delivery.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

/** Keeps the thread busy for so long. */
function work(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

/** So many deliveries wait until the returned function answers them. */
function crowd(rush: DeliveryRush, count: number): () => Promise<void> {
  let answer = (): void => {};
  const answered = new Promise<void>((done) => {
    answer = done;
  });
  const all = Array.from({ length: count }, () => rush.during(answered));
  return async () => {
    answer();
    await Promise.all(all);
  };
}

test('a crowd of deliveries on a busy thread is a rush, a few are none', async () => {
  const few = new DeliveryRush();
  const answerFew = crowd(few, 3);
  work(25);
  expect(few.isOn()).toBe(false);
  await answerFew();

  const many = new DeliveryRush();
  work(25);
  const answerMany = crowd(many, 30);
  expect(many.isOn()).toBe(true);
  await answerMany();
  await vi.waitFor(() => expect(many.isOn()).toBe(false), { timeout: PATIENCE_MS });
});

test('work goes on while a rush never ends', async () => {
  const rush = new DeliveryRush();
  work(25);
  void crowd(rush, 40)();
  expect(rush.isOn()).toBe(true);
  const turns = [0, 1, 2].map(() => rush.giveWay());
  let hasTurned = false;
  void Promise.all(turns).then(() => {
    hasTurned = true;
  });
  while (!hasTurned) {
    const answer = crowd(rush, 40);
    work(5);
    await yieldNow();
    await answer();
  }
  expect(hasTurned).toBe(true);
});

test('deliveries that nobody answers are no rush for ever', async () => {
  const rush = new DeliveryRush();
  work(25);
  crowd(rush, 40);
  await rush.giveWay();
  await vi.waitFor(() => expect(rush.isOn()).toBe(false), { timeout: PATIENCE_MS });
});

test('a delivery that fails is counted no longer, and fails for whoever asked', async () => {
  const rush = new DeliveryRush();
  for (let nth = 0; nth < 10; nth += 1)
    await expect(rush.during(Promise.reject(new Error('away')))).rejects.toThrow('away');
  work(25);
  expect(rush.isOn()).toBe(false);
});

test('deliveries that wait for a slow Redis are no rush, however many wait at once', async () => {
  const rush = new DeliveryRush();
  const answers: (() => Promise<void>)[] = [];
  // Ten in each window: a hundred a second, none of which is answered.
  for (let window = 0; window < 3; window += 1) {
    answers.push(crowd(rush, 10));
    expect(rush.isOn()).toBe(false);
    work(110);
  }
  expect(rush.isOn()).toBe(false);
  let hasTurned = false;
  void rush.giveWay().then(() => {
    hasTurned = true;
  });
  // No timer has to run out: the turn begins at once.
  await yieldNow();
  expect(hasTurned).toBe(true);
  await Promise.all(answers.map((answer) => answer()));
});
