#!/bin/sh
# bullmq 6.7.0: adding a job whose id is taken, or that is deduplicated, returns a job with the new data, which is stored nowhere.
# Expected: the job that stands in the queue, or a word that nothing was added. Seen: `add` returns the id of the old job with the data of the new one;
# reading the job gives the old data, and its delay stays too. A caller that logs what `add` returned reports work that will never be done.
# Read the job anew, or compare. Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent bullmq@6.7.0 ioredis@6.0.0 >/dev/null 2>&1
node --input-type=module <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Queue } from 'bullmq';
const path = `${process.cwd()}/redis.sock`;
const server = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--dir', process.cwd()], { stdio: 'ignore' });
process.on('exit', () => server.kill());
const queue = new Queue('q', { connection: { path, maxRetriesPerRequest: null, retryStrategy: () => 100 } });
queue.on('error', () => {});
const seen = [];
for (const options of [{ jobId: 'one' }, { deduplication: { id: 'two' } }]) {
  const first = await queue.add('work', { hour: 10 }, { ...options, delay: 60_000 });
  const second = await queue.add('work', { hour: 12 }, { ...options, delay: 10 });
  const kept = await queue.getJob(second.id);
  seen.push(`same id: ${first.id === second.id}, returned hour ${second.data.hour}, kept hour ${kept.data.hour}, kept delay ${kept.delay}`);
}
await queue.close();
server.kill();
await once(server, 'exit');
console.log(seen.join('\n'));
const same = seen.every((line) => line === 'same id: true, returned hour 12, kept hour 10, kept delay 60000');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
