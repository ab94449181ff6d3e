/** What the problem board says of the platform is what the platform said last. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PlatformState } from '../../src/platform/http-transport.ts';
import { reportProblems } from '../../src/platform/problem-reporter.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

const REFUSED: PlatformState = {
  ...{ state: 'refused', code: 'platform-unauthenticated', message: 'the key is refused' },
  ...{ advice: 'Take another one.', requestId: undefined, sinceMs: 0, scopes: [] },
};
const OK: PlatformState = { state: 'ok' };

let redis: TestRedis;
let store: ReturnType<typeof openTestStore>;
let say: (state: PlatformState) => void;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(() => store.close());

type Problems = Parameters<typeof reportProblems>[1];

function begin(more: Partial<Problems>): void {
  const problems: Problems = {
    raise: (problem) => store.problems.raise(problem),
    clear: (target) => store.problems.clear(target),
    ...more,
  };
  const onState = (listener: typeof say) => {
    say = listener;
    return () => undefined;
  };
  reportProblems({ onState }, problems, 1);
}

const codes = async () => (await store.problems.list()).map(({ code }) => code);

test('a key that is accepted while its refusal is still being written is not left as refused', async () => {
  const written: string[] = [];
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  begin({
    async raise(problem) {
      await held;
      await store.problems.raise(problem);
      written.push('raised');
    },
    async clear(target) {
      await store.problems.clear(target);
      written.push('cleared');
    },
  });
  say(REFUSED);
  say(OK);
  release();
  await vi.waitFor(() => expect(written.toSorted()).toEqual(['cleared', 'raised']), { timeout: PATIENCE_MS });
  expect(await codes()).toEqual([]);
});

test('what could not be written to the board is written once the board can be written', async () => {
  let failures = 3;
  const clear = async (target: string) => {
    failures -= 1;
    if (failures >= 0) throw new Error('no Redis');
    await store.problems.clear(target);
  };
  begin({ clear });
  say(REFUSED);
  await vi.waitFor(async () => expect(await codes()).toEqual(['platform-unauthenticated']), {
    timeout: PATIENCE_MS,
  });
  say(OK);
  await vi.waitFor(async () => expect(await codes()).toEqual([]), { timeout: PATIENCE_MS });
});
