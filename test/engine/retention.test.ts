/** What one pass of the retention does, tells and leaves, by its steps. What each of them removes: `store/retention.test.ts`. */
import { expect, test } from 'vitest';
import { type RetentionParts, retain } from '../../src/engine/retention.ts';
import { KeptLog } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';

const LETTER = { key: 'contact/1', reasons: [{ code: 'template-failed' }] };

interface Pass {
  /** Names of steps that fail. */
  readonly failing?: readonly string[];
  /** The lease is lost before this step. */
  readonly lostBefore?: 'objects';
  readonly quarantined?: number;
  readonly damaged?: readonly string[];
  readonly letters?: number;
  /** The letter was retried meanwhile. */
  readonly isRetried?: boolean;
  readonly consents?: number;
}

function pass({ failing = [], lostBefore, quarantined = 0, damaged = [], letters = 0, ...more }: Pass) {
  const lost = new AbortController();
  const done: string[] = [];
  const [log, problems] = [new KeptLog(), new MemoryProblemBoard()];
  const step = async (name: string) => {
    if (failing.includes(name)) throw new Error(`no ${name}`);
    done.push(name);
  };
  const retention = {
    lettersBeforeMs: () => 1_000,
    trimQuarantine: async () => {
      await step('quarantine');
      if (lostBefore === 'objects') lost.abort();
      return quarantined;
    },
    ageObjects: () => step('objects').then(() => ({ emptied: 0, forgotten: 0, damaged })),
    boundIntents: () => step('intents'),
    rewriteFile: () => step('file'),
  };
  const asked: unknown[] = [];
  const deadLetters = {
    causes: async (untilMs: number) => {
      asked.push(untilMs);
      return [];
    },
    async *each({ untilMs }: { readonly untilMs: number }) {
      asked.push(untilMs);
      await step('letters');
      yield Array(letters).fill(LETTER);
    },
    discard: async () => more.isRetried !== true,
  };
  const parts = {
    ...{ retention, deadLetters, log, problems },
    ...(more.consents !== undefined && { endConsents: async () => more.consents }),
    leases: {
      hold: async (_: string, work: (lease: object) => Promise<unknown>) => work({ signal: lost.signal }),
    },
  } as unknown as RetentionParts;
  return { run: () => retain(parts), done, log, problems, asked };
}

const ALL = ['letters', 'quarantine', 'objects', 'intents', 'file'];

test('a pass runs every step, and says nothing where nothing was removed', async () => {
  const { run, done, log, problems, asked } = pass({});
  await problems.raise({ target: 'retention', code: 'retention-failing', message: 'from before' });
  await run();
  expect(done).toEqual(ALL);
  expect(log.lines).toEqual([]);
  expect(await problems.list()).toEqual([]);
  // A letter of that very moment is kept.
  expect(asked).toEqual([999, 999]);
});

test('what was removed is told in one line, and each letter in its own', async () => {
  const { run, log } = pass({ letters: 2, quarantined: 3, consents: 1 });
  await run();
  const letter = { level: 'warn', fields: { key: LETTER.key, codes: ['template-failed'] } };
  const counts = { letters: 2, quarantined: 3, emptied: 0, forgotten: 0, consents: 1 };
  expect(log.lines).toMatchObject([letter, letter, { level: 'info', fields: counts }]);
  expect(log.lines.at(-1)?.fields).toEqual(counts);
});

test('a letter that was retried meanwhile is not counted', async () => {
  const { run, log } = pass({ letters: 1, isRetried: true });
  await run();
  expect(log.lines).toEqual([]);
});

test.each<[string, Pass, string]>([
  ['steps that fail', { failing: ['quarantine', 'intents'] }, '2 failed steps'],
  ['what is unreadable', { damaged: ['contact/1'] }, '1 unreadable object'],
  ['both', { failing: ['intents'], damaged: ['contact/1'] }, '1 failed step, 1 unreadable object'],
])('a problem names %s, and the other steps run', async (_, about, said) => {
  const { run, done, problems } = pass(about);
  const [first] = about.failing ?? [];
  if (first === undefined) await run();
  else await expect(run()).rejects.toThrow(`no ${first}`);
  expect(done).toEqual(ALL.filter((name) => about.failing?.includes(name) !== true));
  const message = `old state is kept longer than privacy.keep says: ${said}`;
  expect(await problems.list()).toMatchObject([{ target: 'retention', code: 'retention-failing', message }]);
});

test('a log line names ten unreadable objects at most', async () => {
  const damaged = Array.from({ length: 12 }, (_, n) => `contact/${n}`);
  const { run, log } = pass({ damaged });
  await run();
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { objects: 12, keys: damaged.slice(0, 10) } }]);
});

test('a pass that lost its lease leaves the rest to the next holder, and clears no problem', async () => {
  const { run, done, problems } = pass({ lostBefore: 'objects' });
  await problems.raise({ target: 'retention', code: 'retention-failing', message: 'from before' });
  await run();
  expect(done).toEqual(['letters', 'quarantine']);
  expect(await problems.list()).toHaveLength(1);
});
