#!/usr/bin/env bash
# node-cron@4.6.0. A process that stands still over the due moment does not run the schedule afterwards, but waits for the next one.
# Seen: the execution is reported as missed, and never run. Fails if it is run late, or no longer reported.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts node-cron@4.6.0 >>npm.log
cat > pause.mjs <<'JS'
import { schedule } from 'node-cron';
// Due once: three seconds from now, and then a day later.
const due = new Date(Date.now() + 3_000);
const expression = `${due.getSeconds()} ${due.getMinutes()} ${due.getHours()} * * *`;
let [runs, missed] = [0, 0];
const task = schedule(expression, () => { runs += 1; });
task.on('execution:missed', () => { missed += 1; });
// The whole process stands still for six seconds, as on a machine that swaps or is moved.
setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000), 1_000);
setTimeout(() => { console.log(`runs ${runs}, missed ${missed}`); process.exit(0); }, 12_000);
JS
seen=$(node pause.mjs 2>/dev/null)
echo "node-cron 4.6.0, node $(node -p process.versions.node): $seen"
[ "$seen" = "runs 0, missed 1" ]
