/** Blocks whose booking got no answer, and is therefore still open in Redis when they stand. */
import { afterAll, expect, test } from 'vitest';
import { BlockStands, tuesday } from '../../stand/blocks.ts';

const stands = new BlockStands();
afterAll(() => stands.close());

test('a block whose booking got no answer, and that somebody cancels in the dashboard, comes back while its event stands', async () => {
  const world = await stands.start();
  world.busy(tuesday('10:00'), tuesday('11:00'));
  await world.poll();
  world.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'commit-then-reset' } });
  await world.turn();
  await world.settle();
  const [id = ''] = world.blockIds();
  world.dashboard.cancel(id);
  await world.hear(id);
  await world.rest();
  expect(world.blocks()).toEqual(['03T10:00-11:00']);
  expect(world.blockIds()).not.toEqual([id]);
});
