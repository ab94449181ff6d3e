import { mastersOf, type RedisClient } from '../redis/redis-client.ts';
import { replyWithin } from './script.ts';

const SCAN_COUNT = 500;

/**
 * All keys with this prefix, in parts, so that Redis is never blocked. Rejects when Redis does not answer. The stream of ioredis would wait
 * forever for an answer that was lost with its connection.
 */
export async function* scanKeys(redis: RedisClient, beginning: string): AsyncGenerator<readonly string[]> {
  const match = `${beginning.replaceAll(/[[\]*?\\]/g, '\\$&')}*`;
  for (const node of mastersOf(redis)) {
    let cursor = '0';
    do {
      const [next, names] = await replyWithin(node.scan(cursor, 'MATCH', match, 'COUNT', SCAN_COUNT));
      yield names;
      cursor = next;
    } while (cursor !== '0');
  }
}
