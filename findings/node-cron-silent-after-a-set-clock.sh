#!/usr/bin/env bash
# node-cron@4.6.0 with @sinonjs/fake-timers@15.5.0. A clock that was three hours ahead and is put back silences an every-minute schedule.
# Seen: 181 minutes between two rings on the monotonic clock. Expected: one a minute. Fails if this changes.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts node-cron@4.6.0 @sinonjs/fake-timers@15.5.0 >>npm.log
cat > set.mjs <<'JS'
import FakeTimers from '@sinonjs/fake-timers';
const start = Date.parse('2026-11-21T12:00:10Z');
const clock = FakeTimers.install({ now: start, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
const { schedule } = await import('node-cron');
const rings = [];
schedule('* * * * *', () => { rings.push(performance.now()); });
clock.setSystemTime(start + 3 * 3_600_000);
await clock.tickAsync(10 * 60_000);
clock.setSystemTime(start + 10 * 60_000);
await clock.tickAsync(5 * 3_600_000);
const gaps = rings.slice(1).map((at, i) => (at - rings[i]) / 60_000);
console.log(Math.round(Math.max(...gaps)));
process.exit(0);
JS
seen=$(TZ=UTC node set.mjs 2>/dev/null)
echo "node-cron 4.6.0, node $(node -p process.versions.node): longest silence in minutes: $seen"
[ "$seen" -gt 170 ]
