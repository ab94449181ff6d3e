import { setImmediate as yieldNow } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { DeliveryBackpressure } from '../../src/platform/webhook-delivery.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

/** Keeps the thread busy for so long. */
function work(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

/** So many deliveries wait until the returned function answers them. */
function crowd(backpressure: DeliveryBackpressure, count: number): () => Promise<void> {
  let answer = (): void => {};
  const answered = new Promise<void>((done) => {
    answer = done;
  });
  const all = Array.from({ length: count }, () => backpressure.during(answered));
  return async () => {
    answer();
    await Promise.all(all);
  };
}

test('a crowd of deliveries on a busy thread is backpressure, a few are none', async () => {
  const few = new DeliveryBackpressure();
  const answerFew = crowd(few, 3);
  work(25);
  expect(few.isOn()).toBe(false);
  await answerFew();

  const many = new DeliveryBackpressure();
  work(25);
  const answerMany = crowd(many, 30);
  expect(many.isOn()).toBe(true);
  await answerMany();
  await vi.waitFor(() => expect(many.isOn()).toBe(false), { timeout: PATIENCE_MS });
});

test('work goes on while backpressure never ends', async () => {
  const backpressure = new DeliveryBackpressure();
  work(25);
  void crowd(backpressure, 40)();
  expect(backpressure.isOn()).toBe(true);
  const turns = [0, 1, 2].map(() => backpressure.giveWay());
  let hasTurned = false;
  void Promise.all(turns).then(() => {
    hasTurned = true;
  });
  while (!hasTurned) {
    const answer = crowd(backpressure, 40);
    work(5);
    await yieldNow();
    await answer();
  }
  expect(hasTurned).toBe(true);
});

test('deliveries that nobody answers are no backpressure for ever', async () => {
  const backpressure = new DeliveryBackpressure();
  work(25);
  crowd(backpressure, 40);
  await backpressure.giveWay();
  await vi.waitFor(() => expect(backpressure.isOn()).toBe(false), { timeout: PATIENCE_MS });
});

test('a delivery that fails is counted no longer, and fails for whoever asked', async () => {
  const backpressure = new DeliveryBackpressure();
  for (let nth = 0; nth < 10; nth += 1)
    await expect(backpressure.during(Promise.reject(new Error('away')))).rejects.toThrow('away');
  work(25);
  expect(backpressure.isOn()).toBe(false);
});

test('deliveries that wait for a slow Redis are no backpressure, however many wait at once', async () => {
  const backpressure = new DeliveryBackpressure();
  const answers: (() => Promise<void>)[] = [];
  // Ten in each window: a hundred a second, none of which is answered.
  for (let window = 0; window < 3; window += 1) {
    answers.push(crowd(backpressure, 10));
    expect(backpressure.isOn()).toBe(false);
    work(110);
  }
  expect(backpressure.isOn()).toBe(false);
  let hasTurned = false;
  void backpressure.giveWay().then(() => {
    hasTurned = true;
  });
  // No timer has to run out: the turn begins at once.
  await yieldNow();
  expect(hasTurned).toBe(true);
  await Promise.all(answers.map((answer) => answer()));
});
