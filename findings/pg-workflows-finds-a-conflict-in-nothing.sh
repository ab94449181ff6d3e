#!/usr/bin/env bash
# pg-workflows 0.15.0 (September 2026): a step that finds nothing answers an empty object, and each booking has a conflict.
# Its types: step.run<T>() answers what its handler answers, and its README says that results are persisted. Expected: undefined, or null as JSON has it.
# Seen: undefined becomes {}, which is true in a condition. null, false, 0 and "" come back as they are.
# find() and a Map's get() answer undefined where nothing is, so `if (await step.run(...))` goes the wrong way. Nothing is thrown.
# Answer `?? null` in every step. Needs Debian 12 as root, with apt, node and npm. Exit code 1 if the behaviour differs.
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
const values = { undefined, null: null, false: false, zero: 0, 'an empty text': '', 'a booking': { at: '10:00' } };
const conflicts = new Map();
const booking = workflow('booking', async ({ step }) => {
  const seen = {};
  for (const [name, value] of Object.entries(values)) seen[name] = await step.run(name, async () => value);
  const conflict = await step.run('look for a conflict', async () => conflicts.get('10:00'));
  return { seen, done: conflict ? 'refused, since there is a conflict' : 'booked' };
});
const engine = new WorkflowEngine({ connectionString: `postgres://postgres@/postgres?host=${process.env.PGHOST}`, workflows: [booking], logger });
await engine.start();
const { id } = await engine.startWorkflow({ workflowId: 'booking', input: {} });
let run;
do {
  await sleep(100);
  run = await engine.getRun({ runId: id });
} while (!['completed', 'failed'].includes(run.status));
for (const name of Object.keys(values)) console.log(`${name}: ${JSON.stringify(run.output.seen[name])}`);
console.log(`no conflict: ${run.output.done}`);
await engine.stop();
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'WANT'
undefined: {}
null: null
false: false
zero: 0
an empty text: ""
a booking: {"at":"10:00"}
no conflict: refused, since there is a conflict
WANT
