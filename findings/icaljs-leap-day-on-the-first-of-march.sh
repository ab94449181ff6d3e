#!/bin/sh
# ical.js 2.2.1: a yearly event of 29 February takes place on 1 March in other years.
# RFC 5545 (3.3.10) ignores dates that do not exist, and says so of 30 February; RFC 7529 (4.1) names this the default, SKIP=OMIT.
# Seen: FREQ=YEARLY falls on 1 March in three years of four; the same with BYMONTH=2;BYMONTHDAY=29 beside it falls on leap days only, as do both
# forms in rrule-temporal 2.2.8. A monthly rule of the 31st leaves out the short months in ical.js, too. A yearly closing day is shown, and blocks its
# hours, on a day on which other programs show nothing. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical.js@2.2.1 rrule-temporal@2.2.8
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { RRuleTemporal } from 'rrule-temporal';
function ofIcalJs(start, rule) {
  const steps = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromDateTimeString(start));
  return [1, 2, 3].map(() => steps.next().toString().slice(0, 10)).join(' ');
}
const ofTemporal = (start, rule) =>
  new RRuleTemporal({ rruleString: `DTSTART;TZID=UTC:${start.replace(/[-:]/g, '')}\nRRULE:${rule};COUNT=3` })
    .all().map((day) => day.toPlainDate().toString()).join(' ');
const seen = [
  ['2024-02-29T09:00:00', 'FREQ=YEARLY'],
  ['2024-02-29T09:00:00', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29'],
  ['2026-01-31T09:00:00', 'FREQ=MONTHLY'],
].map(([start, rule]) => `${rule}: ical.js ${ofIcalJs(start, rule)}, rrule-temporal ${ofTemporal(start, rule)}`);
console.log(seen.join('\n'));
const expected = [
  'FREQ=YEARLY: ical.js 2024-02-29 2025-03-01 2026-03-01, rrule-temporal 2024-02-29 2028-02-29 2032-02-29',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29: ical.js 2024-02-29 2028-02-29 2032-02-29, rrule-temporal 2024-02-29 2028-02-29 2032-02-29',
  'FREQ=MONTHLY: ical.js 2026-01-31 2026-03-31 2026-05-31, rrule-temporal 2026-01-31 2026-03-31 2026-05-31',
];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
