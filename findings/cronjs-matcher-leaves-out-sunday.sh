#!/bin/sh
# @datasert/cronjs-matcher 1.4.0: a job "from Friday to Sunday" has no Sunday, and an hourly one comes twice where clocks go forward.
# crontab(5) lets 7 be Sunday, also in a range; croner 11.0.1 and cron-parser 5.10.6 read 5-7 so. Here 7 and 6,7 hold Sunday, 5-7 does not, and
# 1-7/2 holds no day at all, without an error. Expected of getFutureMatches(): moments in order, each once.
# Seen in Berlin on 2026-03-29: the moment after the missing hour is given twice by an hourly line, and a half-hourly one goes back by half an hour.
# Reminders of Sunday's visits are never sent, and others twice. Write 0,5,6, and let the line run in UTC. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @datasert/cronjs-matcher@1.4.0 croner@11.0.1 cron-parser@5.10.6
cat >run.mjs <<'JS'
import { getFutureMatches } from '@datasert/cronjs-matcher';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
const libraries = [
  (line, tz, from, count) => getFutureMatches(line, { startAt: from.toISOString(), timezone: tz, matchCount: count, hasSeconds: false }).map((each) => new Date(each)),
  (line, tz, from, count) => new Cron(line, { timezone: tz }).nextRuns(count, from),
  (line, tz, from, count) => CronExpressionParser.parse(line, { currentDate: from, tz }).take(count).map((each) => each.toDate()),
];
const show = (line, tz, from, count, form) => `${line}: ${libraries.map((each) => each(line, tz, new Date(from), count).map(form).join(' ') || 'none').join(' | ')}`;
const day = (moment) => moment.toISOString().slice(8, 10);
const hour = (moment) => moment.toISOString().slice(11, 16);
console.log([
  show('0 9 * * 7', 'UTC', '2027-01-03T12:00Z', 2, day),
  show('0 9 * * 6,7', 'UTC', '2027-01-03T12:00Z', 4, day),
  show('0 9 * * 5-7', 'UTC', '2027-01-03T12:00Z', 4, day),
  show('0 9 * * 1-7/2', 'UTC', '2027-01-03T12:00Z', 4, day),
  show('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z', 4, hour),
  show('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15Z', 5, hour),
].join('\n'));
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
0 9 * * 7: 10 17 | 10 17 | 10 17
0 9 * * 6,7: 09 10 16 17 | 09 10 16 17 | 09 10 16 17
0 9 * * 5-7: 08 09 15 16 | 08 09 10 15 | 08 09 10 15
0 9 * * 1-7/2: none | 04 06 08 10 | 04 06 08 10
0 * * * *: 00:00 01:00 01:00 02:00 | 00:00 01:00 02:00 03:00 | 00:00 01:00 02:00 03:00
*/30 * * * *: 00:30 01:00 01:30 01:00 01:30 | 00:30 01:00 01:30 02:00 02:30 | 00:30 01:00 01:30 02:00 02:30
WANT
