#!/bin/sh
# plainjob 0.0.14 (May 2026): a job scheduled for each New Year is done at once, when it is scheduled for the first time.
# Its README: schedule("daily-report", { cron: "0 0 * * *" }) is a recurring job. Expected: its first run at the first moment of the line.
# Seen: a new schedule is due since 1970, so the first worker does it. Then the line counts. A changed line leaves the old moment as it stands:
# "each minute" waits for the New Year, too. A deployment with a new database sends the report of the night in the middle of the day.
# Let the job look at the clock, or schedule under a new name when the line changes. Runs on Bun 1.4.5, which it installs (npm), on Linux x64.
# Needs npm. Exit code 1 if the behaviour differs.
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
const queue = defineQueue({ connection: bun(new Database(':memory:', { strict: true })), logger });
let done = 0;
const worker = defineWorker('report', async () => { done += 1; }, { queue, logger, pollIntervall: 20 });
function due() {
  const moment = new Date(queue.getScheduledJobs()[0].nextRunAt);
  return moment.getUTCFullYear() === 1970 ? '1970' : moment.toISOString().slice(5, 16);
}
queue.schedule('report', { cron: '0 12 1 1 *' });
console.log(`scheduled for 1 January, noon: due ${due()}, done ${done}`);
void worker.start();
await Bun.sleep(300);
console.log(`the worker has begun: due ${due()}, done ${done}`);
queue.schedule('report', { cron: '* * * * *' });
console.log(`scheduled for each minute: ${queue.getScheduledJobs()[0].cronExpression}, due ${due()}`);
await worker.stop();
queue.close();
JS
TZ=UTC HOME=$dir node_modules/@oven/bun-linux-x64-baseline/bin/bun run.mjs | tee seen
diff seen - <<'WANT'
scheduled for 1 January, noon: due 1970, done 0
the worker has begun: due 01-01T12:00, done 1
scheduled for each minute: * * * * *, due 01-01T12:00
WANT
