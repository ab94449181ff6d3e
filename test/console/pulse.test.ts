import { expect, test } from 'vitest';
import { type About, type Listener, Pulse } from '../../src/console/pulse.ts';
import { createStatusSource } from '../../src/operate/status.ts';
import { StatusStores } from '../doubles/status-stores.ts';
import { double } from '../stand/double.ts';

function stand() {
  const stores = new StatusStores();
  const source = createStatusSource(stores.parts());
  const seen = { reads: 0, isAway: false, history: 0 };
  const runs = { handed: 0 };
  const pulse = new Pulse({
    replays: double({
      current: async () => ({ who: 'anna', atMs: 0, objects: 9, handed: runs.handed, unknown: 0, batch: 0 }),
      start: async () => 'busy',
      stop: async () => false,
    }),
    resyncs: { progress: async () => ({ open: [] }), asked: async () => [], request: async () => undefined },
    comparison: { current: undefined },
    clock: stores.clock,
    status: {
      read: async () => {
        seen.reads += 1;
        if (seen.isAway) throw new Error('away');
        return source.read();
      },
    },
    story: {
      view: double({ peek: async () => undefined, dueAt: async () => undefined }),
      history: double({
        note() {},
        of: async () =>
          Array.from({ length: seen.history }, (_, atMs) => ({ what: 'acted', atMs, by: 'x', code: 'y' })),
      }),
      deadLetters: { ofObject: async () => [] },
      waitingRows: async () => [],
      opinions: async () => [],
      clock: stores.clock,
    },
  });
  return { stores, seen, pulse, runs };
}

function page(about?: About) {
  const seen = { told: 0, takes: true, mayListen: true, ended: false };
  const listener: Listener = {
    about,
    tell() {
      if (seen.takes) seen.told += 1;
      return seen.takes;
    },
    mayListen: async () => seen.mayListen,
    end() {
      seen.ended = true;
    },
  };
  return Object.assign(seen, { listener });
}

test('a page is told at the first look, and after that only when something has changed', async () => {
  const { stores, pulse } = stand();
  const open = page();
  pulse.add(open.listener);
  await pulse.look();
  await pulse.look();
  expect(open.told).toBe(1);
  stores.pending = { objects: 1, oldestSinceMs: stores.clock.now() };
  await pulse.look();
  expect(open.told).toBe(2);
  stores.clock.advance(1_000);
  await pulse.look();
  expect(open.told).toBe(2);
  stores.clock.advance(15_000);
  await pulse.look();
  expect(open.told).toBe(3);
  pulse.endAll();
});

test('a slow reader is left out, holds nobody up, and hears of the newest state once it takes something', async () => {
  const { stores, pulse } = stand();
  const [slow, quick] = [page(), page()];
  slow.takes = false;
  pulse.add(slow.listener);
  pulse.add(quick.listener);
  for (let change = 1; change <= 5; change += 1) {
    stores.quarantined = change;
    await pulse.look();
  }
  expect([slow.told, quick.told]).toEqual([0, 5]);
  slow.takes = true;
  await pulse.look();
  await pulse.look();
  expect([slow.told, quick.told]).toEqual([1, 5]);
  pulse.endAll();
});

test('however many pages are open, each thing is read once at a look', async () => {
  const { seen, pulse } = stand();
  for (let count = 0; count < 50; count += 1) pulse.add(page().listener);
  await pulse.look();
  expect(seen.reads).toBe(1);
  pulse.endAll();
});

test('the page of a story hears of its own object', async () => {
  const { stores, seen, pulse } = stand();
  const story = page({ kind: 'appointment', id: 'a' });
  pulse.add(story.listener);
  await pulse.look();
  stores.quarantined = 7;
  await pulse.look();
  expect([story.told, seen.reads]).toEqual([1, 0]);
  seen.history = 1;
  await pulse.look();
  expect(story.told).toBe(2);
  pulse.endAll();
});

test('that the state cannot be read is news, and so is that it can be read again', async () => {
  const { seen, pulse } = stand();
  const open = page();
  pulse.add(open.listener);
  await pulse.look();
  seen.isAway = true;
  await pulse.look();
  await pulse.look();
  expect(open.told).toBe(2);
  seen.isAway = false;
  await pulse.look();
  expect(open.told).toBe(3);
  pulse.endAll();
});

test('whose session has ended hears nothing more', async () => {
  const { pulse } = stand();
  const open = page();
  open.mayListen = false;
  pulse.add(open.listener);
  await pulse.look();
  expect([open.told, open.ended, pulse.size]).toEqual([0, true, 0]);
});

test('a page of what people have started hears of its progress, and of nothing else', async () => {
  const { stores, pulse, runs } = stand();
  const open = page('runs');
  pulse.add(open.listener);
  await pulse.look();
  stores.quarantined = 1;
  await pulse.look();
  expect(open.told).toBe(1);
  runs.handed = 5;
  await pulse.look();
  expect(open.told).toBe(2);
  pulse.endAll();
});
