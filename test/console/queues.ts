import type { ConsoleParts } from '../../src/console/parts.ts';
import { openRedis } from '../../src/storage/redis/redis-client.ts';
import { KeyedQueue } from '../../src/work/keyed-queue.ts';
import { openQueueBoard } from '../../src/work/queue-board.ts';
import { SILENT_LOG } from '../stand/store.ts';

/** The queue of objects over this Redis, with nobody at work on it. Close it before the console. */
export function openTestQueue(redisUrl: () => string, prefix: string) {
  let opened: { readonly queue: KeyedQueue; readonly connection: ReturnType<typeof openRedis> } | undefined;
  const open = () => {
    const connection = openRedis(redisUrl(), 'queue');
    const options = { name: 'objects', prefix, connection, attempts: 3, log: SILENT_LOG };
    opened ??= { connection, queue: new KeyedQueue(options as ConstructorParameters<typeof KeyedQueue>[0]) };
    return opened;
  };
  return {
    queue: () => open().queue,
    parts: (): Partial<ConsoleParts> => ({ openBoard: async () => openQueueBoard([open().queue.engine]) }),
    async close(): Promise<void> {
      await opened?.queue.close();
      opened?.connection.disconnect();
    },
  };
}
