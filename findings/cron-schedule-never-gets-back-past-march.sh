#!/usr/bin/env bash
# cron-schedule 6.0.0 (January 2026): looking back for the last times of "30 2 * * *", it stays at 29 March for ever.
# Its README: getPrevDates(amount, startDate) is the given number of previous dates, and getPrevDatesIterator() gives them down to an end date.
# Seen: where clocks skip two to three, half past two comes out as half past three. Before that, the same is found once more, so it never gets by.
# A time that is given is then its own predecessor. A minute before or after the skipped hour is right, and so is the way forward.
# A check for missed runs sees the same night again and again. Stop where a date does not get earlier.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent cron-schedule@6.0.0
cat >run.mjs <<'JS'
import { parseCronExpression } from 'cron-schedule';
const local = (date) => date.toLocaleString('sv', { timeZone: 'Europe/Berlin' }).slice(5, 16);
const start = new Date('2026-03-30T12:00:00Z');
for (const text of ['30 1 * * *', '30 2 * * *', '30 3 * * *', '15,45 2 * * *', '30 2 * * 0']) {
  console.log(`${text} back: ${parseCronExpression(text).getPrevDates(4, start).map(local).join(', ')}`);
}
const forward = parseCronExpression('30 2 * * *').getNextDates(4, new Date('2026-03-27T12:00:00Z'));
console.log(`30 2 * * * forward: ${forward.map(local).join(', ')}`);
const given = new Date('2026-03-29T01:30:00Z');
console.log(`before ${local(given)}: ${local(parseCronExpression('30 2 * * *').getPrevDate(given))}`);
JS
TZ=Europe/Berlin node run.mjs | tee seen
diff seen - <<'WANT'
30 1 * * * back: 03-30 01:30, 03-29 01:30, 03-28 01:30, 03-27 01:30
30 2 * * * back: 03-30 02:30, 03-29 03:30, 03-29 03:30, 03-29 03:30
30 3 * * * back: 03-30 03:30, 03-29 03:30, 03-28 03:30, 03-27 03:30
15,45 2 * * * back: 03-30 02:45, 03-30 02:15, 03-29 03:45, 03-29 03:45
30 2 * * 0 back: 03-29 03:30, 03-29 03:30, 03-29 03:30, 03-29 03:30
30 2 * * * forward: 03-28 02:30, 03-29 03:30, 03-30 02:30, 03-31 02:30
before 03-29 03:30: 03-29 03:30
WANT
