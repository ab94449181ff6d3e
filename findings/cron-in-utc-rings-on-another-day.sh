#!/bin/sh
# local-crontab 0.1.8 and crontzconvert 1.1.1, which turn a local crontab into UTC: the hour is converted, the day is not, or not for all hours.
# Expected: the converted lines ring at the moments of the local one, as both READMEs promise, or an error. cron-parser 5.10.6 reads them.
# Seen, local-crontab from Berlin: Monday 00:30 becomes Monday 23:30 UTC, which is in the night to Tuesday, and the first of a month becomes the second.
# In March and October a weekly job is done daily, as days of the month stand beside the weekday. crontzconvert from Lagos: Monday noon becomes
# Sunday 11:00, where midnight stands in the same line. A weekly report is a day late. Give the zone to the scheduler instead.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent local-crontab@0.1.8 crontzconvert@1.1.1 cron-parser@5.10.6
cat >run.mjs <<'JS'
import { CronExpressionParser } from 'cron-parser';
import crontz from 'crontzconvert';
import localCrontab from 'local-crontab';
function rings(lines, tz, from, to) {
  const moments = lines.flatMap((line) => {
    const all = CronExpressionParser.parse(line, { tz, currentDate: new Date(from), endDate: new Date(to) });
    const found = [];
    while (all.hasNext()) found.push(all.next().toDate().toISOString().slice(5, 16));
    return found;
  });
  return [...new Set(moments)].sort();
}
const local = (line, from, to) => {
  const right = rings([line], 'Europe/Berlin', from, to);
  const seen = rings(localCrontab.localCrontabToUtcCrontabs(line, 'Europe/Berlin'), 'UTC', from, to);
  return `local-crontab, ${line}: ${seen.length > 4 ? `${seen.length} times` : seen.join(' ')} (right: ${right.length > 4 ? `${right.length} times` : right.join(' ')})`;
};
const converted = (line, from, to) => {
  const seen = rings([crontz.convert(line, 'Africa/Lagos', 'UTC')], 'UTC', from, to);
  return `crontzconvert, ${line}: ${seen.join(' ')} (right: ${rings([line], 'Africa/Lagos', from, to).join(' ')})`;
};
const seen = [
  local('0 10 * * *', '2027-01-05T00:00Z', '2027-01-07T00:00Z'),
  local('30 0 * * 1', '2027-01-03T12:00Z', '2027-01-10T12:00Z'),
  local('30 0 1 * *', '2026-12-31T12:00Z', '2027-01-10T12:00Z'),
  local('0 10 * * 1', '2027-03-01T00:00Z', '2027-03-20T00:00Z'),
  converted('0 0 0 * * 1', '2027-01-03T00:00Z', '2027-01-09T00:00Z'),
  converted('0 0 0,12 * * 1', '2027-01-02T12:00Z', '2027-01-09T00:00Z'),
];
console.log(seen.join('\n'));
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
local-crontab, 0 10 * * *: 01-05T09:00 01-06T09:00 (right: 01-05T09:00 01-06T09:00)
local-crontab, 30 0 * * 1: 01-04T23:30 (right: 01-03T23:30)
local-crontab, 30 0 1 * *: 01-01T23:30 (right: 12-31T23:30)
local-crontab, 0 10 * * 1: 22 times (right: 03-01T09:00 03-08T09:00 03-15T09:00)
crontzconvert, 0 0 0 * * 1: 01-03T23:00 (right: 01-03T23:00)
crontzconvert, 0 0 0,12 * * 1: 01-03T11:00 01-03T23:00 (right: 01-03T23:00 01-04T11:00)
WANT
