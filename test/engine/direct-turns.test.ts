import { expect, test } from 'vitest';
import { DirectTurns } from '../../src/engine/keyed-queue.ts';
import type { Disposition } from '../../src/engine/work.ts';

const ENDED: Disposition = { next: 'done' };

/** Turns that end when the test says so. */
function opened(atOnceMax: number) {
  const direct = new DirectTurns(atOnceMax);
  const begun: string[] = [];
  const again: string[] = [];
  const ends = new Map<string, () => void>();
  let first: (() => void) | undefined;
  const turn = (key: string) => {
    begun.push(key);
    return new Promise<Disposition>((done) => {
      ends.set(key, () => done(ENDED));
      first ??= ends.get(key);
    });
  };
  direct.open(turn, (key) => again.push(key));
  const end = async (key: string) => {
    ends.get(key)?.();
    await new Promise((done) => setImmediate(done));
  };
  /** The turn that began first, though another of its key has begun since. */
  const endFirst = async () => {
    first?.();
    await new Promise((done) => setImmediate(done));
  };
  return { direct, begun, again, turn, end, endFirst };
}

test("a free handler takes a key at once; the rest is the engine's", async () => {
  const { direct, begun, end } = opened(2);
  expect(['contact/1', 'contact/2', 'contact/3'].map((key) => direct.take(key))).toEqual([true, true, false]);
  await end('contact/1');
  expect(direct.take('contact/3')).toBe(true);
  expect(begun).toEqual(['contact/1', 'contact/2', 'contact/3']);
});

test('P2: a key has one turn at a time, whichever way it comes, and what changed meanwhile has a turn after it', async () => {
  const { direct, begun, again, turn, end } = opened(3);
  direct.take('contact/1');
  expect(direct.take('contact/1')).toBe(true);
  expect(await direct.inTurn('contact/1', () => turn('contact/1'))).toBe('later');
  expect({ begun, again }).toEqual({ begun: ['contact/1'], again: [] });
  await end('contact/1');
  expect(again).toEqual(['contact/1']);

  const engine = direct.inTurn('contact/2', () => turn('contact/2'));
  await Promise.resolve();
  expect(direct.take('contact/2')).toBe(true);
  await end('contact/2');
  expect(await engine).toBe(ENDED);
  expect(again).toEqual(['contact/1', 'contact/2']);
});

test('turns of the engine that wait for a handler go before new ones', async () => {
  const { direct, begun, turn, end } = opened(1);
  direct.take('contact/1');
  void direct.inTurn('contact/2', () => turn('contact/2'));
  expect(direct.take('contact/3')).toBe(false);
  await end('contact/1');
  expect(direct.take('contact/3')).toBe(false);
  expect(begun).toEqual(['contact/1', 'contact/2']);
});

test('a turn that fails frees its handler and its key', async () => {
  const { direct, begun, turn } = opened(1);
  const failing = direct.inTurn('contact/1', async () => {
    throw new Error('fails');
  });
  await expect(failing).rejects.toThrow('fails');
  void direct.inTurn('contact/1', () => turn('contact/1'));
  await Promise.resolve();
  expect(begun).toEqual(['contact/1']);
});

test('once closed, no turn begins, and the close waits for those that run', async () => {
  const { direct, begun, turn, end } = opened(1);
  direct.take('contact/1');
  const waiting = direct.inTurn('contact/2', () => turn('contact/2'));
  let isClosed = false;
  const closing = direct.close().then(() => {
    isClosed = true;
  });
  expect(await waiting).toBe('closed');
  expect(direct.take('contact/3')).toBe(false);
  expect(isClosed).toBe(false);
  await end('contact/1');
  await closing;
  expect(await direct.inTurn('contact/4', () => turn('contact/4'))).toBe('closed');
  expect(begun).toEqual(['contact/1']);
});

test("turns of classes are the engine's: an erasure asks it for them", () => {
  const { direct } = opened(1);
  expect(direct.take('class/1')).toBe(false);
});

test('after a loss of Redis a key does not wait for a turn that hangs, and that one ends without a third beside the second', async () => {
  const { direct, begun, again, endFirst } = opened(3);
  direct.take('contact/1');
  direct.take('contact/1');
  direct.forget();
  expect(again).toEqual(['contact/1']);
  direct.take('contact/1');
  expect(begun).toEqual(['contact/1', 'contact/1']);
  await endFirst();
  direct.take('contact/1');
  expect(begun).toEqual(['contact/1', 'contact/1']);
});

test('a key that may not have changed begins with a free handler, and asks for no second turn while it is at work', async () => {
  const { direct, begun, again, end } = opened(2);
  const first = direct.begin('appointment/1');
  expect(direct.begin('appointment/1')).toBeUndefined();
  expect(direct.begin('class/1')).toBeUndefined();
  direct.take('appointment/2');
  expect(direct.begin('appointment/3')).toBeUndefined();
  await end('appointment/1');
  expect(await first).toBe(ENDED);
  expect({ begun, again }).toEqual({ begun: ['appointment/1', 'appointment/2'], again: [] });
});
