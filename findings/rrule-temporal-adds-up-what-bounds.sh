#!/bin/sh
# rrule-temporal 2.2.8: "the last Friday of the year", as a Friday among the last seven days, is each of these seven days.
# RFC 5545 (3.3.10, note 2 of its table): in a yearly rule, BYDAY limits where BYYEARDAY or BYMONTHDAY is present.
# Seen: beside BYYEARDAY a weekday counts for nothing, and "1MO" beside BYMONTHDAY=1 is each year's first Monday, whatever its date.
# rrule-rust 3.1.1 and rrule 2.8.1 agree with the RFC. A meeting on the last Friday blocks a week of hours instead.
# Write such a rule as BYDAY=-1FR, or ask another library. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent rrule-temporal@2.2.8 rrule-rust@3.1.1 rrule@2.8.1
cat >run.mjs <<'JS'
import rrule from 'rrule';
import rust from 'rrule-rust';
import { RRuleTemporal } from 'rrule-temporal';
const rules = {
  'FREQ=YEARLY;COUNT=3;BYYEARDAY=-7,-6,-5,-4,-3,-2,-1;BYDAY=FR': ['2024-12-25 2024-12-26 2024-12-27', '2024-12-27 2025-12-26 2026-12-25'],
  'FREQ=YEARLY;COUNT=3;BYMONTHDAY=1;BYDAY=1MO': ['2024-01-01 2025-01-06 2026-01-05', '2024-01-01 2029-01-01 2035-01-01'],
  'FREQ=YEARLY;COUNT=3;BYMONTH=9;BYMONTHDAY=1;BYDAY=1MO': ['2025-09-01 2031-09-01 2036-09-01', '2025-09-01 2031-09-01 2036-09-01'],
};
const start = '20240101T090000Z';
const day = (moment) => moment.toISOString().slice(0, 10);
let same = true;
for (const [rule, [seen, right]] of Object.entries(rules)) {
  const text = `DTSTART:${start}\nRRULE:${rule}`;
  const found = {
    'rrule-temporal': new RRuleTemporal({ rruleString: text }).all().map((each) => each.toPlainDate().toString()),
    'rrule-rust': rust.RRuleSet.fromString(text).all().map((each) => day(each.toDate())),
    rrule: rrule.rrulestr(text).all().map(day),
  };
  const days = Object.values(found).map((each) => each.join(' '));
  console.log(`${rule}\n${Object.keys(found).map((name, at) => `  ${name}: ${days[at]}`).join('\n')}`);
  same &&= days.join() === [seen, right, right].join();
}
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
