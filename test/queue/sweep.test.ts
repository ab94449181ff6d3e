import { expect, test, vi } from 'vitest';
import { runSweep } from '../../src/queue/sweep.ts';
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
      work: { due: async () => ['contact/1'] } as unknown as Parameters<typeof runSweep>[0]['work'],
      later: { wake: async () => [] },
      putOff: { recall: async () => 0 },
      hasten: async () => {},
      outbox,
      queue: { add: (keys) => void added.push(...keys) },
      bell: { ring: (id) => void rung.push(id) },
      clock: { now: Date.now },
      log: SILENT_LOG,
    },
    stopping.signal,
  );
  await vi.waitFor(() => expect([added, rung]).toEqual([['contact/1'], ['book']]));
  stopping.abort();
  await running;
});

test('a queue that cannot be hastened keeps nothing that is due from its turn', async () => {
  const added: string[] = [];
  const stopping = new AbortController();
  const running = runSweep(
    {
      work: { due: async () => ['contact/1'] } as unknown as Parameters<typeof runSweep>[0]['work'],
      later: { wake: async () => [] },
      putOff: { recall: async () => 1 },
      hasten: () => Promise.reject(new Error('Redis does not answer')),
      outbox: new MemoryOutbox(),
      queue: { add: (keys) => void added.push(...keys) },
      bell: { ring() {} },
      clock: { now: Date.now },
      log: SILENT_LOG,
    },
    stopping.signal,
  );
  await vi.waitFor(() => expect(added).toContain('contact/1'));
  stopping.abort();
  await running;
});
