import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterEach, expect, test, vi } from 'vitest';
import { statusVerdict } from '../../../src/operate/verdict.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { startWorld, type World } from '../../stand/world.ts';

const MINUTE = 60_000;

let world: World;
afterEach(() => world.close());

test('P8: after two days without a worker nobody is called while the first walk is at work, and somebody when it does not end', async () => {
  /** The platform's and the worker's. */
  const clock = new SandboxClock();
  world = await startWorld({ clock, platform: { clock } });
  const port = await world.door();
  await world.subscribe(port);
  const first = await world.startWorker(port);
  const soon = { timeout: PATIENCE_MS, interval: 50 };
  await vi.waitFor(async () => expect((await world.status(first.url)).idle).toBe(true), soon);
  await world.stopWorker(first);
  clock.advance(2 * 24 * 60 * MINUTE);

  const feed = /\/v1\/events/;
  const lift = world.platform.faults.add({ path: feed, fault: { kind: 'hang', ms: 60_000 } });
  const { url } = await world.startWorker(port);
  const verdict = async () => statusVerdict(await world.status(url));
  expect(await verdict()).toMatchObject({
    mood: 'busy',
    line: expect.stringContaining('the event feed has yet to be read'),
  });
  clock.advance(6 * MINUTE);
  expect(await verdict()).toMatchObject({
    mood: 'wrong',
    line: expect.stringContaining('needs a person: the event feed is not being read'),
  });
  lift();
  await vi.waitFor(async () => expect((await verdict()).mood).toBe('well'), {
    ...soon,
    timeout: PATIENCE_MS,
  });
});
