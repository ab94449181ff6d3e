#!/bin/sh
# aws-cron-parser 1.1.12 and @cheap-glitch/mi-cron 1.0.1: a line of the 31st is due on 3 March and 1 May too.
# Expected: a month without such a day has none, as cron-parser 5.10.6 reads the line (the first one reads those of EventBridge).
# Seen: the next date rolls over into the month after, without an error. prev() of aws-cron-parser leaves these dates out, so going on and going
# back give two different lists. A monthly invoice is expected, shown or sent twice in March. Take L for the end of a month, or another parser.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent aws-cron-parser@1.1.12 @cheap-glitch/mi-cron@1.0.1 cron-parser@5.10.6
cat >run.mjs <<'JS'
import { parseCron } from '@cheap-glitch/mi-cron';
import aws from 'aws-cron-parser';
import { CronExpressionParser } from 'cron-parser';
const start = new Date('2027-01-05T00:00Z');
const end = new Date('2027-06-01T00:00Z');
function walk(from, step, isInside) {
  const days = [];
  for (let date = step(from); date && isInside(date); date = step(date)) days.push(date.toISOString().slice(5, 10));
  return days;
}
const before = (date) => date < end;
function show(line, awsLine) {
  const parsed = aws.parse(awsLine);
  const all = CronExpressionParser.parse(line, { currentDate: start, endDate: end, tz: 'UTC' });
  const right = [];
  while (all.hasNext()) right.push(all.next().toDate().toISOString().slice(5, 10));
  return [
    `${line}: cron-parser ${right.join(' ')}`,
    `aws next ${walk(start, (date) => aws.next(parsed, date), before).join(' ')}`,
    `aws prev ${walk(end, (date) => aws.prev(parsed, date), (date) => date > start).reverse().join(' ')}`,
    `mi-cron ${walk(start, (date) => parseCron.nextDate(line, date), before).join(' ')}`,
  ].join('; ');
}
console.log([show('0 9 31 * *', '0 9 31 * ? *'), show('0 9 30 * *', '0 9 30 * ? *'), show('0 9 28 * *', '0 9 28 * ? *')].join('\n'));
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
0 9 31 * *: cron-parser 01-31 03-31 05-31; aws next 01-31 03-03 03-31 05-01 05-31; aws prev 01-31 03-31 05-31; mi-cron 01-31 03-03 03-31 05-01 05-31
0 9 30 * *: cron-parser 01-30 03-30 04-30 05-30; aws next 01-30 03-02 03-30 04-30 05-30; aws prev 01-30 03-30 04-30 05-30; mi-cron 01-30 03-02 03-30 04-30 05-30
0 9 28 * *: cron-parser 01-28 02-28 03-28 04-28 05-28; aws next 01-28 02-28 03-28 04-28 05-28; aws prev 01-28 02-28 03-28 04-28 05-28; mi-cron 01-28 02-28 03-28 04-28 05-28
WANT
