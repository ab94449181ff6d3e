#!/bin/sh
# cron 4.4.0: when clocks go back, a daily job of the hour after the repeated one is done twice.
# Expected: once a day, as croner 11.0.1 rings. Seen in Europe/Berlin on 2026-10-25: a job of 03:00 rings at 02:00 winter time and again at 03:00;
# in New York a job of 02:30 rings at 01:30 winter time too. A nightly invoice or reminder goes out twice, first an hour early.
# Choose another hour, or remember the day that was done. Real jobs on a simulated clock (@sinonjs/fake-timers 15.5.0).
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent cron@4.4.0 croner@11.0.1 @sinonjs/fake-timers@15.5.0
cat >run.mjs <<'JS'
import { install } from '@sinonjs/fake-timers';
import { CronJob } from 'cron';
import { Cron } from 'croner';
function rings(zone, day, pattern) {
  const clock = install({ now: new Date(`${day}T12:00:00Z`) });
  const rung = { cron: [], croner: [] };
  const note = (name) => () => rung[name].push(new Date().toISOString().slice(5, 16));
  const first = CronJob.from({ cronTime: pattern, timeZone: zone, start: true, onTick: note('cron') });
  const second = new Cron(pattern, { timezone: zone }, note('croner'));
  clock.tick(48 * 3_600_000);
  first.stop();
  second.stop();
  clock.uninstall();
  return `${zone} ${pattern}: cron ${rung.cron.join(' ')}; croner ${rung.croner.join(' ')}`;
}
const seen = [rings('Europe/Berlin', '2026-10-24', '0 3 * * *'), rings('America/New_York', '2026-10-31', '30 2 * * *'), rings('Europe/Berlin', '2026-10-27', '0 3 * * *')];
console.log(seen.join('\n'));
const same =
  seen.join() ===
  [
    'Europe/Berlin 0 3 * * *: cron 10-25T01:00 10-25T02:00 10-26T02:00; croner 10-25T02:00 10-26T02:00',
    'America/New_York 30 2 * * *: cron 11-01T06:30 11-01T07:30 11-02T07:30; croner 11-01T07:30 11-02T07:30',
    'Europe/Berlin 0 3 * * *: cron 10-28T02:00 10-29T02:00; croner 10-28T02:00 10-29T02:00',
  ].join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
