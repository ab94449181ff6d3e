// Runs on a host of its own: writes with the worker's own client, or works with its queue engines, and prints a line for each success.
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedQueue, KeyedWorker, type QueueConnection } from '../../src/engine/keyed-queue.ts';
import { openRedis, untilConnected } from '../../src/engine/redis-client.ts';
import { SILENT_LOG } from '../stand/store.ts';

const [what = '', url = '', many = '1'] = process.argv.slice(2);
const EVERY_MS = 500;

if (what === 'connect') {
  const error = await untilConnected(openRedis(url, 'commands'), { address: url, withinMs: 5_000 }).then(
    () => 'connected',
    (failure: Error) => failure.message,
  );
  console.log(error);
  process.exit(0);
}
if (what === 'write') {
  const client = openRedis(url, 'commands');
  for (;;) {
    client.set('k', '1').then(
      () => console.log('wrote'),
      () => undefined,
    );
    await sleep(EVERY_MS);
  }
}
for (let i = 0; i < Number(many); i += 1) {
  const options = { name: `engine${i}`, prefix: '{slotbridge}:queue', attempts: 40, log: SILENT_LOG };
  const connection = openRedis(url, 'queue') as QueueConnection;
  const queue = new KeyedQueue({ ...options, connection: openRedis(url, 'queue') as QueueConnection });
  new KeyedWorker({
    ...{ ...options, connection, concurrency: 4 },
    async handle() {
      console.log(`engine ${i}`);
      return { next: 'done' };
    },
  }).start();
  let keys = 0;
  setInterval(() => {
    keys += 1;
    queue.add([`contact/${keys}`]);
  }, EVERY_MS);
}
