// What every outbox promises to the flush, whatever keeps its rows.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outbox } from '../../../src/engine/outbox.ts';
import type { OutboxRow } from '../../../src/engine/sheet-row.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { MemoryOutbox } from '../../doubles/outbox.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

interface Opened {
  readonly outbox: Outbox;
  /** A handler takes the object; whoever had it before is fenced off. */
  claim(id: string): Promise<Claim>;
  close(): void;
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

describe.each([
  ['MemoryOutbox', openMemory],
  ['RedisOutbox', openRedis],
] as const)('%s', (_, open) => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());
  const hashes = async () => (await opened.outbox.pending('book', 100)).map(({ hash }) => hash);

  it('keeps a row until it is confirmed, and knows then that the very row is there', async () => {
    const claim = await opened.claim(randomUUID());
    expect(await opened.outbox.put(claim, row(claim, 'A'))).toBe('queued');
    expect(await opened.outbox.put(claim, row(claim, 'A'))).toBe('waiting');
    expect(await opened.outbox.waiting()).toEqual([{ spreadsheetId: 'book', rows: 1 }]);
    await opened.outbox.confirm(await opened.outbox.pending('book', 10));
    expect(await opened.outbox.waiting()).toEqual([]);
    expect(await opened.outbox.put(claim, row(claim, 'A'))).toBe('unchanged');
    expect(await opened.outbox.put(claim, row(claim, 'B'))).toBe('queued');
  });

