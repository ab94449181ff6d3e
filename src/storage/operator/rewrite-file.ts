// What Redis has deleted stands in its append-only file until it writes that file again, which a small installation may never do by itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { answered } from '../core/script.ts';
import { mastersOf, type RedisClient } from '../redis/redis-client.ts';

/** One that is under way began before: what was deleted since stands in its file as well. */
const WAIT_MAX_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** Begins it; Redis goes on meanwhile. A Redis that has no such file, or does not let its users do so, is left alone. Never rejects. */
export async function rewriteFile(redis: RedisClient): Promise<void> {
  await Promise.all(mastersOf(redis).map((node) => rewriteOn(node).catch(() => undefined)));
}

async function rewriteOn(node: ReturnType<typeof mastersOf>[number]): Promise<void> {
  for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += LOOK_EVERY_MS) {
    const info = await answered(node.info('persistence'));
    if (!info.includes('aof_enabled:1')) return;
    if (!info.includes('aof_rewrite_in_progress:1')) {
      await answered(node.bgrewriteaof());
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}
