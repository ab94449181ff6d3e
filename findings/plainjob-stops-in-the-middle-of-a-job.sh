#!/bin/sh
# plainjob 0.0.14 (May 2026): `await worker.stop()` is over while a job is still done, and a job that ends afterwards counts as not done.
# Its README, on a graceful shutdown: worker.stop() finishes processing jobs, then queue.close() and process.exit(). Expected: the job has ended by then.
# Seen: stop() waits for the worker's pause alone. The job goes on, closing the queue makes its end an error, and it stays "processing" in the file.
# At the next start it waits for the timeout of half an hour, and is then done a second time: a mail that was sent goes out again.
# Count the jobs that run oneself (onProcessing, onCompleted, onFailed), and close when none is left.
# Runs on Bun 1.4.5, which it installs (npm), on Linux x64. Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent plainjob@0.0.14 @oven/bun-linux-x64-baseline@1.4.5
cat >run.mjs <<'JS'
import { bun, defineQueue, defineWorker, JobStatus } from 'plainjob';
import { Database } from 'bun:sqlite';
const nothing = () => {};
const logger = { debug: nothing, info: nothing, error: nothing };
const open = () => defineQueue({ connection: bun(new Database('jobs.db', { strict: true })), logger });
const queue = open();
const worker = defineWorker('mail', async () => {
  console.log('the mail is begun');
  await Bun.sleep(500);
  console.log('the mail is sent');
}, { queue, logger, pollIntervall: 20 });
queue.add('mail', { to: 'ann@shop.example' });
const end = worker.start().catch((error) => console.log(`the worker ends with an error: ${error instanceof Error}`));
await Bun.sleep(100);
await worker.stop();
console.log('stop() is over');
queue.close();
await end;
const again = open();
console.log(`in the file: ${JobStatus[again.getJobById(1).status]}`);
again.close();
JS
HOME=$dir node_modules/@oven/bun-linux-x64-baseline/bin/bun run.mjs | tee seen
diff seen - <<'WANT'
the mail is begun
stop() is over
the mail is sent
the worker ends with an error: true
in the file: Processing
WANT
