#!/bin/sh
# ts-ics 2.4.6: `extendByRecurrenceRule` puts a class of each second Tuesday at 09:00 on midnight, and leaves out its first day.
# RFC 5545 (3.3.10) keeps the time of DTSTART and counts from it; a month without a 31st has no instance. rrule-temporal 2.2.8 and ical.js 2.2.1 agree.
# Seen in a process in UTC: the second Tuesday at 00:00, from the second month on; "the last day of each month" is the day before it, and a class of
# the 31st moves to the 28th for ever. Whoever blocks time by it blocks the wrong hours. Weekly rules are right there. Expand rules by another library.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ts-ics@2.4.6 rrule-temporal@2.2.8 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { RRuleTemporal } from 'rrule-temporal';
import { convertIcsRecurrenceRule, extendByRecurrenceRule } from 'ts-ics';
const short = (ms) => new Date(ms).toISOString().slice(5, 16);
function read(day, value) {
  const start = new Date(`${day}T09:00:00Z`);
  const stamp = start.toISOString().replace(/[-:]|\.000/g, '');
  const dates = extendByRecurrenceRule(convertIcsRecurrenceRule(undefined, { value }), { start, end: new Date('2027-01-01T00:00:00Z') });
  const first = new RRuleTemporal({ rruleString: `DTSTART:${stamp}\nRRULE:${value}` }).all().map((one) => short(one.epochMilliseconds)).join(' ');
  const steps = ICAL.Recur.fromString(value).iterator(ICAL.Time.fromString(`${day}T09:00:00Z`));
  const second = [1, 2, 3].map(() => short(steps.next().toUnixTime() * 1000)).join(' ');
  return { right: first === second ? first : 'they differ', read: dates.map((one) => short(one)).join(' ') };
}
const rules = [['2026-01-13', 'FREQ=MONTHLY;BYDAY=2TU;COUNT=3'], ['2026-01-31', 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3'], ['2026-01-31', 'FREQ=MONTHLY;COUNT=3'], ['2026-01-13', 'FREQ=WEEKLY;COUNT=3']];
const seen = rules.map(([day, value]) => ({ value, ...read(day, value) }));
for (const one of seen) console.log(`${one.value}: right ${one.right}; ts-ics ${one.read}`);
const same =
  seen.map((one) => `${one.right}|${one.read}`).join() ===
  [
    '01-13T09:00 02-10T09:00 03-10T09:00|02-10T00:00 03-10T00:00 04-14T00:00',
    '01-31T09:00 02-28T09:00 03-31T09:00|02-27T09:00 03-30T09:00 04-29T09:00',
    '01-31T09:00 03-31T09:00 05-31T09:00|01-31T09:00 02-28T09:00 03-28T09:00',
    '01-13T09:00 01-20T09:00 01-27T09:00|01-13T09:00 01-20T09:00 01-27T09:00',
  ].join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
TZ=UTC node run.mjs
