#!/bin/sh
# plainjob 0.0.14 (May 2026): a job that has waited longer than the timeout is given to a second worker while the first one does it.
# Its README: a job goes back into the queue "if a worker dies", and `timeout` is 30 minutes. Expected: the time counts from when a worker takes the job.
# Seen: it counts from when the job was due. After a pause of an hour, each job is older than that when it is taken, so it is done twice by
# two workers, without an error. A job that had not waited is done once. The mails of a backlog go out twice, and the longer it is, the surer.
# Set the timeout longer than any backlog, or mark in a table of one's own what was begun. Here the timeout is a second.
# Runs on Bun 1.4.5, which it installs (npm), on Linux x64. Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent plainjob@0.0.14 @oven/bun-linux-x64-baseline@1.4.5
cat >run.mjs <<'JS'
import { bun, defineQueue, defineWorker } from 'plainjob';
import { Database } from 'bun:sqlite';
const nothing = () => {};
const logger = { debug: nothing, info: nothing, error: console.error };
async function run(name, pauseMs) {
  const queue = defineQueue({ connection: bun(new Database(':memory:', { strict: true })), logger, timeout: 1000, maintenanceInterval: 50 });
  const seen = [];
  const workers = [1, 2].map(() => defineWorker('mail', async ({ data }) => {
    seen.push(`begun ${JSON.parse(data).to}`);
    await Bun.sleep(400);
    seen.push(`ended ${JSON.parse(data).to}`);
  }, { queue, logger, pollIntervall: 20 }));
  queue.add('mail', { to: 'Ann' });
  await Bun.sleep(pauseMs);
  for (const worker of workers) void worker.start();
  await Bun.sleep(900);
  for (const worker of workers) await worker.stop();
  await Bun.sleep(500);
  queue.close();
  console.log(`${name}: ${seen.join(', ')}`);
}
await run('taken at once', 0);
await run('waited longer than the timeout', 1500);
JS
HOME=$dir node_modules/@oven/bun-linux-x64-baseline/bin/bun run.mjs | tee seen
diff seen - <<'WANT'
taken at once: begun Ann, ended Ann
waited longer than the timeout: begun Ann, begun Ann, ended Ann, ended Ann
WANT
