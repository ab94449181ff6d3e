import type { Config } from '../../config/config.ts';
import type { Clock } from '../../ports/clock.ts';
import { KeyedQueue } from '../../queue/keyed-queue.ts';
import { openOutside } from '../outside.ts';
import { SILENT, UNCOUNTED } from '../silence.ts';
import { openStore } from '../store.ts';

/** What the operator's commands work on: the state in Redis, the queue of a worker that may run, and the two outsides. */
export async function openDesk(config: Config, clock: Clock) {
  const store = await openStore(config, clock, { sharing: true });
  const connection = store.openQueueConnection();
  const queue = new KeyedQueue({
    name: 'objects',
    prefix: store.keys.queues,
    connection,
    attempts: config.worker.attempts,
    log: SILENT,
  });
  const outside = openOutside({ config, store, clock, log: SILENT, meter: UNCOUNTED });
  return {
    ...store,
    outside,
    queue,
    async close(): Promise<void> {
      await queue.close();
      connection.disconnect();
      await store.close();
    },
  };
}

export type OperatorDesk = Awaited<ReturnType<typeof openDesk>>;
