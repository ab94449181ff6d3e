#!/usr/bin/env bash
# @nicnocquee/dataqueue 1.24.0 (May 2026): a reminder that failed once cannot be cancelled; its log says "cancelled", and it is sent.
# Its types: cancelJob() sets the job to cancelled, and cancelAllUpcomingJobs() without a filter cancels all upcoming ones.
# Expected: what waits for its next try is upcoming. Seen: it counts as failed, and only what was never begun is cancelled.
# cancelJob() is over without an error all the same, and its event is written. cancelAllUpcomingJobs() answers 0.
# After an outage of the mail server, every cancelled booking gets its mail. Look at the job after the call, or let the handler ask first.
# Needs Debian 12 as root, with apt, node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dpkg-query -W postgresql >/dev/null 2>&1 || apt-get install -y --no-install-recommends postgresql >/dev/null
dir=$(mktemp -d)
chmod 711 "$dir"
install -d -o postgres "$dir/db"
postgres=
trap '[ -z "$postgres" ] || { kill -INT "$postgres"; wait "$postgres" || true; }; rm -rf "$dir"' EXIT
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
export PGHOST="$dir/db" PGUSER=postgres
by=(setpriv --reuid postgres --regid postgres --clear-groups)
cd "$dir/db"
"${by[@]}" "$bin/initdb" -D data -A trust -E UTF8 --no-sync >/dev/null
"${by[@]}" "$bin/postgres" -D data -k "$dir/db" -c listen_addresses= >log 2>&1 &
postgres=$!
until "$bin/pg_isready" -q; do sleep 0.1; done
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @nicnocquee/dataqueue@1.24.0 node-pg-migrate@8.0.4 pg@8.16.3
PG_DATAQUEUE_DATABASE="postgres://postgres@/postgres?host=$dir/db" npx dataqueue-cli migrate --envPath /dev/null >migrate.log 2>&1
cat >run.mjs <<'JS'
import { initJobQueue } from '@nicnocquee/dataqueue';
import pg from 'pg';
console.error = () => {};
const databaseConfig = { host: process.env.PGHOST, user: 'postgres', database: 'postgres' };
const database = new pg.Pool(databaseConfig);
const queue = initJobQueue({ databaseConfig });
const sent = [];
let away = true;
const mail = async ({ to }) => {
  if (away) throw new Error('the mail server is away');
  sent.push(to);
};
const worker = queue.createProcessor({ mail });
const add = (to, runAt) => queue.addJob({ jobType: 'mail', payload: { to }, runAt });
const tomorrow = new Date(Date.now() + 86_400_000);
const shown = async (id) => {
  const { status } = await queue.getJob(id);
  return `${status} (${(await queue.getJobEvents(id)).map(({ eventType }) => eventType).join(', ')})`;
};
const waiting = await add('Ann, who never failed', tomorrow);
const failed = await add('Ben');
await worker.start();
for (const id of [waiting, failed]) await queue.cancelJob(id);
console.log(`waiting: ${await shown(waiting)}`);
console.log(`failed once: ${await shown(failed)}`);
console.log(`cancelAllUpcomingJobs(): ${await queue.cancelAllUpcomingJobs()}`);
// The mail server is back, and a day is over.
away = false;
await database.query("update job_queue set next_attempt_at = next_attempt_at - interval '1 day', run_at = run_at - interval '2 days'");
await worker.start();
console.log(`sent to: ${sent.join(', ')}`);
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'WANT'
waiting: cancelled (added, cancelled)
failed once: failed (added, processing, failed, cancelled)
cancelAllUpcomingJobs(): 0
sent to: Ben
WANT
