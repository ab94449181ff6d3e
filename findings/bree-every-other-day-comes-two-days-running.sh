#!/bin/sh
# bree 9.2.9 (March 2026, with @breejs/later 4.2.0): "every 2 days" is done on 31 December and on 1 January, and "every 90 minutes" each hour.
# Its README says of the interval 'every 2 days' that the job runs every other day; such texts are for later, and '90 minutes' for human-interval.
# Seen: "every" counts days from the first of the month and minutes from the full hour, so each month or hour begins anew. later's documentation says
# so of its own every(), bree's does not. 90 minutes fall back to an hour, and 36 hours to a day, without an error. Without "every" all are right.
# A reminder that is to come every other day comes two days running after each month of 31 days, and a feed is asked 24 times a day instead of 16.
# Leave "every" out: '90 minutes', '2 days'. The moments are those that bree gives to its timer. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent bree@9.2.9 @breejs/later@4.2.0
cat >run.cjs <<'JS'
const Bree = require('bree');
const later = require('@breejs/later');
const from = new Date('2026-12-29T00:30:00Z');
const minute = (date) => date.toISOString().slice(5, 16);
async function main() {
  for (const interval of ['every 30 minutes', 'every 45 minutes', 'every 90 minutes', '90 minutes', 'every 36 hours', '36 hours', 'every 2 days', '2 days']) {
    const bree = new Bree({ root: false, logger: false, jobs: [{ name: 'remind', path() {}, interval }] });
    await bree.init();
    const given = bree.config.jobs[0].interval;
    console.log(`${interval}: ${typeof given === 'number' ? `each ${given / 60_000} minutes` : later.schedule(given).next(4, from).map(minute).join(' ')}`);
  }
}
main();
JS
TZ=UTC node run.cjs | tee seen
diff seen - <<'WANT'
every 30 minutes: 12-29T00:30 12-29T01:00 12-29T01:30 12-29T02:00
every 45 minutes: 12-29T00:45 12-29T01:00 12-29T01:45 12-29T02:00
every 90 minutes: 12-29T01:00 12-29T02:00 12-29T03:00 12-29T04:00
90 minutes: each 90 minutes
every 36 hours: 12-29T00:30 12-30T00:00 12-31T00:00 01-01T00:00
36 hours: each 2160 minutes
every 2 days: 12-29T00:30 12-31T00:00 01-01T00:00 01-03T00:00
2 days: each 2880 minutes
WANT
