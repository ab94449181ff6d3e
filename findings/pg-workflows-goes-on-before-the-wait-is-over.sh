#!/usr/bin/env bash
# pg-workflows 0.15.0 (September 2026): what follows a wait runs at once, and a second time when the wait is over.
# Its README: step.waitFor() pauses the workflow until the event, step.delay('3 days') is a schedule, and its first example reads the event below.
# Expected: nothing below is reached before. Seen: both answer undefined at once and the function runs to its end; only steps are held back.
# Reading the event there throws, and the run is "paused" with that error, though all is well.
# The answer is mailed before anyone has answered. Put whatever follows a wait into a step, and read the event inside of it.
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
npm install --no-audit --no-fund --silent pg-workflows@0.15.0 pg@8.16.3
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowEngine, workflow } from 'pg-workflows';
const nothing = () => {};
const logger = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing };
const seen = [];
const reminder = workflow('reminder', async ({ step }) => {
  const begun = Date.now();
  await step.run('confirm', async () => seen.push(['confirmed', begun]));
  await step.delay('until the day before', '6 seconds');
  seen.push(['plain code', Date.now()]);
  await step.run('remind', async () => seen.push(['reminded', Date.now()]));
});
const question = workflow('question', async ({ step }) => {
  const answer = await step.waitFor('the answer', { eventName: 'answered' });
  seen.push([`the answer is ${JSON.stringify(answer)}`, 0]);
});
const reading = workflow('reading', async ({ step }) => {
  const { coming } = await step.waitFor('the answer', { eventName: 'answered' });
  seen.push([`coming: ${coming}`, 0]);
});
const engine = new WorkflowEngine({ connectionString: `postgres://postgres@/postgres?host=${process.env.PGHOST}`, workflows: [reminder, question, reading], logger });
await engine.start();
async function until(id, ...statuses) {
  for (;;) {
    const run = await engine.getRun({ runId: id });
    if (statuses.includes(run.status)) return run;
    await sleep(100);
  }
}
const start = async (workflowId) => (await engine.startWorkflow({ workflowId, input: {} })).id;
const first = await start('reminder');
await until(first, 'completed', 'failed');
const [[, begun]] = seen;
console.log(`delay of 6 s: ${seen.splice(0).map(([name, at]) => `${name} ${at - begun < 4_000 ? 'at once' : 'after it'}`).join(', ')}`);
for (const workflowId of ['question', 'reading']) {
  const id = await start(workflowId);
  await until(id, 'paused');
  await sleep(1_000);
  const { status, error } = await until(id, 'paused');
  console.log(`${workflowId}, nobody has answered: ${seen.splice(0).map(([name]) => name).join(', ') || 'nothing'}; ${status}, ${error ? 'with an error' : 'no error'}`);
  await engine.triggerEvent({ runId: id, eventName: 'answered', data: { coming: true } });
  await until(id, 'completed', 'failed');
  console.log(`${workflowId}, answered: ${seen.splice(0).map(([name]) => name).join(', ')}`);
}
await engine.stop();
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'WANT'
delay of 6 s: confirmed at once, plain code at once, plain code after it, reminded after it
question, nobody has answered: the answer is undefined; paused, no error
question, answered: the answer is {"coming":true}
reading, nobody has answered: nothing; paused, with an error
reading, answered: coming: true
WANT
