#!/bin/sh
# rrule-rust 3.1.1: a rule that takes days out is written as a rule that adds them.
# Its documentation: addExRule() "exclude weekends" gives a set without them; toString() gives the set as RFC 5545 text, which fromString() reads.
# Seen: all() leaves the weekend out. toString() writes the same rule as RRULE, not EXRULE, so the text holds the weekend. Text with EXRULE is read
# rightly, and written wrongly. A copy that goes through text opens the practice on Saturday and Sunday.
# Write such days as EXDATE, or the rule as the days that remain. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent rrule-rust@3.1.1
cat >run.mjs <<'JS'
import { DateTime, DtStart, Frequency, RRule, RRuleSet, Weekday } from 'rrule-rust';
const days = (set) => set.all().map((each) => `${each.day}.`).join(' ');
const daily = new RRuleSet({
  dtstart: new DtStart(DateTime.local(2026, 6, 4, 9, 0, 0), 'Europe/Berlin'),
  rrules: [new RRule({ frequency: Frequency.Daily, count: 6 })],
});
const weekend = new RRule({ frequency: Frequency.Weekly, count: 2, byWeekday: [Weekday.Saturday, Weekday.Sunday] });
const open = daily.addExRule(weekend);
console.log(`from Thursday, 4 June, without the weekend: ${days(open)}`);
console.log(open.toString());
console.log(`read again: ${days(RRuleSet.fromString(open.toString()))}`);
const text = open.toString().replace('RRULE:FREQ=WEEKLY', 'EXRULE:FREQ=WEEKLY');
const read = RRuleSet.fromString(text);
console.log(`read with EXRULE: ${days(read)}`);
console.log(read.toString() === text ? 'written as it was read' : read.toString().split('\n').at(-1));
JS
node run.mjs | tee seen
diff seen - <<'WANT'
from Thursday, 4 June, without the weekend: 4. 5. 8. 9.
DTSTART;TZID=Europe/Berlin:20260604T090000
RRULE:FREQ=DAILY;COUNT=6
RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=SA,SU
read again: 4. 5. 6. 6. 7. 7. 8. 9.
read with EXRULE: 4. 5. 8. 9.
RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=SA,SU
WANT
