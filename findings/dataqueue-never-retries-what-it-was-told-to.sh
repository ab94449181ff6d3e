#!/usr/bin/env bash
# @nicnocquee/dataqueue 1.24.0 (May 2026): a job that has used its tries waits for ever after retryJob(). So does one whose worker died in its last try.
# Its types: retryJob() sets a job back to pending and lets other workers pick it up, and reclaimStuckJobs() does so for those of dead workers.
# Seen: both leave the count of tries as it is, and a worker takes only what has some left. The job is "pending" from then on, and no longer "failed".
# With a try left, both are right.
# Whoever presses "retry" for the failed bookings clears the list of failures, and nothing is done. Give editJob() a higher maxAttempts beside it.
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
import { spawnSync } from 'node:child_process';
import { initJobQueue } from '@nicnocquee/dataqueue';
console.error = () => {};
const databaseConfig = { host: process.env.PGHOST, user: 'postgres', database: 'postgres' };
const queue = initJobQueue({ databaseConfig });
const sent = [];
let away = true;
const mail = async ({ to }) => {
  if (away) throw new Error('the mail server is away');
  if (process.argv[2] === 'die') process.kill(process.pid, 'SIGKILL');
  sent.push(to);
};
if (process.argv[2] === 'die') {
  away = false;
  await queue.createProcessor({ mail }).start();
}
const add = (to, maxAttempts) => queue.addJob({ jobType: 'mail', payload: { to }, maxAttempts });
const status = async (id) => (await queue.getJob(id)).status;
async function tell(name, id) {
  const before = await status(id);
  const begun = await queue.createProcessor({ mail }).start();
  console.log(`${name}: ${before}, the next worker takes ${begun}, then ${await status(id)}, sent: ${sent.splice(0).join(', ') || 'nothing'}`);
}
for (const tries of [2, 1]) {
  away = true;
  const failed = await add('Ann', tries);
  await queue.createProcessor({ mail }).start();
  console.log(`failed ${tries === 1 ? 'for good' : 'once of twice'}: ${await status(failed)}`);
  away = false;
  await queue.retryJob(failed);
  await tell('after retryJob()', failed);
  if (tries === 1) {
    await queue.editJob(failed, { maxAttempts: 2 });
    await tell('after editJob()', failed);
  }
  const stuck = await add('Ben', tries);
  spawnSync(process.execPath, ['run.mjs', 'die']);
  await queue.reclaimStuckJobs(0);
  await tell(`worker died in ${tries === 1 ? 'the last try' : 'the first try of two'}, after reclaimStuckJobs()`, stuck);
}
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'WANT'
failed once of twice: failed
after retryJob(): pending, the next worker takes 1, then completed, sent: Ann
worker died in the first try of two, after reclaimStuckJobs(): pending, the next worker takes 1, then completed, sent: Ben
failed for good: failed
after retryJob(): pending, the next worker takes 0, then pending, sent: nothing
after editJob(): pending, the next worker takes 1, then completed, sent: Ann
worker died in the last try, after reclaimStuckJobs(): pending, the next worker takes 0, then pending, sent: nothing
WANT
