#!/bin/sh
# bunqueue 2.9.5 (2026): a job that is deduplicated for an hour is done again as soon as the first one is done.
# Its guide: "Same id within 1 hour = no new job. After the TTL, a new job is allowed", against webhooks that come at least once.
# Seen: the key goes with its job. While the job waits, a second one is refused; a moment after it is done, a second one is added and done.
# `getDeduplicationJobId` then knows nothing of the id, 59 minutes early. A `jobId` is free again, too, which the guide says of it.
# An idle worker is done in milliseconds, so a confirmation goes out twice whenever the platform sends its webhook again.
# Keep the ids you have done in a store of your own. Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent bunqueue@2.9.5 @oven/bun-linux-x64-baseline@1.4.5
cat >run.ts <<'TS'
import { Queue, Worker } from 'bunqueue/client';
const done: string[] = [];
const queue = new Queue('messages', { embedded: true, dataPath: 'jobs.db' });
const add = (call: string) => queue.add('confirm', { call }, { deduplication: { id: 'booking 7', ttl: 3_600_000 } });
const told = async () => `done ${done.join(', ') || 'none'}, key ${(await queue.getDeduplicationJobId('booking 7')) ? 'held' : 'free'}`;
await add('first call');
await add('second call');
console.log(`two calls before there is a worker: ${await told()}`);
const worker = new Worker('messages', async ({ data }) => { done.push((data as { call: string }).call); }, { embedded: true });
const until = async (count: number) => { for (let turn = 0; turn < 50 && done.length < count; turn++) await Bun.sleep(100); await Bun.sleep(300); };
await until(1);
console.log(`with a worker: ${await told()}`);
await add('third call');
await until(2);
console.log(`a third call: ${await told()}`);
process.exit();
TS
node_modules/@oven/bun-linux-x64-baseline/bin/bun run.ts | tee seen
diff seen - <<'WANT'
two calls before there is a worker: done none, key held
with a worker: done first call, key free
a third call: done first call, third call, key free
WANT
