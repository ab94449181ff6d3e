#!/bin/sh
# bunqueue 2.9.5 (2026): a job of every 24 hours is never done by a program that is started again within 24 hours.
# Its reference: `every` advances from its previous scheduled slot. Its guide has `upsertJobScheduler` for a schedule that a program sets up.
# Seen: each call of it counts the 24 hours from now on, although nothing has changed and the schedule is kept in the file.
# `immediately` counts at the first start only, so it does not help. If the call is left out, the slot stays over a start.
# A clean-up each day is never done where deployment is daily. Call it only if `getJobScheduler` finds none. Exit code 1 if the behaviour differs.
# Needs npm.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent bunqueue@2.9.5 @oven/bun-linux-x64-baseline@1.4.5
cat >run.ts <<'TS'
import { Queue, Worker } from 'bunqueue/client';
const DAY_MS = 86_400_000;
const [, , start, ifMissing] = process.argv;
const queue = new Queue('jobs', { embedded: true, dataPath: 'jobs.db' });
const worker = new Worker('jobs', async () => {}, { embedded: true });
const before = (await queue.getJobScheduler('clean up'))?.next;
if (!ifMissing || before === undefined) await queue.upsertJobScheduler('clean up', { every: DAY_MS }, { name: 'clean up' });
const after = (await queue.getJobScheduler('clean up'))?.next ?? 0;
const moved = before === undefined ? 'due a day after the first start' : after - before >= 2000 ? 'put off' : after === before ? 'due when it was' : 'other';
console.log(`${start}: ${moved}`);
await worker.close();
await queue.close();
process.exit();
TS
# Two seconds stand for the time from one start to the next.
{
  for start in first second third; do
    node_modules/@oven/bun-linux-x64-baseline/bin/bun run.ts "$start start"
    sleep 2
  done
  node_modules/@oven/bun-linux-x64-baseline/bin/bun run.ts 'fourth start, which sets up what is missing alone' yes
} | tee seen
diff seen - <<'WANT'
first start: due a day after the first start
second start: put off
third start: put off
fourth start, which sets up what is missing alone: due when it was
WANT
