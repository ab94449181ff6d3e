#!/usr/bin/env bash
# node-cron@4.6.0 with @sinonjs/fake-timers@15.5.0. An every-minute schedule rings nothing for two hours when clocks go back.
# Seen in the night of 25 October 2026: 121 minutes between two rings in a process of Europe/Berlin, 61 in UTC with the option `timezone`; 1 in UTC without it.
# Expected: one ring a minute, because every minute matches `* * * * *`. Fails if these figures change.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts node-cron@4.6.0 @sinonjs/fake-timers@15.5.0 >>npm.log
cat > night.mjs <<'JS'
import FakeTimers from '@sinonjs/fake-timers';
const clock = FakeTimers.install({ now: Date.parse('2026-10-24T23:50:00Z'), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
const { schedule } = await import('node-cron');
const rings = [];
const options = process.argv[2] ? { timezone: process.argv[2] } : {};
const task = schedule('* * * * *', () => { rings.push(Date.now()); }, options);
await clock.tickAsync(170 * 60_000);
const gaps = rings.slice(1).map((at, i) => (at - rings[i]) / 60_000);
console.log(Math.round(Math.max(...gaps)));
await task.destroy();
process.exit(0);
JS
night() { TZ=$1 node night.mjs "${2-}" 2>/dev/null; }
seen="$(night Europe/Berlin) $(night UTC Europe/Berlin) $(night UTC)"
echo "node-cron 4.6.0, node $(node -p process.versions.node): longest silence in minutes (process in Berlin; process in UTC with timezone Berlin; process in UTC): $seen"
[ "$seen" = "121 61 1" ]
