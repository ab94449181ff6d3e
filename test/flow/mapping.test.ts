import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { expect, type TestContext, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore, SILENT_LOG } from '../stand/store.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type WorldOptions } from '../stand/world.ts';

/** Worlds of their own, which mostly wait: three stand beside each other. */
async function begin({ onTestFinished }: TestContext, options: WorldOptions = {}) {
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  return world;
}

atLength.test.concurrent(
  'another tab in the YAML is filled, a resource renamed on the platform keeps its calendar, nothing waits for the old place (case 73)',
  async (context) => {
    const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {};
    const world = await begin(context, options);
    world.google.addSpreadsheet('second-book', { shareWith: [defaultAccount], tabs: [{ title: 'People' }] });
    const port = await world.door();
    await world.subscribe(port);
    let worker = await world.startWorker(port);
    const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
    world.book();
    await world.untilIdle(worker.url);
    expect(world.rows('Contacts').length).toBe(2);
    expect(world.events(ANNA).length).toBe(1);

    await world.stopWorker(worker);
    world.platform.dashboard.changeResource(world.company.anna, { name: 'Anna Smirnova' });
    const before = `{ spreadsheet: ${BOOK}, tab: Contacts }`;
    options.mirrors = MIRRORS.replace(before, '{ spreadsheet: second-book, tab: People }');
    worker = await world.startWorker(port);
    const status = await world.untilIdle(worker.url);
    expect(world.google.truth.values('second-book', 'People').map((row) => row[0])).toEqual(['ID', id]);
    expect(status.problems.map((problem) => problem.code)).toEqual(['resource-unknown']);
    world.book({ hours: 30 });
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(2), { timeout: PATIENCE_MS });
  },
);

test.concurrent('P1: a row that a worker with the former mapping puts late is dropped, and its object has a turn (case 73)', async (context) => {
  const world = await begin(context);
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  await vi.waitFor(() => expect(world.rows('Contacts').length).toBe(2), { timeout: PATIENCE_MS });
  await world.untilIdle(url);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  try {
    // The handler of the former mapping was in the middle of the contact: it had claimed it, and settles it.
    const claim = await store.work.claim({ kind: 'contact', id });
    if (claim === undefined) throw new Error('nothing to claim');
    const known = Number(await store.redis.hget(store.keys.object(`contact/${id}`), 'd'));
    const content = {
      rowKey: id,
      cells: { Name: 'Emma' },
      hash: 'of the former mapping',
      occurredAtMs: undefined,
    };
    const place = { spreadsheetId: 'former-book', tab: 'Contacts', mirror: 'contacts' };
    expect(await store.outbox.put(claim, { ...place, ...content, key: `contact/${id}` })).toBe('queued');
    await store.work.settle(claim);
    await vi.waitFor(async () => expect(await store.outbox.waiting()).toEqual([]), {
      timeout: PATIENCE_MS,
      interval: 100,
    });
    await world.untilIdle(url);
    const after = Number(await store.redis.hget(store.keys.object(`contact/${id}`), 'd'));
    expect(after).toBe(known + 1);
  } finally {
    store.close();
  }
});

atLength.test.concurrent(
  'a worker that has left the work to a newer mapping does not take it back when Redis is wiped (case 73)',
  async (context) => {
    let title = 'before';
    const told: string[] = [];
    const world = await begin(context, {
      log: { ...SILENT_LOG, info: (_: object, message: string) => void told.push(message) },
      rewrite: (yaml) =>
        yaml.replace('{{ service_name }}, {{ customer_name }}', `${title} {{ customer_name }}`),
    });
    const port = await world.door();
    await world.subscribe(port);
    const older = await world.startWorker(port);
    await world.untilIdle(older.url);
    title = 'after';
    const newer = await world.startWorker(await world.door());
    await vi.waitFor(async () => expect((await world.status(newer.url)).coverage.feed.fresh).toBe(true), {
      timeout: PATIENCE_MS,
    });
    const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
    await store.ready();
    await vi.waitFor(
      () => expect(told).toContain('another worker has another mapping: the work is left to it'),
      { timeout: PATIENCE_MS },
    );
    await store.redis.flushall();
    await vi.waitFor(async () => expect(await store.memory.get('mapping-hash')).toBeDefined(), {
      timeout: PATIENCE_MS,
      interval: 50,
    });
    store.close();
    await world.stopWorker(older);
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), { timeout: PATIENCE_MS, interval: 50 });
    expect(world.events(ANNA)[0]?.summary).toMatch(/^after /);
  },
);
