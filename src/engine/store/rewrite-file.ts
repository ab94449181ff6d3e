// Deleted data stays in the append-only file until Redis rewrites it, which a small installation may never do automatically.
import { setTimeout as sleep } from 'node:timers/promises';
import { mastersOf, type RedisClient } from '../redis/redis-client.ts';
import { replyWithin } from './script.ts';

/** How long to wait for a running rewrite. It began earlier, so its file still has what was deleted since. */
const WAIT_MAX_MS = 30_000;
const LOOK_EVERY_MS = 250;

/**
 * Starts the rewrite, which Redis does in the background. It skips a Redis that has no such file, or does not allow the command. Never
 * rejects.
 */
export async function rewriteFile(redis: RedisClient): Promise<void> {
  await Promise.all(mastersOf(redis).map((node) => rewriteOn(node).catch(() => undefined)));
}

async function rewriteOn(node: ReturnType<typeof mastersOf>[number]): Promise<void> {
  for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += LOOK_EVERY_MS) {
    const info = await replyWithin(node.info('persistence'));
    if (!info.includes('aof_enabled:1')) return;
    if (!info.includes('aof_rewrite_in_progress:1')) {
      await replyWithin(node.bgrewriteaof());
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}
