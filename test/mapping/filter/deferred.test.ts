import { expect, test } from 'vitest';
import type { Filtered } from '../../../src/engine/mirror.ts';
import { contentHash } from '../../../src/engine/object.ts';
import { compileCondition } from '../../../src/mapping/filter-condition.ts';
import { compileDeferred, deferCondition } from '../../../src/mapping/filter-deferred.ts';
import { contentLinesHash, judgeAll, linesOf } from '../../../src/mapping/filter-lines.ts';
import { directory } from '../../calendar/stand.ts';

const SOURCE = 'guests_count > 2';
const deferred: Filtered = { from: 'appointment', where: { condition: deferCondition(SOURCE) } };
const compiled: Filtered = { from: 'appointment', where: { condition: compileCondition(SOURCE) } };
const subject = (guests: number) =>
  ({ kind: 'appointment', snapshot: { id: 'a', guests_count: guests }, directory }) as const;

test('a condition that was put off judges like any other once it is compiled', async () => {
  const [ready] = await compileDeferred([deferred]);
  const judge = (guests: number) => judgeAll(linesOf(ready?.where ?? {}), subject(guests));
  expect([judge(3), judge(2)]).toEqual(['yes', 'no']);
});

test('before that it is an error to ask it, and no answer', () => {
  expect(() => judgeAll(linesOf(deferred.where), subject(3))).toThrow('has to be compiled');
});

test('hashes of the mapping do not tell whether it was put off', () => {
  expect(contentHash(deferred)).toBe(contentHash(compiled));
  expect(contentLinesHash(deferred.where)).toBe(contentLinesHash(compiled.where));
});

test('filters without a condition are left as they are', async () => {
  const all: readonly Filtered[] = [{ from: 'contact', where: { sources: ['api'] } }];
  expect(await compileDeferred(all)).toBe(all);
});
