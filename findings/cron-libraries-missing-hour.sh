#!/bin/sh
# croner 11.0.1 and cron-parser 5.10.6 (which BullMQ's job schedulers use): a daily 02:30 runs at two different times on the day without that hour.
# Expected: one answer for one expression. Seen in Europe/Berlin on 2026-03-29: cron-parser 03:30, croner 03:00; on all other days both 02:30.
# Whoever moves a schedule from one to the other, or waits for one with the other, is half an hour off. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent croner@11.0.1 cron-parser@5.10.6
cat >run.mjs <<'JS'
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
const from = new Date('2026-03-28T12:00:00Z');
const parsed = CronExpressionParser.parse('30 2 * * *', { currentDate: from, tz: 'Europe/Berlin' });
const first = [1, 2].map(() => parsed.next().toDate().toISOString());
const second = new Cron('30 2 * * *', { timezone: 'Europe/Berlin' }).nextRuns(2, from).map((each) => each.toISOString());
console.log(`cron-parser ${first.join(' ')}\ncroner      ${second.join(' ')}`);
const same = first.join() === '2026-03-29T01:30:00.000Z,2026-03-30T00:30:00.000Z' && second.join() === '2026-03-29T01:00:00.000Z,2026-03-30T00:30:00.000Z';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
