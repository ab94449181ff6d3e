#!/usr/bin/env bash
# node-cron@4.6.0. Without a listener, a missed execution is told as text with colour codes on the console, although no terminal is there.
# Seen: an escape sequence among the lines of a program that logs JSON. Fails if the text has no colours any more, or is gone.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts node-cron@4.6.0 >>npm.log
cat > pause.mjs <<'JS'
import { schedule } from 'node-cron';
const due = new Date(Date.now() + 3_000);
schedule(`${due.getSeconds()} ${due.getMinutes()} ${due.getHours()} * * *`, () => undefined);
setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000), 1_000);
setTimeout(() => process.exit(0), 12_000);
JS
node pause.mjs >out.log 2>&1
echo "node-cron 4.6.0, node $(node -p process.versions.node): $(cat -v out.log)"
grep -q 'missed execution' out.log && grep -q $'\x1b\[' out.log
