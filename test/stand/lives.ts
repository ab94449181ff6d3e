import { expect, vi } from 'vitest';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { type FarEnd, type Lifeline, startLifeline } from './lifeline.ts';
import { PATIENCE_MS } from './patience.ts';
import { startWorld, type World } from './world.ts';

/** A worker that is dead before its n-th call from some moment on. */
export interface Life {
  /** From now on calls count; all its lines are cut before the `calls`-th leaves. Resolves then, or after `withinMs`: false if it lived. */
  dieBefore(calls: number, withinMs: number): Promise<boolean>;
  end(): void;
}

/**
 * A world whose workers live one after another at one address. Each has its own lines to Redis, Google and the platform, and the
 * platform to it: cut all at once, they leave exactly what a kill -9 at that call leaves. (That a killed process leaves nothing else is
 * shown with real ones in test/flow/kill.long.test.ts: a start of a process takes too long for every single call.)
 */
export async function startMortalWorld(options: Parameters<typeof startWorld>[0] = {}) {
  let lines: Record<'redis' | 'google' | 'platform', Lifeline> | undefined;
  const world: World = await startWorld({
    ...options,
    rewrite(yaml) {
      const ours = yaml
        .replace('shutdown: 5s', 'shutdown: 0s')
        .replace(/public_url: "[^"]*"/, `public_url: "http://127.0.0.1:${front.port}"`);
      if (lines === undefined) return ours;
      return ours
        .replaceAll(world.redis.url, `redis://127.0.0.1:${lines.redis.port}`)
        .replace(
          `calendar_root_url: ${world.google.url}`,
          `calendar_root_url: http://127.0.0.1:${lines.google.port}`,
        )
        .replace(
          `sheets_root_url: ${world.google.url}`,
          `sheets_root_url: http://127.0.0.1:${lines.google.port}`,
        )
        .replace(world.platform.url, `http://127.0.0.1:${lines.platform.port}/v1`);
    },
  });
  const front = await startLifeline();
  await world.subscribe(front.port);
  const lifelines: Lifeline[] = [];
  const burials: Promise<unknown>[] = [];

  return {
    world,
    /** A worker that is ready. */
    async begin(): Promise<Life> {
      let left = Number.POSITIVE_INFINITY;
      let died: (isDead: boolean) => void = () => {};
      const all: Lifeline[] = [];
      let worker: RunningWorker | undefined;
      const end = (): void => {
        front.cut();
        for (const line of all) line.cut();
        // The dead have nothing more to say, and shall not use up the machine.
        if (worker !== undefined) burials.push(world.stopWorker(worker));
        worker = undefined;
      };
      const onCall = (): boolean => {
        left -= 1;
        if (left > 0) return true;
        if (left === 0) {
          end();
          died(true);
        }
        return false;
      };
      const open = async (far: FarEnd): Promise<Lifeline> => {
        const line = await startLifeline(far, onCall);
        all.push(line);
        lifelines.push(line);
        return line;
      };
      lines = {
        redis: await open(redisEnd(world.redis.url)),
        google: await open(Number(new URL(world.google.url).port)),
        platform: await open(Number(new URL(world.platform.url).port)),
      };
      worker = await world.startWorker();
      front.leadTo(Number(new URL(worker.url).port));
      await untilReady(worker.url);
      return {
        dieBefore(calls, withinMs) {
          left = calls;
          return new Promise((done) => {
            const timer = setTimeout(() => done(false), withinMs);
            died = (isDead) => {
              clearTimeout(timer);
              done(isDead);
            };
          });
        },
        end,
      };
    },
    /** The last one, at the same address, with nothing in between. */
    async beginForGood(): Promise<string> {
      lines = undefined;
      const { url } = await world.startWorker();
      front.leadTo(Number(new URL(url).port));
      return url;
    },
    async close(): Promise<void> {
      await Promise.allSettled(burials);
      await world.close();
      await Promise.all([front, ...lifelines].map((line) => line.close()));
    },
  };
}

function untilReady(url: string): Promise<void> {
  return vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: PATIENCE_MS,
    interval: 20,
  });
}

function redisEnd(url: string): FarEnd {
  return url.startsWith('unix://') ? url.slice('unix://'.length) : Number(new URL(url).port);
}
