import { expect, test, vi } from 'vitest';
import { runSweep, sweepOnce } from '../../src/work/sweep.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { SILENT_LOG } from '../stand/store.ts';

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
  const rung: string[] = [];
  const stopping = new AbortController();
  const running = runSweep(
    {
      work: { due: async () => ['contact/1'], upcoming: async () => [] } as unknown as Parameters<
        typeof runSweep
      >[0]['work'],
      later: { wake: async () => [] },
      putOff: { recall: async () => 0 },
      promoteDelayed: async () => {},
      outbox,
      queue: { add: (keys) => void added.push(...keys), addLater: () => undefined },
      bell: { ring: (id) => void rung.push(id) },
      clock: { now: Date.now },
      log: SILENT_LOG,
    },
    stopping.signal,
  );
  await vi.waitFor(() => expect([added, rung]).toEqual([['contact/1'], ['book']]), { timeout: 30_000 });
  stopping.abort();
  await running;
});

test('a queue that cannot be hastened keeps nothing that is due from its turn', async () => {
  const added: string[] = [];
  const stopping = new AbortController();
  const running = runSweep(
    {
      work: { due: async () => ['contact/1'], upcoming: async () => [] } as unknown as Parameters<
        typeof runSweep
      >[0]['work'],
      later: { wake: async () => [] },
      putOff: { recall: async () => 1 },
      promoteDelayed: () => Promise.reject(new Error('Redis does not answer')),
      outbox: new MemoryOutbox(),
      queue: { add: (keys) => void added.push(...keys), addLater: () => undefined },
      bell: { ring() {} },
      clock: { now: Date.now },
      log: SILENT_LOG,
    },
    stopping.signal,
  );
  await vi.waitFor(() => expect(added).toContain('contact/1'), { timeout: 30_000 });
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
  await sweepOnce({
    work: { due: async () => [], upcoming } as unknown as Parameters<typeof sweepOnce>[0]['work'],
    later: { wake: async () => [] },
    outbox: new MemoryOutbox(),
    queue: { add: () => undefined, addLater: (key, afterMs) => void later.push([key, afterMs]) },
    bell: { ring() {} },
    clock: { now: () => nowMs },
  });
  expect(later).toEqual([['contact/1', 400]]);
});
