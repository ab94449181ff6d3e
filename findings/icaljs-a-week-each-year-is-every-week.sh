#!/bin/sh
# ical.js 2.2.1: an event of one week in the year takes place in every week after it.
# RFC 5545 (3.3.10) lets BYWEEKNO choose weeks of the year, and 20MO the twentieth Monday; its own examples (3.8.5.3) give 19 May 1997 and 18 May 1998.
# Seen: these rules are read without an error, and then every following week has an instance; the first day of a week rule is left out besides.
# rrule-temporal 2.2.8 and rrule-rust 3.1.1 agree with the RFC. The days of a trade fair block each Monday of the year for bookings, and a mirror
# that copies instances fills a calendar. Expand rules with BYWEEKNO, or with BYDAY beyond 5 in a year, by another library.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical.js@2.2.1 rrule-temporal@2.2.8 rrule-rust@3.1.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { RRuleSet } from 'rrule-rust';
import { RRuleTemporal } from 'rrule-temporal';
const day = (text) => text.replaceAll('-', '').slice(0, 8);
function ofIcalJs(start, rule) {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:19970101T000000Z', start,
    'DURATION:PT1H', rule, 'END:VEVENT', 'END:VCALENDAR', ''];
  const steps = new ICAL.Event(new ICAL.Component(ICAL.parse(lines.join('\r\n'))).getFirstSubcomponent('vevent')).iterator();
  return [1, 2, 3].map(() => day(steps.next().toString()));
}
function show(name, first, parts) {
  const [start, rule] = [`DTSTART:${first}T090000Z`, `RRULE:FREQ=YEARLY;${parts};COUNT=3`];
  const temporal = new RRuleTemporal({ rruleString: `${start}\n${rule}` }).all().map((one) => day(one.toString()));
  const rust = RRuleSet.fromString(`${start}\n${rule}`).all().map((one) => day(one.toString()));
  const both = temporal.join() === rust.join() ? 'both' : `${rust} and`;
  return `${name}: ical.js ${ofIcalJs(start, rule).join(' ')}, ${both} ${temporal.join(' ')}`;
}
const seen = [
  show('20MO', '19970519', 'BYDAY=20MO'),
  show('week 20', '19970512', 'BYWEEKNO=20;BYDAY=MO'),
  show('week 2', '20260105', 'BYWEEKNO=2;BYDAY=MO'),
  show('1MO', '20260105', 'BYDAY=1MO'),
];
console.log(seen.join('\n'));
const expected = [
  '20MO: ical.js 19970519 19970526 19970602, both 19970519 19980518 19990517',
  'week 20: ical.js 19970519 19970526 19970602, both 19970512 19980511 19990517',
  'week 2: ical.js 20260112 20260119 20260126, both 20260105 20270111 20280110',
  '1MO: ical.js 20260105 20270104 20280103, both 20260105 20270104 20280103',
];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
