#!/bin/sh
# rrule-temporal 2.2.8: "on the 31st, or else on the last day" leaves out the short months, where the rule names the day.
# RFC 7529 (4.1): SKIP moves a day that a month lacks, once BYMONTH and BYMONTHDAY have been applied. The README of rrule-temporal promises the same.
# Seen: FREQ=MONTHLY with SKIP=BACKWARD falls on 28 February and 30 April as long as the 31st comes from DTSTART alone; with BYMONTHDAY=31, which
# most programs write beside it, SKIP counts for nothing. The same quarterly rule is right as YEARLY and wrong as MONTHLY. A monthly bill or class is
# missing five times a year. Leave BYMONTHDAY out where it says what DTSTART says. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent rrule-temporal@2.2.8
cat >run.mjs <<'JS'
import { RRuleTemporal } from 'rrule-temporal';
const days = (start, rule) =>
  new RRuleTemporal({ rruleString: `DTSTART;TZID=UTC:${start}T090000\nRRULE:RSCALE=GREGORIAN;COUNT=4;${rule}` })
    .all().map((day) => day.toPlainDate().toString().slice(5)).join(' ');
const seen = [];
for (const skip of ['BACKWARD', 'FORWARD']) {
  seen.push(`${skip}, the 31st from DTSTART: ${days('20260131', `FREQ=MONTHLY;SKIP=${skip}`)}`);
  seen.push(`${skip}, BYMONTHDAY=31: ${days('20260131', `FREQ=MONTHLY;BYMONTHDAY=31;SKIP=${skip}`)}`);
  for (const frequency of ['YEARLY', 'MONTHLY'])
    seen.push(`${skip}, ${frequency} in four months: ${days('20260331', `FREQ=${frequency};BYMONTH=3,6,9,12;BYMONTHDAY=31;SKIP=${skip}`)}`);
}
console.log(seen.join('\n'));
const expected = [
  'BACKWARD, the 31st from DTSTART: 01-31 02-28 03-31 04-30',
  'BACKWARD, BYMONTHDAY=31: 01-31 03-31 05-31 07-31',
  'BACKWARD, YEARLY in four months: 03-31 06-30 09-30 12-31',
  'BACKWARD, MONTHLY in four months: 03-31 12-31 03-31 12-31',
  'FORWARD, the 31st from DTSTART: 01-31 03-01 03-31 05-01',
  'FORWARD, BYMONTHDAY=31: 01-31 03-31 05-31 07-31',
  'FORWARD, YEARLY in four months: 03-31 07-01 10-01 12-31',
  'FORWARD, MONTHLY in four months: 03-31 12-31 03-31 12-31',
];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