  it('gives rows back whole, formats and all', async () => {
    const claim = await opened.claim(randomUUID());
    const typed: OutboxRow = {
      ...row(claim, 'A'),
      cells: { Name: 'Ünï "q"', Start: 46_146.5, Flag: false, None: null },
      formats: { Start: { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' } },
      reformat: ['Start'],
      staysAway: true,
    };
    await opened.outbox.put(claim, typed);
    expect(await opened.outbox.pending('book', 1)).toEqual([{ ...typed, version: expect.any(Number) }]);
  });

  it('replaces the waiting row of an object, each mirror and each spreadsheet for itself', async () => {
    const claim = await opened.claim(randomUUID());
    await opened.outbox.put(claim, row(claim, 'A'));
    await opened.outbox.put(claim, row(claim, 'B'));
    await opened.outbox.put(claim, { ...row(claim, 'C'), mirror: 'other' });
    await opened.outbox.put(claim, { ...row(claim, 'D'), mirror: 'third', spreadsheetId: 'second' });
    expect(await hashes()).toEqual(['B', 'C']);
    expect((await opened.outbox.pending('second', 9)).map(({ hash }) => hash)).toEqual(['D']);
  });

  it('keeps a row that was replaced while it was written', async () => {
    const claim = await opened.claim(randomUUID());
    await opened.outbox.put(claim, row(claim, 'A'));
    const written = await opened.outbox.pending('book', 10);
    await opened.outbox.put(claim, row(claim, 'B'));
    await opened.outbox.confirm(written);
    expect(await hashes()).toEqual(['B']);
  });

  it('learns nothing from a confirmation that comes after a newer one', async () => {
    const claim = await opened.claim(randomUUID());
    await opened.outbox.put(claim, row(claim, 'A'));
    const late = await opened.outbox.pending('book', 10);
    await opened.outbox.put(claim, row(claim, 'B'));
    await opened.outbox.confirm(await opened.outbox.pending('book', 10));
    await opened.outbox.confirm(late);
    expect(await opened.outbox.put(claim, row(claim, 'A'))).toBe('queued');
  });

  it('takes nothing from a handler that was overtaken', async () => {
    const id = randomUUID();
    const slow = await opened.claim(id);
    const fast = await opened.claim(id);
    await opened.outbox.put(fast, row(fast, 'new'));
    await expect(opened.outbox.put(slow, row(slow, 'old'))).rejects.toMatchObject({ code: 'fenced' });
    expect(await hashes()).toEqual(['new']);
  });

  it('writes a row anew for another tab, and again when it was hit by accident', async () => {
    const id = randomUUID();
    let claim = await opened.claim(id);
    await opened.outbox.put(claim, row(claim, 'A'));
    await opened.outbox.confirm(await opened.outbox.pending('book', 10));
    expect(await opened.outbox.put(claim, { ...row(claim, 'A'), tab: 'Other' })).toBe('queued');
    await opened.outbox.confirm(await opened.outbox.pending('book', 10));
    await opened.outbox.rewrite([`contact/${id}`], 'contacts');
    claim = await opened.claim(id);
    expect(await opened.outbox.put(claim, { ...row(claim, 'A'), tab: 'Other' })).toBe('queued');
  });

  it('says of a row with cells that it waits, of one to be taken away that it does not', async () => {
    const claim = await opened.claim(randomUUID());
    const asked = row(claim, 'A');
    expect(await opened.outbox.waits(asked)).toBe(false);
    await opened.outbox.put(claim, asked);
    expect(await opened.outbox.waits(asked)).toBe(true);
    expect(await opened.outbox.waits({ ...asked, mirror: 'other' })).toBe(false);
    await opened.outbox.put(claim, { ...asked, cells: undefined, hash: 'cleared' });
    expect(await opened.outbox.waits(asked)).toBe(false);
  });

  it('gives rows of one mirror alone, and those alone that are wanted', async () => {
    for (const mirror of ['first', 'first', 'second']) {
      const claim = await opened.claim(randomUUID());
      await opened.outbox.put(claim, { ...row(claim, mirror), mirror });
    }
    const [oldest, newer] = await opened.outbox.pending('book', 9, { mirror: 'first' });
    expect([oldest?.hash, newer?.hash]).toEqual(['first', 'first']);
    const wants = ({ key }: { key: string }) => key !== oldest?.key;
    expect(await opened.outbox.pending('book', 1, { mirror: 'first', wants })).toEqual([newer]);
    expect((await opened.outbox.pending('book', 9, { wants })).length).toBe(2);
  });

  it('replaces a row that is only written where it stands by the same row that may be begun', async () => {
    const claim = await opened.claim(randomUUID());
    const asked = row(claim, 'A');
    expect(await opened.outbox.put(claim, { ...asked, onlyIfThere: true })).toBe('queued');
    expect(await opened.outbox.waits(asked)).toBe(false);
    expect(await opened.outbox.put(claim, asked)).toBe('queued');
    expect((await opened.outbox.pending('book', 9))[0]).not.toHaveProperty('onlyIfThere');
    expect(await opened.outbox.waits(asked)).toBe(true);
  });

  it('drops what has no place any more', async () => {
    const claim = await opened.claim(randomUUID());
    await opened.outbox.put(claim, row(claim, 'A'));
    const late = await opened.outbox.pending('book', 9);
    await opened.outbox.put(claim, row(claim, 'B'));
    await opened.outbox.drop(late);
    expect(await hashes()).toEqual(['B']);
    await opened.outbox.drop(await opened.outbox.pending('book', 9));
    expect(await opened.outbox.waiting()).toEqual([]);
  });

  it('gives the oldest first, and no more than asked for', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of ids) {
      const claim = await opened.claim(id);
      await opened.outbox.put(claim, row(claim, id));
    }
    expect(await hashes()).toEqual(ids);
    expect((await opened.outbox.pending('book', 2)).map(({ rowKey }) => rowKey)).toEqual(ids.slice(0, 2));
  });
});

function openMemory(): Opened {
  let fence = 0;
  return {
    outbox: new MemoryOutbox(),
    async claim(id) {
      fence += 1;
      return {
        key: { kind: 'contact', id },
        ...{
          fence: String(fence),
          desiredRev: fence,
          syncedRev: 0,
          snapshot: { id },
          deleted: false,
          verify: false,
        },
        ...{ projectId: undefined, links: {}, pendingSinceMs: undefined, sightings: [] },
      };
    },
    close() {},
  };
}

async function openRedis(): Promise<Opened> {
  const store = openTestStore(redis.url);
  await store.ready();
  return {
    outbox: store.outbox,
    async claim(id) {
      const key = { kind: 'contact', id } as const;
      const seen = { as: 'snapshot', snapshot: { id } } as const;
      await store.intake.observe({ key, source: 'list', occurredAtMs: 1, force: true, seen });
      const claim = await store.work.claim(key);
      if (claim === undefined) throw new Error('nothing to claim');
      return claim;
    },
    close: () => store.close(),
  };
}

function row(claim: Claim, hash: string): OutboxRow {
  return {
    spreadsheetId: 'book',
    tab: 'Contacts',
    mirror: 'contacts',
    key: `contact/${claim.key.id}`,
    rowKey: claim.key.id,
    cells: { Name: hash },
    hash,
    occurredAtMs: 1,
  };
}
