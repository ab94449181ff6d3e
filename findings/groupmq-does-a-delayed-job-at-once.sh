#!/bin/sh
# groupmq 1.1.0: a delayed job is done at once, without its delay, when another job of its group ends.
# Its README: `delay` is the time before a job becomes available. Expected: a second job with a delay of an hour is done after an hour.
# Seen: the worker that ends a job takes the next of the group by its order alone, so the delayed one follows immediately. Alone in its group it waits.
# `changeDelay` on a waiting job answers true and is passed over in the same way. A reminder for tomorrow goes out with today's confirmation.
# Give a delayed job a group of its own. Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent groupmq@1.1.0 ioredis@6.0.0
redis-server --port 0 --unixsocket "$dir/redis.sock" --save '' >/dev/null &
redis=$!
until redis-cli -s "$dir/redis.sock" ping >/dev/null 2>&1; do sleep 0.1; done
cat >run.mjs <<'JS'
import { Queue, Worker } from 'groupmq';
import { Redis } from 'ioredis';
const redis = new Redis(new URL('redis.sock', import.meta.url).pathname, { maxRetriesPerRequest: null });
const HOUR_MS = 3_600_000;
async function run(name, prepare) {
  const queue = new Queue({ redis, namespace: name });
  const seen = [];
  let end;
  const ended = new Promise((done) => { end = done; });
  await prepare(queue);
  const worker = new Worker({
    queue,
    handler: async ({ data }) => { seen.push(data); if (data === 'last') end(); },
  });
  worker.run();
  await ended;
  await worker.close(1_000);
  return `${name}: done ${seen.join(', ')}`;
}
const seen = [
  await run('alone', async (queue) => {
    await queue.add({ groupId: 'ann', data: 'reminder', delay: HOUR_MS });
    await queue.add({ groupId: 'ben', data: 'last' });
  }),
  await run('behind', async (queue) => {
    await queue.add({ groupId: 'ann', data: 'confirmation' });
    await queue.add({ groupId: 'ann', data: 'reminder', delay: HOUR_MS });
    await queue.add({ groupId: 'ann', data: 'last' });
  }),
];
console.log(seen.join('\n'));
const expected = ['alone: done last', 'behind: done confirmation, reminder, last'];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
