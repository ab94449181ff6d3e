import { expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { openTestStore, SILENT_LOG } from '../../stand/store.ts';
import { ANNA, BORIS, ROOM } from '../../stand/world.ts';
import { ANNA_NEW, FIRST, startEdited, Truth, type Yaml } from '../../stand/yaml-edits.ts';

const ANNA_ALONE: Yaml = {
  calendars: { staff: { boris: BORIS, room: ROOM }, anna: { anna: ANNA_NEW } },
  sheet: 'visits',
};

test('P2: after Redis was wiped under a worker, a YAML that gives a resource another mirror and calendar moves its events', async ({
  onTestFinished,
}) => {
  const warnings: string[] = [];
  const warn = (_: object, message: string) => void warnings.push(message);
  const edited = await startEdited({ log: { ...SILENT_LOG, warn } });
  onTestFinished(() => edited.close());
  const { world } = edited;
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  onTestFinished(() => store.close());
  await store.ready();
  for (const hours of [24, 26]) world.book({ hours });
  await edited.start(FIRST);
  await edited.idle();
  await store.redis.flushall();
  await vi.waitFor(() => expect(warnings).toContain('redis was wiped'), { timeout: PATIENCE_MS });
  await vi.waitFor(async () => expect(await store.memory.get('mapping-hash')).toBeDefined(), {
    timeout: PATIENCE_MS,
  });
  // Once the links know their resources, everything has been read again.
  const truth = new Truth(world);
  await vi.waitFor(
    async () => {
      const known = await Promise.all(
        truth
          .appointments()
          .map(({ id }) => store.redis.hget(store.keys.object(`appointment/${id}`), 'l:staff')),
      );
      for (const links of known) expect(links).toContain(world.company.anna);
    },
    { timeout: PATIENCE_MS },
  );
  await edited.idle();
  await edited.stop();
  await edited.start(ANNA_ALONE);
  await edited.idle();
  await vi.waitFor(() => expect(truth.differences(ANNA_ALONE)).toEqual([]), { timeout: PATIENCE_MS });
  expect([world.events(ANNA), world.events(ANNA_NEW)].map(({ length }) => length)).toEqual([0, 2]);
});
