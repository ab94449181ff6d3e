#!/bin/sh
# bullmq 6.7.0: with `keepLastIfActive` the newest job is lost while the running one waits for its retry, and an older one is done last.
# The guide on deduplication promises that the latest data wins, and that a delayed job ignores others as usual. Expected: the last of 1, 2 and 3 is 3.
# Seen: 2 is added while 1 runs, and kept; 1 fails and waits for its backoff; 3 is added then and dropped; the attempts are 1, 1 and 2. An older state
# overwrites the newest. With `replace: true` beside it they are 1 and 3. Set both, or put only the key into such a job and read the state when it runs.
# Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent bullmq@6.7.0 ioredis@6.0.0 >/dev/null 2>&1
node --input-type=module <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
const path = `${process.cwd()}/redis.sock`;
const server = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--dir', process.cwd()], { stdio: 'ignore' });
process.on('exit', () => server.kill());
const connection = { path, maxRetriesPerRequest: null, retryStrategy: () => 100 };
async function done(name, more) {
  const queue = new Queue(name, { connection });
  queue.on('error', () => {});
  const deduplication = { id: 'appointment', keepLastIfActive: true, ...more };
  const starts = [];
  let fail;
  const worker = new Worker(
    name,
    async (job) => {
      starts.push(job.data.version);
      if (starts.length === 1) await new Promise((_, reject) => { fail = () => reject(new Error('busy')); });
    },
    { connection, drainDelay: 1 },
  );
  worker.on('error', () => {});
  const first = await queue.add('sync', { version: 1 }, { deduplication, attempts: 2, backoff: { type: 'fixed', delay: 2_000 } });
  while (fail === undefined) await wait(20);
  await queue.add('sync', { version: 2 }, { deduplication });
  fail();
  while ((await first.getState()) !== 'delayed') await wait(20);
  await queue.add('sync', { version: 3 }, { deduplication });
  for (let idle = 0; idle < 3; await wait(50)) {
    const counts = await queue.getJobCounts('active', 'waiting', 'delayed');
    idle = Object.values(counts).some((count) => count > 0) ? 0 : idle + 1;
  }
  await worker.close();
  await queue.close();
  return starts.join(' ');
}
const seen = [await done('plain', {}), await done('replacing', { replace: true })];
server.kill();
await once(server, 'exit');
console.log(`attempts: ${seen[0]}; with replace: ${seen[1]}`);
const same = seen.join() === '1 1 2,1 3';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
