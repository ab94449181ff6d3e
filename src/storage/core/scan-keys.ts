import { mastersOf, type RedisClient } from '../redis/redis-client.ts';
import { answered } from './script.ts';

const SCAN_COUNT = 500;

/**
 * All keys that begin so, in parts, so that Redis is never held up. Rejects when Redis does not answer: the stream of ioredis would wait for
 * ever for an answer that went down with a connection.
 */
export async function* scanKeys(redis: RedisClient, beginning: string): AsyncGenerator<readonly string[]> {
  const match = `${beginning.replaceAll(/[[\]*?\\]/g, '\\$&')}*`;
  for (const node of mastersOf(redis)) {
    let cursor = '0';
    do {
      const [next, names] = await answered(node.scan(cursor, 'MATCH', match, 'COUNT', SCAN_COUNT));
      yield names;
      cursor = next;
    } while (cursor !== '0');
  }
}
