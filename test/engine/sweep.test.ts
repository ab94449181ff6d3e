import { expect, test, vi } from 'vitest';
import { runSweep, type SweepParts, sweepOnce } from '../../src/engine/sweep.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { sweepParts } from '../stand/sweep-parts.ts';

test('a sweep begins at once, and brings back dirty keys and spreadsheets with rows waiting (case 10)', async () => {
  const outbox = new MemoryOutbox();
  const row = {
    spreadsheetId: 'book',
    tab: 't',
    mirror: 'm',
    key: 'contact/1',
    rowKey: '1',
    cells: {},
    hash: 'h',
  };
  outbox.queue([{ ...row, occurredAtMs: undefined }]);
  const added: string[] = [];
  const woken: string[] = [];
  const stopping = new AbortController();
  const running = runSweep(
    sweepParts({
      work: { due: async () => ['contact/1'], upcoming: async () => [] } as unknown as SweepParts['work'],
      outbox,
      queue: { add: (keys) => void added.push(...keys), addLater: () => undefined },
      waker: { wake: (id) => void woken.push(id) },
    }),
    stopping.signal,
  );
  await vi.waitFor(() => expect([added, woken]).toEqual([['contact/1'], ['book']]), { timeout: PATIENCE_MS });
  stopping.abort();
  await running;
});

test('a queue that cannot be hastened keeps nothing that is due from its turn', async () => {
  const added: string[] = [];
  const stopping = new AbortController();
  const running = runSweep(
    sweepParts({
      work: { due: async () => ['contact/1'], upcoming: async () => [] } as unknown as SweepParts['work'],
      putOff: { recall: async () => 1 },
      promoteDelayed: () => Promise.reject(new Error('Redis does not answer')),
      delayedUntilMs: async () => Date.now() + 3_600_000,
      queue: { add: (keys) => void added.push(...keys), addLater: () => undefined },
    }),
    stopping.signal,
  );
  await vi.waitFor(() => expect(added).toContain('contact/1'), { timeout: PATIENCE_MS });
  stopping.abort();
  await running;
});

test('what is due before the next sweep is brought in time, whichever process has put it off', async () => {
  const later: [string, number][] = [];
  const nowMs = 1_000_000;
  const upcoming = async ({ untilMs }: { untilMs: number }) =>
    [
      { key: 'contact/1', atMs: nowMs + 400 },
      { key: 'contact/2', atMs: nowMs + 3_600_000 },
    ].filter(({ atMs }) => atMs <= untilMs);
  await sweepOnce(
    sweepParts({
      work: { due: async () => [], upcoming } as unknown as SweepParts['work'],
      queue: { add: () => undefined, addLater: (key, afterMs) => void later.push([key, afterMs]) },
      clock: { now: () => nowMs },
    }),
  );
  expect(later).toEqual([['contact/1', 400]]);
});
