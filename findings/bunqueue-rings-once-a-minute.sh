#!/bin/sh
# bunqueue 2.9.5 (2026): a job for every two seconds is done once in 48 seconds, and one for seconds 0 and 30 once a minute.
# Its cron reference has a form with seconds first, and says of "0,30 * * * * *" that it runs twice per minute.
# Seen: without `every`, a schedule counts as one of a minute. What is due within 0.8 of a minute after the last run is passed over as an overlap.
# `preventOverlap: false` changes nothing, and nothing is thrown or logged. The same two seconds as `every: 2000` are right.
# A check of unsent messages each ten seconds comes once in 50. Write such schedules as `every`. Exit code 1 if the behaviour differs.
# Needs npm. Takes a good minute.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent bunqueue@2.9.5 @oven/bun-linux-x64-baseline@1.4.5
cat >run.ts <<'TS'
import { Queue, Worker } from 'bunqueue/client';
const done: Record<string, number> = {};
const queue = new Queue('checks', { embedded: true });
const worker = new Worker('checks', async ({ name }) => { done[name] = (done[name] ?? 0) + 1; }, { embedded: true });
const schedule = (name: string, repeat: object) => queue.upsertJobScheduler(name, repeat, { name });
// Half a minute has 15 times of two seconds, and each minute from here on has two of half a minute.
while (![3, 33].includes(new Date().getSeconds())) await Bun.sleep(100);
await schedule('every 2000', { every: 2000 });
await schedule('*/2 * * * * *', { pattern: '*/2 * * * * *' });
await schedule('*/2 * * * * *, overlaps allowed', { pattern: '*/2 * * * * *', preventOverlap: false });
await schedule('0,30 * * * * *', { pattern: '0,30 * * * * *' });
await Bun.sleep(30_500);
const times = (name: string) => (done[name] > 10 ? 'more than ten times' : `${done[name]}`);
for (const name of ['every 2000', '*/2 * * * * *', '*/2 * * * * *, overlaps allowed']) console.log(`${name}: ${times(name)} in half a minute`);
await Bun.sleep(29_000);
console.log(`0,30 * * * * *: ${done['0,30 * * * * *']} in a minute`);
process.exit();
TS
node_modules/@oven/bun-linux-x64-baseline/bin/bun run.ts | tee seen
diff seen - <<'WANT'
every 2000: more than ten times in half a minute
*/2 * * * * *: 1 in half a minute
*/2 * * * * *, overlaps allowed: 1 in half a minute
0,30 * * * * *: 1 in a minute
WANT
