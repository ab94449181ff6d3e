import { expect, test } from 'vitest';
import { DeferredError, TerminalError } from '../../src/engine/domain/errors.ts';
import { MirrorBreaker } from '../../src/engine/mirror-breaker.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { SILENT_LOG } from '../stand/store.ts';

const MANY = 20;
const HOUR_MS = 3_600_000;

function openBreaker() {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
  const problems = new MemoryProblemBoard();
  const breaker = new MirrorBreaker({
    ...{ mirrors: ['contacts'], problems, clock, log: SILENT_LOG },
    placeOf: (path) => path.join('.'),
    putOff: { recall: async () => 0, delayedUntilMs: async () => undefined },
  });
  const fail = (key: string, column: string) =>
    breaker.failed(
      'contacts',
      key,
      new TerminalError('template-failed', 'no such filter', { setting: ['columns', column] }),
    );
  return { clock, problems, breaker, fail };
}

async function stopped() {
  const stand = openBreaker();
  for (let n = 0; n < MANY; n += 1) await stand.fail(`contact/${n}`, 'Note');
  return stand;
}

test('objects that fail for different reasons stop nothing', async () => {
  const { problems, fail } = openBreaker();
  for (let n = 0; n < 2 * MANY; n += 1) await fail(`contact/${n}`, n % 2 === 0 ? 'Note' : 'Name');
  expect(await problems.list()).toEqual([]);
});

test('one of those that failed may be retried: it fails as itself, and holds back no other', async () => {
  const { clock, breaker, fail } = await stopped();
  expect(await breaker.hindrance('contacts', 'contact/0')).toBeUndefined();
  expect(await fail('contact/0', 'Note')).toBeInstanceOf(TerminalError);
  expect(await breaker.hindrance('contacts', 'contact/new')).toBeInstanceOf(DeferredError);
  clock.ms += 15_000;
  expect(await breaker.hindrance('contacts', 'contact/new')).toBeUndefined();
  expect(await fail('contact/new', 'Note')).toBeInstanceOf(DeferredError);
});

test('a clock that is set back by hours does not hold back the next try', async () => {
  const { clock, breaker } = await stopped();
  clock.ms -= 3 * HOUR_MS;
  expect(await breaker.hindrance('contacts', 'contact/new')).toBeUndefined();
});
