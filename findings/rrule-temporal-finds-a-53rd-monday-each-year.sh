#!/bin/sh
# rrule-temporal 2.2.8: the 53rd Monday of a year with 52 is a Monday of the next year.
# RFC 5545 (3.3.10) allows 1 to 53 before a weekday in a yearly rule; a year that has no such day has no such instance.
# Seen: BYDAY=53MO gives one date in each year, and most of them lie in January of the following one. 52MO, which each year has, is right.
# A rule for the rare year with 53 weeks, as of a wage run, takes place every year. rrule-rust 3.1.1 agrees with the RFC, and so does python-dateutil.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent rrule-temporal@2.2.8 rrule-rust@3.1.1
cat >run.mjs <<'JS'
import { RRuleSet } from 'rrule-rust';
import { RRuleTemporal } from 'rrule-temporal';
const day = (text) => text.replaceAll('-', '').slice(0, 8);
function show(first, ordinal) {
  const text = `DTSTART:${first}T090000Z\nRRULE:FREQ=YEARLY;BYDAY=${ordinal}MO;COUNT=3`;
  const temporal = new RRuleTemporal({ rruleString: text }).all().map((one) => day(one.toString()));
  const rust = RRuleSet.fromString(text).all().map((one) => day(one.toString()));
  return `${ordinal}MO: rrule-temporal ${temporal.join(' ')}, rrule-rust ${rust.join(' ')}`;
}
const seen = [show('20181231', '53'), show('20181224', '52')];
console.log(seen.join('\n'));
const expected = [
  '53MO: rrule-temporal 20181231 20200106 20210104, rrule-rust 20181231 20241230 20291231',
  '52MO: rrule-temporal 20181224 20191230 20201228, rrule-rust 20181224 20191230 20201228',
];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
